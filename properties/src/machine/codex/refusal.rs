//! Why a step cannot happen.

use midturn_protocol::{InputId, Reason, Reply, SlotShape, TurnId};

use super::Slot;
use crate::scenario::Names;

/// Why a step is refused in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The slot is not as the step needs it.
    SlotIs(Slot),
    /// The session was told to end.
    Closed,
    /// The host takes no new starts.
    Draining,
    /// The end of this turn has not been told.
    NotEnded(TurnId),
    /// The turn has not started, or is over.
    NoSuchTurn(TurnId),
    /// These would be left behind, with nobody to take them.
    LeavesBehind(Vec<InputId>),
    /// What waits, in its order, is this.
    Waits(Vec<InputId>),
    /// The answer was shown, and what waits is for the next turn.
    NextTurn(TurnId),
    /// Explicit input waits, so the phase stays.
    ExplicitInputWaits,
    /// No mail is there that may start a turn.
    NoMail,
    /// Trigger mail waits and goes first.
    TriggerMailWaits,
    /// The input is not there.
    NotThere(InputId),
    /// It is in history and in no request, or all that is.
    Unsampled(Vec<InputId>),
    /// The settings have this version.
    Version(u32),
    /// A value of the edit is forbidden.
    Forbidden,
    /// An automatic start in Plan mode.
    PlanMode,
    /// Another turn started last.
    Superseded(Option<TurnId>),
    /// What would be answered.
    Answers(Reply),
    /// The reason does not hold.
    ReasonDoesNotHold(Reason),
    /// The input was taken all the same, or was not.
    Taken(bool),
    /// Nothing of the kind is promised.
    NotPromised,
}

fn shape(shape: SlotShape) -> &'static str {
    match shape {
        SlotShape::Idle => "idle",
        SlotShape::Reserved => "reserved",
        SlotShape::Running => "running",
        SlotShape::Finishing => "finishing",
    }
}

impl Refusal {
    /// In words.
    pub fn in_words(&self, names: &Names) -> String {
        match self {
            Refusal::SlotIs(slot) => match slot {
                Slot::Idle => "the slot is idle".to_owned(),
                Slot::Reserved { turn, .. } | Slot::Running(turn) => {
                    format!("the slot is {} ({})", shape(slot.shape()), names.turn(*turn))
                }
                Slot::Finishing { turn, successor } => {
                    let next = successor.map_or_else(String::new, |next| {
                        format!(", {} comes next", names.turn(next))
                    });
                    format!("the slot is finishing ({}{next})", names.turn(*turn))
                }
            },
            Refusal::Closed => "the session was told to end".to_owned(),
            Refusal::Draining => "the host takes no new starts".to_owned(),
            Refusal::NotEnded(turn) => format!("{} has not ended", names.turn(*turn)),
            Refusal::NoSuchTurn(turn) => {
                format!("{} has not started, or is over", names.turn(*turn))
            }
            Refusal::LeavesBehind(left) => {
                format!("{} would be left behind", names.list(left))
            }
            Refusal::Waits(waits) => format!("what waits is {}", names.list(waits)),
            Refusal::NextTurn(turn) => {
                format!("{} has answered: what waits is for the next", names.turn(*turn))
            }
            Refusal::ExplicitInputWaits => "explicit input waits".to_owned(),
            Refusal::NoMail => "no mail waits that may start a turn".to_owned(),
            Refusal::TriggerMailWaits => "trigger mail waits".to_owned(),
            Refusal::NotThere(input) => format!("{} is not there", names.input(*input)),
            Refusal::Unsampled(all) => {
                format!("what no request has held is {}", names.list(all))
            }
            Refusal::Version(version) => format!("the settings have version {version}"),
            Refusal::Forbidden => "a value is forbidden".to_owned(),
            Refusal::PlanMode => "the mode is plan".to_owned(),
            Refusal::Superseded(Some(turn)) => format!("{} started last", names.turn(*turn)),
            Refusal::Superseded(None) => "no turn started before".to_owned(),
            Refusal::Answers(reply) => format!("the answer would be {}", names.reply(reply)),
            Refusal::ReasonDoesNotHold(reason) => {
                format!("{} does not hold", names.reason(*reason))
            }
            Refusal::Taken(true) => "it was taken".to_owned(),
            Refusal::Taken(false) => "it was not taken".to_owned(),
            Refusal::NotPromised => "nothing of the kind is promised".to_owned(),
        }
    }
}
