//! How an engine reaches the world. Only std types and data, so that every build of an engine
//! shares one definition, and object-safe, so that an engine holds an `Arc<dyn Env>`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::{
    Event, HistoryItem, Input, ModelItem, Purpose, Settings, StartOptions, TurnEnd, TurnId,
};

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

    /// Begins a tool at once; the future gives its output.
    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>>;

    /// The user-prompt hook.
    fn inspect(&self, input: Input) -> BoxFuture<'static, Inspection>;

    /// The slow work between a reservation and the start (model list, settings, context).
    fn prepare_start(&self) -> BoxFuture<'static, ()>;

    /// Makes what was recorded durable.
    fn flush(&self) -> BoxFuture<'static, ()>;

    /// The hook that runs before a turn's first request, if there is one; `false` ends the turn.
    fn start_hook(&self, turn: TurnId) -> Option<BoxFuture<'static, bool>> {
        let _ = turn;
        None
    }

    /// The hook that runs when a turn is about to end, if there is one.
    fn stop_hook(&self, turn: TurnId) -> Option<BoxFuture<'static, StopVerdict>> {
        let _ = turn;
        None
    }

    /// Who is told when the session has become quiet, if somebody is (Codex: thread-idle).
    fn idle_hook(&self) -> Option<BoxFuture<'static, ()>> {
        None
    }

    /// Tells whoever waits for this session's agent (its parent) that a turn ended, and with
    /// which answer. `None` if nobody does. Called outside of sections, after the client was
    /// told; what is sent from here reaches other sessions only.
    fn report_end(
        &self,
        turn: TurnId,
        how: TurnEnd,
        answer: Option<Arc<str>>,
    ) -> Option<BoxFuture<'static, ()>> {
        let _ = (turn, how, answer);
        None
    }

    /// Takes note of a fact. Called inside sections: must not block or call out.
    fn observe(&self, event: Event);
}

/// The items of one model request, in order.
pub trait ModelStream: Send {
    /// The next completed item, or `None` when the response is complete. A future that is dropped
    /// before it ends has taken nothing: the item comes next time.
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
    /// What it is for.
    pub purpose: Purpose,
    /// The whole history as the model reads it.
    pub history: Vec<HistoryItem>,
    /// Under what the turn runs.
    pub context: Arc<TurnContext>,
}

/// What a turn keeps from its start to its end, whatever is changed meanwhile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnContext {
    /// The settings at its start.
    pub settings: Settings,
    /// How it was started.
    pub start: StartOptions,
    /// Whether history had to be compacted before its first request.
    pub full: bool,
}

/// A tool call of the model.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The turn that runs it.
    pub turn: TurnId,
    /// The tool.
    pub tool: Arc<str>,
    /// What was answered, if it asked.
    pub answer: Option<Arc<str>>,
}

/// What the prompt hook says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Whether the input passes.
    pub verdict: HookVerdict,
    /// What the hook tells the model besides; recorded whatever the verdict.
    pub context: Option<Arc<str>>,
}

impl From<HookVerdict> for Inspection {
    fn from(verdict: HookVerdict) -> Self {
        Inspection { verdict, context: None }
    }
}

/// Whether an input passes the prompt hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookVerdict {
    /// Record it.
    Accept,
    /// Keep it from history and model.
    Block,
}

/// What a stop hook says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopVerdict {
    /// The turn may end.
    Pass,
    /// The turn goes on, with this prompt.
    GoOn(Arc<str>),
    /// The turn ends, whatever other hooks say.
    Stop,
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
    /// A review runs; its first request has not begun.
    Review,
    /// A compaction runs; its request has not begun.
    Compact,
}

/// A session before anyone moves.
#[derive(Clone, Debug, Default)]
pub struct SessionSetup {
    /// What is in the slot.
    pub preset: Preset,
    /// What is in the mailbox, oldest first.
    pub mailbox: Vec<crate::Mail>,
    /// The settings.
    pub settings: Settings,
    /// What the settings must not be.
    pub forbidden: Vec<crate::Forbidden>,
    /// What history holds already; no request of this session has held it.
    pub history: Vec<HistoryItem>,
    /// History has to be compacted before it is sampled.
    pub context_full: bool,
    /// The turn that started last, for who wants to go on from it.
    pub last_started: Option<TurnId>,
}
