//! `Latch` and `Cancel`: set before, during or after a wait, the wait ends; set twice or by two
//! is set once.

use midturn_sync::{Cancel, Latch, Site};

use crate::explore::exhaust;
use crate::primitives::poll_once;
use crate::unseen::Notes;

#[test]
fn two_waits_and_a_set_in_any_order() {
    let report = exhaust("latch: two waits, a set", |crew| {
        let latch = Latch::new("latch");
        for _ in 0..2 {
            crew.spawn(latch.wait(Site::here("wait")));
        }
        crew.spawn(async move { latch.set(Site::here("set")) });
        || ()
    });
    report.outcomes_are([()]);
}

#[test]
fn a_wait_and_two_cancels_in_any_order() {
    let report = exhaust("cancel: a wait, two cancels", |crew| {
        let (cancel, seen) = (Cancel::new("cancel"), Notes::default());
        let tell = seen.teller();
        let waiting = cancel.clone();
        crew.spawn(async move {
            waiting.cancelled("wait").await;
            let cancelled = waiting.is_cancelled("look");
            seen.note(|seen| *seen = cancelled);
        });
        for _ in 0..2 {
            let cancel = cancel.clone();
            crew.spawn(async move { cancel.cancel("cancel") });
        }
        tell
    });
    report.outcomes_are([true]);
}

#[test]
fn a_wait_that_was_dropped_takes_no_wake_up_from_the_next() {
    let report = exhaust("latch: a dropped wait, a wait, a set", |crew| {
        let (latch, ready) = (Latch::new("latch"), Notes::default());
        let tell = ready.teller();
        let waiting = latch.clone();
        crew.spawn(async move {
            let mut first = waiting.wait(Site::here("first wait"));
            let early = poll_once(&mut first).await.is_ready();
            drop(first);
            ready.note(|ready| *ready = early);
            waiting.wait(Site::here("second wait")).await;
        });
        crew.spawn(async move { latch.set(Site::here("set")) });
        tell
    });
    report.outcomes_are([false, true]);
}

#[test]
fn a_latch_that_nobody_sets_hangs() {
    use crate::explore::End;
    let report = exhaust("latch: two waits, no set", |crew| {
        let latch = Latch::new("latch");
        for _ in 0..2 {
            crew.spawn(latch.wait(Site::here("wait")));
        }
        || ()
    });
    report.ends_are([End::Hung(())]);
}
