//! Tasks that are counted: who moves, who could, and who waits.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

use midturn_lock::Lock;
use midturn_protocol::BoxFuture;

use crate::round::Round;

thread_local! {
    static ACTOR: Cell<usize> = const { Cell::new(0) };
}

/// Who acts on this thread, by number.
pub(crate) fn actor() -> usize {
    ACTOR.get()
}

/// Where a task stands. It counts as busy unless it is idle or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Woken,
    Running,
    RunningAndWoken,
    Idle,
    Ended,
}

/// A task of a round.
pub(crate) struct Counted {
    round: Round,
    number: usize,
    task: BoxFuture<'static, ()>,
    doorbell: Arc<Doorbell>,
}

impl Counted {
    pub(crate) fn new(round: Round, number: usize, task: BoxFuture<'static, ()>) -> Self {
        let doorbell = Doorbell { round: round.clone(), number, waker: Lock::new(None) };
        Counted { round, number, task, doorbell: Arc::new(doorbell) }
    }
}

impl Future for Counted {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let outer = context.waker().clone();
        self.doorbell.waker.with(|waker| *waker = Some(outer));
        self.round.runs(self.number);
        ACTOR.set(self.number);
        let waker = Waker::from(self.doorbell.clone());
        let polled = self.task.as_mut().poll(&mut Context::from_waker(&waker));
        self.round.rests(self.number, polled.is_ready());
        polled
    }
}

/// The waker of a counted task.
struct Doorbell {
    round: Round,
    number: usize,
    waker: Lock<Option<Waker>>,
}

impl Wake for Doorbell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.round.woken(self.number);
        let waker = self.waker.with(|waker| waker.clone());
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}
