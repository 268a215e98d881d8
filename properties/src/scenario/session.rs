//! What is there before anyone moves.

use std::sync::Arc;

use midturn_protocol::{
    Forbidden, InputId, Mail, Preset, SessionMode, SessionSetup, Settings, SlotShape, StopVerdict,
};

use super::pattern::EventPattern;
use super::script::Model;
use super::word::words;
use super::{KeySpans, Span, Stated};

/// One session of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its name; `main` unless given.
    pub name: String,
    /// Its settings, the collaboration mode among them.
    pub settings: Settings,
    /// What the settings must not be.
    pub forbidden: Vec<Forbidden>,
    /// Whether history has to be compacted before it is sampled.
    pub context_full: bool,
    /// How calls come in.
    pub front: Front,
    /// When timers fire; said by the first session, and the same for all.
    pub time: Time,
    /// What is in the slot.
    pub slot: Preset,
    /// What is in the mailbox, oldest first.
    pub mailbox: Vec<Mailed>,
    /// What the model says: `[model]` for the first session, its own `requests` for another.
    pub model: Model,
    /// What the prompt hook says; it accepts every input that is not listed.
    pub hooks: Vec<HookScript>,
    /// What the start hook says (go on?), one a time that it is asked, then that the turn goes
    /// on. Without it there is no start hook.
    pub start_hooks: Option<Vec<bool>>,
    /// What the stop hook says, one a time that it is asked, then [`StopVerdict::Pass`]. Without
    /// it there is no stop hook.
    pub stop_hooks: Option<Vec<StopVerdict>>,
    /// The session that is told of its turns, as an index into `Scenario::sessions`.
    pub parent: Option<usize>,
    /// The queue-only mails that tell it: the n-th is sent when the n-th turn completes.
    pub reports: Vec<InputId>,
    /// The table's place in the file (empty if the file has no `[session]`).
    pub span: Span,
    /// Where its keys stand.
    pub keys: KeySpans,
}

impl Session {
    /// The session as an engine gets it. Its engine knows no script, hook or parent: those are
    /// the world's.
    pub fn setup(&self) -> SessionSetup {
        SessionSetup {
            preset: self.slot,
            mailbox: self.mailbox.iter().map(|mailed| mailed.mail.clone()).collect(),
            settings: self.settings.clone(),
            forbidden: self.forbidden.clone(),
            context_full: self.context_full,
            ..SessionSetup::default()
        }
    }

    /// The shape of its slot before anyone moves.
    pub fn shape(&self) -> SlotShape {
        shape_of(self.slot)
    }
}

/// The shape of a slot in which this is preset.
pub(crate) fn shape_of(preset: Preset) -> SlotShape {
    match preset {
        Preset::Idle => SlotShape::Idle,
        Preset::Reserved => SlotShape::Reserved,
        Preset::Running | Preset::Review | Preset::Compact => SlotShape::Running,
        Preset::Finishing => SlotShape::Finishing,
    }
}

words!(SessionMode { Default = "default", Plan = "plan" });

words!(Preset {
    Idle = "idle",
    Reserved = "reserved",
    Running = "running",
    Finishing = "finishing",
    Review = "review",
    Compact = "compact",
});

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

/// A mail that is in the mailbox before anyone moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mailed {
    /// Who sent it; `child` unless given.
    pub from: String,
    /// The mail.
    pub mail: Mail,
}

/// What the prompt hook says to one input.
#[derive(Clone, Debug, PartialEq)]
pub struct HookScript {
    /// The input.
    pub input: InputId,
    /// The verdict.
    pub verdict: HookChoice,
    /// What it tells the model besides.
    pub context: Option<Arc<str>>,
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
