//! One session, one thread: every call is carried as far as it goes before the test goes on.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use midturn_engine::codex::{Codex, Front, Policy};
use midturn_protocol::{
    BoxFuture, Event, Input, InputId, InputKind, Mail, Mode, ModelItem, Observation, Preset,
    QueueEngine, Reason, Reply, SessionSetup, Submission, TurnId, Verdict,
};
use midturn_sync::Site;

use crate::script::{Beat, Script, ScriptEnv};

pub const UPSTREAM: Policy = Policy::codex_0_149();
pub const HARDENED: Policy = Policy::hardened();
pub const BOTH: [Policy; 2] = [UPSTREAM, HARDENED];

#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A call that may not have been answered yet, by its place in the list of calls.
#[derive(Clone, Copy)]
pub struct Call(usize);

enum Pending {
    Running(BoxFuture<'static, Reply>),
    Answered(Reply),
    Dropped,
}

pub struct World {
    pub script: Arc<Script>,
    pub engine: Codex,
    tasks: Vec<BoxFuture<'static, ()>>,
    calls: Vec<Pending>,
    flag: Arc<Flag>,
}

impl World {
    pub fn new(policy: Policy, responses: Vec<Vec<Beat>>) -> Self {
        World::preset(policy, Front::Concurrent, Preset::Idle, Vec::new(), responses)
    }

    pub fn preset(
        policy: Policy,
        front: Front,
        preset: Preset,
        mailbox: Vec<Mail>,
        responses: Vec<Vec<Beat>>,
    ) -> Self {
        let setup = SessionSetup { preset, mailbox, ..SessionSetup::default() };
        World::with(policy, front, setup, Script::new(responses))
    }

    /// A session that begins as `setup` says, in the world of `script`.
    pub fn with(policy: Policy, front: Front, setup: SessionSetup, script: Arc<Script>) -> Self {
        let env = Arc::new(ScriptEnv(script.clone()));
        let engine = Codex::new(env, policy, front, setup);
        let (tasks, calls, flag) = (Vec::new(), Vec::new(), Arc::default());
        World { script, engine, tasks, calls, flag }
    }

    /// Moves everything until nothing can move.
    pub fn settle(&mut self) {
        let waker = Waker::from(self.flag.clone());
        let mut context = Context::from_waker(&waker);
        loop {
            self.flag.0.store(false, Ordering::Relaxed);
            self.poll_calls(&mut context);
            self.adopt();
            self.tasks.retain_mut(|task| task.as_mut().poll(&mut context).is_pending());
            let adopted = self.adopt();
            if !adopted && !self.flag.0.load(Ordering::Relaxed) {
                return;
            }
        }
    }

    fn poll_calls(&mut self, context: &mut Context<'_>) {
        for call in &mut self.calls {
            if let Pending::Running(future) = call
                && let Poll::Ready(reply) = future.as_mut().poll(context)
            {
                *call = Pending::Answered(reply);
            }
        }
    }

    fn adopt(&mut self) -> bool {
        let spawned = self.script.spawned.section("adopt", std::mem::take);
        let some = !spawned.is_empty();
        self.tasks.extend(spawned.into_iter().map(|(_, task)| task));
        some
    }

    pub fn call(&mut self, future: impl Future<Output = Reply> + Send + 'static) -> Call {
        let call = self.begin(future);
        self.settle();
        call
    }

    /// Polls the new call once and moves nobody else.
    pub fn begin(&mut self, future: impl Future<Output = Reply> + Send + 'static) -> Call {
        let mut future: BoxFuture<'static, Reply> = Box::pin(future);
        let waker = Waker::from(self.flag.clone());
        self.calls.push(match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(reply) => Pending::Answered(reply),
            Poll::Pending => Pending::Running(future),
        });
        Call(self.calls.len() - 1)
    }

    pub fn reply(&self, call: Call) -> Option<Reply> {
        match &self.calls[call.0] {
            Pending::Answered(reply) => Some(reply.clone()),
            Pending::Running(_) | Pending::Dropped => None,
        }
    }

    /// The caller goes away.
    pub fn drop_call(&mut self, call: Call) {
        self.calls[call.0] = Pending::Dropped;
        self.settle();
    }

