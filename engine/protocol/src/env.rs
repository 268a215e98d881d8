//! How an engine reaches the world. Only std types and data, so that every build of an engine
//! shares one definition, and object-safe, so that an engine holds an `Arc<dyn Env>`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::{Event, Input, ModelItem, TurnId};

/// A boxed future that may move between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What the world gives to an engine.
///
/// Every future that an `Env` returns may be dropped at any time. None of these methods may
/// call back into the engine.
pub trait Env: Send + Sync + 'static {
    /// Runs `task` concurrently. Nothing is returned: join and abort are wrappers that the
    /// engine puts around the future before it hands it over.
    fn spawn(&self, name: TaskName, task: BoxFuture<'static, ()>);

    /// Ends after `duration` at the earliest.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;

    /// Begins a model request.
    fn sample(&self, request: Request) -> BoxFuture<'static, Box<dyn ModelStream>>;

    /// Runs a tool to its end.
    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>>;

    /// The user-prompt hook.
    fn inspect(&self, input: Input) -> BoxFuture<'static, HookVerdict>;

    /// The slow work between a reservation and the start (model list, settings, context).
    fn prepare_start(&self) -> BoxFuture<'static, ()>;

    /// Makes what was recorded durable.
    fn flush(&self) -> BoxFuture<'static, ()>;

    /// Takes note of a fact. Called inside sections: must not block or call out.
    fn observe(&self, event: Event);
}

/// The items of one model request, in order.
pub trait ModelStream: Send {
    /// The next completed item, or `None` when the response is complete.
    fn next(&mut self) -> BoxFuture<'_, Option<ModelItem>>;
}

/// A name for a task that is the same under every schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaskName {
    /// The task of a turn.
    Turn(TurnId),
    /// The loop that takes submissions one after the other.
    SubmissionLoop,
    /// A start that a preset left half-way.
    Starter(TurnId),
    /// A start for waiting mail that nobody else is left to make; the turn it would start.
    PendingWork(TurnId),
    /// The abort of a turn, where it does not run in its caller.
    Abort(TurnId),
}

/// A request to the model.
#[derive(Clone, Debug)]
pub struct Request {
    /// The turn that asks.
    pub turn: TurnId,
    /// The how-many-eth request of the turn, counted from 1.
    pub request: u32,
    /// The whole history as the model reads it.
    pub history: Vec<Arc<str>>,
}

/// A tool call of the model.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The turn that runs it.
    pub turn: TurnId,
    /// The tool.
    pub tool: Arc<str>,
}

/// What the prompt hook says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookVerdict {
    /// Record it.
    Accept,
    /// Keep it from history and model.
    Block,
}

/// What is in the slot before anyone moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Nothing.
    #[default]
    Idle,
    /// A starter holds the reservation and has yet to look again, prepare and start.
    Reserved,
    /// A turn runs; its prompt is recorded, its first request has not begun.
    Running,
    /// A turn has completed its last request and its task was just taken out of the slot.
    Finishing,
}
