//! Pairs with one mistake each.

use std::future::{Future, poll_fn};
use std::sync::Arc;
use std::task::{Poll, Waker};

use midturn_sync::{Closed, Mutex};

use super::{Receiving, Sending, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    LooksAndRegistersApart,
    ReceiverGoesSilently,
    SenderGoesSilently,
}

struct Core {
    mistake: Option<Mistake>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    value: Option<Value>,
    settled: bool,
    receiver_gone: bool,
    waiter: Option<Waker>,
}

pub struct WrongSender(Option<Arc<Core>>);

pub struct WrongReceiver(Option<Arc<Core>>);

pub fn pair(mistake: Option<Mistake>) -> (WrongSender, WrongReceiver) {
    let core = Arc::new(Core { mistake, state: Mutex::new("oneshot", State::default()) });
    (WrongSender(Some(core.clone())), WrongReceiver(Some(core)))
}

impl Core {
    fn makes(&self, mistake: Mistake) -> bool {
        self.mistake == Some(mistake)
    }

    fn settle(&self, value: Option<Value>) -> Result<(), Value> {
        let (result, waiter) = self.state.section("settle", |state| {
            state.settled = true;
            let result = match value {
                Some(value) if state.receiver_gone => Err(value),
                other => {
                    state.value = other;
                    Ok(())
                }
            };
            (result, state.waiter.take())
        });
        waiter.into_iter().for_each(Waker::wake);
        result
    }
}

impl Sending for WrongSender {
    fn send(mut self, value: Value) -> Result<(), Value> {
        match self.0.take() {
            Some(core) => core.settle(Some(value)),
            None => Err(value),
        }
    }
}

impl Drop for WrongSender {
    fn drop(&mut self) {
        if let Some(core) = self.0.take().filter(|core| !core.makes(Mistake::SenderGoesSilently)) {
            // Nothing was sent, so nothing comes back.
            let _ = core.settle(None);
        }
    }
}

impl Receiving for WrongReceiver {
    fn receive(mut self) -> impl Future<Output = Result<Value, Closed>> + Send + 'static {
        poll_fn(move |context| {
            let Some(core) = self.0.clone() else { return Poll::Ready(Err(Closed)) };
            let waker = Some(context.waker().clone());
            let apart = core.makes(Mistake::LooksAndRegistersApart);
            if apart && !core.state.peek("look", |state| state.settled) {
                core.state.section("register", |state| state.waiter = waker);
                return Poll::Pending;
            }
            let value = core.state.section("look and register", |state| {
                if state.settled {
                    return Poll::Ready(state.value.take());
                }
                state.waiter = waker;
                Poll::Pending
            });
            if value.is_ready() {
                self.0 = None;
            }
            value.map(|value| value.ok_or(Closed))
        })
    }
}

impl Drop for WrongReceiver {
    fn drop(&mut self) {
        if let Some(core) = self.0.take().filter(|core| !core.makes(Mistake::ReceiverGoesSilently))
        {
            let unread = core.state.section("receiver dropped", |state| {
                state.receiver_gone = true;
                state.value.take()
            });
            drop(unread);
        }
    }
}
