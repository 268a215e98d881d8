//! Latches with one mistake each.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Poll, Waker};

use midturn_sync::Mutex;

use super::Latching;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    WakesBeforeItSets,
    WakesOne,
    Toggles,
    IsTakenByAWait,
}

#[derive(Clone)]
pub struct WrongLatch {
    mistake: Option<Mistake>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    set: bool,
    waiters: Vec<Waker>,
}

impl WrongLatch {
    pub fn new(mistake: Option<Mistake>) -> Self {
        WrongLatch { mistake, state: Arc::new(Mutex::new("latch", State::default())) }
    }

    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }
}

impl Latching for WrongLatch {
    fn set(&self) {
        let before = self.makes(Mistake::WakesBeforeItSets);
        let wakers = self.state.section("set", |state| {
            if !before {
                state.set = !(state.set && self.makes(Mistake::Toggles));
            }
            let all = state.waiters.len();
            let woken = if self.makes(Mistake::WakesOne) { all.min(1) } else { all };
            state.waiters.drain(..woken).collect::<Vec<_>>()
        });
        wakers.into_iter().for_each(Waker::wake);
        if before {
            self.state.section("set late", |state| state.set = true);
        }
    }

    fn is_set(&self) -> bool {
        self.state.peek("look", |state| state.set)
    }

    fn wait(&self) -> impl Future<Output = ()> + Send + Unpin + 'static {
        let latch = self.clone();
        poll_fn(move |context| {
            let waker = context.waker().clone();
            latch.state.section("look and register", |state| {
                if !state.set {
                    state.waiters.push(waker);
                    return Poll::Pending;
                }
                state.set = !latch.makes(Mistake::IsTakenByAWait);
                Poll::Ready(())
            })
        })
    }
}
