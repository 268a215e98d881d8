//! What is there before anyone moves.

use std::sync::Arc;

use midturn_protocol::{InputId, Preset, SlotShape};

use super::pattern::EventPattern;
use super::word::words;
use super::{KeySpans, Span, Stated};

/// One session of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its name; `main` unless given.
    pub name: String,
    /// The mode in which it is.
    pub mode: SessionMode,
    /// How calls come in.
    pub front: Front,
    /// When timers fire.
    pub time: Time,
    /// What is in the slot.
    pub slot: Slot,
    /// What is in the mailbox, oldest first.
    pub mailbox: Vec<Mailed>,
    /// What the prompt hook says; it accepts every input that is not listed.
    pub hooks: Vec<HookScript>,
    /// The table's place in the file (empty if the file has no `[session]`).
    pub span: Span,
    /// Where its keys stand.
    pub keys: KeySpans,
}

/// The collaboration mode of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionMode {
    /// Automatic starts are allowed.
    #[default]
    Default,
    /// Automatic starts are refused.
    Plan,
}
words!(SessionMode { Default = "default", Plan = "plan" });

/// How calls come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// Direct calls, several at once.
    #[default]
    Concurrent,
    /// One submission loop.
    Serial,
    /// `turn/start`, `turn/steer`, `turn/interrupt` with held replies.
    Server,
}
words!(Front { Concurrent = "concurrent", Serial = "serial", Server = "server" });

/// When timers fire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Time {
    /// A timer may fire whenever it could.
    #[default]
    Hostile,
    /// A timer fires only when nothing else can move.
    Patient,
}
words!(Time { Hostile = "hostile", Patient = "patient" });

/// What is in the slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slot {
    /// Nothing.
    #[default]
    Idle,
    /// See [`Preset::Reserved`].
    Reserved,
    /// See [`Preset::Running`].
    Running,
    /// See [`Preset::Finishing`].
    Finishing,
    /// A review runs.
    Review,
    /// A compaction runs.
    Compact,
}
words!(Slot {
    Idle = "idle",
    Reserved = "reserved",
    Running = "running",
    Finishing = "finishing",
    Review = "review",
    Compact = "compact",
});

impl Slot {
    /// The preset of the protocol; `None` for those that it does not have (review, compact).
    pub fn preset(self) -> Option<Preset> {
        match self {
            Slot::Idle => Some(Preset::Idle),
            Slot::Reserved => Some(Preset::Reserved),
            Slot::Running => Some(Preset::Running),
            Slot::Finishing => Some(Preset::Finishing),
            Slot::Review | Slot::Compact => None,
        }
    }

    /// The shape of the slot before anyone moves.
    pub fn shape(self) -> SlotShape {
        match self {
            Slot::Idle => SlotShape::Idle,
            Slot::Reserved => SlotShape::Reserved,
            Slot::Running | Slot::Review | Slot::Compact => SlotShape::Running,
            Slot::Finishing => SlotShape::Finishing,
        }
    }
}

/// A mail that is in the mailbox before anyone moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailed {
    /// Its name.
    pub id: InputId,
    /// Who sent it; `child` unless given.
    pub from: String,
    /// Whether it may start a turn; `false` unless given.
    pub trigger: bool,
    /// Its content.
    pub text: Arc<str>,
}

/// What the prompt hook says to one input.
#[derive(Clone, Debug, PartialEq)]
pub struct HookScript {
    /// The input.
    pub input: InputId,
    /// The verdict.
    pub verdict: HookChoice,
    /// The hook answers no sooner than this.
    pub when: Option<Stated<EventPattern>>,
}

/// The verdict of a scripted hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookChoice {
    /// It accepts.
    Accept,
    /// It blocks.
    Block,
    /// Both, each in schedules of its own.
    Either,
}
words!(HookChoice { Accept = "accept", Block = "block", Either = "either" });
