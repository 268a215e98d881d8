//! The one way in which anything outside drives an engine.

use std::future::Future;

use crate::{Command, Injection, Input, InputId, Mail, Phase, Reply, SlotShape, Submission};

/// An engine that holds the input queues of one session. Clones share the session.
///
/// Calls may overlap, and every returned future may be dropped before it ends.
pub trait QueueEngine: Clone + Send + Sync + 'static {
    /// Carries out `command`; what each promises is said at [`Command`]. A command that the
    /// design does not have is answered with [`Reply::Unsupported`] and changes nothing.
    fn call(&self, command: Command) -> impl Future<Output = Reply> + Send + 'static;

    /// What is in the queues now. Meant for when nobody moves.
    fn observe(&self) -> Observation;

    /// [`Command::Submit`].
    fn submit(&self, submission: Submission) -> impl Future<Output = Reply> + Send + 'static {
        self.call(Command::Submit(submission))
    }

    /// [`Command::Deliver`].
    fn deliver(&self, mail: Mail) -> impl Future<Output = Reply> + Send + 'static {
        self.call(Command::Deliver(mail))
    }

    /// [`Command::Interrupt`] of whatever runs.
    fn interrupt(&self, id: InputId) -> impl Future<Output = Reply> + Send + 'static {
        self.call(Command::Interrupt { id, turn: None })
    }

    /// [`Command::Inject`].
    fn inject(
        &self,
        input: Input,
        form: Injection,
    ) -> impl Future<Output = Reply> + Send + 'static {
        self.call(Command::Inject { input, form })
    }

    /// [`Command::AwaitActivity`].
    fn await_activity(&self, id: InputId) -> impl Future<Output = Reply> + Send + 'static {
        self.call(Command::AwaitActivity { id })
    }
}

/// The queues of a session at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observation {
    /// The slot's shape, `None` if the engine has no slot.
    pub slot: Option<SlotShape>,
    /// The active turn's phase, if there is an active turn.
    pub phase: Option<Phase>,
    /// What waits on the active turn (and on a turn that is to follow it).
    pub pending: Vec<InputId>,
    /// What waits in the mailbox.
    pub mailbox: Vec<InputId>,
    /// What of it may start a turn.
    pub trigger_mail: Vec<InputId>,
    /// What is in history, in order.
    pub history: Vec<InputId>,
    /// The session was ended: what waits will not be taken.
    pub closed: bool,
}
