//! What an engine reports of itself while it runs.
//!
//! The contract of engine, machines and properties: each event is emitted inside the section
//! in which its fact becomes true, so that the order of two events about one object is the
//! order of the sections.

use std::sync::Arc;

use crate::{
    InputId, InputKind, ModelItem, Reason, Reply, StartOptions, TaskKind, TurnId, WaiterTable,
};

/// One fact. Who emitted it, at which step, is added by whoever listens.
#[expect(missing_docs, reason = "the line above a variant says what its fields are")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A command was given.
    Called { command: InputId },
    /// A command was answered.
    Returned { command: InputId, reply: Reply },
    /// An input was put where something may take it from.
    Accepted { input: InputId, kind: InputKind, place: Place },
    /// An input was refused; nothing changed.
    Refused { input: InputId, reason: Reason },
    /// An input was handed back to its caller.
    GivenBack { input: InputId },
    /// An accepted input was dropped, and its owner is told.
    Cleared { input: InputId, by: ClearedBy },
    /// The slot changed its shape.
    Slot { from: SlotShape, to: SlotShape, turn: Option<TurnId> },
    /// The delivery phase of a turn was decided (also when it stays as it was).
    Phase { turn: TurnId, to: Phase, because: PhaseCause },
    /// A turn looked whether anything waits.
    Looked { turn: TurnId, found: bool },
    /// A turn took these inputs out of the queues.
    Drained { turn: TurnId, inputs: Vec<InputId> },
    /// The prompt hook decided.
    Hooked { input: InputId, accepted: bool },
    /// An input entered history.
    Recorded { input: InputId, turn: Option<TurnId> },
    /// The client was told that a turn started.
    TurnStarted { turn: TurnId, kind: TaskKind },
    /// A turn was given its context: the settings of this version, and how it was started.
    ContextBuilt { turn: TurnId, settings: u32, start: Box<StartOptions> },
    /// A model request began under the settings of this version; `new` is what no earlier request
    /// held, and nothing for a request that is not the turn's own.
    RequestBegan { turn: TurnId, request: u32, purpose: Purpose, settings: u32, new: Vec<InputId> },
    /// The model completed an item, and it is in history.
    ModelItem { turn: TurnId, item: ModelItem },
    /// A model request ended.
    RequestEnded { turn: TurnId, request: u32, how: RequestEnd },
    /// The client was told that a turn ended.
    TurnEnded { turn: TurnId, how: TurnEnd },
    /// An abort asked the task to stop.
    CancelRequested { turn: TurnId },
    /// The task of a turn noticed the cancel.
    CancelSeen { turn: TurnId },
    /// The task of a turn said that it is done.
    TaskDone { turn: TurnId },
    /// An abort began to wait for the task.
    GraceBegan { turn: TurnId },
    /// An abort stopped waiting for the task.
    GraceEnded { turn: TurnId, how: GraceEnd },
    /// The marker of an interrupted turn entered history.
    Marker { turn: TurnId },
    /// An abort emptied the pending list of the turn.
    PendingCleared { turn: TurnId },
    /// The log was flushed.
    Flushed { turn: TurnId },
    /// The activity watch was told about an input.
    Sent { activity: Activity, input: InputId },
    /// Somebody who waited for activity went on.
    Woken { command: InputId, found: bool },
    /// A tool of the turn stopped waiting for activity.
    ToolWoken { turn: TurnId, how: ToolWake },
    /// Something in the engine is about to wait for this.
    Awaits { on: Outside },
    /// Somebody waits, or no longer waits, for an answer from outside.
    Waiter { turn: TurnId, table: WaiterTable, key: Arc<str>, what: WaiterEvent },
    /// An answer for which nobody waited was dropped.
    AnswerDropped { command: InputId },
    /// An edit of the settings took effect; for the context of `turn` too, if there is one.
    SettingsApplied { command: InputId, version: u32, turn: Option<TurnId> },
    /// A value of the settings is forbidden from now on.
    ConstraintAdded { command: InputId },
    /// The client's metadata of a turn was replaced.
    MetadataSet { command: InputId, turn: TurnId },
    /// The client was told of an error in a submission.
    ErrorSent { command: InputId },
    /// History was compacted.
    Compacted { turn: TurnId },
    /// A stop hook made the turn go on.
    StopBlocked { turn: TurnId },
    /// A review mode was left; whether it had something to say.
    ReviewLeft { turn: TurnId, output: bool },
    /// Whoever waits for a quiet session was told that it is.
    ThreadIdle,
    /// What an idle session was still starting up was cancelled.
    StartUpCancelled { command: InputId },
    /// The host takes no new starts.
    DrainingBegan { command: InputId },
    /// The session was told to end.
    Closed { command: InputId },
    /// A turn was stopped without an end, to be taken up again.
    TurnSuspended { turn: TurnId },
}

