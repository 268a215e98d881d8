//! Nothing outlives its run, however that run ended.
//!
//! Promises: guards with sections in `Drop` neither hang nor abort nor act after the end, every
//! value that a program owned is dropped when its run is over, and memory does not grow over a
//! hundred thousand runs.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::task::Poll;
use std::time::Duration;

use midturn::search::{Budget, Flow, Strategy, explore, sample};
use midturn::world::{End, Failure, Options, World};
use midturn_sync::task::{abortable, joinable};
use midturn_sync::{Latch, Site, oneshot, race};

use crate::runs::{Locks, all_runs, locks, notes};

/// Counts the values that are alive.
#[derive(Clone, Default)]
struct Census(Arc<AtomicI64>);

struct Inhabitant(Arc<AtomicI64>);

impl Census {
    fn born(&self) -> Inhabitant {
        self.0.fetch_add(1, Ordering::Relaxed);
        Inhabitant(self.0.clone())
    }

    fn alive(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Inhabitant {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Enters a lock when dropped.
struct Guard {
    world: World,
    locks: Locks,
    _alive: Inhabitant,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let done = self.locks[0].section_on_drop("guard", |value| *value += 100);
        self.world.note(if done.is_some() { 1 } else { 2 });
    }
}

/// What the guarded actor does after it has its guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Ends,
    Aborted,
    Dropped,
    Panics,
    Parked,
    Deadlocks,
}

const FATES: [Fate; 6] =
    [Fate::Ends, Fate::Aborted, Fate::Dropped, Fate::Panics, Fate::Parked, Fate::Deadlocks];

/// An actor with a guard, an unsent reply, an awaited reply, a joined and an aborted task.
async fn guarded(world: World, locks: Locks, census: Census, fate: Fate) {
    let _guard = Guard { world: world.clone(), locks: locks.clone(), _alive: census.born() };
    let (reply, _unread) = oneshot::<Inhabitant>("unread");
    let (_unsent, receiver) = oneshot::<Inhabitant>("unsent");
    let _ = reply.send("reply", census.born());
    let alive = census.born();
    let (task, _abort_on_drop) = abortable("child", async move {
        let _alive = alive;
        let _ = receiver.receive("never sent").await;
    });
    let (task, _join) = joinable("joined", async move {
        task.await;
    });
    world.spawn("child", task);
    match fate {
        Fate::Ends => {}
        Fate::Panics => locks[0].section("panics", |_| panic!("as planned")),
        Fate::Deadlocks => locks[0].section("outer", |_| {
            locks[1].section("inner", |_| ());
            locks[1].section("inner again", |_| ());
        }),
        Fate::Aborted | Fate::Dropped | Fate::Parked => {
            Latch::new("never set").wait(Site::here("parked")).await;
        }
    }
}

fn program(fate: Fate, census: Census) -> impl Fn(&World) {
    move |world: &World| {
        let locks = locks(world, &["a", "b"]);
        world.keep(census.born());
        let body = guarded(world.clone(), locks.clone(), census.clone(), fate);
        match fate {
            Fate::Aborted => {
                let (body, abort) = abortable("abort", body);
                world.spawn("guarded", async move {
                    body.await;
                });
                world.spawn("aborts", async move { abort.abort("abort") });
            }
            Fate::Dropped => {
                let dropped = Latch::new("dropped");
                world.spawn_setter("dropper", dropped.clone(), Site::here("drop"));
                world.spawn("guarded", async move {
                    race(dropped.wait(Site::here("dropped")), body).await;
                });
            }
            Fate::Ends | Fate::Panics | Fate::Parked | Fate::Deadlocks => {
                world.spawn("guarded", body);
            }
        }
        let (alive, fate) = (census.born(), fate);
        world.spawn("other", async move {
            let _alive = alive;
            locks[1].section("other", |_| {
                if fate == Fate::Deadlocks {
                    locks[0].section("other inside", |_| ());
                }
            });
        });
    }
}

#[test]
fn guards_act_on_a_normal_end_and_never_in_a_run_that_is_over() {
    for fate in FATES {
        let census = Census::default();
        let (mut acted, mut skipped, mut silent, mut ends) = (0, 0, 0, [0; 3]);
        let summaries = all_runs(&program(fate, census.clone()), &mut |run| {
            assert_eq!(census.alive(), 0, "{fate:?}: something outlived its run");
            acted += usize::from(notes(run).contains(&1));
            skipped += usize::from(notes(run).contains(&2));
            silent += usize::from(notes(run).is_empty());
            let end = [End::Quiescent, End::Abandoned, End::Failed];
            ends[end.iter().position(|end| *end == run.end).unwrap()] += 1;
            assert_eq!(matches!(run.failure, Some(Failure::Panicked { .. })), fate == Fate::Panics);
        });
        println!("{fate:?}: {acted} acted, {skipped} skipped, {silent} silent, ends {ends:?}");
        let abandoned: u64 = summaries.iter().map(|summary| summary.abandoned).sum();
        println!("    {abandoned} abandoned");
        match fate {
            Fate::Ends | Fate::Dropped => assert_eq!((skipped, silent), (0, 0)),
            // Aborted before it began, it has no guard.
            Fate::Aborted => assert!(acted > 0 && silent > 0 && skipped == 0),
            Fate::Panics => assert_eq!(acted, 0),
            Fate::Parked => assert_eq!((acted, skipped), (0, 0)),
            Fate::Deadlocks => assert!(acted > 0 && silent > 0 && skipped == 0),
        }
        assert_eq!(census.alive(), 0, "{fate:?}");
    }
}

/// Sleep sets abandon runs; an abandoned run is carried to its end, and cleaned up like others.
#[test]
fn abandoned_runs_leave_nothing() {
    let census = Census::default();
    let mut abandoned = 0;
    for fate in FATES {
        let program = program(fate, census.clone());
        let options = Options::default();
        let summary =
            explore(&options, Strategy::SleepSets, Budget::default(), &program, &mut |_, _| {
                assert_eq!(census.alive(), 0);
                Flow::Continue
            });
        abandoned += summary.abandoned;
        assert_eq!(census.alive(), 0);
    }
    assert!(abandoned > 10, "{abandoned}");
}

/// An actor that never started, since the run failed first, still drops what it owns.
#[test]
fn actors_that_never_ran_are_dropped() {
    let census = Census::default();
    let inner = census.clone();
    let program = move |world: &World| {
        let locks = locks(world, &["a"]);
        world.spawn("panics at once", async { panic!("before its first operation") });
        for _ in 0..3 {
            let guard = Guard { world: world.clone(), locks: locks.clone(), _alive: inner.born() };
            world.spawn("never", async move {
                let _guard = guard;
                poll_fn::<(), _>(|_| Poll::Pending).await;
            });
        }
    };
    all_runs(&program, &mut |run| {
        assert!(matches!(run.failure, Some(Failure::Panicked { .. })));
        assert_eq!(census.alive(), 0);
    });
}

#[cfg(target_os = "linux")]
fn resident_bytes() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("Linux has it");
    let pages: u64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("pages");
    pages * 4096
}

