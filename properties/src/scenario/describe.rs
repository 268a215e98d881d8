//! Events, replies and landings in the words of stories.

use midturn_protocol::{Event, Landing, ModelItem, Place, Reason, Reply, RequestEnd, Verdict};

use super::names::Names;
use super::word::{ReasonKind, Word};

impl Names {
    /// A reason: `no_active_turn`, with what it carries in brackets.
    pub fn reason(&self, reason: Reason) -> String {
        let word = ReasonKind::from(reason).word();
        match reason {
            Reason::ExpectedTurnMismatch { expected, actual } => {
                format!("{word} ({}, not {})", self.turn(actual), self.turn(expected))
            }
            Reason::ActiveTurnNotSteerable(kind) => format!("{word} ({})", kind.word()),
            Reason::NoActiveTurn
            | Reason::EmptyInput
            | Reason::NotIdle
            | Reason::PendingTriggerTurn
            | Reason::PlanMode
            | Reason::InvalidRequest
            | Reason::Superseded => word.to_owned(),
        }
    }

    /// A verdict: `Started(turn of prompt)`, `Steered(turn of prompt)`,
    /// `refused no_active_turn`.
    pub fn verdict(&self, verdict: Verdict) -> String {
        match verdict {
            Verdict::Started(turn) => format!("Started({})", self.turn(turn)),
            Verdict::Steered(turn) => format!("Steered({})", self.turn(turn)),
            Verdict::NotSubmitted(reason) => format!("refused {}", self.reason(reason)),
        }
    }

    /// What a command returned.
    pub fn reply(&self, reply: &Reply) -> String {
        match reply {
            Reply::Verdict(verdict) => self.verdict(*verdict),
            Reply::Delivered => "delivered".to_owned(),
            Reply::Interrupted(Some(turn)) => format!("interrupted {}", self.turn(*turn)),
            Reply::Interrupted(None) => "interrupted nothing".to_owned(),
            Reply::Injected => "injected".to_owned(),
            Reply::GivenBack => "given_back".to_owned(),
            Reply::RecordedOnly => "recorded_only".to_owned(),
            Reply::Woken { found: true } => "woken, something waits".to_owned(),
            Reply::Woken { found: false } => "woken, nothing waits".to_owned(),
            Reply::Dropped => "dropped".to_owned(),
        }
    }

    /// Where an input ended: `sampled in turn of prompt, request 2`.
    pub fn landing(&self, landing: Landing) -> String {
        match landing {
            Landing::Sampled { turn, request } => {
                format!("sampled in {}, request {request}", self.turn(turn))
            }
            Landing::Recorded => "recorded".to_owned(),
            Landing::Queued => "queued".to_owned(),
            Landing::Returned => "returned".to_owned(),
            Landing::Cleared(by) => format!("cleared by {}", by.word()),
            Landing::Refused(reason) => format!("refused {}", self.reason(reason)),
            Landing::Lost => "lost".to_owned(),
        }
    }

    /// Where an accepted input was put.
    pub fn place(&self, place: Place) -> String {
        match place {
            Place::Pending(turn) => format!("pending on {}", self.turn(turn)),
            Place::Initial(turn) => format!("first input of {}", self.turn(turn)),
            Place::Mailbox => "mailbox".to_owned(),
        }
    }

    /// A model item: `final "done"`.
    pub fn model_item(&self, item: &ModelItem) -> String {
        match item {
            ModelItem::Final(text) => format!("final {text:?}"),
            ModelItem::Untagged(text) => format!("untagged {text:?}"),
            ModelItem::Commentary(text) => format!("commentary {text:?}"),
            ModelItem::Blank => "blank".to_owned(),
            ModelItem::Reasoning => "reasoning".to_owned(),
            ModelItem::Tool(tool) => format!("tool {tool}"),
            ModelItem::RefusedTool(tool) => format!("refused_tool {tool}"),
            ModelItem::NotEnded => "not_ended".to_owned(),
            ModelItem::Error(text) => format!("error {text:?}"),
        }
    }

