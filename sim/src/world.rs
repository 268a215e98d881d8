//! The world of one run: actors on one OS thread, moved one step at a time.
//!
//! Promises: an actor is suspended before each visible operation, every fact that is observed
//! belongs to a step, and the same decisions lead to the same run. Ending a run early frees what
//! its actors own, without letting them touch anything shared.
//!
//! Does not decide who moves (see [`crate::search`]) and knows no engine.

mod coroutine;
mod decide;
mod execution;
mod failure;
mod hook;
mod panics;
mod run;
mod state;
mod types;

use std::any::Any;
use std::cell::RefCell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use midturn_protocol::Event;
use midturn_sync::{Hook, Latch, ObjectId, Operation, OperationKind, Site, Wait};

pub use decide::{Decider, Decision, Moment};
pub use execution::{End, Execution, Options};
pub use failure::{Failure, Stuck};
pub use run::execute;
pub use state::{Relation, Suspension};
pub use types::{
    Access, ActorId, MAX_ACTORS, Mode, Object, Observation, Observed, PerformedOperation,
    StepReport, dependent,
};

pub(crate) use state::{Choices, State, mix};

use coroutine::Fiber;
use types::{Body, Pending};

/// Whether timers may fire at any time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Time {
    /// Any timer may fire at any step, as on an arbitrarily slow machine. Timers keep no order
    /// among each other.
    #[default]
    Hostile,
    /// A timer fires only when nothing else can move, the earliest deadline first.
    Patient,
}

/// A handle to the world that runs on this thread. Clones share it.
#[derive(Clone)]
pub struct World(Rc<Shared>);

pub(crate) struct Shared {
    pub(crate) state: RefCell<State>,
    pub(crate) time: Time,
}

thread_local! {
    static CURRENT: RefCell<Option<World>> = const { RefCell::new(None) };
}

/// Puts the previous world of this thread back when dropped.
pub(crate) struct Current(Option<World>);

impl Current {
    pub(crate) fn install(world: World) -> Self {
        Current(CURRENT.with(|current| current.borrow_mut().replace(world)))
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let previous = self.0.take();
        let ended = CURRENT.with(|current| std::mem::replace(&mut *current.borrow_mut(), previous));
        // Not while borrowed: what a world owns may ask for the current one as it goes.
        drop(ended);
    }
}

impl World {
    pub(crate) fn new(suspension: Suspension, relation: Relation, time: Time) -> Self {
        let state = RefCell::new(State::new(suspension, relation));
        World(Rc::new(Shared { state, time }))
    }

    /// The world that runs on this thread, if one does.
    pub fn current() -> Option<World> {
        CURRENT.with(|current| current.borrow().clone())
    }

    pub(crate) fn shared(&self) -> &Rc<Shared> {
        &self.0
    }

    /// Adds an actor that runs `future` to its end. It may be called by an actor, and the new
    /// one then knows all that its parent knew. Once the run is over nobody is added any more.
    pub fn spawn(&self, name: &str, future: impl Future<Output = ()> + 'static) {
        if self.0.state.borrow().frozen {
            return;
        }
        let world = self.clone();
        let body = Body::Fiber(Fiber::new(move || world.drive(future)));
        self.0.state.borrow_mut().add_actor(name.into(), body, Pending::Nothing, None);
    }

    /// Keeps `value` until the run is over. Without it the last actor that lets go of shared
    /// state would also run its `Drop`, and who that is nobody can see.
    pub fn keep(&self, value: impl Any) {
        self.0.state.borrow_mut().kept.push(Box::new(value));
    }

    /// Adds an actor with one step that always executes, at any time: it sets `latch`. What may
    /// come at any moment (an abort from outside) is modelled so.
    pub fn spawn_setter(&self, name: &str, latch: Latch, site: Site) {
        self.add_action(name, latch.object(), site, None, move || latch.set(site));
    }

    /// Like [`World::spawn_setter`], for what need not come at all: the step chooses whether it
    /// sets `latch`.
    pub fn spawn_chance(&self, name: &str, latch: Latch, site: Site) {
        let world = self.clone();
        self.add_action(name, latch.object(), site, None, move || {
            if world.choose(2) == 0 {
                latch.set(site);
            } else {
                // Both values use the same object, or the other one would be run twice.
                let (kind, object) = (OperationKind::Write, latch.object());
                world.0.before(Operation { kind, object, site });
            }
        });
    }

