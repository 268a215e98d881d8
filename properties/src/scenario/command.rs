//! Who acts, and what is done.

use std::collections::BTreeMap;
use std::sync::Arc;

use midturn_protocol::{InputId, InputKind, Mode, TurnId};

use super::pattern::EventPattern;
use super::script::WaiterTable;
use super::word::words;
use super::{KeySpans, Span, Stated};

/// Someone who gives commands, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Actor {
    /// Its name.
    pub name: String,
    /// The session in which it acts, as an index into `Scenario::sessions`; the first unless
    /// given.
    pub session: usize,
    /// What it does, in order.
    pub does: Vec<Command>,
    /// The place of its name.
    pub span: Span,
}

/// One command.
#[derive(Clone, Debug, PartialEq)]
pub struct Command {
    /// Its name, which is also that of its input and submission.
    pub id: InputId,
    /// What is asked.
    pub kind: CommandKind,
    /// It is given no sooner than this has happened.
    pub when: Option<Stated<EventPattern>>,
    /// Whether the caller may go away at any of its awaits.
    pub drop: bool,
    /// Additional context by name.
    pub context: Table,
    /// The client's own id of the input.
    pub client_id: Option<String>,
    /// The client's metadata of the turn.
    pub metadata: Table,
    /// Its place in the file.
    pub span: Span,
    /// Where its keys stand.
    pub keys: KeySpans,
}

/// Scalars by name.
pub type Table = BTreeMap<String, Scalar>;

/// A value of a [`Table`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// Yes or no.
    Boolean(bool),
}

/// What a command asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// `start_or_steer`, `start_if_idle` and `steer`.
    Submit {
        /// How to route it.
        mode: Mode,
        /// `Response` for `automatic = true`, else `User`.
        kind: InputKind,
        /// What the model would read.
        text: Arc<str>,
        /// Whether the start is refused after its reservation was made.
        settings_refused: bool,
    },
    /// `continue_if_idle`: starts a recovery turn with a passive response item.
    ContinueIfIdle {
        /// What the model would read.
        text: Arc<str>,
        /// Refused as superseded unless this was the last turn.
        expected_previous: Option<TurnId>,
    },
    /// `recover`: runs an interrupted turn again, under its id.
    Recover {
        /// The turn.
        turn: TurnId,
    },
    /// `mail`: delivers mail of another agent.
    Mail {
        /// Who sends it; `child` unless given.
        from: String,
        /// The session that gets it, as an index into `Scenario::sessions`; the actor's own
        /// unless given.
        to: usize,
        /// Whether it may start a turn; `false` unless given.
        trigger: bool,
        /// Its content.
        text: Arc<str>,
    },
    /// `inject`: hands an item to the active turn.
    Inject {
        /// In which form; `if_running` unless given.
        form: InjectionForm,
        /// Its content.
        text: Arc<str>,
    },
    /// `interrupt`: stops the active turn.
    Interrupt {
        /// Only if it is this one.
        turn: Option<TurnId>,
    },
    /// `wait = "activity"`: waits until something may be there for the model.
    Wait,
    /// `answer`: answers one that waits.
    Answer {
        /// The answer.
        text: Arc<str>,
        /// Where it waits; `approval` unless given.
        table: WaiterTable,
        /// The name of the tool that asked; the first one that asked unless given.
        to: Option<String>,
    },
    /// `settings`: changes settings of the session.
    Settings {
        /// The new values by name.
        values: Table,
    },
    /// `review`: starts a review.
    Review {
        /// What to review.
        text: Arc<str>,
    },
    /// `compact`: starts a compaction.
    Compact,
    /// `tool_output`: starts or steers with a tool output that no call asked for.
    ToolOutput {
        /// The output.
        text: Arc<str>,
    },
    /// `shutdown`: ends the session.
    Shutdown,
}

/// The forms of an injection: those of `midturn_protocol::Injection`, and the client's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectionForm {
    /// Queue on the active turn, or give back.
    IfRunning,
    /// The same, for the context of a hook: wants a task.
    HookContext,
    /// Queue on the active turn, or record.
    NoNewTurn,
    /// Items that a client wrote: queue on the active turn, or record.
    Client,
}
words!(InjectionForm {
    IfRunning = "if_running",
    HookContext = "hook_context",
    NoNewTurn = "no_new_turn",
    Client = "client",
});

impl InjectionForm {
    /// The injection of the protocol; `None` for the client's.
    pub fn injection(self) -> Option<midturn_protocol::Injection> {
        match self {
            InjectionForm::IfRunning => Some(midturn_protocol::Injection::IfRunning),
            InjectionForm::HookContext => Some(midturn_protocol::Injection::HookContext),
            InjectionForm::NoNewTurn => Some(midturn_protocol::Injection::NoNewTurn),
            InjectionForm::Client => None,
        }
    }
}
