//! A value and a version (Codex: the activity watch).

use std::sync::Arc;
use std::task::Waker;

use midturn_lock::Lock;

use crate::hook;
use crate::wait::{Waiters, wake_all};
use crate::{ObjectId, Operation, OperationKind, Site, Source, Stamp, Wait};

/// Holds the latest value; sends coalesce. Clones share it.
#[derive(Clone, Debug)]
pub struct Watch<T>(Arc<Core<T>>);

#[derive(Debug)]
struct Core<T> {
    object: ObjectId,
    state: Lock<State<T>>,
}

#[derive(Debug)]
struct State<T> {
    value: T,
    version: u64,
    /// The step of each send, kept only under a hook.
    steps: Vec<Stamp>,
    waiters: Waiters,
}

/// Sees every send after it subscribed, or a later one.
#[derive(Clone, Debug)]
pub struct WatchReceiver<T> {
    core: Arc<Core<T>>,
    seen: u64,
}

impl<T: Clone + Send + 'static> Watch<T> {
    /// A watch that holds `value`.
    pub fn new(name: &'static str, value: T) -> Self {
        let state = State { value, version: 0, steps: Vec::new(), waiters: Waiters::default() };
        Watch(Arc::new(Core { object: hook::register(name), state: Lock::new(state) }))
    }

    /// Replaces the value and wakes whoever has not seen it.
    #[track_caller]
    pub fn send(&self, name: &'static str, value: T) {
        let site = Site::here(name);
        hook::before(Operation { kind: OperationKind::Write, object: self.0.object, site });
        let stamp = hook::current().map(|hook| hook.stamp());
        let wakers = self.0.state.with(|state| {
            state.value = value;
            state.version += 1;
            state.steps.extend(stamp);
            state.waiters.take()
        });
        wake_all(wakers);
    }

    /// A receiver to which all earlier sends count as seen.
    #[track_caller]
    pub fn subscribe(&self, name: &'static str) -> WatchReceiver<T> {
        let site = Site::here(name);
        hook::before(Operation { kind: OperationKind::Read, object: self.0.object, site });
        WatchReceiver { core: self.0.clone(), seen: self.0.state.with(|state| state.version) }
    }
}

impl<T: Clone + Send + 'static> WatchReceiver<T> {
    /// Waits for a send that was not seen yet; returns the latest value, which is then seen.
    /// Dropping the wait loses nothing.
    pub async fn changed(&mut self, name: &'static str) -> T {
        let site = Site::here(name);
        Wait::new(self.core.clone(), self.seen, site).await;
        self.core.state.with(|state| {
            self.seen = state.version;
            state.value.clone()
        })
    }

    /// The latest value, without marking it as seen.
    #[track_caller]
    pub fn latest(&self, name: &'static str) -> T {
        let site = Site::here(name);
        hook::before(Operation { kind: OperationKind::Read, object: self.core.object, site });
        self.core.state.with(|state| state.value.clone())
    }
}

impl<T: Send> Source for Core<T> {
    fn object(&self) -> ObjectId {
        self.object
    }

    fn ready(&self, seen: u64) -> Option<Stamp> {
        self.state.with(|state| {
            (state.version > seen)
                .then(|| state.steps.get(seen as usize).copied().unwrap_or_default())
        })
    }

    fn poll(&self, seen: u64, waker: &Waker) -> bool {
        self.state.with(|state| {
            let ready = state.version > seen;
            if !ready {
                state.waiters.register(waker);
            }
            ready
        })
    }
}
