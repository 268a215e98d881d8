//! `Latch` and `Cancel`: set before, during or after a wait, the wait ends; set twice or by two
//! is set once.

mod wrong;

use std::future::Future;

use midturn_sync::{Cancel, Latch, Site};

use crate::explore::{End, Report, exhaust};
use crate::primitives::poll_once;
use crate::unseen::Notes;
use wrong::{Mistake, WrongLatch};

/// What the models ask of a latch or a token, so that a wrong one can stand in its place.
trait Latching: Clone + Send + 'static {
    fn set(&self);
    fn is_set(&self) -> bool;
    fn wait(&self) -> impl Future<Output = ()> + Send + Unpin + 'static;
}

impl Latching for Latch {
    fn set(&self) {
        self.set(Site::here("set"));
    }

    fn is_set(&self) -> bool {
        self.is_set(Site::here("look"))
    }

    fn wait(&self) -> impl Future<Output = ()> + Send + Unpin + 'static {
        self.wait(Site::here("wait"))
    }
}

impl Latching for Cancel {
    fn set(&self) {
        self.cancel("cancel");
    }

    fn is_set(&self) -> bool {
        self.is_cancelled("look")
    }

    fn wait(&self) -> impl Future<Output = ()> + Send + Unpin + 'static {
        self.cancelled("wait")
    }
}

fn latch() -> Latch {
    Latch::new("latch")
}

fn cancel() -> Cancel {
    Cancel::new("cancel")
}

/// A latch with `mistake`, or a copy of the real one, which must pass for the mistakes to count.
fn wrong(mistake: Option<Mistake>) -> impl Fn() -> WrongLatch + Send + Sync + 'static {
    move || WrongLatch::new(mistake)
}

fn waits<L: Latching>(waits: usize, new: impl Fn() -> L + Send + Sync + 'static) -> Report<()> {
    exhaust(&format!("latch: {waits} waits, a set"), move |crew| {
        let latch = new();
        for _ in 0..waits {
            crew.spawn(latch.wait());
        }
        crew.spawn(async move { latch.set() });
        || ()
    })
}

#[test]
fn two_waits_and_a_set_in_any_order() {
    waits(2, latch).outcomes_are([()]);
    waits(2, cancel).outcomes_are([()]);
    waits(2, wrong(None)).outcomes_are([()]);
}

#[test]
fn waking_before_setting_loses_the_wake_up() {
    let report = waits(1, wrong(Some(Mistake::WakesBeforeItSets)));
    report.ends_are([End::Ended(()), End::Hung(())]);
}

#[test]
fn a_set_that_wakes_one_leaves_the_other() {
    let report = waits(2, wrong(Some(Mistake::WakesOne)));
    report.ends_are([End::Ended(()), End::Hung(())]);
}

fn two_sets<L: Latching>(new: impl Fn() -> L + Send + Sync + 'static) -> Report<bool> {
    exhaust("latch: a wait, two sets", move |crew| {
        let (latch, seen) = (new(), Notes::default());
        let tell = seen.teller();
        let waiting = latch.clone();
        crew.spawn(async move {
            waiting.wait().await;
            let set = waiting.is_set();
            seen.note(|seen| *seen = set);
        });
        for _ in 0..2 {
            let latch = latch.clone();
            crew.spawn(async move { latch.set() });
        }
        tell
    })
}

#[test]
fn a_wait_and_two_sets_in_any_order() {
    two_sets(latch).outcomes_are([true]);
    two_sets(cancel).outcomes_are([true]);
}

#[test]
fn a_second_set_that_takes_the_first_back_shows() {
    let report = two_sets(wrong(Some(Mistake::Toggles)));
    report.ends_are([End::Ended(false), End::Ended(true), End::Hung(false)]);
}

fn dropped_wait<L: Latching>(new: impl Fn() -> L + Send + Sync + 'static) -> Report<bool> {
    exhaust("latch: a dropped wait, a wait, a set", move |crew| {
        let (latch, ready) = (new(), Notes::default());
        let tell = ready.teller();
        let waiting = latch.clone();
        crew.spawn(async move {
            let mut first = waiting.wait();
            let early = poll_once(&mut first).await.is_ready();
            drop(first);
            ready.note(|ready| *ready = early);
            waiting.wait().await;
        });
        crew.spawn(async move { latch.set() });
        tell
    })
}

#[test]
fn a_wait_that_was_dropped_takes_no_wake_up_from_the_next() {
    dropped_wait(latch).outcomes_are([false, true]);
    dropped_wait(cancel).outcomes_are([false, true]);
}

/// Already set, the first wait takes what the second needs.
#[test]
fn a_wait_that_takes_what_it_saw_leaves_nothing_to_the_next() {
    let report = dropped_wait(wrong(Some(Mistake::IsTakenByAWait)));
    report.ends_are([End::Ended(false), End::Hung(true)]);
}

#[test]
fn a_latch_that_nobody_sets_hangs() {
    let report = exhaust("latch: two waits, no set", |crew| {
        let latch = Latch::new("latch");
        for _ in 0..2 {
            crew.spawn(latch.wait(Site::here("wait")));
        }
        || ()
    });
    report.ends_are([End::Hung(())]);
}
