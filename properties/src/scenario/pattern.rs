//! Events as a scenario names them, and how they are recognised in a log.

use midturn_protocol::{
    Event, InputId, ModelItem, Reply, SlotShape, TurnEnd, TurnId, Verdict, WaiterEvent,
};

use super::word::{ReasonKind, words};

/// An event of the event language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventPattern {
    /// `<id> <verb>`.
    Input {
        /// The input or command.
        id: InputId,
        /// What happens to it.
        what: InputEvent,
    },
    /// `turn of <id> <verb>`.
    Turn {
        /// The turn.
        turn: TurnId,
        /// What happens to it.
        what: TurnEvent,
    },
    /// `request <n> began` or `ended`; `n` counts over the first session, from 1.
    Request {
        /// The number.
        nth: u32,
        /// Which end of it.
        what: RequestEvent,
    },
    /// `answer shown`: the first session's model completes what a user takes for the answer.
    AnswerShown,
    /// `tool called`: the model of the first session calls a tool that is not refused.
    ToolCalled,
    /// `slot <shape>`: the slot of the first session changes to this shape.
    Slot(SlotShape),
}

/// What may happen to an input or command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputEvent {
    /// The command is given.
    Called,
    /// The command is answered.
    Returned,
    /// The command is answered with `Started`.
    Started,
    /// The command is answered with `Steered`.
    Steered,
    /// It is put where something may take it from.
    Accepted,
    /// It is refused, for this reason if one is given.
    Refused(Option<ReasonKind>),
    /// A turn takes it out of the queues.
    Drained,
    /// The prompt hook decides on it.
    Hooked,
    /// It enters history.
    Recorded,
    /// It is new in a request, of this turn if one is given.
    Sampled(Option<TurnId>),
    /// It is dropped, and that is reported.
    Cleared,
    /// It is handed back.
    GivenBack,
    /// The command, a wait, goes on.
    Woken,
    /// What it changes in the settings takes effect.
    Applied,
    /// The command is answered: the review or compaction runs.
    Began,
    /// The command, an answer, is answered: it was handed over.
    Answered,
    /// It is an answer for which nobody waits.
    DroppedAnswer,
}

/// The verbs of [`InputEvent`], in the order in which they are listed to people.
pub(crate) const INPUT_VERBS: &[(&str, InputEvent)] = &[
    ("called", InputEvent::Called),
    ("returned", InputEvent::Returned),
    ("started", InputEvent::Started),
    ("steered", InputEvent::Steered),
    ("accepted", InputEvent::Accepted),
    ("refused", InputEvent::Refused(None)),
    ("drained", InputEvent::Drained),
    ("hooked", InputEvent::Hooked),
    ("recorded", InputEvent::Recorded),
    ("sampled", InputEvent::Sampled(None)),
    ("cleared", InputEvent::Cleared),
    ("given_back", InputEvent::GivenBack),
    ("woken", InputEvent::Woken),
    ("applied", InputEvent::Applied),
    ("began", InputEvent::Began),
    ("answered", InputEvent::Answered),
    ("dropped_answer", InputEvent::DroppedAnswer),
];

/// What may happen to a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnEvent {
    /// The client is told that it started.
    Started,
    /// The client is told that it ended, in this way if one is given.
    Ended(Option<TurnEnd>),
    /// It looks whether anything waits.
    Looked,
    /// An abort asks its task to stop.
    CancelRequested,
    /// Its task notices that.
    CancelSeen,
    /// The marker of its interruption enters history.
    Marker,
    /// An abort empties its pending list.
    PendingCleared,
    /// It compacts history.
    Compacted,
    /// Its task says that it is done.
    TaskDone,
    /// It is stopped without an end, to be taken up again.
    Suspended,
    /// One of its tools begins to wait for an answer from outside.
    Asks,
    /// One of its tools stops waiting for activity.
    StopsWaiting,
}

/// The verbs of [`TurnEvent`].
pub(crate) const TURN_VERBS: &[(&str, TurnEvent)] = &[
    ("started", TurnEvent::Started),
    ("ended", TurnEvent::Ended(None)),
    ("looked", TurnEvent::Looked),
    ("cancel_requested", TurnEvent::CancelRequested),
    ("cancel_seen", TurnEvent::CancelSeen),
    ("marker", TurnEvent::Marker),
    ("pending_cleared", TurnEvent::PendingCleared),
    ("compacted", TurnEvent::Compacted),
    ("task_done", TurnEvent::TaskDone),
    ("suspended", TurnEvent::Suspended),
    ("asks", TurnEvent::Asks),
    ("stops_waiting", TurnEvent::StopsWaiting),
];

/// The two ends of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestEvent {
    /// It begins.
    Began,
    /// It ends.
    Ended,
}
words!(RequestEvent { Began = "began", Ended = "ended" });

/// Recognises a pattern in a log whose events are fed to it one by one, from the first on.
#[derive(Clone, Debug)]
pub struct Matcher {
    pattern: EventPattern,
    seen: bool,
    requests: u32,
    nth: Option<(TurnId, u32)>,
}

impl Matcher {
    /// A matcher that has seen nothing.
    pub fn new(pattern: EventPattern) -> Self {
        Matcher { pattern, seen: false, requests: 0, nth: None }
    }

    /// What it looks for.
    pub fn pattern(&self) -> EventPattern {
        self.pattern
    }

