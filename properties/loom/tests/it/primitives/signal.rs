//! `Signal`: wakes all that subscribed before, and nobody who subscribed later.

mod wrong;

use std::future::Future;

use midturn_sync::{Signal, Ticket};

use crate::explore::{End, Report, exhaust};
use crate::unseen::Notes;
use wrong::{Mistake, WrongSignal};

/// What the models ask of a signal, so that a wrong one can stand in its place.
trait Signalling: Clone + Send + 'static {
    type Ticket: Send + 'static;

    fn notify(&self);
    fn subscribe(&self) -> Self::Ticket;
    fn notified(ticket: Self::Ticket) -> impl Future<Output = ()> + Send + 'static;
}

impl Signalling for Signal {
    type Ticket = Ticket;

    fn notify(&self) {
        self.notify("notify");
    }

    fn subscribe(&self) -> Ticket {
        self.subscribe("subscribe")
    }

    fn notified(ticket: Ticket) -> impl Future<Output = ()> + Send + 'static {
        ticket.notified("wait")
    }
}

fn real() -> Signal {
    Signal::new("signal")
}

/// A signal with `mistake`, or a copy of the real one, which must pass for the mistakes to count.
fn wrong(mistake: Option<Mistake>) -> impl Fn() -> WrongSignal + Send + Sync + 'static {
    move || WrongSignal::new(mistake)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Did {
    Subscribe,
    Notify,
    Wake,
}

fn subscribers<S: Signalling>(
    subscribers: usize,
    new: impl Fn() -> S + Send + Sync + 'static,
) -> Report<()> {
    exhaust(&format!("signal: {subscribers} subscribers from before"), move |crew| {
        let signal = new();
        for _ in 0..subscribers {
            let ticket = signal.subscribe();
            crew.spawn(S::notified(ticket));
        }
        crew.spawn(async move { signal.notify() });
        || ()
    })
}

#[test]
fn subscribers_from_before_are_woken() {
    subscribers(2, real).outcomes_are([()]);
    subscribers(2, wrong(None)).outcomes_are([()]);
}

#[test]
fn looking_and_registering_apart_loses_the_notification() {
    let report = subscribers(1, wrong(Some(Mistake::LooksAndRegistersApart)));
    report.ends_are([End::Ended(()), End::Hung(())]);
}

#[test]
fn a_subscription_that_begins_with_the_wait_comes_too_late() {
    let report = subscribers(1, wrong(Some(Mistake::SubscribesWhenItWaits)));
    report.ends_are([End::Ended(()), End::Hung(())]);
}

#[test]
fn a_permit_for_one_leaves_the_other() {
    subscribers(2, wrong(Some(Mistake::KeepsAPermit))).ends_are([End::Hung(())]);
}

fn one_subscriber<S: Signalling>(new: impl Fn() -> S + Send + Sync + 'static) -> Report<Vec<Did>> {
    use Did::{Notify, Subscribe, Wake};
    exhaust("signal: a subscriber, a notification", move |crew| {
        let (signal, did) = (new(), Notes::<Vec<Did>>::default());
        let tell = did.teller();
        let (later, later_did) = (signal.clone(), did.clone());
        crew.spawn(async move {
            let ticket = later.subscribe();
            later_did.note(|did| did.push(Subscribe));
            S::notified(ticket).await;
            later_did.note(|did| did.push(Wake));
        });
        crew.spawn(async move {
            // The note comes first here, since waking may take its time: one subscription can
            // then fall in between, which is told apart by who was woken.
            did.note(|did| did.push(Notify));
            signal.notify();
        });
        tell
    })
}

#[test]
fn a_subscriber_is_woken_exactly_if_it_came_first() {
    use Did::{Notify, Subscribe, Wake};
    one_subscriber(real).ends_are([
        End::Ended(vec![Subscribe, Notify, Wake]),
        End::Ended(vec![Notify, Subscribe, Wake]),
        End::Hung(vec![Notify, Subscribe]),
    ]);
}

#[test]
fn a_permit_wakes_who_came_later() {
    use Did::{Notify, Subscribe, Wake};
    one_subscriber(wrong(Some(Mistake::KeepsAPermit)))
        .outcomes_are([vec![Subscribe, Notify, Wake], vec![Notify, Subscribe, Wake]]);
}

fn two_waits<S: Signalling>(new: impl Fn() -> S + Send + Sync + 'static) -> Report<u32> {
    exhaust("signal: two waits, two notifications", move |crew| {
        let (signal, woken) = (new(), Notes::<u32>::default());
        let tell = woken.teller();
        let first = signal.subscribe();
        let again = signal.clone();
        crew.spawn(async move {
            S::notified(first).await;
            woken.note(|woken| *woken += 1);
            S::notified(again.subscribe()).await;
            woken.note(|woken| *woken += 1);
        });
        crew.spawn(async move {
            signal.notify();
            signal.notify();
        });
        tell
    })
}

#[test]
fn each_subscription_needs_a_notification_of_its_own() {
    two_waits(real).ends_are([End::Ended(2), End::Hung(1)]);
}

#[test]
fn a_signal_that_stays_set_serves_the_second_wait_too() {
    two_waits(wrong(Some(Mistake::StaysSet))).outcomes_are([2]);
}
