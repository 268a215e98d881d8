//! `Signal`: wakes all that subscribed before, and nobody who subscribed later.

use midturn_sync::Signal;

use crate::explore::{End, exhaust};
use crate::unseen::Notes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Did {
    Subscribe,
    Notify,
    Wake,
}

#[test]
fn subscribers_from_before_are_woken() {
    let report = exhaust("signal: two subscribers from before", |crew| {
        let signal = Signal::new("signal");
        for _ in 0..2 {
            let ticket = signal.subscribe("subscribe");
            crew.spawn(async move { ticket.notified("wait").await });
        }
        crew.spawn(async move { signal.notify("notify") });
        || ()
    });
    report.outcomes_are([()]);
}

#[test]
fn a_subscriber_is_woken_exactly_if_it_came_first() {
    use Did::{Notify, Subscribe, Wake};
    let report = exhaust("signal: a subscriber, a notification", |crew| {
        let (signal, did) = (Signal::new("signal"), Notes::<Vec<Did>>::default());
        let tell = did.teller();
        let (later, later_did) = (signal.clone(), did.clone());
        crew.spawn(async move {
            let ticket = later.subscribe("subscribe");
            later_did.note(|did| did.push(Subscribe));
            ticket.notified("wait").await;
            later_did.note(|did| did.push(Wake));
        });
        crew.spawn(async move {
            // The note comes first here, since waking may take its time: one subscription can
            // then fall in between, which is told apart by who was woken.
            did.note(|did| did.push(Notify));
            signal.notify("notify");
        });
        tell
    });
    report.ends_are([
        End::Ended(vec![Subscribe, Notify, Wake]),
        End::Ended(vec![Notify, Subscribe, Wake]),
        End::Hung(vec![Notify, Subscribe]),
    ]);
}

#[test]
fn each_subscription_needs_a_notification_of_its_own() {
    let report = exhaust("signal: two waits, two notifications", |crew| {
        let (signal, woken) = (Signal::new("signal"), Notes::<u32>::default());
        let tell = woken.teller();
        let first = signal.subscribe("first subscription");
        let again = signal.clone();
        crew.spawn(async move {
            first.notified("first wait").await;
            woken.note(|woken| *woken += 1);
            let second = again.subscribe("second subscription");
            second.notified("second wait").await;
            woken.note(|woken| *woken += 1);
        });
        crew.spawn(async move {
            signal.notify("first");
            signal.notify("second");
        });
        tell
    });
    report.ends_are([End::Ended(2), End::Hung(1)]);
}
