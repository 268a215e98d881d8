//! What can be asked of an engine, and what it answers.

use std::sync::Arc;

use crate::{InputId, TurnId};

/// One item on its way to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name.
    pub id: InputId,
    /// What it is, which decides where it may go.
    pub kind: InputKind,
    /// What the model would read; empty content is meaningful (see [`Submission`]).
    pub text: Arc<str>,
}

/// The kinds of input that a queue tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InputKind {
    /// Typed by a user; runs the prompt hook.
    User,
    /// A passive item that is only visible to the model.
    Response,
    /// A tool output without a call; counts as explicit input.
    ToolOutput,
    /// From another agent.
    Mail {
        /// Whether it may start a turn (`trigger`) or only waits (`queue-only`).
        trigger: bool,
    },
}

impl InputKind {
    /// Mail that only waits.
    pub fn is_queue_only_mail(self) -> bool {
        self == InputKind::Mail { trigger: false }
    }

    /// Mail that may start a turn.
    pub fn is_trigger_mail(self) -> bool {
        self == InputKind::Mail { trigger: true }
    }
}

/// Mail from another agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mail {
    /// Its name, which is also the submission id of a turn that it starts.
    pub id: InputId,
    /// Whether it may start a turn.
    pub trigger: bool,
    /// Its content.
    pub text: Arc<str>,
}

/// How a submission wants to be routed (Codex: `TurnInputMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Steer the running turn, or start one if there is none.
    StartOrSteer,
    /// Start a turn if the session is idle; never steer.
    StartIfIdle,
    /// Steer the running turn; never start.
    Steer {
        /// Refuse unless this turn is the running one.
        expected: Option<TurnId>,
    },
}

/// A submission with its input.
///
/// Empty user content starts a turn without a message when idle and is refused with
/// [`Reason::EmptyInput`] when it would steer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// How to route it.
    pub mode: Mode,
    /// What to route.
    pub input: Input,
    /// A start whose settings turn out to be refused after the reservation was made
    /// (Codex: constraints tightened, Plan mode entered meanwhile).
    pub settings_refused: bool,
}

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

/// Why a submission was not taken (Codex: `NotSubmittedReason`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// There is no turn that could be steered.
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
    /// User input without content cannot steer.
    EmptyInput,
    /// The slot is occupied in some shape.
    NotIdle,
    /// Trigger mail waits and outranks an automatic start.
    PendingTriggerTurn,
    /// The session is in Plan mode and the start would be automatic.
    PlanMode,
    /// The settings of the request were refused.
    InvalidRequest,
    /// Something else took the slot while this start was being prepared.
    Superseded,
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
    /// The caller went away before an answer came.
    Dropped,
}
