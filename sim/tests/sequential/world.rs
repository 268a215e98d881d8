//! The engine, on one thread: everybody goes on until nobody can.

use std::collections::VecDeque;
use std::future::{poll_fn, ready};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use midturn_engine::codex::{Codex, Front, Policy};
use midturn_lock::Lock;
use midturn_properties::history::{Agenda, History, Record};
use midturn_properties::property;
use midturn_properties::scenario::Names;
use midturn_protocol::{
    Answer, BoxFuture, Command, Decision, Env, Event, HookVerdict, Injection, Input, InputId,
    InputKind, Inspection, Mail, Mode, ModelItem, ModelStream, QueueEngine, Reply, Request,
    SessionMode, SessionSetup, SettingsChange, SettingsEdit, SlotShape, SpecialTask, Submission,
    TaskName, ToolCall, ToolUse, ToolWork, WaiterTable,
};

use crate::model::{Model, Seen};
use crate::transition::{Said, Text, Transition};

/// Until all are at rest, far more than ever are needed.
const ROUNDS: u32 = 1_000;

const BLOCKED: &str = "blocked";

#[derive(Default)]
struct Outside {
    spawned: Vec<BoxFuture<'static, ()>>,
    /// Each with who did it.
    events: Vec<(usize, Event)>,
    actor: usize,
    time: u32,
    /// What the model says next; `None` ends a response.
    said: VecDeque<Option<ModelItem>>,
}

#[derive(Clone, Default)]
struct Shared(Arc<Lock<Outside>>);

impl Shared {
    fn acts(&self, actor: usize) {
        self.0.with(|outside| outside.actor = actor);
    }
}

impl ModelStream for Shared {
    fn next(&mut self) -> BoxFuture<'_, Option<ModelItem>> {
        let said = self.clone();
        // Whoever waits here is polled again after every transition.
        Box::pin(poll_fn(move |_| match said.0.with(|outside| outside.said.pop_front()) {
            Some(item) => Poll::Ready(item),
            None => Poll::Pending,
        }))
    }
}

impl Env for Shared {
    fn spawn(&self, _name: TaskName, task: BoxFuture<'static, ()>) {
        self.0.with(|outside| outside.spawned.push(task));
    }

    /// Time passes once nobody can move.
    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        let (time, began) = (self.clone(), self.0.with(|outside| outside.time));
        Box::pin(poll_fn(move |_| match time.0.with(|outside| outside.time > began) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }))
    }

    fn sample(&self, _request: Request) -> BoxFuture<'static, Box<dyn ModelStream>> {
        let stream: Box<dyn ModelStream> = Box::new(self.clone());
        Box::pin(ready(stream))
    }

    fn run_tool(&self, _call: ToolCall) -> BoxFuture<'static, Arc<str>> {
        Box::pin(ready("output".into()))
    }

    fn inspect(&self, input: Input) -> BoxFuture<'static, Inspection> {
        let blocks = *input.text == *BLOCKED;
        let verdict = if blocks { HookVerdict::Block } else { HookVerdict::Accept };
        Box::pin(ready(Inspection { verdict, context: None }))
    }

    fn prepare_start(&self) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }

    fn observe(&self, event: Event) {
        self.0.with(|outside| {
            let actor = outside.actor;
            outside.events.push((actor, event));
        });
    }
}

#[derive(Default)]
struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

pub struct World {
    outside: Shared,
    engine: Codex,
    /// Each with its number.
    tasks: Vec<(usize, BoxFuture<'static, ()>)>,
    actors: usize,
    agenda: Agenda,
}

impl World {
    pub fn new(policy: Policy) -> Self {
        let outside = Shared::default();
        let env = Arc::new(outside.clone());
        let mut setup = SessionSetup::default();
        setup.forbidden.push(forbidden());
        let setup_of_all = Arc::new(setup.clone());
        let agenda = Agenda { setup: setup_of_all, real_time: true, ..Agenda::default() };
        let engine = Codex::new(env, policy, Front::Concurrent, setup);
        World { outside, engine, tasks: Vec::new(), actors: 0, agenda }
    }

    /// Does it, and looks once all are at rest. `model` names what the command means.
    pub fn apply(&mut self, transition: &Transition, model: &Model) -> Seen {
        let first = self.outside.0.with(|outside| outside.events.len());
        let reply = match *transition {
            Transition::Item(said) => self.say(Some(item(said))),
            Transition::EndOfResponse => self.say(None),
            _ => self.call(command(transition, model)),
        };
        let last = self.engine.observe();
        let requests = self.outside.0.with(|outside| {
            let began = outside.events[first..].iter().filter_map(|(_, event)| match event {
                Event::RequestBegan { turn, new, .. } => Some((*turn, new.clone())),
                _ => None,
            });
            began.collect()
        });
        Seen {
            reply,
            slot: last.slot.unwrap_or(SlotShape::Idle),
            phase: last.phase,
            pending: last.pending,
            mailbox: last.mailbox,
            requests,
        }
    }

    fn say(&mut self, item: Option<ModelItem>) -> Option<Reply> {
        self.outside.0.with(|outside| outside.said.push_back(item));
        self.settle(&mut None);
        None
    }