    /// Whether its caller went away.
    pub fn is_gone(&self, call: Call) -> bool {
        matches!(self.calls[call.0], Pending::Dropped)
    }

    pub fn answered(&mut self, future: impl Future<Output = Reply> + Send + 'static) -> Reply {
        let call = self.call(future);
        self.reply(call).expect("answered without help")
    }

    pub fn start_or_steer(&mut self, id: u32, text: &str) -> Reply {
        self.answered(self.engine.submit(submission(Mode::StartOrSteer, id, text)))
    }

    pub fn start_if_idle(&mut self, id: u32, kind: InputKind) -> Reply {
        self.answered(self.engine.submit(automatic(id, kind)))
    }

    pub fn steer(&mut self, id: u32, text: &str, expected: Option<TurnId>) -> Reply {
        self.answered(self.engine.submit(submission(Mode::Steer { expected }, id, text)))
    }

    pub fn mail(&mut self, id: u32, trigger: bool) -> Reply {
        self.answered(self.engine.deliver(mail(id, trigger)))
    }

    pub fn interrupt(&mut self, id: u32) -> Reply {
        self.answered(self.engine.interrupt(InputId(id)))
    }

    pub fn open(&mut self, gate: &'static str) {
        self.script.gate(gate).set(Site::here("open"));
        self.settle();
    }

    pub fn events(&self) -> Vec<Event> {
        self.script.events.peek("events", Vec::clone)
    }

    pub fn count(&self, matches: impl Fn(&Event) -> bool) -> usize {
        self.events().iter().filter(|event| matches(event)).count()
    }

    pub fn position(&self, event: &Event) -> usize {
        let events = self.events();
        events
            .iter()
            .position(|seen| seen == event)
            .unwrap_or_else(|| panic!("{event:?} not in {events:#?}"))
    }

    /// What was new in each request, in order.
    pub fn requests(&self) -> Vec<(TurnId, u32, Vec<u32>)> {
        self.events()
            .into_iter()
            .filter_map(|event| match event {
                Event::RequestBegan { turn, request, new, .. } => {
                    Some((turn, request, new.into_iter().map(|id| id.0).collect()))
                }
                _ => None,
            })
            .collect()
    }

    /// How many tasks go on once nobody can call any more.
    pub fn tasks_left_without_a_handle(self) -> usize {
        let World { engine, mut tasks, flag, .. } = self;
        drop(engine);
        let waker = Waker::from(flag);
        let mut context = Context::from_waker(&waker);
        tasks.retain_mut(|task| task.as_mut().poll(&mut context).is_pending());
        tasks.len()
    }

    pub fn observe(&self) -> Observation {
        self.engine.observe()
    }
}

pub fn submission(mode: Mode, id: u32, text: &str) -> Submission {
    Submission::new(mode, Input::new(InputId(id), InputKind::User, text))
}

pub fn automatic(id: u32, kind: InputKind) -> Submission {
    Submission::new(Mode::StartIfIdle, Input::new(InputId(id), kind, "automatic"))
}

pub fn mail(id: u32, trigger: bool) -> Mail {
    Mail::new(InputId(id), trigger, format!("mail {id}"))
}

pub fn passive(id: u32) -> Input {
    Input::new(InputId(id), InputKind::Response, "passive")
}

pub fn turn(id: u32) -> TurnId {
    TurnId::of(InputId(id))
}

pub fn started(id: u32) -> Reply {
    Reply::Verdict(Verdict::Started(turn(id)))
}

pub fn steered(id: u32) -> Reply {
    Reply::Verdict(Verdict::Steered(turn(id)))
}

pub fn refused(reason: Reason) -> Reply {
    Reply::Verdict(Verdict::NotSubmitted(reason))
}

pub fn hold(gate: &'static str) -> Beat {
    Beat::Hold(gate)
}

pub fn item(item: ModelItem) -> Beat {
    Beat::Item(item)
}

pub fn answer() -> Beat {
    Beat::Item(ModelItem::Final("done".into()))
}

pub fn tool() -> Beat {
    Beat::Item(ModelItem::tool("shell"))
}

pub fn commentary() -> Beat {
    Beat::Item(ModelItem::Commentary("looking".into()))
}
