//! The atomic steps of a session.

use midturn_protocol::{
    Forbidden, InputId, Phase, PhaseCause, Place, Reply, SettingsEdit, SlotShape, SpecialTask,
    TaskKind, TurnEnd, TurnId, WaiterEvent, WaiterTable,
};
use std::sync::Arc;

/// What a command was told, and what was taken of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Told {
    /// The command.
    pub command: InputId,
    /// Its answer.
    pub reply: Reply,
    /// What was put where, in order: its context, then the input itself.
    pub taken: Vec<(InputId, Place)>,
    /// The turn that was installed in an empty or reserved slot for it.
    pub installs: Option<TurnId>,
}

/// One atomic step. All but [`Step::Call`] are steps that somebody makes who was asked for none:
/// a turn's task, an abort, the second half of a start.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The slot changes its shape.
    Slot {
        /// What it was.
        from: SlotShape,
        /// What it becomes.
        to: SlotShape,
        /// Whose it is, or was.
        turn: TurnId,
        /// How the turn ends that leaves it, if that is told.
        ends: Option<TurnEnd>,
    },
    /// Mail from outside comes into the mailbox, or comes back.
    Put(InputId),
    /// Input that no command brought is given to a turn, or mail that it took is queued on it.
    Queue(InputId, Place),
    /// A turn takes what waits on it.
    TakePending(TurnId, Vec<InputId>),
    /// A turn, or who starts it, takes the mailbox.
    TakeMail(TurnId, Vec<InputId>),
    /// An input enters history.
    Record(InputId, Option<TurnId>),
    /// The prompt hook keeps an input out.
    Block(InputId),
    /// The phase of a turn is decided by what its model said.
    Phase(TurnId, Phase, PhaseCause),
    /// A turn looked whether anything waits.
    Look(TurnId, bool),
    /// A request of a turn begins; what is new in it.
    Sample(TurnId, Vec<InputId>),
    /// What waits on a turn is dropped.
    ClearPending(TurnId),
    /// An input is dropped and its owner told.
    Clear(InputId),
    /// The end of a turn is told.
    End(TurnId, TurnEnd),
    /// A turn is stopped without an end.
    Suspend(TurnId),
    /// A turn gets its context, under settings of this version.
    Context(TurnId, u32),
    /// An edit takes effect and makes this version.
    Edit(Change, u32),
    /// A value is forbidden.
    Forbid(Constraint),
    /// Somebody waits for an answer from outside, or no longer does.
    Waiter(WaiterTable, Arc<str>, WaiterEvent),
    /// The host takes no new starts.
    Drain,
    /// The session is told to end.
    Close,
    /// A command is answered.
    Call(Told),
}

/// The command that edits settings.
pub type Change = InputId;

/// The command that forbids a value.
pub type Constraint = InputId;

/// The kind of a task that a command begins.
pub(super) fn kind_of(task: &SpecialTask) -> TaskKind {
    match task {
        SpecialTask::Review(_) => TaskKind::Review,
        SpecialTask::Compact => TaskKind::Compact,
    }
}

/// Whether an edit sets a forbidden value.
pub(super) fn sets<'a>(
    edit: &'a SettingsEdit,
    mut forbidden: impl Iterator<Item = &'a Forbidden>,
) -> bool {
    forbidden.any(|forbidden| edit.values.get(&forbidden.name) == Some(&forbidden.value))
}
