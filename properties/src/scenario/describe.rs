//! Events, replies and landings in the words of stories.

mod turn;

use std::collections::BTreeMap;

use midturn_protocol::{
    Event, InputId, Landing, ModelItem, Place, Reason, Reply, ToolUse, ToolWork, Verdict,
};

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
            | Reason::ActiveTurnOutputSchemaMismatch
            | Reason::EmptyInput
            | Reason::NotIdle
            | Reason::PendingTriggerTurn
            | Reason::PlanMode
            | Reason::InvalidRequest
            | Reason::Superseded
            | Reason::ServerDraining => word.to_owned(),
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
            Reply::Answered { found: true } => "answered".to_owned(),
            Reply::Answered { found: false } => "answered nobody".to_owned(),
            Reply::Applied => "applied".to_owned(),
            Reply::Began(turn) => format!("began {}", self.turn(*turn)),
            Reply::Refused(reason) => format!("refused {}", self.reason(*reason)),
            Reply::Draining => "draining".to_owned(),
            Reply::ShutDown(Some(turn)) => format!("shut_down, suspended {}", self.turn(*turn)),
            Reply::ShutDown(None) => "shut_down".to_owned(),
            Reply::Unsupported => "unsupported".to_owned(),
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

    /// Where all inputs ended: `yaml recorded; note queued`.
    pub fn landings(&self, landings: &BTreeMap<InputId, Landing>) -> String {
        let each = landings
            .iter()
            .map(|(input, landing)| format!("{} {}", self.input(*input), self.landing(*landing)));
        each.collect::<Vec<_>>().join("; ")
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
            ModelItem::Tool(ToolUse { tool, work }) => match work {
                ToolWork::Run => format!("tool {tool}"),
                ToolWork::Ask(table) => format!("tool {tool}, asks {}", table.word()),
                ToolWork::AwaitActivity => format!("tool {tool}, waits"),
                ToolWork::SleepUntilMail => format!("tool {tool}, sleeps"),
            },
            ModelItem::RefusedTool(tool) => format!("refused_tool {tool}"),
            ModelItem::NotEnded => "not_ended".to_owned(),
            ModelItem::Full => "full".to_owned(),
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
            _ => self.command_event(event).unwrap_or_else(|| self.turn_event(event)),
        }
    }

    /// What a command that brings no input does.
    fn command_event(&self, event: &Event) -> Option<String> {
        let words = match event {
            Event::AnswerDropped { command } => format!("{} dropped_answer", self.input(*command)),
            Event::SettingsApplied { command, version, turn: Some(turn) } => {
                let (command, turn) = (self.input(*command), self.turn(*turn));
                format!("{command} applied, settings {version}, also of {turn}")
            }
            Event::SettingsApplied { command, version, turn: None } => {
                format!("{} applied, settings {version}", self.input(*command))
            }
            Event::MetadataSet { command, turn } => {
                format!("{} set the metadata of {}", self.input(*command), self.turn(*turn))
            }
            Event::ConstraintAdded { command } => {
                format!("{} constraint_added", self.input(*command))
            }
            Event::ErrorSent { command } => format!("{} error_sent", self.input(*command)),
            Event::StartUpCancelled { command } => {
                format!("{} cancelled the start-up", self.input(*command))
            }
            Event::DrainingBegan { command } => {
                format!("{} began to drain the host", self.input(*command))
            }
            Event::Closed { command } => format!("{} closed the session", self.input(*command)),
            Event::ThreadIdle => "thread idle".to_owned(),
            Event::Awaits { on } => format!("waits for the {}", on.word()),
            _ => return None,
        };
        Some(words)
    }
}
