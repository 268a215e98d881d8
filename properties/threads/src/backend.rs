//! What a round decides for the stage: by chance, and as late or early as it likes.

use std::future::{Future, poll_fn, ready};
use std::task::Poll;
use std::time::Duration;

use midturn_properties::history::Record;
use midturn_properties::scenario::Time;
use midturn_protocol::{BoxFuture, Event};
use midturn_stage::Backend;
use midturn_sync::{Latch, Site};

use crate::round::Round;
use crate::task::actor;

/// A moment of the outside lasts at most so many turns of others.
const TURNS: u32 = 24;

/// Lets others have so many turns. Wakes at once: tokio's own way to yield wakes after the poll,
/// when a round with nobody else in it looks still.
fn turns(mut left: u32) -> impl Future<Output = ()> + Send {
    poll_fn(move |context| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

impl Backend for Round {
    fn spawn(&self, name: &str, task: BoxFuture<'static, ()>) {
        Round::spawn(self, name, task);
    }

    /// A hostile timer is as likely to be early as to be the last to move.
    fn sleep(&self, duration: Duration, site: Site) -> BoxFuture<'static, ()> {
        let early = self.with(|state| {
            let early = state.chance.bool().then(|| state.chance.u32(0..TURNS));
            early.filter(|_| self.time() == Time::Hostile)
        });
        if let Some(early) = early {
            return Box::pin(turns(early));
        }
        let latch = Latch::new("timer");
        self.set_later(duration, latch.clone());
        Box::pin(async move { latch.wait(site).await })
    }

    fn pause(&self, _site: Site) -> BoxFuture<'static, ()> {
        match self.with(|state| state.chance.u32(0..4)) {
            0 => Box::pin(ready(())),
            some => Box::pin(turns(some)),
        }
    }

    fn until(&self, happened: Latch, site: Site) -> BoxFuture<'static, ()> {
        let round = self.clone();
        Box::pin(async move {
            let _patient = Patient::begin(round);
            happened.wait(site).await;
        })
    }

    fn choose(&self, among: u8) -> u8 {
        self.with(|state| state.chance.u8(0..among))
    }

    fn chance(&self, name: &str, latch: Latch, site: Site) {
        let (comes, after) =
            self.with(|state| (state.chance.bool(), state.chance.u32(0..2 * TURNS)));
        if comes {
            self.spawn(
                name,
                Box::pin(async move {
                    turns(after).await;
                    latch.set(site);
                }),
            );
        }
    }

    fn take_note(&self, session: usize, event: Event, happened: &[Latch]) {
        self.with(|state| {
            let step = u32::from(state.has_begun());
            state.records.push(Record { session, step, actor: actor(), event });
        });
        happened.iter().for_each(Latch::set_unannounced);
    }

    fn calls(&self) {}

    fn returns(&self) {}
}

/// While somebody waits for the script.
struct Patient {
    round: Round,
    number: usize,
}

impl Patient {
    fn begin(round: Round) -> Self {
        let number = actor();
        round.set_patient(number, true);
        Patient { round, number }
    }
}

impl Drop for Patient {
    fn drop(&mut self) {
        self.round.set_patient(self.number, false);
    }
}
