//! The crew's threads as what runs a scenario.

use std::future::{Future, pending, ready};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use loom::thread::ThreadId;
use midturn_properties::history::Record;
use midturn_protocol::{BoxFuture, Event};
use midturn_stage_loom::Backend;
use midturn_sync::{Latch, Site};

use crate::crew::Crew;
use crate::engine::env::Timers;
use crate::unseen::Notes;

/// Loom has five threads, and one of them sets up.
const THREADS: usize = 4;

type Task = BoxFuture<'static, ()>;

/// What is written down of one execution, beside the model.
#[derive(Default)]
pub struct Log {
    pub records: Vec<Record>,
    /// Who acts on which thread, by number.
    threads: Vec<(ThreadId, usize)>,
    /// Everybody who was spawned, by number: the name, and whether it has ended.
    actors: Vec<(String, bool)>,
    /// Tasks of the preset, which begin once everything is set up.
    held: Option<Vec<(usize, Task)>>,
    /// Who waits for an event of the script, by number.
    patient: Vec<usize>,
    /// How many hooks have said what they may choose.
    asked: u32,
    /// Somebody waits for a timer.
    pub timed: bool,
    /// More threads were wanted than there are.
    pub crowded: bool,
}

impl Log {
    /// Who has not ended, by name, and does not wait for the script, whose events may never come.
    pub fn stuck(&self) -> Vec<String> {
        let stuck = self.actors.iter().enumerate().filter(|(_, (_, ended))| !ended);
        let impatient = stuck.filter(|(number, _)| !self.patient.contains(number));
        impatient.map(|(_, (name, _))| name.clone()).collect()
    }

    /// Who acts on this thread; the preset counts as the first of all.
    fn actor(&self) -> usize {
        let thread = loom::thread::current().id();
        let found = self.threads.iter().find(|(other, _)| *other == thread);
        found.map_or(0, |(_, number)| *number)
    }
}

/// What is decided from outside, the same in all executions of a model: loom chooses no values.
#[derive(Clone, Copy, Debug)]
pub struct Outside {
    pub timers: Timers,
    /// What the hooks say that may say either: the lowest bit first, in the order of asking.
    pub hooks: u32,
}

/// Threads, and what is decided from outside.
#[derive(Clone)]
pub struct Threads {
    pub crew: Crew,
    pub outside: Outside,
    pub log: Notes<Log>,
}

impl Threads {
    pub fn new(crew: &Crew, outside: Outside) -> Self {
        let log = Notes::<Log>::default();
        log.note(|log| log.held = Some(Vec::new()));
        Threads { crew: crew.clone(), outside, log }
    }

    /// Lets the tasks that the preset left begin.
    pub fn release(&self) {
        let mut held = None;
        self.log.note(|log| held = log.held.take());
        for (number, task) in held.into_iter().flatten() {
            self.start(number, task);
        }
    }

    /// `task` under a name, to be driven by the thread that asks.
    pub fn here(&self, name: &str, task: Task) -> impl Future<Output = ()> + Send + use<> {
        let number = self.enter(name);
        Numbered { log: self.log.clone(), number, task, begun: false }
    }

    fn enter(&self, name: &str) -> usize {
        let mut number = 0;
        self.log.note(|log| {
            number = log.actors.len();
            log.actors.push((name.to_owned(), false));
        });
        number
    }

    fn start(&self, number: usize, task: Task) {
        let mut crowded = false;
        self.log.note(|log| {
            // One of those that were spawned shares the thread that sets up.
            crowded = log.actors.len() > THREADS;
            log.crowded |= crowded;
        });
        if !crowded {
            let log = self.log.clone();
            self.crew.spawn_boxed(Box::pin(Numbered { log, number, task, begun: false }));
        }
    }
}

/// A task that says who it is on its thread, and when it has ended.
struct Numbered {
    log: Notes<Log>,
    number: usize,
    task: Task,
    begun: bool,
}

impl Future for Numbered {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if !self.begun {
            self.begun = true;
            let (thread, number) = (loom::thread::current().id(), self.number);
            self.log.note(|log| {
                log.threads.retain(|(other, _)| *other != thread);
                log.threads.push((thread, number));
            });
        }
        let polled = self.task.as_mut().poll(context);
        if polled.is_ready() {
            self.log.note(|log| log.actors[self.number].1 = true);
        }
        polled
    }
}

/// While somebody waits for the script; for ever if the execution hangs.
struct Patient {
    threads: Threads,
    number: usize,
}

impl Patient {
    fn begin(threads: Threads) -> Self {
        let mut number = 0;
        threads.log.note(|log| {
            number = log.actor();
            log.patient.push(number);
        });
        Patient { threads, number }
    }
}

impl Drop for Patient {
    fn drop(&mut self) {
        if !self.threads.crew.is_hung() {
            let number = self.number;
            self.threads.log.note(|log| log.patient.retain(|other| *other != number));
        }
    }
}

/// An await at which an abort may strike, which it does once a grace is over.
struct OnceMore {
    crew: Crew,
    polled: bool,
}

impl Future for OnceMore {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.polled, true) {
            return Poll::Ready(());
        }
        self.crew.poll_again();
        Poll::Pending
    }
}

impl Backend for Threads {
    fn spawn(&self, name: &str, task: Task) {
        let number = self.enter(name);
        let mut task = Some(task);
        self.log.note(|log| {
            if let Some(held) = &mut log.held {
                held.extend(task.take().map(|task| (number, task)));
            }
        });
        if let Some(task) = task {
            self.start(number, task);
        }
    }

    fn sleep(&self, _duration: Duration, _site: Site) -> BoxFuture<'static, ()> {
        self.log.note(|log| log.timed = true);
        match self.outside.timers {
            Timers::Never => Box::pin(pending()),
            Timers::AtOnce => Box::pin(ready(())),
        }
    }

    fn pause(&self, _site: Site) -> BoxFuture<'static, ()> {
        match self.outside.timers {
            Timers::Never => Box::pin(ready(())),
            Timers::AtOnce => Box::pin(OnceMore { crew: self.crew.clone(), polled: false }),
        }
    }

    fn until(&self, happened: Latch, site: Site) -> BoxFuture<'static, ()> {
        let threads = self.clone();
        Box::pin(async move {
            let _patient = Patient::begin(threads);
            happened.wait(site).await;
        })
    }

    fn choose(&self, _among: u8) -> u8 {
        let mut asked = 0;
        self.log.note(|log| {
            asked = log.asked;
            log.asked += 1;
        });
        u8::from(self.outside.hooks >> asked & 1 == 1)
    }

    fn chance(&self, _name: &str, _latch: Latch, _site: Site) {}

    fn take_note(&self, session: usize, event: Event, happened: &[Latch]) {
        self.log.note(|log| {
            let step = u32::from(log.held.is_none());
            let actor = log.actor();
            log.records.push(Record { session, step, actor, event });
        });
        happened.iter().for_each(Latch::set_unannounced);
    }

    fn calls(&self) {}

    fn returns(&self) {}
}

/// For the tests, which keep one in an [`Arc`] for each session.
pub fn shared(threads: &Threads) -> Arc<dyn Backend> {
    Arc::new(threads.clone())
}