    fn call(&mut self, command: Command) -> Option<Reply> {
        let id = command.id();
        self.agenda.add(command.clone(), false);
        let outside = self.outside.clone();
        let call = self.engine.call(command);
        let mut call: Option<BoxFuture<'static, Reply>> = Some(Box::pin(async move {
            outside.observe(Event::Called { command: id });
            let reply = call.await;
            outside.observe(Event::Returned { command: id, reply: reply.clone() });
            reply
        }));
        self.settle(&mut call)
    }

    fn settle(&mut self, call: &mut Option<BoxFuture<'static, Reply>>) -> Option<Reply> {
        let flag = Arc::new(Flag::default());
        let waker = Waker::from(flag.clone());
        let mut context = Context::from_waker(&waker);
        let (mut reply, mut waited) = (None, false);
        self.actors += 1;
        let caller = self.actors;
        let mut rounds = 0;
        loop {
            rounds += 1;
            assert!(rounds < ROUNDS, "never at rest");
            flag.0.store(false, Ordering::Relaxed);
            self.outside.acts(caller);
            if let Some(running) = call
                && let Poll::Ready(answer) = running.as_mut().poll(&mut context)
            {
                (*call, reply) = (None, Some(answer));
            }
            for task in self.outside.0.with(|outside| std::mem::take(&mut outside.spawned)) {
                self.actors += 1;
                self.tasks.push((self.actors, task));
            }
            self.tasks.retain_mut(|(number, task)| {
                self.outside.acts(*number);
                task.as_mut().poll(&mut context).is_pending()
            });
            let spawned = self.outside.0.with(|outside| !outside.spawned.is_empty());
            if spawned || flag.0.load(Ordering::Relaxed) {
                continue;
            }
            if waited {
                return reply;
            }
            waited = true;
            self.outside.0.with(|outside| outside.time += 1);
        }
    }

    /// What the whole violates.
    pub fn judged(self) -> Option<String> {
        // What the model has not said yet is not missing: it may always stop in between.
        let events = self.outside.0.with(|outside| std::mem::take(&mut outside.events));
        let record = |(step, (actor, event))| Record { session: 0, step, actor, event };
        let records = (1..).zip(events).map(record).collect();
        let history = History::new(&self.agenda, records, self.engine.observe());
        let violations = property::judge(&history, &Names::default());
        (!violations.is_empty()).then(|| format!("{violations:#?}"))
    }
}

fn forbidden() -> midturn_protocol::Forbidden {
    midturn_protocol::Forbidden { name: "effort".into(), value: "max".into() }
}

fn item(said: Said) -> ModelItem {
    match said {
        Said::Final => ModelItem::Final("done".into()),
        Said::Untagged => ModelItem::Untagged("so".into()),
        Said::Reasoning => ModelItem::Reasoning,
        Said::Blank => ModelItem::Blank,
        Said::Tool => ModelItem::tool("shell"),
        Said::RefusedTool => ModelItem::RefusedTool("rm".into()),
        Said::Asks => ModelItem::Tool(ToolUse {
            tool: "edit".into(),
            work: ToolWork::Ask(WaiterTable::Approval),
        }),
        Said::NotEnded => ModelItem::NotEnded,
        Said::Full => ModelItem::Full,
        Said::Error => ModelItem::Error("overloaded".into()),
    }
}

fn command(transition: &Transition, model: &Model) -> Command {
    let id = InputId(model.id);
    let submit = |mode, kind, text| {
        let text = match text {
            Text::Plain => "say",
            Text::Empty => "",
            Text::Blocked => BLOCKED,
        };
        Command::Submit(Submission::new(mode, Input::new(id, kind, text)))
    };
    let edit = |edit| Command::ChangeSettings { id, change: SettingsChange::Edit(edit) };
    match *transition {
        Transition::StartOrSteer(text) => submit(Mode::StartOrSteer, InputKind::User, text),
        Transition::Steer { text, .. } => {
            submit(Mode::Steer { expected: model.expected }, InputKind::User, text)
        }
        Transition::StartIfIdle { automatic, text } => {
            let kind = if automatic { InputKind::Response } else { InputKind::User };
            submit(Mode::StartIfIdle, kind, text)
        }
        Transition::Mail { trigger } => Command::Deliver(Mail::new(id, trigger, "news")),
        Transition::Inject { else_recorded } => Command::Inject {
            input: Input::new(id, InputKind::Response, "context"),
            form: if else_recorded { Injection::NoNewTurn } else { Injection::IfRunning },
        },
        Transition::Interrupt { .. } => Command::Interrupt { id, turn: model.expected },
        Transition::AwaitActivity => Command::AwaitActivity { id },
        Transition::Review => Command::Begin { id, task: SpecialTask::Review("look".into()) },
        Transition::Compact => Command::Begin { id, task: SpecialTask::Compact },
        Transition::Plan(plan) => {
            let mode = if plan { SessionMode::Plan } else { SessionMode::Default };
            edit(SettingsEdit { mode: Some(mode), ..SettingsEdit::default() })
        }
        Transition::Effort { forbidden } => {
            let value = if forbidden { "max" } else { "high" };
            let values = [("effort".into(), value.into())].into();
            edit(SettingsEdit { values, ..SettingsEdit::default() })
        }
        Transition::Drain => Command::Drain { id },
        Transition::ShutDown => Command::ShutDown { id },
        Transition::Answer => Command::Answer(Answer {
            id,
            table: WaiterTable::Approval,
            key: "edit".into(),
            decision: Decision::Reply("yes".into()),
        }),
        Transition::Item(_) | Transition::EndOfResponse => unreachable!("the model says it"),
    }
}
