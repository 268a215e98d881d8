//! Things that happen once and are remembered.

use std::sync::Arc;
use std::task::Waker;

use midturn_lock::Lock;

use crate::hook;
use crate::wait::{Waiters, wake_all};
use crate::{ObjectId, Operation, OperationKind, Site, Source, Stamp, Wait};

/// A flag that is set once and can be waited for. Clones share it.
#[derive(Clone, Debug)]
pub struct Latch(Arc<Core>);

#[derive(Debug)]
struct Core {
    object: ObjectId,
    state: Lock<State>,
}

#[derive(Debug, Default)]
struct State {
    set: Option<Stamp>,
    waiters: Waiters,
}

impl Latch {
    /// A latch that is not set.
    pub fn new(name: &'static str) -> Self {
        Latch(Arc::new(Core { object: hook::register(name), state: Lock::default() }))
    }

    /// Sets it and wakes everybody who waits. Setting it twice is the same as once.
    pub fn set(&self, site: Site) {
        hook::before(Operation { kind: OperationKind::Write, object: self.0.object, site });
        self.set_unannounced();
    }

    /// Sets it as part of whatever operation runs now. For hooks, which know what they do:
    /// the change itself is not announced.
    pub fn set_unannounced(&self) {
        let stamp = hook::stamp();
        let wakers = self.0.state.with(|state| {
            state.set.get_or_insert(stamp);
            state.waiters.take()
        });
        wake_all(wakers);
    }

    /// Sets it from inside `Drop`; skipped where [`crate::Mutex::section_on_drop`] would be.
    pub fn set_on_drop(&self, site: Site) {
        if !hook::skip_on_drop() {
            self.set(site);
        }
    }

    /// Whether it is set.
    pub fn is_set(&self, site: Site) -> bool {
        hook::before(Operation { kind: OperationKind::Read, object: self.0.object, site });
        self.0.state.with(|state| state.set.is_some())
    }

    /// Waits until it is set.
    pub fn wait(&self, site: Site) -> Wait {
        Wait::new(self.0.clone(), 0, site)
    }

    /// The object behind it.
    pub fn object(&self) -> ObjectId {
        self.0.object
    }
}

impl Source for Core {
    fn object(&self) -> ObjectId {
        self.object
    }

    fn ready(&self, _ticket: u64) -> Option<Stamp> {
        self.state.with(|state| state.set)
    }

    fn poll(&self, _ticket: u64, waker: &Waker) -> bool {
        self.state.with(|state| {
            if state.set.is_none() {
                state.waiters.register(waker);
            }
            state.set.is_some()
        })
    }
}

/// A cancellation token. Cancelling before, during or after a wait is seen by that wait.
#[derive(Clone, Debug)]
pub struct Cancel(Latch);

impl Cancel {
    /// A token that is not cancelled.
    pub fn new(name: &'static str) -> Self {
        Cancel(Latch::new(name))
    }

    /// Cancels it; the second time changes nothing.
    #[track_caller]
    pub fn cancel(&self, name: &'static str) {
        self.0.set(Site::here(name));
    }

    /// Whether it was cancelled.
    #[track_caller]
    pub fn is_cancelled(&self, name: &'static str) -> bool {
        self.0.is_set(Site::here(name))
    }

    /// Waits until it is cancelled.
    #[track_caller]
    pub fn cancelled(&self, name: &'static str) -> Wait {
        self.0.wait(Site::here(name))
    }
}
