//! `Watch`: whoever subscribed sees every send or a later one, and never misses the last.

use midturn_sync::Watch;

use crate::explore::exhaust;
use crate::primitives::poll_once;
use crate::unseen::Notes;

#[test]
fn the_last_send_is_seen() {
    let report = exhaust("watch: two sends, one receiver", |crew| {
        let (watch, seen) = (Watch::new("watch", 0), Notes::<Vec<u32>>::default());
        let tell = seen.teller();
        let mut receiver = watch.subscribe("subscribe");
        crew.spawn(async move {
            let mut last = 0;
            while last < 2 {
                last = receiver.changed("wait").await;
                seen.note(|seen| seen.push(last));
            }
        });
        crew.spawn(async move {
            watch.send("first", 1);
            watch.send("second", 2);
        });
        tell
    });
    report.outcomes_are([vec![1, 2], vec![2]]);
}

#[test]
fn both_receivers_see_it() {
    let report = exhaust("watch: one send, two receivers", |crew| {
        let (watch, seen) = (Watch::new("watch", 0), Notes::<Vec<u32>>::default());
        for _ in 0..2 {
            let (mut receiver, seen) = (watch.subscribe("subscribe"), seen.clone());
            crew.spawn(async move {
                let value = receiver.changed("wait").await;
                seen.note(|seen| seen.push(value));
            });
        }
        crew.spawn(async move { watch.send("send", 1) });
        seen.teller()
    });
    report.outcomes_are([vec![1, 1]]);
}

#[test]
fn of_two_senders_the_later_is_the_latest() {
    let report = exhaust("watch: two senders, one receiver", |crew| {
        let (watch, seen) = (Watch::new("watch", 0), Notes::<Vec<u32>>::default());
        let tell = seen.teller();
        let mut receiver = watch.subscribe("subscribe");
        crew.spawn(async move {
            let changed = receiver.changed("wait").await;
            let latest = receiver.latest("look");
            seen.note(|seen| seen.extend([changed, latest]));
        });
        for value in 1..=2 {
            let watch = watch.clone();
            crew.spawn(async move { watch.send("send", value) });
        }
        tell
    });
    report.outcomes_are([vec![1, 1], vec![1, 2], vec![2, 1], vec![2, 2]]);
}

#[test]
fn a_dropped_wait_loses_nothing() {
    let report = exhaust("watch: a dropped wait, a wait, a send", |crew| {
        let (watch, early) = (Watch::new("watch", 0), Notes::default());
        let tell = early.teller();
        let mut receiver = watch.subscribe("subscribe");
        crew.spawn(async move {
            let mut first = Box::pin(receiver.changed("first wait"));
            let seen = poll_once(&mut first).await.is_ready();
            drop(first);
            early.note(|early| *early = seen);
            if !seen {
                receiver.changed("second wait").await;
            }
        });
        crew.spawn(async move { watch.send("send", 1) });
        tell
    });
    report.outcomes_are([false, true]);
}
