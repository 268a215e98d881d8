//! What the sessions of a schedule see of the world, and what the world sees of them.
//!
//! Promises: a response says what the replay makes it say, when it does; facts are kept in the
//! order in which they became true; time passes only when it is made to. The tool `spawn_agent`
//! starts a child session, whose ends are mailed to the root. Knows one child only.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use midturn_engine::codex::{Codex, Front};
use midturn_protocol::{
    BoxFuture, Env, Event, HistoryItem, HookVerdict, Input, InputId, Inspection, Mail, ModelStream,
    QueueEngine, Request, SessionSetup, TaskName, ToolCall, TurnEnd, TurnId,
};
use midturn_sync::{Latch, Mutex, Site};

use super::mapping::{self, Release};
use super::response::{Reader, Response, response};
use super::schedule::Agent;

/// A task of a session, or a tool.
pub struct Spawned {
    pub of: Agent,
    pub is_loop: bool,
    pub task: BoxFuture<'static, ()>,
}

/// What a client is told of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    Started(Agent, TurnId),
    Ended(Agent, TurnId, TurnEnd),
}

/// A request that reached the model.
pub struct Asked {
    pub by: Agent,
    pub new: Vec<String>,
    pub response: Response,
}

pub struct Stage {
    release: Release,
    hides_marker: bool,
    pub spawned: Mutex<Vec<Spawned>>,
    pub notices: Mutex<VecDeque<Notice>>,
    pub requests: Mutex<VecDeque<Asked>>,
    pub sessions: Mutex<BTreeMap<Agent, Codex>>,
    /// How long the tools run that are called next.
    pub tools: Mutex<VecDeque<Duration>>,
    clock: Mutex<Clock>,
    asked: Mutex<BTreeMap<Agent, LastAsked>>,
    names: Mutex<u32>,
}

#[derive(Default)]
struct Clock {
    now: Duration,
    timers: Vec<(Duration, Latch)>,
}

/// The last request of a session.
#[derive(Default)]
struct LastAsked {
    items: usize,
    history: Vec<HistoryItem>,
}

impl Stage {
    /// The root session, before anybody called.
    pub fn new(release: Release, hides_marker: bool) -> Arc<Self> {
        let stage = Arc::new(Stage {
            release,
            hides_marker,
            spawned: Mutex::new("spawned", Vec::new()),
            notices: Mutex::new("notices", VecDeque::new()),
            requests: Mutex::new("requests", VecDeque::new()),
            sessions: Mutex::new("sessions", BTreeMap::new()),
            tools: Mutex::new("tools", VecDeque::new()),
            clock: Mutex::new("clock", Clock::default()),
            asked: Mutex::new("asked", BTreeMap::new()),
            names: Mutex::new("names", 0),
        });
        stage.open_session(Agent::Root, Front::Server, SessionSetup::default());
        stage
    }

    fn open_session(self: &Arc<Self>, agent: Agent, front: Front, setup: SessionSetup) -> Codex {
        let env = Arc::new(Seat { agent, stage: self.clone() });
        let engine = Codex::new(env, self.release.policy(), front, setup);
        self.sessions.section("open", |sessions| sessions.insert(agent, engine.clone()));
        engine
    }

    fn spawn(&self, of: Agent, is_loop: bool, task: BoxFuture<'static, ()>) {
        let spawned = Spawned { of, is_loop, task };
        self.spawned.section("spawn", |all| all.push(spawned));
    }

    pub fn engine(&self, agent: Agent) -> Option<Codex> {
        self.sessions.peek("engine", |sessions| sessions.get(&agent).cloned())
    }

    pub fn next_id(&self) -> InputId {
        self.names.section("name", |last| {
            *last += 1;
            InputId(*last)
        })
    }

    pub fn now(&self) -> Duration {
        self.clock.peek("now", |clock| clock.now)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let timer = Latch::new("timer");
        self.clock.section("sleep", |clock| {
            let at = clock.now + duration;
            clock.timers.push((at, timer.clone()));
        });
        Box::pin(async move { timer.wait(Site::here("timer")).await })
    }

