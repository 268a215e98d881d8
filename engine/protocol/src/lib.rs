//! Plain data that every queue engine and everything around it share, and the two seams
//! between them: [`QueueEngine`] (how anything outside drives an engine) and [`Env`] (how an
//! engine reaches the world).
//!
//! Knows no lock, no runtime, no scheduler and no particular engine.
#![forbid(unsafe_code)]

mod command;
mod env;
mod event;
mod id;
mod input;
mod landing;
mod model;
mod queue_engine;
mod reply;
mod settings;

pub use command::{
    ANSWER_FROM_OUTSIDE, Answer, Command, Decision, Injection, Metadata, Mode, SpecialTask,
    Submission, WaiterTable,
};
pub use env::{
    BoxFuture, Env, HookVerdict, Inspection, ModelStream, Preset, Request, SessionSetup,
    StopVerdict, TaskName, ToolCall, TurnContext,
};
pub use event::{
    Activity, ClearedBy, Event, GraceEnd, Outside, Phase, PhaseCause, Place, Purpose, RequestEnd,
    SlotShape, ToolWake, TurnEnd, WaiterEvent,
};
pub use id::{InputId, TurnId};
pub use input::{ContextEntry, Input, InputKind, Mail, OutputSchema, StartOptions};
pub use landing::Landing;
pub use model::{HistoryItem, ModelItem, Role, ToolUse, ToolWork};
pub use queue_engine::{Observation, QueueEngine};
pub use reply::{Reason, Reply, TaskKind, Verdict};
pub use settings::{Forbidden, SessionMode, Settings, SettingsChange, SettingsEdit};
