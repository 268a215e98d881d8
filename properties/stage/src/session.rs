//! What the engine and the actors of one session see.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use midturn_properties::driver::Stage;
use midturn_properties::scenario::{EventPattern, HookChoice, ScriptKind, Session};
use midturn_protocol::{
    BoxFuture, Env, Event, HookVerdict, Input, InputId, Inspection, Mail, ModelItem, ModelStream,
    Reply, Request, StopVerdict, TaskName, ToolCall, TurnEnd, TurnId,
};
use midturn_sync::{Either, Latch, Mutex, Site, race};

use crate::SUBMISSION_LOOP;
use crate::backend::Backend;
use crate::model::{CalledTools, ScriptedStream};
use crate::script::{Script, Uncovered};

pub(crate) struct StagedSession {
    script: Arc<Script>,
    /// The index of the session.
    session: usize,
    backend: Arc<dyn Backend>,
    /// How often the model, a hook, or the parent was asked or told. Who comes first decides what
    /// comes of it, so each is an object of the program.
    requests: Mutex<usize>,
    starts: Mutex<usize>,
    stops: Mutex<usize>,
    reports: Mutex<usize>,
    called: CalledTools,
}

/// How often there was something before.
fn count(counter: &mut usize) -> usize {
    *counter += 1;
    *counter - 1
}

impl StagedSession {
    pub(crate) fn new(script: Arc<Script>, session: usize, backend: Arc<dyn Backend>) -> Self {
        StagedSession {
            script,
            session,
            backend,
            requests: Mutex::new("model", 0),
            starts: Mutex::new("start hook", 0),
            stops: Mutex::new("stop hook", 0),
            reports: Mutex::new("reports", 0),
            called: CalledTools::default(),
        }
    }

    fn session(&self) -> &Session {
        &self.script.scenario.sessions[self.session]
    }

    #[track_caller]
    fn step(&self, name: &'static str) -> BoxFuture<'static, ()> {
        self.backend.pause(Site::here(name))
    }

    fn take_note(&self, event: Event) {
        let happened = self.script.happened(self.session, &event);
        self.backend.take_note(self.session, event, &happened);
    }

    /// The name of a task: with its session, if there are several.
    fn task_name(&self, name: TaskName) -> String {
        let names = &self.script.scenario.names;
        let task = match name {
            TaskName::Turn(turn) => names.turn(turn),
            TaskName::SubmissionLoop => SUBMISSION_LOOP.to_owned(),
            TaskName::Starter(turn) => format!("starter of {}", names.input(turn.origin)),
            TaskName::PendingWork(turn) => format!("pending work for {}", names.turn(turn)),
            TaskName::Abort(turn) => format!("abort of {}", names.turn(turn)),
        };
        if self.script.scenario.sessions.len() > 1 {
            format!("{}: {task}", self.session().name)
        } else {
            task
        }
    }

    /// What the model says to a request.
    fn response(&self, request: &Request) -> Vec<ScriptKind> {
        let before = self.requests.section("model: request arrives", count);
        match self.session().model.requests.get(before) {
            Some(script) => script.iter().map(|item| item.kind.clone()).collect(),
            None => {
                let nth = u32::try_from(before + 1).unwrap_or(u32::MAX);
                let (session, turn) = (self.session, request.turn);
                self.script.note_uncovered(Uncovered { session, turn, nth });
                vec![ScriptKind::Item(ModelItem::Error("no script covers this request".into()))]
            }
        }
    }
}

impl Env for StagedSession {
    fn spawn(&self, name: TaskName, task: BoxFuture<'static, ()>) {
        self.backend.spawn(&self.task_name(name), task);
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.backend.sleep(duration, Site::here("sleep"))
    }

    fn sample(&self, request: Request) -> BoxFuture<'static, Box<dyn ModelStream>> {
        let script = self.response(&request);
        let awaited = script
            .iter()
            .map(|kind| match kind {
                ScriptKind::Hold(until) => self.script.until(until.value),
                ScriptKind::Item(_) | ScriptKind::Tool(_) => None,
            })
            .collect();
        self.called.forget(request.turn);
        let stream = ScriptedStream {
            turn: request.turn,
            backend: self.backend.clone(),
            script,
            awaited,
            next: 0,
            called: self.called.clone(),
        };
        Box::pin(ready(Box::new(stream) as Box<dyn ModelStream>))
    }

    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>> {
        let script = self.called.run(call.turn, &call.tool);
        let (output, sends) = script.map_or((None, None), |tool| (tool.output, tool.sends));
        let output = output.or(call.answer).unwrap_or_else(|| "ok".into());
        let (step, script) = (self.step("tool: run"), self.script.clone());
        Box::pin(async move {
            step.await;
            if let Some(sent) = sends {
                script.send(sent.to, sent.mail).await;
            }
            output
        })
    }

