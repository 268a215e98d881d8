//! An `Env` that does what a test wrote down. Time passes only when a test says so.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use midturn_protocol::{
    BoxFuture, Env, Event, HookVerdict, Input, Inspection, ModelItem, ModelStream, Reply, Request,
    TaskName, ToolCall,
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
    blocked: Mutex<Vec<Arc<str>>>,
    extras: Mutex<Extras>,
}

/// What only some tests ask for.
#[derive(Default)]
struct Extras {
    /// What the hook was asked about.
    inspected: Vec<Input>,
    /// What the hook tells the model about input with this text.
    said: BTreeMap<Arc<str>, Arc<str>>,
    /// Somebody wants to be told that the session is quiet.
    idle_hook: bool,
    /// The call that the next tool makes and waits for, before anything else.
    inside: Option<BoxFuture<'static, Reply>>,
    /// Requests for which nothing was scripted, if the test wants to know instead of to panic.
    unscripted: Option<Vec<String>>,
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
            extras: Mutex::new("extras", Extras::default()),
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
    pub fn block(&self, text: impl Into<Arc<str>>) {
        self.blocked.section("block", |blocked| blocked.push(text.into()));
    }

    /// The hook tells the model this about input with this text.
    pub fn say(&self, text: impl Into<Arc<str>>, context: impl Into<Arc<str>>) {
        self.extras.section("say", |extras| extras.said.insert(text.into(), context.into()));
    }

    /// Somebody wants to be told that the session is quiet.
    pub fn with_idle_hook(&self) {
        self.extras.section("idle hook", |extras| extras.idle_hook = true);
    }

    /// The next tool makes this call, and waits for it before anything else.
    pub fn inside_next_tool(&self, call: BoxFuture<'static, Reply>) {
        self.extras.section("inside", |extras| extras.inside = Some(call));
    }

    /// A request for which nothing is scripted is noted, and never answered.
    pub fn note_unscripted(&self) {
        self.extras.section("note unscripted", |extras| extras.unscripted = Some(Vec::new()));
    }

    /// What was noted.
    pub fn unscripted(&self) -> Vec<String> {
        self.extras.peek("unscripted", |extras| extras.unscripted.clone().unwrap_or_default())
    }

    /// What the hook was asked about, in order.
    pub fn inspected(&self) -> Vec<Input> {
        self.extras.peek("inspected", |extras| extras.inspected.clone())
    }

    /// How many scripted responses nobody has asked for.
    pub fn responses_left(&self) -> usize {
        self.responses.peek("responses left", VecDeque::len)
    }

    fn response(&self, request: &str) -> Vec<Beat> {
        if let Some(beats) = self.responses.section("response", VecDeque::pop_front) {
            return beats;
        }
        let noted = self.extras.section("unscripted", |extras| {
            let noted = extras.unscripted.as_mut();
            noted.map(|unscripted| unscripted.push(request.to_owned())).is_some()
        });
        assert!(noted, "nothing scripted for {request}");
        vec![Beat::Hold("never")]
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
        let beats = self.0.response(&name);
        let script = self.0.clone();
        let gates = Arc::new(move |name| script.gate(name));
        Box::pin(async move { Box::new(Stream(beats.into(), gates)) as Box<dyn ModelStream> })
    }

    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>> {
        let inside = self.0.extras.section("inside", |extras| extras.inside.take());
        let pass = self.0.pass("tool");
        Box::pin(async move {
            if let Some(call) = inside {
                call.await;
            }
            pass.await;
            format!("output of {}", call.tool).into()
        })
    }

    fn inspect(&self, input: Input) -> BoxFuture<'static, Inspection> {
        let blocks = self.0.blocked.peek("blocks?", |blocked| blocked.contains(&input.text));
        let context = self.0.extras.section("inspect", |extras| {
            let context = extras.said.get(&input.text).cloned();
            extras.inspected.push(input);
            context
        });
        let pass = self.0.pass("hook");
        Box::pin(async move {
            pass.await;
            let verdict = if blocks { HookVerdict::Block } else { HookVerdict::Accept };
            Inspection { verdict, context }
        })
    }

    fn prepare_start(&self) -> BoxFuture<'static, ()> {
        self.0.pass("prepare")
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        self.0.pass("flush")
    }

    fn idle_hook(&self) -> Option<BoxFuture<'static, ()>> {
        let wanted = self.0.extras.peek("idle hook?", |extras| extras.idle_hook);
        wanted.then(|| self.0.pass("idle"))
    }

    fn observe(&self, event: Event) {
        self.0.events.section("observe", |events| events.push(event));
    }
}
