//! One value, from one sender to one receiver. Dropping either end closes it.

use std::sync::Arc;
use std::task::Waker;

use midturn_lock::Lock;

use crate::hook;
use crate::wait::{Waiters, wake_all};
use crate::{ObjectId, Operation, OperationKind, Site, Source, Stamp, Wait};

/// The other end is gone, and no value will come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closed;

#[derive(Debug)]
struct Core<T> {
    object: ObjectId,
    state: Lock<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    value: Option<T>,
    /// When the value was sent or the sender was dropped.
    settled: Option<Stamp>,
    receiver_gone: bool,
    waiters: Waiters,
}

/// Sends at most one value.
#[derive(Debug)]
pub struct Sender<T>(Option<Arc<Core<T>>>);

/// Receives at most one value.
#[derive(Debug)]
pub struct Receiver<T: Send + 'static>(Option<Arc<Core<T>>>);

/// A connected pair.
pub fn oneshot<T: Send + 'static>(name: &'static str) -> (Sender<T>, Receiver<T>) {
    let state =
        State { value: None, settled: None, receiver_gone: false, waiters: Waiters::default() };
    let core = Arc::new(Core { object: hook::register(name), state: Lock::new(state) });
    (Sender(Some(core.clone())), Receiver(Some(core)))
}

impl<T> Core<T> {
    fn settle(&self, site: Site, value: Option<T>) -> Result<(), T> {
        hook::before(Operation { kind: OperationKind::Write, object: self.object, site });
        let stamp = hook::stamp();
        let (result, wakers) = self.state.with(|state| {
            state.settled = Some(stamp);
            let result = match value {
                Some(value) if state.receiver_gone => Err(value),
                other => {
                    state.value = other;
                    Ok(())
                }
            };
            (result, state.waiters.take())
        });
        wake_all(wakers);
        result
    }
}

impl<T> Sender<T> {
    /// Sends `value`; gives it back if the receiver was dropped before.
    #[track_caller]
    pub fn send(mut self, name: &'static str, value: T) -> Result<(), T> {
        let site = Site::here(name);
        match self.0.take() {
            Some(core) => core.settle(site, Some(value)),
            None => Err(value),
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if let Some(core) = self.0.take().filter(|_| !hook::skip_on_drop()) {
            // Nothing was sent, so nothing comes back.
            let _ = core.settle(Site::here("sender dropped"), None);
        }
    }
}

impl<T: Send + 'static> Receiver<T> {
    /// Waits for the value. Dropping the wait closes the receiver.
    pub async fn receive(mut self, name: &'static str) -> Result<T, Closed> {
        let site = Site::here(name);
        let Some(core) = self.0.as_ref().map(Arc::clone) else { return Err(Closed) };
        Wait::new(core.clone(), 0, site).await;
        self.0 = None;
        core.state.with(|state| state.value.take()).ok_or(Closed)
    }
}

impl<T: Send + 'static> Drop for Receiver<T> {
    fn drop(&mut self) {
        if let Some(core) = self.0.take().filter(|_| !hook::skip_on_drop()) {
            let site = Site::here("receiver dropped");
            hook::before(Operation { kind: OperationKind::Write, object: core.object, site });
            let unread = core.state.with(|state| {
                state.receiver_gone = true;
                state.value.take()
            });
            drop(unread);
        }
    }
}

impl<T: Send> Source for Core<T> {
    fn object(&self) -> ObjectId {
        self.object
    }

    fn ready(&self, _ticket: u64) -> Option<Stamp> {
        self.state.with(|state| state.settled)
    }

    fn poll(&self, _ticket: u64, waker: &Waker) -> bool {
        self.state.with(|state| {
            if state.settled.is_none() {
                state.waiters.register(waker);
            }
            state.settled.is_some()
        })
    }
}
