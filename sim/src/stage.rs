//! A scenario in the simulated world: its actors, its model, its time.
//!
//! Promises: whatever the world decides (which of two ready things comes first, what a hook
//! says, when a timer fires) is a decision that the search can take back.

mod stream;

use std::cell::RefCell;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use midturn_lock::Lock;
use midturn_properties::driver::{Stage, play};
use midturn_properties::history::preset_of;
use midturn_properties::scenario::{
    EventPattern, HookChoice, Matcher, Scenario, ScriptKind, Stated, Time,
};
use midturn_protocol::{
    BoxFuture, Env, Event, HookVerdict, Input, InputId, Mail, ModelItem, ModelStream, Reply,
    Request, TaskName, ToolCall, TurnId,
};
use midturn_sync::{Either, Latch, Mutex, Site, race};

use stream::ScriptedStream;

use crate::design::Design;
use crate::world::{self, World};

/// The name of objects that stand for `when` and `hold` of a script. Who waits for one waits
/// by design.
pub(crate) const SCRIPTED_EVENT: &str = "scripted event";

/// The world as an engine and the actors of a scenario see it.
pub(crate) struct SimEnv {
    scenario: Arc<Scenario>,
    /// Always ready: every await of the outside is a step at which an abort may strike.
    ready: Latch,
    requests: Mutex<u32>,
    awaited: Lock<Vec<(Matcher, Latch)>>,
    uncovered: Lock<Option<(TurnId, u32)>>,
}

/// What outlives a run, for the judges.
pub(crate) struct Played<E> {
    pub(crate) engine: E,
    pub(crate) env: Arc<SimEnv>,
}

/// The time of a scenario.
pub(crate) fn time_of(scenario: &Scenario) -> world::Time {
    match scenario.sessions.first().map(|session| session.time) {
        Some(Time::Patient) => world::Time::Patient,
        Some(Time::Hostile) | None => world::Time::Hostile,
    }
}

/// Sets `scenario` up in a new world. What is needed to judge the run is left in `played`.
pub(crate) fn set_up<D: Design>(
    world: &World,
    design: &D,
    policy: &str,
    scenario: &Arc<Scenario>,
    played: &RefCell<Option<Played<D::Engine>>>,
) {
    let env = Arc::new(SimEnv::new(scenario.clone()));
    let session = scenario.sessions.first();
    let mailbox = session.map_or_else(Vec::new, |session| {
        let mail = |mail: &midturn_properties::scenario::Mailed| Mail {
            id: mail.id,
            trigger: mail.trigger,
            text: mail.text.clone(),
        };
        session.mailbox.iter().map(mail).collect()
    });
    let front = session.map(|session| session.front).unwrap_or_default();
    let engine = design.create(env.clone(), policy, front, preset_of(scenario), mailbox);
    world.keep(engine.clone());
    for actor in &scenario.actors {
        let stage: Arc<dyn Stage> = env.clone();
        world.spawn(&actor.name, play(engine.clone(), stage, actor.clone()));
    }
    *played.borrow_mut() = Some(Played { engine, env });
}

impl SimEnv {
    fn new(scenario: Arc<Scenario>) -> Self {
        let ready = Latch::new("ready");
        ready.set_unannounced();
        let mut patterns: Vec<EventPattern> = Vec::new();
        let mut add = |stated: &Stated<EventPattern>| {
            if !patterns.contains(&stated.value) {
                patterns.push(stated.value);
            }
        };
        let commands = scenario.actors.iter().flat_map(|actor| &actor.does);
        commands.filter_map(|command| command.when.as_ref()).for_each(&mut add);
        let hooks = scenario.sessions.iter().flat_map(|session| &session.hooks);
        hooks.filter_map(|hook| hook.when.as_ref()).for_each(&mut add);
        for item in scenario.model.requests.iter().flatten() {
            if let ScriptKind::Hold(until) = &item.kind {
                add(until);
            }
        }
        let awaited = patterns
            .into_iter()
            .map(|pattern| (Matcher::new(pattern), Latch::new(SCRIPTED_EVENT)))
            .collect();
        SimEnv {
            scenario,
            ready,
            requests: Mutex::new("model", 0),
            awaited: Lock::new(awaited),
            uncovered: Lock::new(None),
        }
    }

    /// A request that began although no script covers it.
    pub(crate) fn uncovered(&self) -> Option<(TurnId, u32)> {
        self.uncovered.with(|uncovered| *uncovered)
    }

    #[track_caller]
    fn step(&self, name: &'static str) -> midturn_sync::Wait {
        self.ready.wait(Site::here(name))
    }

    fn until(&self, pattern: EventPattern) -> Option<Latch> {
        self.awaited.with(|awaited| {
            let found = awaited.iter().find(|(matcher, _)| matcher.pattern() == pattern);
            found.map(|(_, latch)| latch.clone())
        })
    }

    fn take_note(&self, event: Event) {
        let Some(world) = World::current() else { return };
        let happened: Vec<Latch> = self.awaited.with(|awaited| {
            let mut happened = Vec::new();
            for (matcher, latch) in awaited.iter_mut() {
                if matcher.feed(&event) {
                    happened.push(latch.clone());
                }
            }
            happened
        });
        world.observe(event);
        for latch in happened {
            world.also_set(&latch);
        }
    }

