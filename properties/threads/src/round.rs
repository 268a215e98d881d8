//! One round: its tasks, its timers, what was noted, and when nobody moves any more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use midturn_lock::Lock;
use midturn_properties::history::Record;
use midturn_properties::scenario::{Scenario, Time};
use midturn_protocol::{BoxFuture, Event, WaiterEvent};
use midturn_stage::is_submission_loop;
use midturn_sync::Latch;
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

use crate::task::{Counted, Status};

type Task = BoxFuture<'static, ()>;

/// Who waits for an answer from outside, which may never come.
fn open_questions(records: &[Record]) -> BTreeSet<usize> {
    let mut open = BTreeMap::new();
    for record in records {
        if let Event::Waiter { turn, table, key, what } = &record.event {
            let question = (record.session, *turn, *table, key.clone());
            match what {
                WaiterEvent::Opened => drop(open.insert(question, record.actor)),
                WaiterEvent::Answered | WaiterEvent::Closed => drop(open.remove(&question)),
            }
        }
    }
    open.into_values().collect()
}

/// Shared by everything that belongs to a round.
#[derive(Clone)]
pub(crate) struct Round(Arc<Shared>);

struct Shared {
    runtime: Handle,
    pub(crate) time: Time,
    /// Of the actors, those that may wait for ever.
    parked: Vec<String>,
    state: Lock<State>,
}

pub(crate) struct State {
    pub(crate) chance: fastrand::Rng,
    pub(crate) records: Vec<Record>,
    members: Vec<Member>,
    busy: usize,
    /// With what they set, and when in virtual time.
    timers: Vec<(Duration, Latch)>,
    now: Duration,
    /// Tasks of the preset, which begin once everything is set up.
    held: Option<Vec<(usize, Task)>>,
    still: Sender<()>,
    handles: Vec<AbortHandle>,
}

struct Member {
    name: String,
    status: Status,
    /// Waits for an event of the script, which may never come.
    patient: bool,
}

impl State {
    pub(crate) fn has_begun(&self) -> bool {
        self.held.is_none()
    }

    /// One is no longer busy. If it was the last, the timer that it must fire now, which keeps it
    /// busy: whoever waited for the timer may be gone.
    fn one_less(&mut self) -> Option<Latch> {
        self.busy -= 1;
        if self.busy > 0 {
            return None;
        }
        let first = self.first_timer();
        match first {
            Some(_) => self.busy += 1,
            // Nobody may listen any more.
            None => drop(self.still.send(())),
        }
        first
    }

    fn first_timer(&mut self) -> Option<Latch> {
        let earliest = self.timers.iter().map(|(deadline, _)| *deadline).min()?;
        let at = self.timers.iter().position(|(deadline, _)| *deadline == earliest)?;
        self.now = self.now.max(earliest);
        Some(self.timers.remove(at).1)
    }
}

impl Round {
    /// A round that has not begun, and where it is told that it is over.
    pub(crate) fn new(runtime: Handle, scenario: &Scenario, seed: u64) -> (Self, Receiver<()>) {
        let (still, told) = channel();
        let time = scenario.sessions.first().map_or(Time::Hostile, |session| session.time);
        let parked = scenario.terms.parked.iter().filter_map(|at| scenario.actors.get(*at));
        let parked = parked.map(|actor| actor.name.clone()).collect();
        let state = State {
            chance: fastrand::Rng::with_seed(seed),
            records: Vec::new(),
            members: Vec::new(),
            // The one who sets up.
            busy: 1,
            timers: Vec::new(),
            now: Duration::ZERO,
            held: Some(Vec::new()),
            still,
            handles: Vec::new(),
        };
        (Round(Arc::new(Shared { runtime, time, parked, state: Lock::new(state) })), told)
    }

    pub(crate) fn time(&self) -> Time {
        self.0.time
    }

    pub(crate) fn with<R>(&self, body: impl FnOnce(&mut State) -> R) -> R {
        self.0.state.with(body)
    }

    /// Lets the tasks of the preset and the actors begin, in any order.
    pub(crate) fn begin(&self, actors: impl Iterator<Item = (String, Task)>) {
        let mut all = self.with(|state| state.held.take()).unwrap_or_default();
        all.extend(actors.map(|(name, actor)| (self.enter(&name), actor)));
        self.with(|state| state.chance.shuffle(&mut all));
        for (number, task) in all {
            self.start(number, task);
        }
        self.settle();
    }

    pub(crate) fn spawn(&self, name: &str, task: Task) {
        let number = self.enter(name);
        let mut task = Some(task);
        self.with(|state| {
            if let Some(held) = &mut state.held {
                held.extend(task.take().map(|task| (number, task)));
            }
        });
        if let Some(task) = task {
            self.start(number, task);
        }
    }

    fn enter(&self, name: &str) -> usize {
        self.with(|state| {
            state.busy += 1;
            let name = name.to_owned();
            state.members.push(Member { name, status: Status::Woken, patient: false });
            state.members.len() - 1
        })
    }

    fn start(&self, number: usize, task: Task) {
        let task = self.0.runtime.spawn(Counted::new(self.clone(), number, task));
        self.with(|state| state.handles.push(task.abort_handle()));
    }

    pub(crate) fn runs(&self, number: usize) {
        self.with(|state| state.members[number].status = Status::Running);
    }

    pub(crate) fn woken(&self, number: usize) {
        self.with(|state| match state.members[number].status {
            Status::Idle => {
                state.members[number].status = Status::Woken;
                state.busy += 1;
            }
            Status::Running => state.members[number].status = Status::RunningAndWoken,
            Status::Woken | Status::RunningAndWoken | Status::Ended => {}
        });
    }

    pub(crate) fn rests(&self, number: usize, ended: bool) {
        let still_busy = self.with(|state| {
            let member = &mut state.members[number];
            let again = !ended && member.status == Status::RunningAndWoken;
            member.status = match (ended, again) {
                (true, _) => Status::Ended,
                (false, true) => Status::Woken,
                (false, false) => Status::Idle,
            };
            again
        });
        if !still_busy {
            self.settle();
        }
    }

    /// One who was busy is not any more. The last lets the next timer fire, or says that the
    /// round is over.
    pub(crate) fn settle(&self) {
        while let Some(timer) = self.with(State::one_less) {
            timer.set_unannounced();
        }
    }

    /// `latch` is set after `duration`, once nobody else can move.
    pub(crate) fn set_later(&self, duration: Duration, latch: Latch) {
        self.with(|state| {
            let deadline = state.now + duration;
            state.timers.push((deadline, latch));
        });
    }

    pub(crate) fn set_patient(&self, number: usize, patient: bool) {
        self.with(|state| state.members[number].patient = patient);
    }

    /// Who has not ended, by name, and waits neither for the script, nor for a person,
    /// nor by agreement.
    pub(crate) fn stuck(&self) -> Vec<String> {
        self.with(|state| {
            let ask = open_questions(&state.records);
            let stuck = state.members.iter().enumerate().filter(|(number, member)| {
                member.status != Status::Ended
                    && !member.patient
                    && !ask.contains(number)
                    && !is_submission_loop(&member.name)
                    && !self.0.parked.contains(&member.name)
            });
            stuck.map(|(_, member)| member.name.clone()).collect()
        })
    }

    pub(crate) fn take_records(&self) -> Vec<Record> {
        self.with(|state| std::mem::take(&mut state.records))
    }

    pub(crate) fn abort(&self) {
        let handles = self.with(|state| std::mem::take(&mut state.handles));
        handles.iter().for_each(AbortHandle::abort);
    }
}
