//! What a queue engine needs that is not the runtime's.

use std::future::ready;
use std::sync::Arc;

use midturn_protocol::{
    BoxFuture, HookVerdict, Input, Inspection, ModelStream, Request, StopVerdict, ToolCall,
    TurnEnd, TurnId,
};

/// The model with its tools, hook and log.
///
/// Every returned future may be dropped at any await. A tool that must not be cut half-way has
/// to be spawned by its implementation.
pub trait Agent: Send + Sync + 'static {
    /// Begins a model request.
    fn sample(&self, request: Request) -> BoxFuture<'static, Box<dyn ModelStream>>;

    /// Begins a tool at once; the future gives its output. It is not polled before the model has
    /// completed its response, so a tool that is to run meanwhile has to be spawned.
    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>>;

    /// The user-prompt hook. Accepts everything unless implemented.
    fn inspect(&self, _input: Input) -> BoxFuture<'static, Inspection> {
        Box::pin(ready(HookVerdict::Accept.into()))
    }

    /// The slow work between a reservation and the start. None unless implemented.
    fn prepare_start(&self) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }

    /// Makes what was recorded durable. Nothing unless implemented.
    fn flush(&self) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }

    /// The hook before a turn's first request; `false` ends the turn. None unless implemented.
    fn start_hook(&self, _turn: TurnId) -> Option<BoxFuture<'static, bool>> {
        None
    }

    /// The hook before a turn ends. None unless implemented.
    fn stop_hook(&self, _turn: TurnId) -> Option<BoxFuture<'static, StopVerdict>> {
        None
    }

    /// Who is told that the session is quiet. Nobody unless implemented.
    fn idle_hook(&self) -> Option<BoxFuture<'static, ()>> {
        None
    }

    /// Who is told that a turn ended, and with which answer. Nobody unless implemented.
    fn report_end(
        &self,
        _turn: TurnId,
        _how: TurnEnd,
        _answer: Option<Arc<str>>,
    ) -> Option<BoxFuture<'static, ()>> {
        None
    }
}
