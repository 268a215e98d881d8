//! What a model says, item by item.

use std::sync::Arc;

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
    /// A tool call; its output is produced by `Env::run_tool`.
    Tool(Arc<str>),
    /// A tool call that is refused or malformed and must be answered directly.
    RefusedTool(Arc<str>),
    /// The explicit mark that the turn has not ended.
    NotEnded,
    /// The request failed.
    Error(Arc<str>),
}

impl ModelItem {
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
            | ModelItem::Error(_) => false,
        }
    }
}
