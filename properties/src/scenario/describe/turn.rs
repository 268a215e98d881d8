//! The facts about slot and turns in the words of stories.

use midturn_protocol::{Event, Purpose, RequestEnd, TaskKind};

use crate::scenario::names::Names;
use crate::scenario::word::Word;

impl Names {
    /// The facts about slot and turns.
    pub(super) fn turn_event(&self, event: &Event) -> String {
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
            Event::TurnStarted { turn, kind: TaskKind::Regular } => {
                format!("{} started", self.turn(*turn))
            }
            Event::TurnStarted { turn, kind } => {
                format!("{} started, {}", self.turn(*turn), kind.word())
            }
            Event::RequestBegan { turn, request, purpose, new, .. } => {
                let (turn, new) = (self.turn(*turn), self.list(new));
                match purpose {
                    Purpose::Turn => format!("{turn} request {request} began, new: {new}"),
                    Purpose::Compaction => format!("{turn} request {request} began, to compact"),
                    Purpose::Review => format!("{turn} request {request} began, to review"),
                }
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
            Event::Waiter { turn, table, key, what } => {
                let (turn, table) = (self.turn(*turn), table.word());
                format!("{turn} waiter {key} in {table}: {}", what.word())
            }
            Event::ToolWoken { turn, how } => {
                format!("{} stops_waiting, {}", self.turn(*turn), how.word())
            }
            Event::GraceEnded { turn, how } => {
                format!("{} grace_ended {}", self.turn(*turn), how.word())
            }
            Event::ReviewLeft { turn, output: true } => {
                format!("{} left review mode, with output", self.turn(*turn))
            }
            Event::ReviewLeft { turn, output: false } => {
                format!("{} left review mode, without output", self.turn(*turn))
            }
            _ => self.turn_moment(event),
        }
    }

    /// What happens to a turn and says nothing else.
    fn turn_moment(&self, event: &Event) -> String {
        let (turn, verb) = match event {
            Event::CancelRequested { turn } => (turn, "cancel_requested"),
            Event::CancelSeen { turn } => (turn, "cancel_seen"),
            Event::TaskDone { turn } => (turn, "task_done"),
            Event::GraceBegan { turn } => (turn, "grace_began"),
            Event::Marker { turn } => (turn, "marker"),
            Event::PendingCleared { turn } => (turn, "pending_cleared"),
            Event::Flushed { turn } => (turn, "flushed"),
            Event::ContextBuilt { turn, settings, .. } => {
                return format!("{} context built, settings {settings}", self.turn(*turn));
            }
            Event::Compacted { turn } => (turn, "compacted"),
            Event::StopBlocked { turn } => (turn, "stop_blocked"),
            Event::TurnSuspended { turn } => (turn, "suspended"),
            Event::Called { .. }
            | Event::Returned { .. }
            | Event::Accepted { .. }
            | Event::Refused { .. }
            | Event::GivenBack { .. }
            | Event::Cleared { .. }
            | Event::Hooked { .. }
            | Event::Recorded { .. }
            | Event::Sent { .. }
            | Event::Woken { .. }
            | Event::AnswerDropped { .. }
            | Event::SettingsApplied { .. }
            | Event::MetadataSet { .. }
            | Event::ConstraintAdded { .. }
            | Event::ErrorSent { .. }
            | Event::StartUpCancelled { .. }
            | Event::DrainingBegan { .. }
            | Event::Closed { .. }
            | Event::ThreadIdle
            | Event::Awaits { .. }
            | Event::Slot { .. }
            | Event::Phase { .. }
            | Event::Looked { .. }
            | Event::Drained { .. }
            | Event::TurnStarted { .. }
            | Event::RequestBegan { .. }
            | Event::ModelItem { .. }
            | Event::RequestEnded { .. }
            | Event::TurnEnded { .. }
            | Event::Waiter { .. }
            | Event::ToolWoken { .. }
            | Event::GraceEnded { .. }
            | Event::ReviewLeft { .. } => return String::new(),
        };
        format!("{} {verb}", self.turn(*turn))
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
