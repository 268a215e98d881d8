//! A lock that is entered by name.

use midturn_lock::Lock;

use crate::hook;
use crate::{ObjectId, Operation, OperationKind, Site};

/// Shared state that is reached only through named sections.
///
/// Sections may nest in the one order that their engine documents. Nothing can be awaited
/// inside one. A second caller waits until the first one's section has ended; a caller that
/// panics inside a section leaves the state as it was at that point to the next.
#[derive(Debug)]
pub struct Mutex<T> {
    object: ObjectId,
    lock: Lock<T>,
}

impl<T> Mutex<T> {
    /// A new lock; `name` is what stories call it.
    pub fn new(name: &'static str, value: T) -> Self {
        Mutex { object: hook::register(name), lock: Lock::new(value) }
    }

    /// Runs `body` as the critical section `name`.
    #[track_caller]
    pub fn section<R>(&self, name: &'static str, body: impl FnOnce(&mut T) -> R) -> R {
        self.enter(OperationKind::Section, Site::here(name), body)
    }

    /// Runs `body` as a section that only looks. It must contain no other operation; two such
    /// sections commute, and an explorer relies on it.
    #[track_caller]
    pub fn peek<R>(&self, name: &'static str, body: impl FnOnce(&T) -> R) -> R {
        self.enter(OperationKind::ReadSection, Site::here(name), |value| body(value))
    }

    /// The only section that may stand in `Drop`. `None`, with `body` not run, while an
    /// explored run is being cleaned up or a panic unwinds under an explorer.
    #[track_caller]
    pub fn section_on_drop<R>(
        &self,
        name: &'static str,
        body: impl FnOnce(&mut T) -> R,
    ) -> Option<R> {
        let site = Site::here(name);
        (!hook::skip_on_drop()).then(|| self.enter(OperationKind::Section, site, body))
    }

    /// Makes the running step also a reader of this lock's state, see [`hook::Hook::also_reads`].
    pub fn also_read(&self) {
        if let Some(hook) = hook::current() {
            hook.also_reads(self.object);
        }
    }

    fn enter<R>(&self, kind: OperationKind, site: Site, body: impl FnOnce(&mut T) -> R) -> R {
        let Some(hook) = hook::current() else {
            return self.lock.with(body);
        };
        hook.before(Operation { kind, object: self.object, site });
        let _released = Release(&*hook, self.object);
        self.lock.with(body)
    }
}

/// Tells the hook that a section has ended, also when it ended by a panic.
struct Release<'a>(&'a dyn hook::Hook, ObjectId);

impl Drop for Release<'_> {
    fn drop(&mut self) {
        self.0.released(self.1);
    }
}
