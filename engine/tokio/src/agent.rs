//! What a queue engine needs that is not the runtime's.

use std::future::ready;
use std::sync::Arc;

use midturn_protocol::{BoxFuture, HookVerdict, Input, ModelStream, Request, ToolCall};

/// The model with its tools, hook and log.
///
/// Every returned future may be dropped at any await. A tool that must not be cut half-way has
/// to be spawned by its implementation.
pub trait Agent: Send + Sync + 'static {
    /// Begins a model request.
    fn sample(&self, request: Request) -> BoxFuture<'static, Box<dyn ModelStream>>;

    /// Runs a tool to its end.
    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>>;

    /// The user-prompt hook. Accepts everything unless implemented.
    fn inspect(&self, _input: Input) -> BoxFuture<'static, HookVerdict> {
        Box::pin(ready(HookVerdict::Accept))
    }

    /// The slow work between a reservation and the start. None unless implemented.
    fn prepare_start(&self) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }

    /// Makes what was recorded durable. Nothing unless implemented.
    fn flush(&self) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }
}
