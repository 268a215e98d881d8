//! What a model says, item by item.

use std::sync::Arc;

use crate::WaiterTable;

/// One completed output item of a model request. Units: one whole item, never a delta.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelItem {
    /// Assistant text that is marked as the final answer.
    Final(Arc<str>),
    /// Assistant text without a mark; Codex treats it as final.
    Untagged(Arc<str>),
    /// Assistant text that only comments.
    Commentary(Arc<str>),
    /// Assistant text with nothing visible in it.
    Blank,
    /// A reasoning item.
    Reasoning,
    /// A tool call.
    Tool(ToolUse),
    /// A tool call that is refused or malformed and must be answered directly.
    RefusedTool(Arc<str>),
    /// The explicit mark that the turn has not ended.
    NotEnded,
    /// The mark that the context window is full: history has to be compacted before it is
    /// sampled again.
    Full,
    /// The request failed.
    Error(Arc<str>),
}

/// A tool that the model calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolUse {
    /// Its name.
    pub tool: Arc<str>,
    /// Who produces its output.
    pub work: ToolWork,
}

/// Who produces the output of a tool, and so what can end it before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ToolWork {
    /// The world does: `Env::run_tool`.
    Run,
    /// The world does, once somebody outside has answered in this table.
    Ask(WaiterTable),
    /// The queue does: ends when something is there for the model, or after a time.
    AwaitActivity,
    /// The queue does, at once: from now on any mail starts a turn, until one has started.
    SleepUntilMail,
}

impl ModelItem {
    /// A call of a tool that the world runs.
    pub fn tool(tool: impl Into<Arc<str>>) -> Self {
        ModelItem::Tool(ToolUse { tool: tool.into(), work: ToolWork::Run })
    }

    /// Whether a user has now seen a final answer (Codex: any assistant text that is neither
    /// commentary nor blank).
    pub fn is_final_answer(&self) -> bool {
        match self {
            ModelItem::Final(text) | ModelItem::Untagged(text) => !text.trim().is_empty(),
            ModelItem::Commentary(_)
            | ModelItem::Blank
            | ModelItem::Reasoning
            | ModelItem::Tool(_)
            | ModelItem::RefusedTool(_)
            | ModelItem::NotEnded
            | ModelItem::Full
            | ModelItem::Error(_) => false,
        }
    }
}

/// One entry of history as the model reads it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryItem {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    pub text: Arc<str>,
}

/// Who speaks in history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A user, and what is told in a user's place (the marker of an interrupted turn).
    User,
    /// The model.
    Assistant,
    /// The model, in its reasoning.
    Reasoning,
    /// The model, calling a tool.
    ToolCall,
    /// A tool.
    ToolOutput,
    /// Another agent.
    Mail,
    /// The host: context, hooks, injections, a summary.
    Context,
}
