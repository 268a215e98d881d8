//! `Oneshot`: a value arrives once or comes back once; either end's drop closes it.

use midturn_sync::{Closed, oneshot};

use crate::explore::exhaust;
use crate::primitives::poll_once;
use crate::unseen::Notes;

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
    fn tell(mut self, fate: Fate) {
        self.1 = fate;
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.0.note(|fates| fates.push(self.1));
    }
}

#[test]
fn a_sent_value_is_received() {
    let report = exhaust("oneshot: send, receive", |crew| {
        let (fates, (sender, receiver)) = (Notes::default(), oneshot("oneshot"));
        let value = Value(fates.clone(), Fate::DroppedUnread);
        crew.spawn(async move {
            if let Ok(value) = receiver.receive("receive").await {
                Value::tell(value, Fate::Received);
            }
        });
        crew.spawn(async move {
            if let Err(value) = sender.send("send", value) {
                value.tell(Fate::CameBack);
            }
        });
        fates.teller()
    });
    report.outcomes_are([vec![Fate::Received]]);
}

#[test]
fn a_value_for_a_dropped_receiver_comes_back_or_is_dropped() {
    let report = exhaust("oneshot: send, receiver dropped", |crew| {
        let (fates, (sender, receiver)) = (Notes::default(), oneshot("oneshot"));
        let value = Value(fates.clone(), Fate::DroppedUnread);
        crew.spawn(async move { drop(receiver) });
        crew.spawn(async move {
            if let Err(value) = sender.send("send", value) {
                value.tell(Fate::CameBack);
            }
        });
        fates.teller()
    });
    report.outcomes_are([vec![Fate::CameBack], vec![Fate::DroppedUnread]]);
}

#[test]
fn a_receive_that_is_dropped_leaves_one_value_and_one_fate() {
    let report = exhaust("oneshot: send, receive dropped", |crew| {
        let (fates, (sender, receiver)) = (Notes::default(), oneshot("oneshot"));
        let value = Value(fates.clone(), Fate::DroppedUnread);
        crew.spawn(async move {
            let mut receive = Box::pin(receiver.receive("receive"));
            if let std::task::Poll::Ready(Ok(value)) = poll_once(&mut receive).await {
                Value::tell(value, Fate::Received);
            }
        });
        crew.spawn(async move {
            if let Err(value) = sender.send("send", value) {
                value.tell(Fate::CameBack);
            }
        });
        fates.teller()
    });
    let each = [Fate::Received, Fate::CameBack, Fate::DroppedUnread];
    report.outcomes_are(each.map(|fate| vec![fate]));
}

#[test]
fn a_dropped_sender_ends_the_wait() {
    let report = exhaust("oneshot: sender dropped, receive", |crew| {
        let (result, (sender, receiver)) = (Notes::default(), oneshot::<u32>("oneshot"));
        let tell = result.teller();
        crew.spawn(async move {
            let received = receiver.receive("receive").await;
            result.note(|result| *result = Some(received == Err(Closed)));
        });
        crew.spawn(async move { drop(sender) });
        tell
    });
    report.outcomes_are([Some(true)]);
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
