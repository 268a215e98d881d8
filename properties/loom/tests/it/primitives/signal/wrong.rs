//! Signals with one mistake each.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Poll, Waker};

use midturn_sync::Mutex;

use super::Signalling;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    LooksAndRegistersApart,
    SubscribesWhenItWaits,
    /// A notification that nobody waits for is kept for one who comes later.
    KeepsAPermit,
    StaysSet,
}

#[derive(Clone)]
pub struct WrongSignal {
    mistake: Option<Mistake>,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    notified: u64,
    permit: bool,
    waiters: Vec<Waker>,
}

pub struct WrongTicket {
    signal: WrongSignal,
    seen: Option<u64>,
}

impl WrongSignal {
    pub fn new(mistake: Option<Mistake>) -> Self {
        WrongSignal { mistake, state: Arc::new(Mutex::new("signal", State::default())) }
    }

    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }

    fn is_ready(&self, state: &mut State, seen: u64) -> bool {
        match self.mistake {
            Some(Mistake::KeepsAPermit) => std::mem::take(&mut state.permit),
            Some(Mistake::StaysSet) => state.notified > 0,
            Some(Mistake::LooksAndRegistersApart | Mistake::SubscribesWhenItWaits) | None => {
                state.notified > seen
            }
        }
    }
}

impl Signalling for WrongSignal {
    type Ticket = WrongTicket;

    fn notify(&self) {
        let wakers = self.state.section("notify", |state| {
            state.notified += 1;
            state.permit = true;
            std::mem::take(&mut state.waiters)
        });
        wakers.into_iter().for_each(Waker::wake);
    }

    fn subscribe(&self) -> WrongTicket {
        let seen = self.state.peek("subscribe", |state| state.notified);
        let seen = (!self.makes(Mistake::SubscribesWhenItWaits)).then_some(seen);
        WrongTicket { signal: self.clone(), seen }
    }

    fn notified(ticket: WrongTicket) -> impl Future<Output = ()> + Send + 'static {
        let WrongTicket { signal, mut seen } = ticket;
        poll_fn(move |context| {
            let state = &signal.state;
            let seen = *seen.get_or_insert_with(|| state.peek("begin", |state| state.notified));
            let waker = context.waker().clone();
            if signal.makes(Mistake::LooksAndRegistersApart) {
                let ready = state.section("look", |state| signal.is_ready(state, seen));
                if ready {
                    return Poll::Ready(());
                }
                state.section("register", |state| state.waiters.push(waker));
                return Poll::Pending;
            }
            state.section("look and register", |state| {
                if signal.is_ready(state, seen) {
                    return Poll::Ready(());
                }
                state.waiters.push(waker);
                Poll::Pending
            })
        })
    }
}
