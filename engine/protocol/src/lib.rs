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
mod landing;
mod model;
mod queue_engine;

pub use command::{Input, InputKind, Mail, Mode, Reason, Reply, Submission, TaskKind, Verdict};
pub use env::{BoxFuture, Env, HookVerdict, ModelStream, Preset, Request, TaskName, ToolCall};
pub use event::{
    Activity, ClearedBy, Event, GraceEnd, Phase, PhaseCause, Place, RequestEnd, SlotShape, TurnEnd,
};
pub use id::{InputId, TurnId};
pub use landing::Landing;
pub use model::ModelItem;
pub use queue_engine::{Injection, Observation, QueueEngine};