    /// Whether the pattern occurred.
    pub fn seen(&self) -> bool {
        self.seen
    }

    /// Takes the next event, of the session with this index, and says whether it is an
    /// occurrence of the pattern. A pattern may occur more than once (`turn of prompt looked`).
    pub fn feed(&mut self, session: usize, event: &Event) -> bool {
        let occurs = match self.pattern {
            EventPattern::Input { id, what } => what.is(id, event),
            EventPattern::Turn { turn, what } => what.is(turn, event),
            // These name nobody, so they speak of the first session.
            EventPattern::Request { .. }
            | EventPattern::AnswerShown
            | EventPattern::ToolCalled
            | EventPattern::Slot(_)
                if session > 0 =>
            {
                false
            }
            EventPattern::Request { nth, what } => self.feed_request(event, nth, what),
            EventPattern::AnswerShown => {
                matches!(event, Event::ModelItem { item, .. } if item.is_final_answer())
            }
            EventPattern::ToolCalled => {
                matches!(event, Event::ModelItem { item: ModelItem::Tool(_), .. })
            }
            EventPattern::Slot(shape) => {
                matches!(event, Event::Slot { from, to, .. } if *to == shape && from != to)
            }
        };
        self.seen |= occurs;
        occurs
    }

    fn feed_request(&mut self, event: &Event, nth: u32, what: RequestEvent) -> bool {
        match event {
            Event::RequestBegan { turn, request, .. } => {
                self.requests = self.requests.saturating_add(1);
                if self.requests != nth {
                    return false;
                }
                self.nth = Some((*turn, *request));
                what == RequestEvent::Began
            }
            Event::RequestEnded { turn, request, .. } => {
                what == RequestEvent::Ended && self.nth == Some((*turn, *request))
            }
            _ => false,
        }
    }
}

impl InputEvent {
    fn is(self, id: InputId, event: &Event) -> bool {
        match (self, event) {
            (InputEvent::Called, Event::Called { command })
            | (InputEvent::Returned, Event::Returned { command, .. })
            | (InputEvent::Woken, Event::Woken { command, .. })
            | (InputEvent::Applied, Event::SettingsApplied { command, .. })
            | (InputEvent::DroppedAnswer, Event::AnswerDropped { command }) => *command == id,
            (_, Event::Returned { command, reply }) => *command == id && self.is_told(reply),
            (InputEvent::Accepted, Event::Accepted { input, .. })
            | (InputEvent::Hooked, Event::Hooked { input, .. })
            | (InputEvent::Recorded, Event::Recorded { input, .. })
            | (InputEvent::Cleared, Event::Cleared { input, .. })
            | (InputEvent::GivenBack, Event::GivenBack { input }) => *input == id,
            (InputEvent::Refused(wanted), Event::Refused { input, reason }) => {
                *input == id && wanted.is_none_or(|wanted| wanted == ReasonKind::from(*reason))
            }
            (InputEvent::Drained, Event::Drained { inputs, .. }) => inputs.contains(&id),
            (InputEvent::Sampled(wanted), Event::RequestBegan { turn, new, .. }) => {
                new.contains(&id) && wanted.is_none_or(|wanted| wanted == *turn)
            }
            _ => false,
        }
    }

    /// Whether it is this answer.
    fn is_told(self, reply: &Reply) -> bool {
        match self {
            InputEvent::Started => matches!(reply, Reply::Verdict(Verdict::Started(_))),
            InputEvent::Steered => matches!(reply, Reply::Verdict(Verdict::Steered(_))),
            InputEvent::Began => matches!(reply, Reply::Began(_)),
            InputEvent::Answered => matches!(reply, Reply::Answered { found: true }),
            InputEvent::Called
            | InputEvent::Returned
            | InputEvent::Accepted
            | InputEvent::Refused(_)
            | InputEvent::Drained
            | InputEvent::Hooked
            | InputEvent::Recorded
            | InputEvent::Sampled(_)
            | InputEvent::Cleared
            | InputEvent::GivenBack
            | InputEvent::Woken
            | InputEvent::Applied
            | InputEvent::DroppedAnswer => false,
        }
    }
}

impl TurnEvent {
    fn is(self, wanted: TurnId, event: &Event) -> bool {
        match (self, event) {
            (TurnEvent::Ended(way), Event::TurnEnded { turn, how }) => {
                *turn == wanted && way.is_none_or(|way| way == *how)
            }
            (TurnEvent::Asks, Event::Waiter { turn, what, .. }) => {
                *turn == wanted && *what == WaiterEvent::Opened
            }
            (TurnEvent::Started, Event::TurnStarted { turn, .. })
            | (TurnEvent::Looked, Event::Looked { turn, .. })
            | (TurnEvent::CancelRequested, Event::CancelRequested { turn })
            | (TurnEvent::CancelSeen, Event::CancelSeen { turn })
            | (TurnEvent::Marker, Event::Marker { turn })
            | (TurnEvent::PendingCleared, Event::PendingCleared { turn })
            | (TurnEvent::Compacted, Event::Compacted { turn })
            | (TurnEvent::TaskDone, Event::TaskDone { turn })
            | (TurnEvent::Suspended, Event::TurnSuspended { turn })
            | (TurnEvent::StopsWaiting, Event::ToolWoken { turn, .. }) => *turn == wanted,
            _ => false,
        }
    }
}
