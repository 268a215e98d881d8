//! Moves the sessions of a schedule, on one thread and always in the same order.
//!
//! Promises: a task is polled when it was woken and not otherwise; a call can be carried as far
//! as its answer while everybody else stands still.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use midturn_protocol::{BoxFuture, Reply};

use super::mapping::Release;
use super::schedule::Agent;
use super::stage::Stage;

/// More rounds than this mean that somebody wakes himself for ever.
const ROUNDS: usize = 10_000;

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

struct Actor<T> {
    future: BoxFuture<'static, T>,
    woken: Arc<Flag>,
}

impl<T> Actor<T> {
    fn new(future: BoxFuture<'static, T>) -> Self {
        Actor { future, woken: Arc::new(Flag(AtomicBool::new(true))) }
    }

    /// `None` if it was not woken.
    fn moved(&mut self) -> Option<Poll<T>> {
        let woken = self.woken.0.swap(false, Ordering::Relaxed);
        let waker = Waker::from(self.woken.clone());
        woken.then(|| self.future.as_mut().poll(&mut Context::from_waker(&waker)))
    }
}

struct Task {
    of: Agent,
    is_loop: bool,
    /// `None` once it is done.
    actor: Option<Actor<()>>,
}

impl Task {
    fn moved(&mut self) -> bool {
        match self.actor.as_mut().and_then(Actor::moved) {
            None => false,
            Some(Poll::Pending) => true,
            Some(Poll::Ready(())) => {
                self.actor = None;
                true
            }
        }
    }

    fn is_loop_of_root(&self) -> bool {
        self.of == Agent::Root && self.is_loop
    }
}

enum Call {
    Waits(Actor<Reply>),
    Answered(Reply),
}

pub struct World {
    pub stage: Arc<Stage>,
    tasks: Vec<Task>,
    calls: Vec<Call>,
}

/// A call that was made, by its place in the list.
#[derive(Clone, Copy)]
pub struct Made(usize);

impl World {
    pub fn new(release: Release, hides_marker: bool) -> Self {
        let mut world = World {
            stage: Stage::new(release, hides_marker),
            tasks: Vec::new(),
            calls: Vec::new(),
        };
        world.settle();
        world
    }

    /// Makes a call. Nobody but it and the loop that takes it moves.
    pub fn call(&mut self, future: impl Future<Output = Reply> + Send + 'static) -> Made {
        self.calls.push(Call::Waits(Actor::new(Box::pin(future))));
        for _ in 0..ROUNDS {
            let mut moved = self.move_calls();
            for task in self.tasks.iter_mut().filter(|task| task.is_loop_of_root()) {
                moved |= task.moved();
            }
            if !moved {
                break;
            }
        }
        Made(self.calls.len() - 1)
    }

    pub fn reply(&self, made: Made) -> Option<Reply> {
        match &self.calls[made.0] {
            Call::Answered(reply) => Some(reply.clone()),
            Call::Waits(_) => None,
        }
    }

    /// How many calls nobody has answered.
    pub fn unanswered(&self) -> usize {
        self.calls.iter().filter(|call| matches!(call, Call::Waits(_))).count()
    }

    /// Moves everybody until nobody can move. No time passes.
    pub fn settle(&mut self) {
        for _ in 0..ROUNDS {
            let mut moved = self.move_calls();
            moved |= self.adopt();
            for task in &mut self.tasks {
                moved |= task.moved();
            }
            self.tasks.retain(|task| task.actor.is_some());
            if !moved {
                return;
            }
        }
        panic!("somebody moves for ever");
    }

    /// Lets time pass, `limit` at most, until `seen` says that it is enough.
    pub fn wait(&mut self, limit: Duration, seen: impl Fn(&World) -> bool) {
        let end = self.stage.now() + limit;
        self.settle();
        while !seen(self) && self.stage.pass(end) {
            self.settle();
        }
    }

    fn move_calls(&mut self) -> bool {
        let mut moved = false;
        for call in &mut self.calls {
            let Call::Waits(actor) = call else { continue };
            match actor.moved() {
                None => {}
                Some(Poll::Pending) => moved = true,
                Some(Poll::Ready(reply)) => {
                    *call = Call::Answered(reply);
                    moved = true;
                }
            }
        }
        moved
    }

    fn adopt(&mut self) -> bool {
        let spawned = self.stage.spawned.section("adopt", std::mem::take);
        let some = !spawned.is_empty();
        self.tasks.extend(spawned.into_iter().map(|spawned| Task {
            of: spawned.of,
            is_loop: spawned.is_loop,
            actor: Some(Actor::new(spawned.task)),
        }));
        some
    }
}

impl Drop for World {
    /// The sessions hold the stage, which holds them.
    fn drop(&mut self) {
        let sessions = self.stage.sessions.section_on_drop("end", std::mem::take);
        drop(sessions);
        drop(self.stage.spawned.section_on_drop("end", std::mem::take));
    }
}
