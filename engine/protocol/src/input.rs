//! What is sent to an engine, and what travels with it.

use std::sync::Arc;

use crate::InputId;

/// One item on its way to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Its name.
    pub id: InputId,
    /// What it is, which decides where it may go.
    pub kind: InputKind,
    /// What the model would read; empty content is meaningful (see [`crate::Submission`]).
    pub text: Arc<str>,
    /// The client's own name of it, kept in history.
    pub client_id: Option<Arc<str>>,
}

impl Input {
    /// An input without a client's name.
    pub fn new(id: InputId, kind: InputKind, text: impl Into<Arc<str>>) -> Self {
        Input { id, kind, text: text.into(), client_id: None }
    }

    /// Whether it says nothing: user input without content. A tool output may be empty.
    pub fn is_empty(&self) -> bool {
        self.kind == InputKind::User && self.text.is_empty()
    }
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

    /// What somebody said on purpose: it may start and steer, and wakes who waits.
    pub fn is_explicit(self) -> bool {
        match self {
            InputKind::User | InputKind::ToolOutput => true,
            InputKind::Response | InputKind::Mail { .. } => false,
        }
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
    /// How its sender wants a turn to be started for it.
    pub start: StartOptions,
}

impl Mail {
    /// Mail without start options.
    pub fn new(id: InputId, trigger: bool, text: impl Into<Arc<str>>) -> Self {
        Mail { id, trigger, text: text.into(), start: StartOptions::default() }
    }
}

/// A named piece of context that a client sends along. It reaches the model as an item of its
/// own, and only if its text differs from what the session last had under this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextEntry {
    /// The name of the item that it becomes.
    pub id: InputId,
    /// The name under which the session keeps it.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
}

/// What belongs to one start only (Codex: `TurnStartOptions`). A steer drops it, except that the
/// schema has to be that of the running turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartOptions {
    /// What made the turn start, as the client names it.
    pub trigger: Option<Arc<str>>,
    /// The form that the last answer must have.
    pub schema: Option<OutputSchema>,
    /// The turn of the agent that asked for this one.
    pub parent: Option<Arc<str>>,
    /// The turn at the root of them all; a turn without one is its own root.
    pub root: Option<Arc<str>>,
    /// The access program under which the turn runs.
    pub program: Option<Arc<str>>,
}

/// A JSON schema. Two are equal if they are the same JSON value, whatever their text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputSchema(pub serde_json::Value);
