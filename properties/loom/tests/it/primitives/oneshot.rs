//! `Oneshot`: a value arrives once or comes back once; either end's drop closes it.

mod wrong;

use std::future::Future;

use midturn_sync::{Closed, Receiver, Sender, oneshot};

use crate::explore::{End, Report, exhaust};
use crate::primitives::poll_once;
use crate::unseen::Notes;
use wrong::{Mistake, WrongReceiver, WrongSender};

/// What became of the one value that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Received,
    CameBack,
    DroppedUnread,
}

/// Notes that it was dropped where nobody said anything else of it.
struct Value(Notes<Vec<Fate>>, Fate);

impl Value {
    fn new(fates: &Notes<Vec<Fate>>) -> Self {
        Value(fates.clone(), Fate::DroppedUnread)
    }

    fn tell(mut self, fate: Fate) {
        self.1 = fate;
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.0.note(|fates| fates.push(self.1));
    }
}

/// What the models ask of a pair, so that a wrong one can stand in its place.
trait Sending: Send + 'static {
    fn send(self, value: Value) -> Result<(), Value>;
}

trait Receiving: Send + 'static {
    fn receive(self) -> impl Future<Output = Result<Value, Closed>> + Send + 'static;
}

impl Sending for Sender<Value> {
    fn send(self, value: Value) -> Result<(), Value> {
        self.send("send", value)
    }
}

impl Receiving for Receiver<Value> {
    fn receive(self) -> impl Future<Output = Result<Value, Closed>> + Send + 'static {
        self.receive("receive")
    }
}

fn real() -> (Sender<Value>, Receiver<Value>) {
    oneshot("oneshot")
}

type WrongPair = (WrongSender, WrongReceiver);

/// A pair with `mistake`, or a copy of the real one, which must pass for the mistakes to count.
fn wrong(mistake: Option<Mistake>) -> impl Fn() -> WrongPair + Send + Sync + 'static {
    move || wrong::pair(mistake)
}

/// Sends a value to a receiver that is driven by `receiver`.
fn sends<S: Sending, R: Receiving, F: Future<Output = ()> + Send + 'static>(
    name: &str,
    new: impl Fn() -> (S, R) + Send + Sync + 'static,
    receiver: impl Fn(R) -> F + Send + Sync + 'static,
) -> Report<Vec<Fate>> {
    exhaust(name, move |crew| {
        let (fates, (sending, receiving)) = (Notes::default(), new());
        let value = Value::new(&fates);
        crew.spawn(receiver(receiving));
        crew.spawn(async move {
            if let Err(value) = sending.send(value) {
                value.tell(Fate::CameBack);
            }
        });
        fates.teller()
    })
}

fn received<S: Sending, R: Receiving>(
    new: impl Fn() -> (S, R) + Send + Sync + 'static,
) -> Report<Vec<Fate>> {
    sends("oneshot: send, receive", new, |receiver| async move {
        if let Ok(value) = receiver.receive().await {
            value.tell(Fate::Received);
        }
    })
}

#[test]
fn a_sent_value_is_received() {
    received(real).outcomes_are([vec![Fate::Received]]);
    received(wrong(None)).outcomes_are([vec![Fate::Received]]);
}

#[test]
fn looking_and_registering_apart_hangs_although_it_was_sent() {
    let report = received(wrong(Some(Mistake::LooksAndRegistersApart)));
    // The value lies in the pair, which its owners drop.
    report.ends_are([End::Ended(vec![Fate::Received]), End::Hung(vec![Fate::DroppedUnread])]);
}

fn receiver_dropped<S: Sending, R: Receiving>(
    new: impl Fn() -> (S, R) + Send + Sync + 'static,
) -> Report<Vec<Fate>> {
    sends("oneshot: send, receiver dropped", new, |receiver| async move { drop(receiver) })
}

#[test]
fn a_value_for_a_dropped_receiver_comes_back_or_is_dropped() {
    let all = [vec![Fate::CameBack], vec![Fate::DroppedUnread]];
    receiver_dropped(real).outcomes_are(all.clone());
    receiver_dropped(wrong(None)).outcomes_are(all);
}

#[test]
fn a_receiver_that_goes_silently_gives_nothing_back() {
    let report = receiver_dropped(wrong(Some(Mistake::ReceiverGoesSilently)));
    report.outcomes_are([vec![Fate::DroppedUnread]]);
}

fn receive_dropped<S: Sending, R: Receiving>(
    new: impl Fn() -> (S, R) + Send + Sync + 'static,
) -> Report<Vec<Fate>> {
    sends("oneshot: send, receive dropped", new, |receiver| async move {
        let mut receive = Box::pin(receiver.receive());
        if let std::task::Poll::Ready(Ok(value)) = poll_once(&mut receive).await {
            value.tell(Fate::Received);
        }
    })
}

#[test]
fn a_receive_that_is_dropped_leaves_one_value_and_one_fate() {
    let each = [Fate::Received, Fate::CameBack, Fate::DroppedUnread];
    receive_dropped(real).outcomes_are(each.map(|fate| vec![fate]));
}

fn sender_dropped<S: Sending, R: Receiving>(
    new: impl Fn() -> (S, R) + Send + Sync + 'static,
) -> Report<Option<bool>> {
    exhaust("oneshot: sender dropped, receive", move |crew| {
        let (result, (sender, receiver)) = (Notes::default(), new());
        let tell = result.teller();
        crew.spawn(async move {
            let received = receiver.receive().await;
            result.note(|result| *result = Some(received.is_err()));
        });
        crew.spawn(async move { drop(sender) });
        tell
    })
}

#[test]
fn a_dropped_sender_ends_the_wait() {
    sender_dropped(real).outcomes_are([Some(true)]);
    sender_dropped(wrong(None)).outcomes_are([Some(true)]);
}

#[test]
fn a_sender_that_goes_silently_leaves_the_wait() {
    let report = sender_dropped(wrong(Some(Mistake::SenderGoesSilently)));
    report.ends_are([End::Hung(None)]);
}

#[test]
fn both_ends_dropped_end() {
    let report = exhaust("oneshot: both dropped", |crew| {
        let (sender, receiver) = oneshot::<u32>("oneshot");
        crew.spawn(async move { drop(sender) });
        crew.spawn(async move { drop(receiver) });
        || ()
    });
    report.outcomes_are([()]);
}
