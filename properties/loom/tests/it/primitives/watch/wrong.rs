//! Watches with one mistake each.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Poll, Waker};

use midturn_sync::Mutex;

use super::{Seeing, Watching};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    LooksAndRegistersApart,
    WakesOne,
    VersionBeforeValue,
    SubscribesFromTheStart,
}

#[derive(Clone)]
pub struct WrongWatch {
    mistake: Option<Mistake>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    value: u32,
    version: u64,
    waiters: Vec<Waker>,
}

pub struct WrongReceiver {
    watch: WrongWatch,
    seen: u64,
}

impl WrongWatch {
    pub fn new(mistake: Option<Mistake>) -> Self {
        WrongWatch { mistake, state: Arc::new(Mutex::new("watch", State::default())) }
    }

    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }
}

impl Watching for WrongWatch {
    type Seeing = WrongReceiver;

    fn send(&self, value: u32) {
        if self.makes(Mistake::VersionBeforeValue) {
            let wakers = self.state.section("count", |state| {
                state.version += 1;
                std::mem::take(&mut state.waiters)
            });
            wakers.into_iter().for_each(Waker::wake);
            return self.state.section("write", |state| state.value = value);
        }
        let wakers = self.state.section("send", |state| {
            state.value = value;
            state.version += 1;
            let all = state.waiters.len();
            let woken = if self.makes(Mistake::WakesOne) { all.min(1) } else { all };
            state.waiters.drain(..woken).collect::<Vec<_>>()
        });
        wakers.into_iter().for_each(Waker::wake);
    }

    fn subscribe(&self) -> WrongReceiver {
        let version = self.state.peek("subscribe", |state| state.version);
        let seen = if self.makes(Mistake::SubscribesFromTheStart) { 0 } else { version };
        WrongReceiver { watch: self.clone(), seen }
    }
}

impl Seeing for WrongReceiver {
    fn changed(&mut self) -> impl Future<Output = u32> + Send {
        poll_fn(|context| {
            let state = &self.watch.state;
            let waker = context.waker().clone();
            let (is_new, seen) = (|state: &State| state.version > self.seen, &self.seen);
            let apart = self.watch.makes(Mistake::LooksAndRegistersApart);
            let ready = if apart && !state.peek("look", is_new) {
                state.section("register", |state| state.waiters.push(waker));
                false
            } else {
                state.section("look and register", |state| {
                    let ready = state.version > *seen;
                    if !ready {
                        state.waiters.push(waker);
                    }
                    ready
                })
            };
            if !ready {
                return Poll::Pending;
            }
            let (seen, value) = state.section("take", |state| (state.version, state.value));
            self.seen = seen;
            Poll::Ready(value)
        })
    }

    fn latest(&self) -> u32 {
        self.watch.state.peek("latest", |state| state.value)
    }
}
