//! What can be asked of an engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{
    ContextEntry, Input, InputId, Mail, SettingsChange, SettingsEdit, StartOptions, TurnId,
};

/// One call of an engine. Several may be under way at once, and each may be dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Routes an input and says where it went, without waiting for hooks, history or model.
    Submit(Submission),
    /// Puts mail into the mailbox, and starts a turn for it if it may.
    Deliver(Mail),
    /// Stops the active turn; answered once it is stopped.
    Interrupt {
        /// Its name.
        id: InputId,
        /// Only if it is this one. Without it, an idle session is told to stop starting up.
        turn: Option<TurnId>,
    },
    /// Hands an item to the active turn without starting one.
    Inject {
        /// The item.
        input: Input,
        /// In which way.
        form: Injection,
    },
    /// Waits until something may be there for the model, and says whether something was.
    AwaitActivity {
        /// Its name.
        id: InputId,
    },
    /// Answers somebody who waits for an answer from outside.
    Answer(Answer),
    /// Changes the settings.
    ChangeSettings {
        /// Its name.
        id: InputId,
        /// How.
        change: SettingsChange,
    },
    /// Starts a review or a compaction in place of whatever runs.
    Begin {
        /// Its name, and that of the turn which it starts.
        id: InputId,
        /// What.
        task: SpecialTask,
    },
    /// The host takes no new starts any more; what runs goes on.
    Drain {
        /// Its name.
        id: InputId,
    },
    /// Stops the running turn so that it can be taken up again, and ends the session.
    Suspend {
        /// Its name.
        id: InputId,
    },
    /// Ends the session and what runs in it.
    ShutDown {
        /// Its name.
        id: InputId,
    },
}

impl Command {
    /// Its name.
    pub fn id(&self) -> InputId {
        match self {
            Command::Submit(submission) => submission.input.id,
            Command::Deliver(mail) => mail.id,
            Command::Inject { input, .. } => input.id,
            Command::Answer(answer) => answer.id,
            Command::Interrupt { id, .. }
            | Command::AwaitActivity { id }
            | Command::ChangeSettings { id, .. }
            | Command::Begin { id, .. }
            | Command::Drain { id }
            | Command::Suspend { id }
            | Command::ShutDown { id } => *id,
        }
    }
}

/// How a submission wants to be routed (Codex: `TurnInputMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Steer the running turn, or start one if there is none.
    StartOrSteer,
    /// Start a turn if the session is idle; never steer.
    StartIfIdle,
    /// Go on with passive input if the session is idle, also in Plan mode.
    ContinueIfIdle {
        /// Refuse unless this is the turn that started last.
        expected_previous: Option<TurnId>,
    },
    /// Run this interrupted turn again, under its name; its input is empty.
    Recover {
        /// The turn.
        turn: TurnId,
    },
    /// Steer the running turn; never start.
    Steer {
        /// Refuse unless this turn is the running one.
        expected: Option<TurnId>,
    },
}

/// A submission with its input.
///
/// Empty user content starts a turn without a message when idle and is refused with
/// [`crate::Reason::EmptyInput`] when it would steer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// How to route it.
    pub mode: Mode,
    /// What to route.
    pub input: Input,
    /// Applied if the input is taken, and only then. A steer does not change the running turn.
    pub settings: SettingsEdit,
    /// Reaches the model before the input, in the same batch.
    pub context: Vec<ContextEntry>,
    /// Replaces the client's metadata of the turn that takes the input.
    pub metadata: Option<Metadata>,
    /// Applied if the submission starts a turn.
    pub start: StartOptions,
}

impl Submission {
    /// A submission that brings nothing but its input.
    pub fn new(mode: Mode, input: Input) -> Self {
        Submission {
            mode,
            input,
            settings: SettingsEdit::default(),
            context: Vec::new(),
            metadata: None,
            start: StartOptions::default(),
        }
    }
}

/// What a client notes on a turn.
pub type Metadata = BTreeMap<Arc<str>, Arc<str>>;

/// The forms of injection (Codex: `inject.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Injection {
    /// Queue on the active turn, or give back.
    IfRunning,
    /// The same, for the context of a hook: wants a task.
    HookContext,
    /// Queue on the active turn, or record.
    NoNewTurn,
    /// Items that a client wrote: queue on the active turn, or record.
    Client,
}

/// A task that is not a regular turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecialTask {
    /// A review of what the text says.
    Review(Arc<str>),
    /// A compaction of history.
    Compact,
}

/// The name of the objects at which somebody waits for an answer from outside. Who waits there
/// waits for a person, who may never come.
pub const ANSWER_FROM_OUTSIDE: &str = "answer from outside";

/// The tables of those who wait for an answer from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaiterTable {
    /// Exec and patch approvals.
    Approval,
    /// Permission requests.
    Permissions,
    /// Questions to the user.
    UserInput,
    /// Elicitations of a server.
    Elicitation,
    /// Tools that run at the client.
    DynamicTool,
}

/// An answer from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its name.
    pub id: InputId,
    /// Where somebody waits for it.
    pub table: WaiterTable,
    /// Who waits there.
    pub key: Arc<str>,
    /// What to tell.
    pub decision: Decision,
}

/// What an answer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The one who waits goes on with this.
    Reply(Arc<str>),
    /// Nobody goes on: the turn is interrupted (an approval's `Abort`).
    Abort,
}
