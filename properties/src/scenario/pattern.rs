//! Events as a scenario names them, and how they are recognised in a log.

use midturn_protocol::{Event, InputId, ModelItem, Reply, SlotShape, TurnEnd, TurnId, Verdict};

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
    /// `request <n> began` or `ended`; `n` counts over the session, from 1.
    Request {
        /// The number.
        nth: u32,
        /// Which end of it.
        what: RequestEvent,
    },
    /// `answer shown`: the model completes an item that a user takes for the final answer.
    AnswerShown,
    /// `tool called`: the model calls a tool that is not refused.
    ToolCalled,
    /// `slot <shape>`: the slot changes to this shape.
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

    /// Takes the next event, and says whether it is an occurrence of the pattern. A pattern
    /// may occur more than once (`turn of prompt looked`).
    pub fn feed(&mut self, event: &Event) -> bool {
        let occurs = match self.pattern {
            EventPattern::Request { nth, what } => self.feed_request(event, nth, what),
            EventPattern::Input { id, what } => what.is(id, event),
            EventPattern::Turn { turn, what } => what.is(turn, event),
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
            | (InputEvent::Woken, Event::Woken { command, .. }) => *command == id,
            (InputEvent::Started, Event::Returned { command, reply }) => {
                *command == id && matches!(reply, Reply::Verdict(Verdict::Started(_)))
            }
            (InputEvent::Steered, Event::Returned { command, reply }) => {
                *command == id && matches!(reply, Reply::Verdict(Verdict::Steered(_)))
            }
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
}

impl TurnEvent {
    fn is(self, wanted: TurnId, event: &Event) -> bool {
        match (self, event) {
            (TurnEvent::Ended(way), Event::TurnEnded { turn, how }) => {
                *turn == wanted && way.is_none_or(|way| way == *how)
            }
            (TurnEvent::Started, Event::TurnStarted { turn })
            | (TurnEvent::Looked, Event::Looked { turn, .. })
            | (TurnEvent::CancelRequested, Event::CancelRequested { turn })
            | (TurnEvent::CancelSeen, Event::CancelSeen { turn })
            | (TurnEvent::Marker, Event::Marker { turn })
            | (TurnEvent::PendingCleared, Event::PendingCleared { turn }) => *turn == wanted,
            _ => false,
        }
    }
}
