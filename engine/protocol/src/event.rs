//! What an engine reports of itself while it runs.
//!
//! The contract of engine, machines and properties: each event is emitted inside the section
//! in which its fact becomes true, so that the order of two events about one object is the
//! order of the sections.

use crate::{InputId, InputKind, ModelItem, Reason, Reply, TurnId};

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
    TurnStarted { turn: TurnId },
    /// A model request began; `new` is what no earlier request held.
    RequestBegan { turn: TurnId, request: u32, new: Vec<InputId> },
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
    /// Waiting mail cut it.
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