/// What a request is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// It is the turn's own.
    Turn,
    /// It compacts history.
    Compaction,
    /// It reviews.
    Review,
}

/// Who outside of the queues can make somebody wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outside {
    /// A hook.
    Hook,
    /// The log.
    Log,
    /// The model.
    Model,
    /// A tool.
    Tool,
    /// The work before a start.
    Preparation,
    /// The task of a turn, and time.
    Task,
}

/// What happens to somebody who waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaiterEvent {
    /// It began to wait.
    Opened,
    /// It was answered.
    Answered,
    /// It was told that no answer will come.
    Closed,
}

/// What ended a tool that waited for activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolWake {
    /// Explicit input.
    Steer,
    /// Mail.
    Mailbox,
    /// Its time was over.
    TimedOut,
}

/// Where an accepted input was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The pending list of this turn.
    Pending(TurnId),
    /// The input with which this turn starts.
    Initial(TurnId),
    /// The mailbox of the session.
    Mailbox,
}

/// Who dropped an accepted input and said so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClearedBy {
    /// An interrupt of its turn.
    Interrupt,
    /// The prompt hook.
    Hook,
    /// A model request that failed.
    ModelError,
    /// A turn that ended for another reason.
    TurnEnd,
}

/// The observable shapes of the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlotShape {
    /// Empty.
    Idle,
    /// Taken, no task yet.
    Reserved,
    /// A task runs.
    Running,
    /// The task was taken out, the slot is not yet empty.
    Finishing,
}

/// Codex: `MailboxDeliveryPhase`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Waiting mail may enter the running turn.
    CurrentTurn,
    /// The answer was shown; waiting mail is for the next turn.
    NextTurn,
}

/// What decided a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PhaseCause {
    /// A final answer was shown.
    FinalAnswer,
    /// The model asked for a tool.
    ToolCall,
    /// A steer was queued.
    Steer,
    /// Items were injected.
    Injection,
    /// The model asked to go on.
    FollowUp,
}

/// How a request ended.
#[expect(missing_docs, reason = "the line above a variant says what its fields are")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RequestEnd {
    /// The response is complete; whether the model itself wants another request.
    Completed { follow_up: bool },
    /// Waiting input cut it.
    Preempted,
    /// The task was cancelled.
    Cancelled,
    /// It failed.
    Failed,
}

/// How a turn ended, as the client is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TurnEnd {
    /// It completed.
    Completed,
    /// It completed after an error.
    Failed,
    /// It was interrupted.
    Interrupted,
    /// Another turn replaced it.
    Replaced,
}

/// Why an abort stopped waiting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GraceEnd {
    /// The task said that it is done.
    Done,
    /// 100 ms went by.
    TimedOut,
}

/// The latest kind of activity, as the watch tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Activity {
    /// Nothing yet.
    None,
    /// Mail arrived.
    Mailbox,
    /// A steer or injection arrived.
    Steer,
}
