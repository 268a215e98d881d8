//! The queue of Codex as it is promised.
//!
//! Every [`Step`] is atomic. What the real design does in two steps, the machine does in two, and
//! these surprises follow; each is legal:
//! - A drain takes what waits on the turn, then the mailbox. Mail that comes between the two is
//!   sampled before a steer that was accepted between the two, even if the same caller sent the
//!   steer first. (`hardened` does it in one; under `codex_0_149` the search finds it, in
//!   `mail_overtakes_steer`, and the property `callers_order_is_kept` says so.)
//! - A start that must not overtake mail looks, reserves, and looks again. Trigger mail that comes
//!   after the second look does not stop it; the turn takes that mail.
//! - Mail is put into the mailbox, then a turn is started for it, perhaps by somebody else.
//! - Settings take effect in a step of their own, before the turn that they are meant for has the
//!   slot. Another edit may come between.
//! - Who waits for activity looks at the turn, then at the mailbox.
//! - An abort takes the turn out of the slot, tells its end later, and both may be before or after
//!   the slot is free: but no other turn starts in between.
//!
//! What is answered is a moment's truth: a refusal says that its reason held at one moment between
//! call and reply, and `Steered` or `Started` that the turn took the input in such a moment. Not
//! modelled: what hooks, model and tools say, when a request is cut, context that the session knows
//! already, the schema of a turn that mail has started, and the order of client events.

mod call;
mod observe;
mod refusal;
mod session;
mod slot;
mod step;
mod turn;
mod words;

use std::collections::BTreeMap;

use midturn_protocol::{Command, InputId, InputKind, Preset, TaskKind, TurnId};

use crate::history::Asked;
use crate::linearizability::Specification;

pub use observe::{Observation, observe};
pub use refusal::Refusal;
pub use session::{Session, Slot, Turn};
pub use step::{Step, Told};

/// What stays the same throughout one session.
#[derive(Clone, Copy, Debug)]
pub struct Promise<'a> {
    /// Every command that may be called.
    pub commands: &'a BTreeMap<InputId, Command>,
    /// Every input that was handed over.
    pub inputs: &'a BTreeMap<InputId, Asked>,
    /// What was in the slot before anyone moved.
    pub preset: Preset,
    /// An agent of this session sleeps until mail comes, so that any mail may start a turn.
    pub sleeps: bool,
}

impl Promise<'_> {
    pub(super) fn kind(&self, input: InputId) -> Option<InputKind> {
        self.inputs.get(&input).map(|asked| asked.kind)
    }

    pub(super) fn is_mail(&self, input: InputId) -> bool {
        matches!(self.kind(input), Some(InputKind::Mail { .. }))
    }

    pub(super) fn is_trigger_mail(&self, input: InputId) -> bool {
        self.kind(input).is_some_and(InputKind::is_trigger_mail)
    }

    pub(super) fn command(&self, turn: TurnId) -> Option<&Command> {
        self.commands.get(&turn.origin).filter(|_| turn.successor == 0)
    }

    /// What a turn of this name does (`codex.md` 1.1: a closed set).
    pub(super) fn task(&self, turn: TurnId) -> TaskKind {
        let preset = turn == TurnId::of(InputId::PRESET);
        match (self.command(turn), self.preset) {
            (Some(Command::Begin { task, .. }), _) => step::kind_of(task),
            (_, Preset::Review) if preset => TaskKind::Review,
            (_, Preset::Compact) if preset => TaskKind::Compact,
            _ => TaskKind::Regular,
        }
    }
}

impl Specification for Promise<'_> {
    type State = Session;
    type Operation = Step;
    type Refusal = Refusal;

    fn apply(&self, session: &mut Session, step: &Step) -> Result<(), Refusal> {
        session.take(self, step)
    }
}

/// What is promised of the session of a run.
pub fn promise_of(history: &crate::history::History) -> Promise<'_> {
    observe::promise_of(history)
}