    /// Lets time pass up to the next timer, or up to `end`. Whether a timer went off.
    pub fn pass(&self, end: Duration) -> bool {
        let due = self.clock.section("pass", |clock| {
            let first = clock.timers.iter().map(|(at, _)| *at).min().filter(|at| *at <= end);
            clock.now = first.unwrap_or(end);
            let (due, later) = clock.timers.drain(..).partition(|(at, _)| Some(*at) == first);
            clock.timers = later;
            due
        });
        let due: Vec<(Duration, Latch)> = due;
        due.iter().for_each(|(_, timer)| timer.set(Site::here("time")));
        !due.is_empty()
    }

    async fn spawn_child(self: Arc<Self>, call: Arc<str>) {
        let asked = self.asked.peek("fork", |asked| {
            asked.get(&Agent::Root).map(|last| last.history.clone()).unwrap_or_default()
        });
        let history = self.release.fork(&asked, &call);
        let setup = SessionSetup { history, ..SessionSetup::default() };
        let child = self.open_session(Agent::Child, Front::Serial, setup);
        child.deliver(Mail::new(self.next_id(), true, mapping::new_task())).await;
    }

    fn begin(&self, by: Agent, request: Request) -> Reader {
        let shown: Vec<String> = request
            .history
            .iter()
            .filter_map(|item| mapping::shown(item, self.hides_marker))
            .collect();
        let new = self.asked.section("request", |asked| {
            let last = asked.entry(by).or_default();
            let new = shown.iter().skip(last.items).cloned().collect();
            *last = LastAsked { items: shown.len(), history: request.history };
            new
        });
        let (response, reader) = response();
        self.requests.section("request", |all| all.push_back(Asked { by, new, response }));
        reader
    }
}

/// What a session has of the stage.
struct Seat {
    agent: Agent,
    stage: Arc<Stage>,
}

impl Env for Seat {
    fn spawn(&self, name: TaskName, task: BoxFuture<'static, ()>) {
        self.stage.spawn(self.agent, name == TaskName::SubmissionLoop, task);
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.stage.sleep(duration)
    }

    fn sample(&self, request: Request) -> BoxFuture<'static, Box<dyn ModelStream>> {
        let reader = self.stage.begin(self.agent, request);
        Box::pin(async move { Box::new(reader) as Box<dyn ModelStream> })
    }

    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>> {
        let stage = self.stage.clone();
        let takes = stage.tools.section("tool", VecDeque::pop_front).unwrap_or_default();
        let done = Latch::new("tool done");
        let ends = done.clone();
        let runs = async move {
            if &*call.tool == SPAWN_AGENT {
                stage.spawn_child(call.tool).await;
            } else if !takes.is_zero() {
                stage.sleep(takes).await;
            }
            ends.set(Site::here("tool done"));
        };
        self.stage.spawn(self.agent, false, Box::pin(runs));
        Box::pin(async move {
            done.wait(Site::here("tool done")).await;
            "output".into()
        })
    }

    fn inspect(&self, _input: Input) -> BoxFuture<'static, Inspection> {
        Box::pin(async { HookVerdict::Accept.into() })
    }

    fn prepare_start(&self) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }

    fn report_end(
        &self,
        _turn: TurnId,
        _how: TurnEnd,
        answer: Option<Arc<str>>,
    ) -> Option<BoxFuture<'static, ()>> {
        match self.agent {
            Agent::Root => None,
            Agent::Child => {
                let text = mapping::final_answer(&answer?);
                let root = self.stage.engine(Agent::Root)?;
                let mail = Mail::new(self.stage.next_id(), false, text);
                Some(Box::pin(async move {
                    root.deliver(mail).await;
                }))
            }
        }
    }

    fn observe(&self, event: Event) {
        let notice = match event {
            Event::TurnStarted { turn, .. } => Notice::Started(self.agent, turn),
            Event::TurnEnded { turn, how } => Notice::Ended(self.agent, turn, how),
            // Nobody outside sees the rest.
            _ => return,
        };
        self.stage.notices.section("notice", |notices| notices.push_back(notice));
    }
}

pub const SPAWN_AGENT: &str = "spawn_agent";
