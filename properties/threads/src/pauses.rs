//! Random pauses before visible operations of the engine, on the threads of a runtime; and waits
//! that are now and then not noticed at once.
//!
//! Without them a thread mostly runs from one await to the next undisturbed, and a race in
//! between is seen about once in a million rounds.

use std::rc::Rc;
use std::sync::Arc;
use std::task::{Poll, Waker};

use midturn_lock::Lock;
use midturn_sync::{Hook, ObjectId, Operation, Site, Source, Stamp, WaitId, hook};

/// Of so many operations one is preceded by a pause.
const ONE_IN: u32 = 6;

struct Pauses {
    chance: Lock<fastrand::Rng>,
}

/// This thread pauses from now on.
pub(crate) fn install(seed: u64) {
    let pauses = Pauses { chance: Lock::new(fastrand::Rng::with_seed(seed)) };
    // For as long as the thread lives.
    std::mem::forget(hook::install(Rc::new(pauses)));
}

impl Hook for Pauses {
    fn register(&self, _name: &'static str) -> ObjectId {
        ObjectId::default()
    }

    fn before(&self, _operation: Operation) {
        let turns = self.chance.with(|chance| match chance.u32(0..ONE_IN) {
            0 => chance.u32(1..=4),
            _ => 0,
        });
        (0..turns).for_each(|_| std::thread::yield_now());
    }

    fn released(&self, _object: ObjectId) {}

    fn wait(
        &self,
        _id: WaitId,
        source: &Arc<dyn Source>,
        ticket: u64,
        _site: Site,
        waker: &Waker,
    ) -> Poll<()> {
        if !source.poll(ticket, waker) {
            return Poll::Pending;
        }
        // Whoever waits for several things would always take the first that is ready.
        if self.chance.with(|chance| chance.u32(0..ONE_IN)) == 0 {
            waker.wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    fn gone(&self, _id: WaitId) {}

    fn stamp(&self) -> Stamp {
        Stamp::default()
    }

    fn also_reads(&self, _object: ObjectId) {}

    fn is_frozen(&self) -> bool {
        false
    }
}
