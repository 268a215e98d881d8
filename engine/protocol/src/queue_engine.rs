//! The one way in which anything outside drives an engine.

use std::future::Future;

use crate::{Input, InputId, Mail, Phase, Reply, SlotShape, Submission};

/// An engine that holds the input queues of one session. Clones share the session.
///
/// Every method may be called by several callers at once, and every returned future may be
/// dropped before it ends.
pub trait QueueEngine: Clone + Send + Sync + 'static {
    /// Routes an input and says where it went, without waiting for hooks, history or model.
    fn submit(&self, submission: Submission) -> impl Future<Output = Reply> + Send + 'static;

    /// Puts mail into the mailbox, and starts a turn for it if it may.
    fn deliver(&self, mail: Mail) -> impl Future<Output = Reply> + Send + 'static;

    /// Stops the active turn, if there is one; returns once it is stopped.
    fn interrupt(&self, command: InputId) -> impl Future<Output = Reply> + Send + 'static;

    /// Hands items to the active turn without starting one.
    fn inject(&self, input: Input, form: Injection)
    -> impl Future<Output = Reply> + Send + 'static;

    /// Waits until something may be there for the model, and says whether something was.
    fn await_activity(&self, command: InputId) -> impl Future<Output = Reply> + Send + 'static;

    /// What is in the queues now. Meant for when nobody moves.
    fn observe(&self) -> Observation;
}

/// The forms of injection (Codex: `inject.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Injection {
    /// Queue on the active turn, or give back.
    IfRunning,
    /// The same, for the context of a hook: wants a task.
    HookContext,
    /// Queue on the active turn, or record.
    NoNewTurn,
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
}
