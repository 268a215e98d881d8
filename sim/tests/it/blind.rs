//! Waits that nobody announced are named, since a search that met one is not complete.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use midturn::search::{Budget, Flow, Strategy, Summary, bounded, explore, sample};
use midturn::world::{Options, World};
use midturn_sync::{Either, Latch, Mutex, Site, race};

use crate::runs::{locks, notes};

/// A oneshot of somebody else's library: it tells the explorer nothing.
#[derive(Clone)]
struct Foreign(Rc<RefCell<(Option<u64>, Option<Waker>)>>);

impl Foreign {
    fn new() -> Self {
        Foreign(Rc::default())
    }

    fn send(&self, value: u64) {
        let waker = {
            let mut state = self.0.borrow_mut();
            state.0 = Some(value);
            state.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Future for Foreign {
    type Output = u64;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<u64> {
        let mut state = self.0.borrow_mut();
        match state.0.take() {
            Some(value) => Poll::Ready(value),
            None => {
                state.1 = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

fn search(program: &dyn Fn(&World), seen: &mut BTreeSet<Vec<u64>>) -> Vec<Summary> {
    let options = Options::default();
    let budget = Budget { runs: Some(1_000), time: None };
    let mut visit = |run: &midturn::world::Execution, _: &[midturn::search::Move]| {
        assert_eq!(run.failure, None);
        seen.insert(notes(run));
        Flow::Continue
    };
    vec![
        explore(&options, Strategy::BruteForce, budget, program, &mut visit),
        explore(&options, Strategy::SourceDpor, budget, program, &mut visit),
        bounded(&options, 2, budget, program, &mut visit),
        sample(&options, 1, Budget { runs: Some(50), time: None }, program, &mut visit),
    ]
}

fn blind(summary: &Summary) -> Vec<(&str, Option<&str>)> {
    let name = |site: &Option<Site>| site.map(|site| site.name);
    summary.blind.iter().map(|(actor, site)| (actor.as_str(), name(site))).collect()
}

#[test]
fn a_wait_that_nobody_ends_is_named() {
    let program = |world: &World| {
        let locks = locks(world, &["a"]);
        world.spawn("waits", async move {
            locks[0].section("before it waits", |_| ());
            std::future::pending::<()>().await;
        });
        world.spawn("waits at once", std::future::pending());
    };
    for summary in search(&program, &mut BTreeSet::new()) {
        let mut blind = blind(&summary);
        blind.sort_unstable();
        assert_eq!(blind, [("waits", Some("before it waits")), ("waits at once", None)]);
    }
}

#[test]
fn a_foreign_oneshot_works_and_is_named() {
    let program = |world: &World| {
        let locks = locks(world, &["a"]);
        let foreign = Foreign::new();
        let (inside, sender, shared) = (world.clone(), foreign.clone(), locks.clone());
        world.spawn("waits", async move {
            shared[0].section("before it waits", |_| ());
            inside.note(foreign.await);
            shared[0].section("after it waited", |_| ());
        });
        world.spawn("sends", async move {
            locks[0].section("before it sends", |_| ());
            sender.send(7);
            locks[0].section("after it sent", |_| ());
        });
    };
    let mut seen = BTreeSet::new();
    for summary in search(&program, &mut seen) {
        assert_eq!(blind(&summary), [("waits", Some("before it waits"))]);
    }
    assert_eq!(seen, BTreeSet::from([vec![7]]), "it is woken, and goes on");
}

#[test]
fn a_future_that_wakes_itself_works_and_is_named() {
    let program = |world: &World| {
        let inside = world.clone();
        world.spawn("yields", async move {
            let mut polls = 0;
            poll_fn(|context| {
                polls += 1;
                if polls == 3 {
                    return Poll::Ready(());
                }
                context.waker().wake_by_ref();
                Poll::Pending
            })
            .await;
            inside.note(polls);
        });
    };
    let mut seen = BTreeSet::new();
    for summary in search(&program, &mut seen) {
        assert_eq!(blind(&summary), [("yields", None)]);
    }
    assert_eq!(seen, BTreeSet::from([vec![3]]));
}

#[test]
fn a_program_that_announces_all_is_not_blind() {
    let program = |world: &World| {
        let lock = Arc::new(Mutex::new("lock", 0u64));
        world.keep(lock.clone());
        let latch = Latch::new("latch");
        let (setter, parked) = (latch.clone(), Latch::new("never set"));
        world.spawn("waits", async move { latch.wait(Site::here("wait")).await });
        world.spawn("parked", async move { parked.wait(Site::here("parked")).await });
        world.spawn("sets", async move {
            lock.section("before", |_| ());
            setter.set(Site::here("set"));
        });
    };
    for summary in search(&program, &mut BTreeSet::new()) {
        assert_eq!(blind(&summary), []);
    }
}

/// A gap, written down so that nobody takes it for a promise: beside an announced wait a foreign
/// one is not noticed, and its wake-up is not seen until something announced moves.
#[test]
fn a_foreign_wait_beside_an_announced_one_is_not_noticed() {
    let program = |world: &World| {
        let foreign = Foreign::new();
        let (sender, lock) = (foreign.clone(), Arc::new(Mutex::new("lock", 0u64)));
        world.keep(lock.clone());
        let (inside, never) = (world.clone(), Latch::new("never set"));
        world.spawn("waits", async move {
            match race(foreign, never.wait(Site::here("never"))).await {
                Either::First(value) => inside.note(value),
                Either::Second(()) => inside.note(0),
            }
        });
        world.spawn("sends", async move {
            lock.section("before it sends", |_| ());
            sender.send(7);
        });
    };
    let mut seen = BTreeSet::new();
    for summary in search(&program, &mut seen) {
        assert_eq!(blind(&summary), []);
    }
    assert_eq!(seen, BTreeSet::from([Vec::new()]), "it hangs here, and would not in earnest");
}
