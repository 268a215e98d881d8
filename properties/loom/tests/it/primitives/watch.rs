//! `Watch`: whoever subscribed sees every send or a later one, and never misses the last.

mod wrong;

use std::future::Future;

use midturn_sync::{Watch, WatchReceiver};

use crate::explore::{End, Report, exhaust};
use crate::primitives::poll_once;
use crate::unseen::Notes;
use wrong::{Mistake, WrongWatch};

/// What the models ask of a watch of numbers, so that a wrong one can stand in its place.
trait Watching: Clone + Send + 'static {
    type Seeing: Seeing;

    fn send(&self, value: u32);
    fn subscribe(&self) -> Self::Seeing;
}

trait Seeing: Send + 'static {
    fn changed(&mut self) -> impl Future<Output = u32> + Send;
    fn latest(&self) -> u32;
}

impl Watching for Watch<u32> {
    type Seeing = WatchReceiver<u32>;

    fn send(&self, value: u32) {
        self.send("send", value);
    }

    fn subscribe(&self) -> Self::Seeing {
        self.subscribe("subscribe")
    }
}

impl Seeing for WatchReceiver<u32> {
    fn changed(&mut self) -> impl Future<Output = u32> + Send {
        self.changed("wait")
    }

    fn latest(&self) -> u32 {
        self.latest("look")
    }
}

fn real() -> Watch<u32> {
    Watch::new("watch", 0)
}

/// A watch with `mistake`, or a copy of the real one, which must pass for the mistakes to count.
fn wrong(mistake: Option<Mistake>) -> impl Fn() -> WrongWatch + Send + Sync + 'static {
    move || WrongWatch::new(mistake)
}

fn two_sends<W: Watching>(new: impl Fn() -> W + Send + Sync + 'static) -> Report<Vec<u32>> {
    exhaust("watch: two sends, one receiver", move |crew| {
        let (watch, seen) = (new(), Notes::<Vec<u32>>::default());
        let tell = seen.teller();
        let mut receiver = watch.subscribe();
        crew.spawn(async move {
            let mut last = 0;
            while last < 2 {
                last = receiver.changed().await;
                seen.note(|seen| seen.push(last));
            }
        });
        crew.spawn(async move {
            watch.send(1);
            watch.send(2);
        });
        tell
    })
}

#[test]
fn the_last_send_is_seen() {
    let all = [vec![1, 2], vec![2]];
    two_sends(real).outcomes_are(all.clone());
    two_sends(wrong(None)).outcomes_are(all);
}

#[test]
fn looking_and_registering_apart_misses_the_last_send() {
    two_sends(wrong(Some(Mistake::LooksAndRegistersApart))).ends_are([
        End::Ended(vec![1, 2]),
        End::Ended(vec![2]),
        End::Hung(vec![]),
        End::Hung(vec![1]),
    ]);
}

fn two_receivers<W: Watching>(new: impl Fn() -> W + Send + Sync + 'static) -> Report<Vec<u32>> {
    exhaust("watch: one send, two receivers", move |crew| {
        let (watch, seen) = (new(), Notes::<Vec<u32>>::default());
        for _ in 0..2 {
            let (mut receiver, seen) = (watch.subscribe(), seen.clone());
            crew.spawn(async move {
                let value = receiver.changed().await;
                seen.note(|seen| seen.push(value));
            });
        }
        crew.spawn(async move { watch.send(1) });
        seen.teller()
    })
}

#[test]
fn both_receivers_see_it() {
    two_receivers(real).outcomes_are([vec![1, 1]]);
}

#[test]
fn a_send_that_wakes_one_leaves_the_other() {
    let report = two_receivers(wrong(Some(Mistake::WakesOne)));
    report.ends_are([End::Ended(vec![1, 1]), End::Hung(vec![1])]);
}

fn two_senders<W: Watching>(new: impl Fn() -> W + Send + Sync + 'static) -> Report<Vec<u32>> {
    exhaust("watch: two senders, one receiver", move |crew| {
        let (watch, seen) = (new(), Notes::<Vec<u32>>::default());
        let tell = seen.teller();
        let mut receiver = watch.subscribe();
        crew.spawn(async move {
            let changed = receiver.changed().await;
            let latest = receiver.latest();
            seen.note(|seen| seen.extend([changed, latest]));
        });
        for value in 1..=2 {
            let watch = watch.clone();
            crew.spawn(async move { watch.send(value) });
        }
        tell
    })
}

#[test]
fn of_two_senders_the_later_is_the_latest() {
    two_senders(real).outcomes_are([vec![1, 1], vec![1, 2], vec![2, 1], vec![2, 2]]);
}

#[test]
fn a_version_before_its_value_shows_what_was_there_before() {
    let report = two_senders(wrong(Some(Mistake::VersionBeforeValue)));
    let ends: Vec<_> = report.ends().cloned().collect();
    assert!(ends.contains(&End::Ended(vec![0, 0])), "{report}");
}

#[test]
fn a_dropped_wait_loses_nothing() {
    let report = exhaust("watch: a dropped wait, a wait, a send", |crew| {
        let (watch, early) = (real(), Notes::default());
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

/// A send before the subscription counts as seen; one after it does not.
#[test]
fn only_a_send_after_the_subscription_is_waited_for() {
    let report = late_subscriber(real);
    report.ends_are([End::Ended(1), End::Hung(0)]);
}

#[test]
fn a_subscription_that_has_seen_nothing_never_waits() {
    late_subscriber(wrong(Some(Mistake::SubscribesFromTheStart))).outcomes_are([1]);
}

fn late_subscriber<W: Watching>(new: impl Fn() -> W + Send + Sync + 'static) -> Report<u32> {
    exhaust("watch: a subscription, a send", move |crew| {
        let (watch, seen) = (new(), Notes::<u32>::default());
        let tell = seen.teller();
        let later = watch.clone();
        crew.spawn(async move {
            let mut receiver = later.subscribe();
            let value = receiver.changed().await;
            seen.note(|seen| *seen = value);
        });
        crew.spawn(async move { watch.send(1) });
        tell
    })
}
