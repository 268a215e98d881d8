//! The observation point: silent unless a thread installs a [`Hook`].
//!
//! A hook is per thread. An explorer installs one on the thread that runs its actors; all
//! other threads of the process are untouched.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};

use crate::{ObjectId, Operation, Site, Source, Stamp, WaitId};

/// Who is asked before every visible operation of this thread.
pub trait Hook {
    /// Numbers a new shared object.
    fn register(&self, name: &'static str) -> ObjectId;

    /// Returns when the operation may be performed; may switch to another actor meanwhile.
    /// A section is granted together with its lock.
    fn before(&self, operation: Operation);

    /// The section on `object` has ended.
    fn released(&self, object: ObjectId);

    /// One poll of a future that waits for `source`. `Ready` means that this wait was chosen
    /// and its source is ready. The hook registers `waker` at the source itself.
    fn wait(
        &self,
        id: WaitId,
        source: &Arc<dyn Source>,
        ticket: u64,
        site: Site,
        waker: &Waker,
    ) -> Poll<()>;

    /// The future of this wait was dropped.
    fn gone(&self, id: WaitId);

    /// The step that runs now.
    fn stamp(&self) -> Stamp;

    /// Adds a read of `object` to the running step, without a step of its own: what a property
    /// asks about must be part of the order that is explored.
    fn also_reads(&self, object: ObjectId);

    /// Whether the run is over and only being cleaned up: nothing may be touched any more.
    fn is_frozen(&self) -> bool;
}

thread_local! {
    static WAITS: Cell<u64> = const { Cell::new(0) };
    static CURRENT: RefCell<Option<Rc<dyn Hook>>> = const { RefCell::new(None) };
}

/// The hook of this thread. A clone, so that nothing is borrowed while an actor is suspended.
#[inline]
pub fn current() -> Option<Rc<dyn Hook>> {
    CURRENT.with(|current| current.borrow().clone())
}

/// Installs `hook` on this thread until the guard is dropped; hooks nest.
#[must_use = "the hook is removed when the guard is dropped"]
pub fn install(hook: Rc<dyn Hook>) -> Installed {
    Installed { previous: CURRENT.with(|current| current.borrow_mut().replace(hook)) }
}

/// Puts the previous hook back when dropped.
pub struct Installed {
    previous: Option<Rc<dyn Hook>>,
}

impl Drop for Installed {
    fn drop(&mut self) {
        let previous = self.previous.take();
        CURRENT.with(|current| *current.borrow_mut() = previous);
    }
}

/// Whether an operation inside `Drop` must be skipped: under a hook, once the run is frozen or
/// while a panic unwinds, since neither may switch actors.
pub(crate) fn skip_on_drop() -> bool {
    current().is_some_and(|hook| hook.is_frozen() || std::thread::panicking())
}

pub(crate) fn register(name: &'static str) -> ObjectId {
    current().map_or(ObjectId(0), |hook| hook.register(name))
}

pub(crate) fn stamp() -> Stamp {
    current().map_or(Stamp(0), |hook| hook.stamp())
}

pub(crate) fn before(operation: Operation) {
    if let Some(hook) = current() {
        hook.before(operation);
    }
}

pub(crate) fn next_wait() -> WaitId {
    WaitId(WAITS.replace(WAITS.get().wrapping_add(1)))
}