    fn task_name(&self, name: TaskName) -> String {
        match name {
            TaskName::Turn(turn) => self.scenario.names.turn(turn),
            TaskName::SubmissionLoop => SUBMISSION_LOOP.to_owned(),
            TaskName::Starter(turn) => {
                format!("starter of {}", self.scenario.names.input(turn.origin))
            }
            TaskName::PendingWork(turn) => {
                format!("pending work for {}", self.scenario.names.turn(turn))
            }
            TaskName::Abort(turn) => format!("abort of {}", self.scenario.names.turn(turn)),
        }
    }
}

/// The object for which that loop waits when it has nothing to do.
pub(crate) const SUBMISSION_ARRIVED: &str = "submission arrived";

/// The actor that waits for submissions for ever, by design.
pub(crate) const SUBMISSION_LOOP: &str = "submission loop";

impl Env for SimEnv {
    fn spawn(&self, name: TaskName, task: BoxFuture<'static, ()>) {
        if let Some(world) = World::current() {
            world.spawn(&self.task_name(name), task);
        }
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        match World::current() {
            Some(world) => Box::pin(world.sleep(duration, Site::here("sleep"))),
            None => Box::pin(ready(())),
        }
    }

    fn sample(&self, request: Request) -> BoxFuture<'static, Box<dyn ModelStream>> {
        let nth = self.requests.section("model: request arrives", |requests| {
            *requests += 1;
            *requests
        });
        let script = match self.scenario.model.requests.get(nth as usize - 1) {
            Some(script) => script.iter().map(|item| item.kind.clone()).collect(),
            None => {
                self.uncovered.with(|uncovered| {
                    uncovered.get_or_insert((request.turn, nth));
                });
                vec![ScriptKind::Item(ModelItem::Error("no script covers this request".into()))]
            }
        };
        let awaited = script
            .iter()
            .map(|kind| match kind {
                ScriptKind::Hold(until) => self.until(until.value),
                ScriptKind::Item(_) | ScriptKind::Tool { .. } => None,
            })
            .collect();
        let stream = ScriptedStream { ready: self.ready.clone(), script, awaited, next: 0 };
        Box::pin(ready(Box::new(stream) as Box<dyn ModelStream>))
    }

    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>> {
        let scripts = self.scenario.model.requests.iter().flatten();
        let output = scripts.filter_map(|item| match &item.kind {
            ScriptKind::Tool { tool, output, .. } if *tool == call.tool => Some(output.clone()),
            _ => None,
        });
        let output = output.into_iter().next().unwrap_or_else(|| "ok".into());
        let step = self.step("tool: run");
        Box::pin(async move {
            step.await;
            output
        })
    }

    fn inspect(&self, input: Input) -> BoxFuture<'static, HookVerdict> {
        let hooks = self.scenario.sessions.iter().flat_map(|session| &session.hooks);
        let script = hooks
            .filter(|hook| hook.input == input.id)
            .map(|hook| (hook.verdict, hook.when.as_ref().and_then(|when| self.until(when.value))));
        let script = script.into_iter().next();
        let step = self.step("hook: inspect");
        Box::pin(async move {
            step.await;
            let Some((verdict, until)) = script else { return HookVerdict::Accept };
            if let Some(until) = until {
                until.wait(Site::here("hook: wait for the script")).await;
            }
            let blocks = match verdict {
                HookChoice::Accept => false,
                HookChoice::Block => true,
                HookChoice::Either => World::current().is_some_and(|world| world.choose(2) == 1),
            };
            if blocks { HookVerdict::Block } else { HookVerdict::Accept }
        })
    }

    fn prepare_start(&self) -> BoxFuture<'static, ()> {
        Box::pin(self.step("prepare the start"))
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        Box::pin(self.step("flush"))
    }

    fn observe(&self, event: Event) {
        self.take_note(event);
    }
}

impl Stage for SimEnv {
    fn observe(&self, event: Event) {
        self.take_note(event);
    }

    fn happened(&self, pattern: EventPattern) -> BoxFuture<'static, ()> {
        match self.until(pattern) {
            Some(latch) => Box::pin(latch.wait(Site::here("wait for the script"))),
            None => Box::pin(ready(())),
        }
    }

    fn calls(&self) {
        if let Some(world) = World::current() {
            world.call("call");
        }
    }

    fn returns(&self) {
        if let Some(world) = World::current() {
            world.answer("return");
        }
    }

    fn droppable(
        &self,
        command: InputId,
        call: BoxFuture<'static, Reply>,
    ) -> BoxFuture<'static, Reply> {
        let Some(world) = World::current() else { return call };
        let dropped = Latch::new("dropped");
        let name = format!("drop of {}", self.scenario.names.input(command));
        world.spawn_chance(&name, dropped.clone(), Site::here("the caller goes away"));
        Box::pin(async move {
            match race(dropped.wait(Site::here("caller is gone")), call).await {
                Either::First(()) => Reply::Dropped,
                Either::Second(reply) => reply,
            }
        })
    }
}
