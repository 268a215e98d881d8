//! A signal without memory (Codex: the `done` notification of a task).

use std::sync::Arc;
use std::task::Waker;

use midturn_lock::Lock;

use crate::hook;
use crate::wait::{Waiters, wake_all};
use crate::{ObjectId, Operation, OperationKind, Site, Source, Stamp, Wait};

/// Wakes whoever subscribed before; a notification that nobody had subscribed to is lost.
#[derive(Clone, Debug)]
pub struct Signal(Arc<Core>);

#[derive(Debug)]
struct Core {
    object: ObjectId,
    state: Lock<State>,
}

#[derive(Debug, Default)]
struct State {
    notified: u64,
    /// The step of each notification, kept only under a hook.
    steps: Vec<Stamp>,
    waiters: Waiters,
}

/// A subscription: ready once the signal is notified after the subscription was made.
#[derive(Clone, Debug)]
pub struct Ticket {
    core: Arc<Core>,
    seen: u64,
}

impl Signal {
    /// A new signal.
    pub fn new(name: &'static str) -> Self {
        Signal(Arc::new(Core { object: hook::register(name), state: Lock::default() }))
    }

    /// Notifies all present subscribers.
    #[track_caller]
    pub fn notify(&self, name: &'static str) {
        let site = Site::here(name);
        hook::before(Operation { kind: OperationKind::Write, object: self.0.object, site });
        let stamp = hook::current().map(|hook| hook.stamp());
        let wakers = self.0.state.with(|state| {
            state.notified += 1;
            state.steps.extend(stamp);
            state.waiters.take()
        });
        wake_all(wakers);
    }

    /// Subscribes from now on.
    #[track_caller]
    pub fn subscribe(&self, name: &'static str) -> Ticket {
        let site = Site::here(name);
        hook::before(Operation { kind: OperationKind::Read, object: self.0.object, site });
        Ticket { core: self.0.clone(), seen: self.0.state.with(|state| state.notified) }
    }
}

impl Ticket {
    /// Waits for the first notification after the subscription.
    #[track_caller]
    pub fn notified(&self, name: &'static str) -> Wait {
        Wait::new(self.core.clone(), self.seen, Site::here(name))
    }
}

impl Source for Core {
    fn object(&self) -> ObjectId {
        self.object
    }

    fn ready(&self, seen: u64) -> Option<Stamp> {
        self.state.with(|state| {
            (state.notified > seen)
                .then(|| state.steps.get(seen as usize).copied().unwrap_or_default())
        })
    }

    fn poll(&self, seen: u64, waker: &Waker) -> bool {
        self.state.with(|state| {
            let ready = state.notified > seen;
            if !ready {
                state.waiters.register(waker);
            }
            ready
        })
    }
}