    /// One fact in one line, in the words of the event language where it has them.
    pub fn event(&self, event: &Event) -> String {
        match event {
            Event::Called { command } => format!("{} called", self.input(*command)),
            Event::Returned { command, reply } => {
                format!("{} returned {}", self.input(*command), self.reply(reply))
            }
            Event::Accepted { input, kind: _, place } => {
                format!("{} accepted, {}", self.input(*input), self.place(*place))
            }
            Event::Refused { input, reason } => {
                format!("{} refused {}", self.input(*input), self.reason(*reason))
            }
            Event::GivenBack { input } => format!("{} given_back", self.input(*input)),
            Event::Cleared { input, by } => {
                format!("{} cleared by {}", self.input(*input), by.word())
            }
            Event::Hooked { input, accepted: true } => {
                format!("{} hooked, accepted", self.input(*input))
            }
            Event::Hooked { input, accepted: false } => {
                format!("{} hooked, blocked", self.input(*input))
            }
            Event::Recorded { input, turn: Some(turn) } => {
                format!("{} recorded in {}", self.input(*input), self.turn(*turn))
            }
            Event::Recorded { input, turn: None } => format!("{} recorded", self.input(*input)),
            Event::Sent { activity, input } => {
                format!("{} told the watch: {}", self.input(*input), activity.word())
            }
            Event::Woken { command, found: true } => {
                format!("{} woken, something waits", self.input(*command))
            }
            Event::Woken { command, found: false } => {
                format!("{} woken, nothing waits", self.input(*command))
            }
            _ => self.turn_event(event),
        }
    }

    /// The facts about slot and turns.
    fn turn_event(&self, event: &Event) -> String {
        match event {
            Event::Slot { from, to, turn: Some(turn) } => {
                format!("slot {}, was {}, {}", to.word(), from.word(), self.turn(*turn))
            }
            Event::Slot { from, to, turn: None } => {
                format!("slot {}, was {}", to.word(), from.word())
            }
            Event::Phase { turn, to, because } => {
                format!("{} phase {}, because {}", self.turn(*turn), to.word(), because.word())
            }
            Event::Looked { turn, found: true } => {
                format!("{} looked, found something", self.turn(*turn))
            }
            Event::Looked { turn, found: false } => {
                format!("{} looked, found nothing", self.turn(*turn))
            }
            Event::Drained { turn, inputs } => {
                format!("{} drained {}", self.turn(*turn), self.list(inputs))
            }
            Event::TurnStarted { turn } => format!("{} started", self.turn(*turn)),
            Event::RequestBegan { turn, request, new } => {
                format!("{} request {request} began, new: {}", self.turn(*turn), self.list(new))
            }
            Event::ModelItem { turn, item } => {
                format!("{} model: {}", self.turn(*turn), self.model_item(item))
            }
            Event::RequestEnded { turn, request, how } => {
                format!("{} request {request} ended {}", self.turn(*turn), request_end(*how))
            }
            Event::TurnEnded { turn, how } => {
                format!("{} ended {}", self.turn(*turn), how.word())
            }
            Event::CancelRequested { turn } => format!("{} cancel_requested", self.turn(*turn)),
            Event::CancelSeen { turn } => format!("{} cancel_seen", self.turn(*turn)),
            Event::GraceEnded { turn, how } => {
                format!("{} grace_ended {}", self.turn(*turn), how.word())
            }
            Event::Marker { turn } => format!("{} marker", self.turn(*turn)),
            Event::PendingCleared { turn } => format!("{} pending_cleared", self.turn(*turn)),
            Event::Flushed { turn } => format!("{} flushed", self.turn(*turn)),
            Event::Called { .. }
            | Event::Returned { .. }
            | Event::Accepted { .. }
            | Event::Refused { .. }
            | Event::GivenBack { .. }
            | Event::Cleared { .. }
            | Event::Hooked { .. }
            | Event::Recorded { .. }
            | Event::Sent { .. }
            | Event::Woken { .. } => String::new(),
        }
    }
}

fn request_end(how: RequestEnd) -> &'static str {
    match how {
        RequestEnd::Completed { follow_up: true } => "completed, wants another",
        RequestEnd::Completed { follow_up: false } => "completed",
        RequestEnd::Preempted => "preempted",
        RequestEnd::Cancelled => "cancelled",
        RequestEnd::Failed => "failed",
    }
}
