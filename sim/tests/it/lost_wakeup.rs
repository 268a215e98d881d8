//! A source that becomes ready without waking whoever waits is found out, and only then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Waker;

use midturn::search::{Budget, Flow, Strategy, explore};
use midturn::world::{Failure, Options, World};
use midturn_lock::Lock;
use midturn_sync::{Latch, Mutex, ObjectId, Site, Source, Stamp, Wait, race};

use crate::runs::all_runs;

/// Ready once it is opened. Forgets to wake, or registers too late, if told to.
struct Gate {
    object: ObjectId,
    open: AtomicBool,
    wakes: bool,
    waiters: Lock<Vec<Waker>>,
}

impl Gate {
    fn new(wakes: bool) -> Arc<Self> {
        // A latch lends its number: an object of its own has no other way to get one.
        let object = Latch::new("gate").object();
        Arc::new(Gate { object, open: AtomicBool::new(false), wakes, waiters: Lock::default() })
    }

    fn open(&self) {
        self.open.store(true, Ordering::Relaxed);
        let waiters = self.waiters.with(std::mem::take);
        if self.wakes {
            waiters.into_iter().for_each(Waker::wake);
        }
    }
}

impl Source for Gate {
    fn object(&self) -> ObjectId {
        self.object
    }

    fn ready(&self, _ticket: u64) -> Option<Stamp> {
        self.open.load(Ordering::Relaxed).then(Stamp::default)
    }

    fn poll(&self, _ticket: u64, waker: &Waker) -> bool {
        self.waiters.with(|waiters| waiters.push(waker.clone()));
        self.open.load(Ordering::Relaxed)
    }
}

fn program(wakes: bool, beside: bool) -> impl Fn(&World) {
    move |world: &World| {
        let gate = Gate::new(wakes);
        let lock = Arc::new(Mutex::new("lock", 0u64));
        world.keep(lock.clone());
        let source: Arc<dyn Source> = gate.clone();
        world.spawn("waits", async move {
            let wait = Wait::new(source, 0, Site::here("wait for the gate"));
            if beside {
                race(wait, Latch::new("never").wait(Site::here("never"))).await;
            } else {
                wait.await;
            }
        });
        world.spawn("opens", async move {
            lock.section("open", |_| gate.open());
        });
    }
}

#[test]
fn a_source_that_does_not_wake_is_reported() {
    for beside in [false, true] {
        let mut runs = 0;
        all_runs(&program(false, beside), &mut |run| {
            runs += 1;
            let Some(Failure::LostWakeUp { actor, site }) = &run.failure else {
                panic!("{run:?}");
            };
            assert_eq!((actor.as_str(), site.name), ("waits", "wait for the gate"));
        });
        assert!(runs > 0);
    }
}

#[test]
fn a_source_that_wakes_is_not() {
    for beside in [false, true] {
        all_runs(&program(true, beside), &mut |run| {
            assert_eq!((&run.failure, &run.stuck), (&None, &Vec::new()));
        });
    }
}

/// Ready when it is first polled: nobody is owed a wake-up.
#[test]
fn a_wait_that_is_ready_at_once_needs_no_wake_up() {
    let program = |world: &World| {
        let gate = Gate::new(false);
        gate.open();
        world.spawn("waits", async move {
            Wait::new(gate, 0, Site::here("wait for the gate")).await;
        });
    };
    let options = Options::default();
    let summary =
        explore(&options, Strategy::SourceDpor, Budget::default(), &program, &mut |run, _| {
            assert_eq!((&run.failure, &run.stuck), (&None, &Vec::new()));
            Flow::Continue
        });
    assert!(summary.complete);
}