    /// A future that ends once `duration` of virtual time has passed.
    pub fn sleep(&self, duration: Duration, site: Site) -> Wait {
        let latch = Latch::new("timer");
        let wait = latch.wait(site);
        let now = self.0.state.borrow().now;
        let deadline = (self.0.time == Time::Patient).then_some(now + duration);
        let site = Site { name: "timer fires", ..site };
        self.add_action("timer", latch.object(), site, deadline, move || latch.set(site));
        wait
    }

    fn add_action(
        &self,
        name: &str,
        object: ObjectId,
        site: Site,
        deadline: Option<Duration>,
        action: impl FnOnce() + 'static,
    ) {
        if self.0.state.borrow().frozen {
            return;
        }
        let pending = Pending::Operation { kind: OperationKind::Write, object, site };
        let body = Body::Action(Box::new(action));
        self.0.state.borrow_mut().add_actor(name.into(), body, pending, deadline);
    }

    /// Chooses one of `arity` values; an explorer tries them all. While a program is set up, before
    /// there are actors, the value is always 0.
    pub fn choose(&self, arity: u8) -> u8 {
        if self.0.state.borrow().step == 0 {
            // Before the first step there is no decision that could be taken back.
            let object = Latch::new("choice").object();
            let site = Site::here("choose");
            self.0.suspend_with(Pending::Operation { kind: OperationKind::Write, object, site });
        }
        let mut state = self.0.state.borrow_mut();
        if state.frozen { 0 } else { state.choose(arity) }
    }

    /// Takes note of an event of the engine with this number.
    pub fn observe(&self, session: usize, event: Event) {
        self.note_observation(Observation::Event { session, event });
    }

    /// Takes note of a number.
    pub fn note(&self, value: u64) {
        self.note_observation(Observation::Note(value));
    }

    fn note_observation(&self, what: Observation) {
        let mut state = self.0.state.borrow_mut();
        if !state.frozen {
            let (step, actor) = (state.step, state.current.unwrap_or(0));
            state.observed.push(Observed { step, actor, what });
        }
    }

    /// Sets `latch` as part of the running step, which then also writes it. May be called inside
    /// a section.
    pub fn also_set(&self, latch: &Latch) {
        {
            let mut state = self.0.state.borrow_mut();
            if state.frozen {
                return;
            }
            let last = state.current.and_then(|current| state.actors[current].last_site);
            // Before its first operation an actor belongs to the step that created it.
            let site = last.unwrap_or_else(|| Site::here("begins"));
            let access = Access { object: latch.object(), mode: Mode::Write };
            state.record(access, site, false);
            state.committed = true;
        }
        latch.set_unannounced();
    }

    /// A command is given. A step of its own under relation `r`.
    #[track_caller]
    pub fn call(&self, name: &'static str) {
        self.mark(Mode::Call, Site::here(name));
    }

    /// A command is answered. A step of its own under relation `r`.
    #[track_caller]
    pub fn answer(&self, name: &'static str) {
        self.mark(Mode::Return, Site::here(name));
    }

    fn mark(&self, mode: Mode, site: Site) {
        let is_step = {
            let state = self.0.state.borrow();
            !state.frozen && state.current.is_some() && state.relation == Relation::RealTime
        };
        if is_step {
            self.0.suspend_with(Pending::Mark { mode, site });
        }
    }

    /// Polls `future` to its end on the running coroutine.
    fn drive(&self, future: impl Future<Output = ()>) {
        let waker = {
            let state = self.0.state.borrow();
            let Some(current) = state.current else { return };
            Waker::from(Arc::clone(&state.actors[current].waker))
        };
        let mut context = Context::from_waker(&waker);
        let mut future: Pin<&mut _> = pin!(future);
        loop {
            self.0.begin_poll();
            if let Poll::Ready(()) = future.as_mut().poll(&mut context) {
                return;
            }
            let took_grant = {
                let state = self.0.state.borrow();
                state.current.is_some_and(|current| state.actors[current].took_grant)
            };
            // What was announced before the grant was taken may be gone: announce anew.
            if !took_grant {
                self.0.suspend_waiting();
            }
        }
    }
}
