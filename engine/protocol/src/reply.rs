//! What an engine answers.

use crate::TurnId;

/// Kinds of task that can occupy the slot. Closed: a new kind must say whether it can be
/// steered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskKind {
    /// An ordinary turn.
    Regular,
    /// A review, which refuses to be steered.
    Review,
    /// A compaction, which refuses to be steered.
    Compact,
}

/// The verdict of a submit: it was routed. It never says that the model saw anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// A new turn took it.
    Started(TurnId),
    /// The running turn took it.
    Steered(TurnId),
    /// Nothing took it, and nothing changed.
    NotSubmitted(Reason),
}

/// Why a command was not carried out (Codex: `NotSubmittedReason`, and what its front refuses).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// There is no turn that could be steered or interrupted.
    NoActiveTurn,
    /// Another turn than the expected one runs.
    ExpectedTurnMismatch {
        /// The turn that the caller meant.
        expected: TurnId,
        /// The turn that runs.
        actual: TurnId,
    },
    /// A review or compaction runs.
    ActiveTurnNotSteerable(TaskKind),
    /// The running turn answers in another form than the input asks for.
    ActiveTurnOutputSchemaMismatch,
    /// User input without content cannot steer.
    EmptyInput,
    /// The slot is occupied in some shape.
    NotIdle,
    /// Trigger mail waits and outranks an automatic start.
    PendingTriggerTurn,
    /// The session is in Plan mode and the start would be automatic.
    PlanMode,
    /// The input is of the wrong kind, or its settings were refused.
    InvalidRequest,
    /// Another turn than the expected one started last, or something else took the slot while
    /// this start was being prepared.
    Superseded,
    /// The host takes no new starts.
    ServerDraining,
}

/// What a command returned to its caller.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reply {
    /// A submission's verdict.
    Verdict(Verdict),
    /// Mail was put into the mailbox.
    Delivered,
    /// An interrupt was carried out; the turn that it ended, if any.
    Interrupted(Option<TurnId>),
    /// Items were queued on the active turn.
    Injected,
    /// No turn would take the items; they are the caller's again.
    GivenBack,
    /// The items went straight to history.
    RecordedOnly,
    /// A wait for activity ended; whether anything was there when it looked.
    Woken {
        /// True if something waited for the model.
        found: bool,
    },
    /// An answer was handed over, unless nobody waited for it.
    Answered {
        /// Whether somebody did.
        found: bool,
    },
    /// Settings were changed.
    Applied,
    /// A review or compaction runs.
    Began(TurnId),
    /// The command was refused.
    Refused(Reason),
    /// The host drains.
    Draining,
    /// The session ended; the turn that can be taken up again, if one was suspended.
    ShutDown(Option<TurnId>),
    /// The engine does not know the command.
    Unsupported,
    /// The caller went away before an answer came.
    Dropped,
}
