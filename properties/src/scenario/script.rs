//! What the model says in a scenario.

use std::sync::Arc;

use midturn_protocol::ModelItem;

use super::pattern::EventPattern;
use super::word::words;
use super::{Span, Stated};

/// The scripted model: one list of items a request, in the order in which requests begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The scripts of request 1, 2, ...
    pub requests: Vec<Vec<ScriptItem>>,
    /// The place of `requests`, else of `[model]`, else empty.
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
    Tool {
        /// The tool.
        tool: Arc<str>,
        /// What it returns; `ok` unless given.
        output: Arc<str>,
        /// Whom it asks first.
        asks: Option<WaiterTable>,
    },
    /// The request stands still until this has happened.
    Hold(Stated<EventPattern>),
}

/// The tables of those who wait for an answer from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
words!(WaiterTable {
    Approval = "approval",
    Permissions = "permissions",
    UserInput = "user_input",
    Elicitation = "elicitation",
    DynamicTool = "dynamic_tool",
});
