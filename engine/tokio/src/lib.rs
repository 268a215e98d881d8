//! The tokio runtime as the world of a queue engine.
//!
//! Promises: tasks run on the runtime whose handle was given, wherever the engine is called
//! from; time is the runtime's. The model, its tools, the prompt hook and the log are the
//! caller's, through [`Agent`]. Adds no order of its own: what may overlap, does.
#![forbid(unsafe_code)]

mod agent;
mod channel;

use std::sync::Arc;
use std::time::Duration;

use midturn_protocol::{
    BoxFuture, Env, Event, Input, Inspection, ModelStream, Request, StopVerdict, TaskName,
    ToolCall, TurnEnd, TurnId,
};
use tokio::runtime::Handle;

pub use agent::Agent;
pub use channel::{ItemSender, channel};

type Observer = Box<dyn Fn(Event) + Send + Sync>;

/// An [`Env`] on a tokio runtime.
pub struct TokioEnv<A> {
    runtime: Handle,
    agent: A,
    observer: Observer,
}

impl<A: Agent> TokioEnv<A> {
    /// An environment on `runtime`, which must have its timer enabled.
    pub fn new(runtime: Handle, agent: A) -> Self {
        TokioEnv { runtime, agent, observer: Box::new(drop) }
    }

    /// Calls `observer` for each fact, from inside the engine's critical sections: it must be
    /// short, and must neither block nor call the engine.
    #[must_use]
    pub fn observed_by(mut self, observer: impl Fn(Event) + Send + Sync + 'static) -> Self {
        self.observer = Box::new(observer);
        self
    }

    /// As an engine takes it.
    pub fn shared(self) -> Arc<dyn Env> {
        Arc::new(self)
    }
}

impl<A: Agent> Env for TokioEnv<A> {
    fn spawn(&self, _name: TaskName, task: BoxFuture<'static, ()>) {
        // Detached on purpose: join and abort are the engine's own wrappers.
        drop(self.runtime.spawn(task));
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let _context = self.runtime.enter();
        Box::pin(tokio::time::sleep(duration))
    }

    fn sample(&self, request: Request) -> BoxFuture<'static, Box<dyn ModelStream>> {
        self.agent.sample(request)
    }

    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>> {
        self.agent.run_tool(call)
    }

    fn inspect(&self, input: Input) -> BoxFuture<'static, Inspection> {
        self.agent.inspect(input)
    }

    fn prepare_start(&self) -> BoxFuture<'static, ()> {
        self.agent.prepare_start()
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        self.agent.flush()
    }

    fn start_hook(&self, turn: TurnId) -> Option<BoxFuture<'static, bool>> {
        self.agent.start_hook(turn)
    }

    fn stop_hook(&self, turn: TurnId) -> Option<BoxFuture<'static, StopVerdict>> {
        self.agent.stop_hook(turn)
    }

    fn idle_hook(&self) -> Option<BoxFuture<'static, ()>> {
        self.agent.idle_hook()
    }

    fn report_end(
        &self,
        turn: TurnId,
        how: TurnEnd,
        answer: Option<Arc<str>>,
    ) -> Option<BoxFuture<'static, ()>> {
        self.agent.report_end(turn, how, answer)
    }

    fn observe(&self, event: Event) {
        (self.observer)(event);
    }
}
