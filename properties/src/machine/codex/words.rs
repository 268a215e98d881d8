//! Steps in the words of stories.

use midturn_protocol::{Phase, Place, SlotShape, WaiterEvent};

use super::Step;
use crate::scenario::Names;

fn shape(shape: SlotShape) -> &'static str {
    match shape {
        SlotShape::Idle => "idle",
        SlotShape::Reserved => "reserved",
        SlotShape::Running => "running",
        SlotShape::Finishing => "finishing",
    }
}

impl Step {
    /// In words.
    pub fn in_words(&self, names: &Names) -> String {
        let input = |id: &_| names.input(*id).to_owned();
        let turn = |id: &_| names.turn(*id);
        match self {
            Step::Slot { from, to, turn: of, .. } => {
                format!("{}: {} -> {}", turn(of), shape(*from), shape(*to))
            }
            Step::Put(mail) => format!("{} comes into the mailbox", input(mail)),
            Step::Queue(queued, place) => {
                let to = match place {
                    Place::Pending(of) | Place::Initial(of) => turn(of),
                    Place::Mailbox => "the mailbox".to_owned(),
                };
                format!("{} is queued on {to}", input(queued))
            }
            Step::TakePending(of, inputs) => {
                format!("{} takes {} of its own", turn(of), names.list(inputs))
            }
            Step::TakeMail(of, inputs) => format!("{} takes mail {}", turn(of), names.list(inputs)),
            Step::Record(recorded, _) => format!("{} enters history", input(recorded)),
            Step::Block(blocked) => format!("a hook blocks {}", input(blocked)),
            Step::Phase(of, Phase::CurrentTurn, _) => format!("{} goes on", turn(of)),
            Step::Phase(of, Phase::NextTurn, _) => format!("{} has answered", turn(of)),
            Step::Look(of, true) => format!("{} finds something that waits", turn(of)),
            Step::Look(of, false) => format!("{} finds nothing that waits", turn(of)),
            Step::Sample(of, new) => format!("{} samples {}", turn(of), names.list(new)),
            Step::ClearPending(of) => format!("what waits on {} is dropped", turn(of)),
            Step::Clear(cleared) => format!("{} is cleared", input(cleared)),
            Step::End(of, _) => format!("{} ends", turn(of)),
            Step::Suspend(of) => format!("{} is suspended", turn(of)),
            Step::Context(of, version) => {
                format!("{} gets its context under settings {version}", turn(of))
            }
            Step::Edit(command, version) => format!("{} makes settings {version}", input(command)),
            Step::Forbid(command) => format!("{} forbids a value", input(command)),
            Step::Waiter(_, key, WaiterEvent::Opened) => format!("{key} is asked for"),
            Step::Waiter(_, key, WaiterEvent::Answered) => format!("{key} is answered"),
            Step::Waiter(_, key, WaiterEvent::Closed) => format!("{key} is given up"),
            Step::Drain => "the host drains".to_owned(),
            Step::Close => "the session is closed".to_owned(),
            Step::Call(told) => {
                format!("{} is told: {}", input(&told.command), names.reply(&told.reply))
            }
        }
    }
}
