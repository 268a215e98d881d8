//! What a row says, once it has been read.

use std::collections::BTreeMap;

use midturn_engine::codex::{Front, Policy};
use midturn_protocol::{Command, InputId, Mail, SessionSetup};

use crate::conformance::names::Names;
use crate::script::Beat;

pub struct Row {
    pub number: u32,
    /// What is asserted, in our words.
    pub words: String,
    /// Under which policies it holds.
    pub policies: Vec<Policy>,
    /// What of the assertion is no matter of queues.
    pub omits: Option<String>,
    pub body: Body,
}

pub enum Body {
    LeftOut(LeftOut),
    Played(Vec<Case>),
}

/// Why a row is not played. A closed list: a new reason has to be argued for here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    Serialization,
    LogFile,
    TextSize,
    DiscardedTurn,
    NewerVersion,
}

impl LeftOut {
    pub const ALL: [LeftOut; 5] = [
        LeftOut::Serialization,
        LeftOut::LogFile,
        LeftOut::TextSize,
        LeftOut::DiscardedTurn,
        LeftOut::NewerVersion,
    ];

    pub fn words(self) -> &'static str {
        match self {
            LeftOut::Serialization => "serialization of an item, not queueing",
            LeftOut::LogFile => "the log file, not queueing",
            LeftOut::TextSize => "the size of a text, not queueing",
            LeftOut::DiscardedTurn => "asks for a handle that only the inside has",
            LeftOut::NewerVersion => "a tag that only newer versions carry",
        }
    }

    pub fn named(words: &str) -> Option<LeftOut> {
        LeftOut::ALL.into_iter().find(|reason| reason.words() == words)
    }
}

/// One way in which a row can be played.
#[derive(Clone)]
pub struct Case {
    /// What is special about it; empty if the row has no other.
    pub when: String,
    pub policies: Vec<Policy>,
    pub front: Front,
    pub setup: SessionSetup,
    /// What the prompt hook blocks.
    pub blocks: Vec<String>,
    /// What the prompt hook tells the model, by the text of the input.
    pub hook_says: BTreeMap<String, String>,
    /// What the model does, response by response.
    pub model: Vec<Vec<Beat>>,
    pub steps: Vec<Step>,
    pub names: Names,
}

/// Something is done, or not, and then looked at.
#[derive(Clone)]
pub struct Step {
    /// What is done, as the data has it.
    pub text: String,
    pub act: Option<Act>,
    pub checks: Vec<Check>,
}

#[derive(Clone)]
pub enum Act {
    /// A call of the session.
    Call(Command),
    /// The next tool calls the session and waits for the answer.
    ToolCalls(Command),
    /// Whoever made this call goes away.
    Leave(InputId),
    /// From now on calls of the world of this kind wait.
    Hold(&'static str),
    /// What waits here goes on.
    Open(&'static str),
    /// Puts mail into a mailbox without a session.
    Push(Mail),
    /// Takes out what is in it.
    Drain,
}

#[derive(Clone)]
pub struct Check {
    pub what: What,
    pub expected: Expected,
    /// Written down in the data, and not what is expected of such a call anyway.
    pub written: bool,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Reply(InputId),
    Slot,
    Phase,
    Pending,
    Mailbox,
    TriggerMail,
    History,
    /// What was new in each request, from the first on.
    Requests,
    /// What the client was told, from the beginning on.
    Told,
    /// What the prompt hook was asked about.
    Hooked,
    /// Everything that happened, in its order.
    Order,
    /// How often something happened.
    Count,
    /// A request, counted from 1 over all turns.
    Request(usize, Part),
    /// What a mailbox without a session holds.
    Holds,
    /// Whether some of it may start a turn.
    HasTrigger,
    /// What was taken out of it.
    Drained,
    /// How a turn would be started for that.
    DrainedStart,
}

/// What of a request is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All that it holds.
    Reads,
    /// Under which settings it was made.
    Settings,
    /// How its turn was started.
    Start,
}

/// What is expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// Exactly this.
    Text(String),
    /// Exactly these, in this order.
    Lines(Vec<String>),
    /// These and maybe others, in this order.
    Order(Vec<String>),
    /// Each of these so many times.
    Counts(BTreeMap<String, usize>),
    /// Exactly these.
    Table(BTreeMap<String, String>),
}
