//! An `Env` on the crew's threads. All that it does beside spawning is done at once, or never;
//! the model answers every request with one final item, so no reply depends on the schedule.

use std::future::{pending, ready};
use std::sync::Arc;
use std::time::Duration;

use midturn_protocol::{
    BoxFuture, Env, Event, HookVerdict, Input, Inspection, ModelItem, ModelStream, Request,
    TaskName, ToolCall,
};

use crate::crew::Crew;
use crate::unseen::Notes;

/// Loom cannot choose a value, so each model has one kind of timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timers {
    Never,
    AtOnce,
}

pub struct LoomEnv {
    pub crew: Crew,
    pub timers: Timers,
    pub events: Notes<Vec<Event>>,
    /// Tasks of the preset, which begin once the engine is built.
    pub held: Notes<Option<Vec<BoxFuture<'static, ()>>>>,
}

impl LoomEnv {
    /// Lets the tasks that the preset left begin.
    pub fn release(&self) {
        let mut held = None;
        self.held.note(|tasks| held = tasks.take());
        for task in held.into_iter().flatten() {
            self.crew.spawn_boxed(task);
        }
    }
}

impl Env for LoomEnv {
    fn spawn(&self, _name: TaskName, task: BoxFuture<'static, ()>) {
        let mut task = Some(task);
        self.held.note(|held| {
            if let Some(held) = held {
                held.extend(task.take());
            }
        });
        if let Some(task) = task {
            self.crew.spawn_boxed(task);
        }
    }

    fn sleep(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        match self.timers {
            Timers::Never => Box::pin(pending()),
            Timers::AtOnce => Box::pin(ready(())),
        }
    }

    fn sample(&self, _request: Request) -> BoxFuture<'static, Box<dyn ModelStream>> {
        let answer = Answer(Some(ModelItem::Final("done".into())));
        Box::pin(ready(Box::new(answer) as Box<dyn ModelStream>))
    }

    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>> {
        Box::pin(ready(call.tool))
    }

    fn inspect(&self, _input: Input) -> BoxFuture<'static, Inspection> {
        Box::pin(ready(HookVerdict::Accept.into()))
    }

    fn prepare_start(&self) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }

    fn flush(&self) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }

    fn observe(&self, event: Event) {
        self.events.note(|events| events.push(event));
    }
}

struct Answer(Option<ModelItem>);

impl ModelStream for Answer {
    fn next(&mut self) -> BoxFuture<'_, Option<ModelItem>> {
        Box::pin(ready(self.0.take()))
    }
}
