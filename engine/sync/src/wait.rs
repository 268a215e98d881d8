//! The one future that waits. All other waits are written on it.
//!
//! Without a hook a poll checks and registers in one step of the source. Under a hook a poll
//! only announces; the hook says later, by a second poll, that this wait was chosen. So a future
//! that waits for several things shows all of them before one is taken.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::hook;
use crate::{ObjectId, Site, Stamp};

/// Something that becomes ready and then stays so for a given ticket.
pub trait Source: Send + Sync {
    /// The object that a wait reads.
    fn object(&self) -> ObjectId;

    /// The step at which `ticket` became ready, if it is.
    fn ready(&self, ticket: u64) -> Option<Stamp>;

    /// Registers `waker` unless `ticket` is ready, in one step. Returns whether it is ready.
    fn poll(&self, ticket: u64, waker: &Waker) -> bool;
}

/// Waits until `source` is ready for `ticket`. May be dropped at any time.
#[must_use = "a wait does nothing unless polled"]
pub struct Wait {
    source: Arc<dyn Source>,
    ticket: u64,
    site: Site,
    /// Which wait of this thread it is. Only ever compared, never shown.
    id: WaitId,
}

/// Tells waits of one thread apart, also two for the same thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitId(pub(crate) u64);

impl Wait {
    /// A wait for `ticket` of `source`, announced as `site`.
    pub fn new(source: Arc<dyn Source>, ticket: u64, site: Site) -> Self {
        Wait { source, ticket, site, id: hook::next_wait() }
    }
}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        match hook::current() {
            Some(hook) => hook.wait(self.id, &self.source, self.ticket, self.site, context.waker()),
            None if self.source.poll(self.ticket, context.waker()) => Poll::Ready(()),
            None => Poll::Pending,
        }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if let Some(hook) = hook::current() {
            hook.gone(self.id);
        }
    }
}

/// Who is to be woken. Wakers are taken inside a lock and woken outside of it.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Vec<Waker>);

impl Waiters {
    pub(crate) fn register(&mut self, waker: &Waker) {
        if !self.0.iter().any(|known| known.will_wake(waker)) {
            self.0.push(waker.clone());
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Waker> {
        std::mem::take(&mut self.0)
    }
}

pub(crate) fn wake_all(wakers: Vec<Waker>) {
    for waker in wakers {
        waker.wake();
    }
}