    fn inspect(&self, input: Input) -> BoxFuture<'static, Inspection> {
        let mut hooks = self.session().hooks.iter();
        let hook = hooks.find(|hook| hook.input == input.id).cloned();
        let until = hook.as_ref().and_then(|hook| hook.when.as_ref());
        let until = until.and_then(|when| self.script.until(when.value));
        let (step, backend) = (self.step("hook: inspect"), self.backend.clone());
        Box::pin(async move {
            step.await;
            let Some(hook) = hook else { return HookVerdict::Accept.into() };
            if let Some(until) = until {
                backend.until(until, Site::here("hook: wait for the script")).await;
            }
            let blocks = match hook.verdict {
                HookChoice::Accept => false,
                HookChoice::Block => true,
                HookChoice::Either => backend.choose(2) == 1,
            };
            let verdict = if blocks { HookVerdict::Block } else { HookVerdict::Accept };
            Inspection { verdict, context: hook.context }
        })
    }

    fn prepare_start(&self) -> BoxFuture<'static, ()> {
        self.step("prepare the start")
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        self.step("flush")
    }

    fn start_hook(&self, _turn: TurnId) -> Option<BoxFuture<'static, bool>> {
        let script = self.session().start_hooks.as_ref()?;
        let nth = self.starts.section("start hook: asked", count);
        let goes_on = script.get(nth).copied().unwrap_or(true);
        let step = self.step("start hook: run");
        Some(Box::pin(async move {
            step.await;
            goes_on
        }))
    }

    fn stop_hook(&self, _turn: TurnId) -> Option<BoxFuture<'static, StopVerdict>> {
        let script = self.session().stop_hooks.as_ref()?;
        let nth = self.stops.section("stop hook: asked", count);
        let verdict = script.get(nth).cloned().unwrap_or(StopVerdict::Pass);
        let step = self.step("stop hook: run");
        Some(Box::pin(async move {
            step.await;
            verdict
        }))
    }

    fn report_end(
        &self,
        _turn: TurnId,
        how: TurnEnd,
        answer: Option<Arc<str>>,
    ) -> Option<BoxFuture<'static, ()>> {
        let Session { parent, reports, .. } = self.session();
        let parent = (*parent)?;
        let completed = match how {
            TurnEnd::Completed => true,
            TurnEnd::Failed | TurnEnd::Interrupted | TurnEnd::Replaced => false,
        };
        if !completed || reports.is_empty() {
            return None;
        }
        let nth = self.reports.section("report: a turn completed", count);
        let id = *reports.get(nth)?;
        let mail = Mail::new(id, false, answer.unwrap_or_default());
        Some(self.script.send(parent, mail))
    }

    fn observe(&self, event: Event) {
        self.take_note(event);
    }
}

impl Stage for StagedSession {
    fn observe(&self, event: Event) {
        self.take_note(event);
    }

    fn happened(&self, pattern: EventPattern) -> BoxFuture<'static, ()> {
        match self.script.until(pattern) {
            Some(latch) => self.backend.until(latch, Site::here("wait for the script")),
            None => Box::pin(ready(())),
        }
    }

    fn calls(&self) {
        self.backend.calls();
    }

    fn returns(&self) {
        self.backend.returns();
    }

    fn droppable(
        &self,
        command: InputId,
        call: BoxFuture<'static, Reply>,
    ) -> BoxFuture<'static, Reply> {
        let dropped = Latch::new("dropped");
        let name = format!("drop of {}", self.script.scenario.names.input(command));
        self.backend.chance(&name, dropped.clone(), Site::here("the caller goes away"));
        Box::pin(async move {
            match race(dropped.wait(Site::here("caller is gone")), call).await {
                Either::First(()) => Reply::Dropped,
                Either::Second(reply) => reply,
            }
        })
    }
}