#[cfg(not(target_os = "linux"))]
fn resident_bytes() -> u64 {
    0
}

/// Arbitrary: far below one stack a run, and above what an allocator keeps.
const GROWTH: u64 = 8 << 20;

/// Set in the process that measures, in which no other test runs.
const ALONE: &str = "MIDTURN_TEST_ALONE";

/// Resident bytes after 20,000 and after 100,000 runs of all kinds.
fn grow(leak: usize) -> u64 {
    let census = Census::default();
    let mut early = 0;
    for round in 0..100 {
        for (position, fate) in FATES.into_iter().enumerate() {
            let inner = program(fate, census.clone());
            let program = |world: &World| {
                inner(world);
                std::mem::forget(vec![1u8; leak]);
                let timer = world.sleep(Duration::from_secs(1), Site::here("timer"));
                world.spawn("sleeper", timer);
            };
            let budget = Budget { runs: Some(167), time: None };
            let seed = round * 10 + position as u64;
            sample(&Options::default(), seed, budget, &program, &mut |_, _| {
                assert_eq!(census.alive(), 0, "{fate:?}");
                Flow::Continue
            });
        }
        if round == 20 {
            early = resident_bytes();
        }
    }
    resident_bytes().saturating_sub(early)
}

#[test]
fn memory_is_flat_over_a_hundred_thousand_runs() {
    if std::env::var_os(ALONE).is_none() {
        let this = std::env::current_exe().expect("a test has a file");
        let name = "leaks::memory_is_flat_over_a_hundred_thousand_runs";
        let child = std::process::Command::new(this)
            .args(["--exact", name, "--nocapture", "--test-threads=1"])
            .env(ALONE, "1")
            .output()
            .expect("the test can run itself");
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success(), "{said}{}", String::from_utf8_lossy(&child.stderr));
        assert!(said.contains("KiB more"), "the child measured: {said}");
        println!("{said}");
        return;
    }
    let growth = grow(0);
    println!("{} KiB more after 100,000 runs than after 20,000", growth >> 10);
    assert!(growth < GROWTH, "{growth} bytes");
    // The meter moves: 200 bytes a run would be noticed.
    let leaked = grow(200);
    println!("{} KiB more when each run leaks 200 bytes", leaked >> 10);
    assert!(!cfg!(target_os = "linux") || leaked > GROWTH, "{leaked} bytes");
}
