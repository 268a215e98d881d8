//! `race`: ends with whichever is first, wakes for either, and drops the other.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use midturn_sync::{Either, Latch, Site, Wait, oneshot, race};

use crate::explore::{End, Report, exhaust};
use crate::unseen::Notes;

/// Races two latches of which `sets` says that they are set; tells which one won.
fn race_of_latches(name: &str, sets: [bool; 2]) -> Report<Option<bool>> {
    raced(name, sets, race)
}

fn raced<F: Future<Output = Either<(), ()>> + Send + 'static>(
    name: &str,
    sets: [bool; 2],
    race: impl Fn(Wait, Wait) -> F + Send + Sync + 'static,
) -> Report<Option<bool>> {
    exhaust(name, move |crew| {
        let (latches, won) = ([Latch::new("first"), Latch::new("second")], Notes::default());
        let tell = won.teller();
        let [first, second] = latches.each_ref().map(|latch| latch.wait(Site::here("wait")));
        let racing = race(first, second);
        crew.spawn(async move {
            let winner = racing.await;
            won.note(|won| *won = Some(matches!(winner, Either::First(()))));
        });
        for (latch, _) in latches.into_iter().zip(sets).filter(|(_, set)| *set) {
            crew.spawn(async move { latch.set(Site::here("set")) });
        }
        tell
    })
}

#[test]
fn either_alone_wakes_it() {
    race_of_latches("race: first latch", [true, false]).outcomes_are([Some(true)]);
    race_of_latches("race: second latch", [false, true]).outcomes_are([Some(false)]);
}

/// Looks at both, and asks only the first to wake it.
async fn deaf_to_the_second(mut first: Wait, mut second: Wait) -> Either<(), ()> {
    poll_fn(move |context| {
        if Pin::new(&mut first).poll(context).is_ready() {
            return Poll::Ready(Either::First(()));
        }
        let mut nobody = Context::from_waker(Waker::noop());
        Pin::new(&mut second).poll(&mut nobody).map(Either::Second)
    })
    .await
}

#[test]
fn a_race_that_is_deaf_to_the_second_hangs() {
    let report = raced("race: deaf, second latch", [false, true], deaf_to_the_second);
    report.ends_are([End::Ended(Some(false)), End::Hung(None)]);
}

#[test]
fn of_both_either_may_win() {
    let report = race_of_latches("race: two latches", [true, true]);
    report.outcomes_are([Some(true), Some(false)]);
}

#[test]
fn the_loser_is_dropped() {
    let report = exhaust("race: a latch, a receive", |crew| {
        let (latch, (sender, receiver)) = (Latch::new("latch"), oneshot::<u32>("oneshot"));
        let seen = Notes::<(bool, bool)>::default();
        let tell = seen.teller();
        let (wait, racing) = (latch.wait(Site::here("latch")), seen.clone());
        crew.spawn(async move {
            let winner = race(wait, receiver.receive("receive")).await;
            racing.note(|seen| seen.0 = winner == Either::Second(Ok(7)));
        });
        crew.spawn(async move { latch.set(Site::here("set")) });
        crew.spawn(async move {
            let taken = sender.send("send", 7).is_ok();
            seen.note(|seen| seen.1 = taken);
        });
        tell
    });
    // Received; came back; and in between, taken in by a receiver that was dropped unread.
    report.outcomes_are([(true, true), (false, false), (false, true)]);
}
