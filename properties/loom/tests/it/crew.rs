//! The threads of one execution, each driving one future.
//!
//! Promises: an execution in which all futures wait, with nobody left to wake one, is *hung*:
//! the crew sees that, drops the futures and ends the execution. Left to loom, it would be a
//! deadlock, which panics in a place where values can no longer be dropped and so takes the
//! process down. Deadlocks of locks are still loom's.
//!
//! The count of who sleeps is kept beside the model. That is sound: whoever falls asleep last
//! finds everybody asleep, in whatever order they did.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};

use loom::sync::{Condvar, Mutex, MutexGuard};
use loom::thread::ThreadId;

use crate::unseen::Unseen;

/// Of the stack of a thread, in words (which loom's documentation calls bytes): 256 KiB.
const STACK: usize = 32 * 1024;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;
type Ending = Box<dyn FnOnce(bool) + Send>;

/// A handle on the crew. Loom allows five threads in all, the one that sets up included.
#[derive(Clone)]
pub struct Crew(Arc<Unseen<Roll>>);

struct Roll {
    present: usize,
    asleep: Vec<Arc<Parker>>,
    hung: bool,
    /// Whose future wants to be polled again at once.
    again: Vec<ThreadId>,
    ending: Option<Ending>,
}

impl Crew {
    /// A crew with one member: the thread that sets up, until it leaves.
    pub fn new() -> Self {
        let roll =
            Roll { present: 1, asleep: Vec::new(), hung: false, again: Vec::new(), ending: None };
        Crew(Arc::new(Unseen::new(roll)))
    }

    /// Drives `task` on a thread of its own. In an execution that hangs, drops it.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.spawn_boxed(Box::pin(task));
    }

    pub fn spawn_boxed(&self, task: Task) {
        let joined = self.0.with(|roll| {
            roll.present += usize::from(!roll.hung);
            !roll.hung
        });
        if joined {
            let crew = self.clone();
            let thread = loom::thread::Builder::new().stack_size(STACK);
            thread.spawn(move || crew.drive(task)).expect("loom always has a thread or panics");
        }
    }

    /// `ending` is called by whoever leaves last, with whether the execution hung.
    pub fn at_the_end(&self, ending: impl FnOnce(bool) + Send + 'static) {
        self.0.with(|roll| roll.ending = Some(Box::new(ending)));
    }

    pub fn leave(&self) {
        let (ending, hung, stuck) = self.0.with(|roll| {
            roll.present -= 1;
            let ending = if roll.present == 0 { roll.ending.take() } else { None };
            (ending, roll.hung, roll.take_stuck())
        });
        stuck.iter().for_each(|parker| parker.rescue());
        if let Some(ending) = ending {
            ending(hung);
        }
    }

    /// Whether nobody could go on; what is dropped then has not ended.
    pub fn is_hung(&self) -> bool {
        self.0.with(|roll| roll.hung)
    }

    /// The future of this thread is polled again before it sleeps. A waker would do the same, and
    /// its lock would be explored with the model.
    pub fn poll_again(&self) {
        self.0.with(|roll| roll.again.push(loom::thread::current().id()));
    }

    fn is_to_poll_again(&self) -> bool {
        let this = loom::thread::current().id();
        self.0.with(|roll| {
            let wanted = roll.again.len();
            roll.again.retain(|other| *other != this);
            roll.again.len() < wanted
        })
    }

    fn drive(self, mut task: Task) {
        let state = Mutex::new(State::Awake);
        let parker = Arc::new(Parker { crew: self.clone(), state, bell: Condvar::new() });
        let waker = Waker::from(parker.clone());
        let mut context = Context::from_waker(&waker);
        while task.as_mut().poll(&mut context).is_pending() {
            if !self.is_to_poll_again() && !parker.sleep() {
                break;
            }
        }
        drop(task);
        self.leave();
    }
}

impl Roll {
    /// Everybody, if everybody sleeps.
    fn take_stuck(&mut self) -> Vec<Arc<Parker>> {
        if self.asleep.len() < self.present {
            return Vec::new();
        }
        self.hung |= self.present > 0;
        std::mem::take(&mut self.asleep)
    }
}

/// Where one thread sleeps. On loom's lock and std's `Arc`: `loom::future::block_on` adds
/// spurious wake-ups and reference counts to what is explored.
struct Parker {
    crew: Crew,
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Awake,
    Woken,
    Asleep,
    Rescued,
}

impl Parker {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("loom's lock is never poisoned")
    }

    /// Sleeps until woken; false if nobody is left who could.
    fn sleep(self: &Arc<Self>) -> bool {
        let mut state = self.lock();
        if *state == State::Awake {
            *state = State::Asleep;
            let stuck = self.crew.0.with(|roll| {
                roll.asleep.push(self.clone());
                roll.take_stuck()
            });
            if !stuck.is_empty() {
                *state = State::Rescued;
                drop(state);
                stuck.iter().filter(|parker| !Arc::ptr_eq(parker, self)).for_each(|p| p.rescue());
                return false;
            }
        }
        while *state == State::Asleep {
            state = self.bell.wait(state).expect("loom's lock is never poisoned");
        }
        let woken = *state == State::Woken;
        if woken {
            *state = State::Awake;
        }
        woken
    }

    fn rescue(&self) {
        *self.lock() = State::Rescued;
        self.bell.notify_one();
    }
}

impl Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let mut state = self.lock();
        match *state {
            State::Awake => *state = State::Woken,
            State::Asleep => {
                *state = State::Woken;
                self.crew.0.with(|roll| roll.asleep.retain(|p| !Arc::ptr_eq(p, self)));
                drop(state);
                self.bell.notify_one();
            }
            State::Woken | State::Rescued => {}
        }
    }
}
