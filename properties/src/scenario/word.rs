//! Closed sets of values and the one word by which files and stories name each of them.

use midturn_protocol::{
    Activity, ClearedBy, GraceEnd, Outside, Phase, PhaseCause, Reason, SlotShape, TaskKind,
    ToolWake, TurnEnd, WaiterEvent,
};

/// A closed set of values, each with one word.
pub trait Word: Copy + PartialEq + 'static {
    /// Every value, in the order in which they are listed to people.
    const ALL: &'static [Self];

    /// The word of this value: lower case, words joined with `_`.
    fn word(self) -> &'static str;

    /// The value with this word.
    fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|value| value.word() == word)
    }

    /// The words of all values.
    fn words() -> Vec<String> {
        Self::ALL.iter().map(|value| value.word().to_owned()).collect()
    }
}

/// Gives each variant its word. The match has no wildcard, so a new variant needs a word to
/// compile.
macro_rules! words {
    ($type:ty { $($variant:ident = $word:literal),* $(,)? }) => {
        impl $crate::scenario::Word for $type {
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),*
                }
            }
        }
    };
}
pub(crate) use words;

words!(SlotShape {
    Idle = "idle",
    Reserved = "reserved",
    Running = "running",
    Finishing = "finishing",
});
words!(Phase { CurrentTurn = "current", NextTurn = "next" });
words!(PhaseCause {
    FinalAnswer = "final_answer",
    ToolCall = "tool_call",
    Steer = "steer",
    Injection = "injection",
    FollowUp = "follow_up",
});
words!(TurnEnd {
    Completed = "completed",
    Failed = "failed",
    Interrupted = "interrupted",
    Replaced = "replaced",
});
words!(ClearedBy {
    Interrupt = "interrupt",
    Hook = "hook",
    ModelError = "model_error",
    TurnEnd = "turn_end",
});
words!(TaskKind { Regular = "regular", Review = "review", Compact = "compact" });
words!(GraceEnd { Done = "done", TimedOut = "timed_out" });
words!(Activity { None = "none", Mailbox = "mailbox", Steer = "steer" });
words!(ToolWake { Steer = "steer", Mailbox = "mailbox", TimedOut = "timed_out" });
words!(WaiterEvent { Opened = "opened", Answered = "answered", Closed = "closed" });
words!(Outside {
    Hook = "hook",
    Log = "log",
    Model = "model",
    Tool = "tool",
    Preparation = "preparation",
    Task = "task",
});

/// The reasons of a refusal, without what they carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReasonKind {
    /// [`Reason::NoActiveTurn`].
    NoActiveTurn,
    /// [`Reason::ExpectedTurnMismatch`].
    ExpectedTurnMismatch,
    /// [`Reason::ActiveTurnNotSteerable`].
    ActiveTurnNotSteerable,
    /// [`Reason::ActiveTurnOutputSchemaMismatch`].
    OutputSchemaMismatch,
    /// [`Reason::EmptyInput`].
    EmptyInput,
    /// [`Reason::NotIdle`].
    NotIdle,
    /// [`Reason::PendingTriggerTurn`].
    PendingTriggerTurn,
    /// [`Reason::PlanMode`].
    PlanMode,
    /// [`Reason::InvalidRequest`].
    InvalidRequest,
    /// [`Reason::Superseded`].
    Superseded,
    /// [`Reason::ServerDraining`].
    ServerDraining,
}

words!(ReasonKind {
    NoActiveTurn = "no_active_turn",
    ExpectedTurnMismatch = "expected_turn_mismatch",
    ActiveTurnNotSteerable = "active_turn_not_steerable",
    OutputSchemaMismatch = "output_schema_mismatch",
    EmptyInput = "empty_input",
    NotIdle = "not_idle",
    PendingTriggerTurn = "pending_trigger_turn",
    PlanMode = "plan_mode",
    InvalidRequest = "invalid_request",
    Superseded = "superseded",
    ServerDraining = "server_draining",
});

impl From<Reason> for ReasonKind {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::NoActiveTurn => ReasonKind::NoActiveTurn,
            Reason::ExpectedTurnMismatch { .. } => ReasonKind::ExpectedTurnMismatch,
            Reason::ActiveTurnNotSteerable(_) => ReasonKind::ActiveTurnNotSteerable,
            Reason::ActiveTurnOutputSchemaMismatch => ReasonKind::OutputSchemaMismatch,
            Reason::EmptyInput => ReasonKind::EmptyInput,
            Reason::NotIdle => ReasonKind::NotIdle,
            Reason::PendingTriggerTurn => ReasonKind::PendingTriggerTurn,
            Reason::PlanMode => ReasonKind::PlanMode,
            Reason::InvalidRequest => ReasonKind::InvalidRequest,
            Reason::Superseded => ReasonKind::Superseded,
            Reason::ServerDraining => ReasonKind::ServerDraining,
        }
    }
}
