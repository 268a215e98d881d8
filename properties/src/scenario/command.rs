//! Who acts, and what is done.

use midturn_protocol::{Injection, InputId, WaiterTable};

use super::pattern::EventPattern;
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
    /// The session that is asked, as an index into `Scenario::sessions`: the actor's own, unless
    /// mail goes to another one.
    pub session: usize,
    /// What the engine is asked: what the verb and all other keys say.
    pub call: midturn_protocol::Command,
    /// Who sends the mail; none if it is no mail.
    pub from: Option<String>,
    /// It is given no sooner than this has happened.
    pub when: Option<Stated<EventPattern>>,
    /// Whether the caller may go away at any of its awaits.
    pub drop: bool,
    /// Its place in the file.
    pub span: Span,
    /// Where its keys stand.
    pub keys: KeySpans,
}

words!(Injection {
    IfRunning = "if_running",
    HookContext = "hook_context",
    NoNewTurn = "no_new_turn",
    Client = "client",
});

words!(WaiterTable {
    Approval = "approval",
    Permissions = "permissions",
    UserInput = "user_input",
    Elicitation = "elicitation",
    DynamicTool = "dynamic_tool",
});
