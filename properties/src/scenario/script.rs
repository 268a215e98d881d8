//! What the model says in a scenario.

use std::sync::Arc;

use midturn_protocol::{Mail, ModelItem, ToolUse};

use super::pattern::EventPattern;
use super::{Span, Stated};

/// The scripted model of one session: one list of items a request, in the order in which
/// requests begin, whatever they are for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The scripts of request 1, 2, ...
    pub requests: Vec<Vec<ScriptItem>>,
    /// The place of `requests`; without them that of the session, and empty for the first one.
    pub span: Span,
}

/// One step of a model request.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptItem {
    /// What happens.
    pub kind: ScriptKind,
    /// Its place in the file.
    pub span: Span,
}

/// What happens in one step of a model request.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptKind {
    /// The model completes an item. A tool call is [`ScriptKind::Tool`].
    Item(ModelItem),
    /// The model calls a tool.
    Tool(ScriptTool),
    /// The request stands still until this has happened.
    Hold(Stated<EventPattern>),
}

/// A tool call, and what the world does if it runs the tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptTool {
    /// The call.
    pub call: ToolUse,
    /// What the tool returns; without it what was answered, else `ok`.
    pub output: Option<Arc<str>>,
    /// The mail that is delivered to another session while it runs.
    pub sends: Option<SentMail>,
}

/// Mail from one session to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentMail {
    /// The session that gets it, as an index into `Scenario::sessions`.
    pub to: usize,
    /// The mail.
    pub mail: Mail,
}
