//! An `Env` that does what a test wrote down. Time passes only when a test says so.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use midturn_protocol::{
    BoxFuture, Env, Event, HookVerdict, Input, ModelItem, ModelStream, Request, TaskName, ToolCall,
};
use midturn_sync::{Latch, Mutex, Site};

/// One thing a scripted response does.
#[derive(Clone, Debug)]
pub enum Beat {
    /// Completes an item.
    Item(ModelItem),
    /// Waits until the test opens this gate.
    Hold(&'static str),
}

pub struct Script {
    pub spawned: Mutex<Vec<(TaskName, BoxFuture<'static, ()>)>>,
    pub events: Mutex<Vec<Event>>,
    pub requests: Mutex<Vec<Request>>,
    responses: Mutex<VecDeque<Vec<Beat>>>,
    gates: Mutex<BTreeMap<&'static str, Latch>>,
    held: Mutex<Vec<&'static str>>,
    blocked: Mutex<Vec<&'static str>>,
}

impl Script {
    pub fn new(responses: Vec<Vec<Beat>>) -> Arc<Self> {
        Arc::new(Script {
            spawned: Mutex::new("spawned", Vec::new()),
            events: Mutex::new("events seen", Vec::new()),
            requests: Mutex::new("requests", Vec::new()),
            responses: Mutex::new("responses", responses.into()),
            gates: Mutex::new("gates", BTreeMap::new()),
            held: Mutex::new("held", Vec::new()),
            blocked: Mutex::new("blocked", Vec::new()),
        })
    }

    pub fn gate(&self, name: &'static str) -> Latch {
        self.gates
            .section("gate", |gates| gates.entry(name).or_insert_with(|| Latch::new(name)).clone())
    }

    /// From now on a call of this kind (`prepare`, `flush`, `hook`, `tool`) waits for its gate.
    pub fn hold(&self, what: &'static str) {
        self.held.section("hold", |held| held.push(what));
    }

    /// The hook blocks input with this text.
    pub fn block(&self, text: &'static str) {
        self.blocked.section("block", |blocked| blocked.push(text));
    }

    fn pass(&self, what: &'static str) -> BoxFuture<'static, ()> {
        let held = self.held.peek("held?", |held| held.contains(&what));
        let gate = self.gate(what);
        Box::pin(async move {
            if held {
                gate.wait(Site::here("gate")).await;
            }
        })
    }
}

struct Stream(VecDeque<Beat>, Arc<dyn Fn(&'static str) -> Latch + Send + Sync>);

impl ModelStream for Stream {
    fn next(&mut self) -> BoxFuture<'_, Option<ModelItem>> {
        Box::pin(async move {
            loop {
                match self.0.front() {
                    None => return None,
                    Some(Beat::Item(_)) => {
                        let Some(Beat::Item(item)) = self.0.pop_front() else { return None };
                        return Some(item);
                    }
                    Some(Beat::Hold(gate)) => {
                        (self.1)(gate).wait(Site::here("gate")).await;
                        self.0.pop_front();
                    }
                }
            }
        })
    }
}

/// The script as the engine sees it.
pub struct ScriptEnv(pub Arc<Script>);

impl Env for ScriptEnv {
    fn spawn(&self, name: TaskName, task: BoxFuture<'static, ()>) {
        self.0.spawned.section("spawn", |spawned| spawned.push((name, task)));
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        let gate = self.0.gate("timer");
        Box::pin(async move { gate.wait(Site::here("timer")).await })
    }

    fn sample(&self, request: Request) -> BoxFuture<'static, Box<dyn ModelStream>> {
        let name = format!("request {} of {:?}", request.request, request.turn);
        self.0.requests.section("request", |requests| requests.push(request));
        let beats = self.0.responses.section("response", VecDeque::pop_front);
        let beats = beats.unwrap_or_else(|| panic!("nothing scripted for {name}"));
        let script = self.0.clone();
        let gates = Arc::new(move |name| script.gate(name));
        Box::pin(async move { Box::new(Stream(beats.into(), gates)) as Box<dyn ModelStream> })
    }

    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>> {
        let pass = self.0.pass("tool");
        Box::pin(async move {
            pass.await;
            format!("output of {}", call.tool).into()
        })
    }

    fn inspect(&self, input: Input) -> BoxFuture<'static, HookVerdict> {
        let blocks = self.0.blocked.peek("blocks?", |blocked| blocked.contains(&&*input.text));
        let pass = self.0.pass("hook");
        Box::pin(async move {
            pass.await;
            if blocks { HookVerdict::Block } else { HookVerdict::Accept }
        })
    }

    fn prepare_start(&self) -> BoxFuture<'static, ()> {
        self.0.pass("prepare")
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        self.0.pass("flush")
    }

    fn observe(&self, event: Event) {
        self.0.events.section("observe", |events| events.push(event));
    }
}
