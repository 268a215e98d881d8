//! The source of `midturn-sync`, compiled against loom's lock: no bound on preemptions.

mod latch;
mod mutex;
mod oneshot;
mod race;
mod signal;
mod task;
mod watch;

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Polls `future` once.
async fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    poll_fn(|context| Poll::Ready(Pin::new(&mut *future).poll(context))).await
}
