//! Abort and join, as wrappers round a future: whoever spawns it need not know either.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::{Latch, Site, Wait};

/// A future that can be aborted at any of its awaits: it is then dropped, never mid-section.
#[must_use = "a task does nothing unless polled"]
pub struct Abortable<F> {
    future: Option<Pin<Box<F>>>,
    abort: Latch,
    aborted: Wait,
    site: Site,
    begun: bool,
}

/// Aborts a task. Dropping the handle aborts it too, unless it was detached.
#[derive(Debug)]
pub struct AbortHandle {
    abort: Option<Latch>,
}

/// Makes `future` abortable. The future ends with `None` if it was aborted first.
#[track_caller]
pub fn abortable<F: Future>(name: &'static str, future: F) -> (Abortable<F>, AbortHandle) {
    let abort = Latch::new(name);
    let site = Site::here("task aborted");
    let aborted = abort.wait(site);
    let future = Some(Box::pin(future));
    let task = Abortable { future, abort: abort.clone(), aborted, site, begun: false };
    (task, AbortHandle { abort: Some(abort) })
}

impl<F: Future> Future for Abortable<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // Whoever explores polls a wait only to hear of it: that it is too late to begin is a
        // question of its own.
        let begins = !std::mem::replace(&mut self.begun, true);
        let stillborn = begins && self.abort.is_set(Site { name: "task begins", ..self.site });
        if stillborn || Pin::new(&mut self.aborted).poll(context).is_ready() {
            self.future = None;
            return Poll::Ready(None);
        }
        match self.future.as_mut() {
            Some(future) => future.as_mut().poll(context).map(Some),
            None => Poll::Ready(None),
        }
    }
}

impl AbortHandle {
    /// Asks the task to stop at its next await. Before the task began it never runs; after it
    /// ended nothing happens; twice is the same as once. Does not wait for the task.
    #[track_caller]
    pub fn abort(mut self, name: &'static str) {
        let site = Site::here(name);
        if let Some(abort) = self.abort.take() {
            abort.set(site);
        }
    }

    /// Lets the task run on by itself.
    pub fn detach(mut self) {
        self.abort = None;
    }
}

impl Drop for AbortHandle {
    fn drop(&mut self) {
        if let Some(abort) = self.abort.take() {
            abort.set_on_drop(Site::here("abort on drop"));
        }
    }
}

/// Makes `future` joinable. The handle is ready once the future has ended or was dropped.
pub fn joinable<F: Future<Output = ()>>(
    name: &'static str,
    future: F,
) -> (impl Future<Output = ()>, JoinHandle) {
    let ended = Latch::new(name);
    let guard = EndGuard(ended.clone());
    let future = async move {
        let _guard = guard;
        future.await;
    };
    (future, JoinHandle { ended })
}

/// Waits for a task.
#[derive(Clone, Debug)]
pub struct JoinHandle {
    ended: Latch,
}

impl JoinHandle {
    /// Waits until the task has ended. After it ended: at once.
    #[track_caller]
    pub fn join(&self, name: &'static str) -> Wait {
        self.ended.wait(Site::here(name))
    }
}

struct EndGuard(Latch);

impl Drop for EndGuard {
    fn drop(&mut self) {
        self.0.set_on_drop(Site::here("task ended"));
    }
}
