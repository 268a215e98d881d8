//! Programs that are not deterministic are found out, and those that are repeat themselves.

use std::cell::Cell;
use std::sync::Arc;

use midturn::search::{Budget, Diverged, Flow, Strategy, Summary, bounded, explore, sample};
use midturn::world::{Execution, Options, Relation, Suspension, World};
use midturn_sync::Mutex;

use crate::generate::{mixed, nested};
use crate::toy::program;

thread_local! {
    static RUNS: Cell<u64> = const { Cell::new(0) };
}

/// Survives between runs, as a program's own state must not.
fn next_run() -> u64 {
    RUNS.set(RUNS.get() + 1);
    RUNS.get()
}

fn two_actors(world: &World, first: impl Fn(&Mutex<u64>) + 'static) {
    let lock = Arc::new(Mutex::new("lock", 0u64));
    world.keep(lock.clone());
    let shared = lock.clone();
    world.spawn("first", async move { first(&shared) });
    world.spawn("second", async move {
        lock.section("second", |value| *value += 1);
        lock.section("third", |value| *value += 1);
    });
}

/// From the second run on the first actor goes another way after its first section.
fn takes_another_way(world: &World) {
    let other = next_run() > 1;
    two_actors(world, move |lock| {
        lock.section("common", |value| *value += 1);
        if other {
            lock.section("other way", |value| *value += 1);
        } else {
            lock.section("one way", |value| *value += 1);
        }
    });
}

/// From the second run on the first actor has nothing more to do, and then nobody has.
fn ends_early(world: &World) {
    let other = next_run() > 1;
    let lock = Arc::new(Mutex::new("lock", 0u64));
    world.keep(lock.clone());
    let (one, two) = (lock.clone(), lock);
    world.spawn("first", async move {
        one.section("common", |value| *value += 1);
        if !other {
            one.section("more", |value| *value += 1);
        }
    });
    world.spawn("second", async move {
        if !other {
            two.section("second", |value| *value += 1);
        }
    });
}

/// From the second run on a choice has one value less.
fn chooses_from_less(world: &World) {
    let other = next_run() > 1;
    let inside = world.clone();
    two_actors(world, move |lock| {
        lock.section("common", |value| *value += 1);
        inside.choose(if other { 2 } else { 3 });
        lock.section("after the choice", |value| *value += 1);
    });
}

/// A lock is held by somebody else than in the run before.
fn holds_another_lock(world: &World) {
    let other = next_run().is_multiple_of(2);
    let locks: Arc<[Mutex<u64>; 2]> = Arc::new([Mutex::new("a", 0), Mutex::new("b", 0)]);
    world.keep(locks.clone());
    for name in ["first", "second"] {
        let locks = locks.clone();
        world.spawn(name, async move {
            let outer = if other { 0 } else { 1 };
            locks[outer].section("outer", |value| {
                *value += 1;
                locks[1 - outer].section("inner", |value| *value += 1);
            });
        });
    }
}

fn ignore(_: &Execution, _: &[midturn::search::Move]) -> Flow {
    Flow::Continue
}

const EVERYWHERE: Options = Options {
    suspension: Suspension::Everywhere,
    relation: Relation::Accesses,
    time: midturn::world::Time::Hostile,
    step_limit: 5_000,
    random_choices: None,
};

fn budget() -> Budget {
    Budget { runs: Some(1_000), time: None }
}

fn searched(program: &dyn Fn(&World)) -> [Summary; 4] {
    [Strategy::BruteForce, Strategy::SleepSets, Strategy::SourceDpor]
        .map(|strategy| {
            RUNS.set(0);
            explore(&EVERYWHERE, strategy, budget(), program, &mut ignore)
        })
        .into_iter()
        .chain([{
            RUNS.set(0);
            bounded(&EVERYWHERE, 3, budget(), program, &mut ignore)
        }])
        .collect::<Vec<_>>()
        .try_into()
        .expect("four searches")
}

fn diverged(summary: Summary) -> Diverged {
    assert!(!summary.complete, "a search of a program that is not deterministic is not complete");
    summary.diverged.expect("the program is not deterministic")
}

#[test]
fn another_way_is_found_out_with_its_first_step() {
    for summary in searched(&takes_another_way) {
        // Step 1 is `common`; before step 2 the first actor stands elsewhere.
        assert_eq!(diverged(summary).step, 2);
    }
}

#[test]
fn a_run_that_ends_before_its_known_prefix_is_found_out() {
    for summary in searched(&ends_early) {
        assert!(diverged(summary).step <= 2);
    }
}

#[test]
fn a_choice_with_other_values_is_found_out() {
    for summary in searched(&chooses_from_less) {
        assert!(diverged(summary).step <= 2);
    }
}

#[test]
fn sampling_finds_out_and_does_not_hang() {
    for program in [takes_another_way, ends_early, holds_another_lock] {
        for seed in 0..20 {
            RUNS.set(0);
            diverged(sample(&EVERYWHERE, seed, budget(), &program, &mut ignore));
        }
    }
}

fn fnv(digest: u64, value: u64) -> u64 {
    (digest ^ value).wrapping_mul(0x0000_0100_0000_01B3)
}

/// A digest of all that was performed and observed, in order.
fn digest(execution: &Execution) -> u64 {
    let mut digest = 0xCBF2_9CE4_8422_2325;
    for operation in &execution.performed {
        let place = u64::from(operation.site.location.line());
        for part in [
            u64::from(operation.step),
            execution.actor_paths[operation.actor],
            execution.objects[operation.access.object.0 as usize].path,
            operation.access.mode as u64,
            place,
            u64::from(operation.ordinal),
        ] {
            digest = fnv(digest, part);
        }
    }
    for observed in &execution.observed {
        for byte in format!("{observed:?}").bytes() {
            digest = fnv(digest, u64::from(byte));
        }
    }
    digest
}

#[test]
fn two_searches_of_one_program_make_the_same_runs() {
    let mut random = fastrand::Rng::with_seed(11);
    let mut runs = 0;
    for number in 0..200 {
        let toy = if number % 2 == 0 { nested(&mut random) } else { mixed(&mut random) };
        let all = |strategy| {
            let mut digests = Vec::new();
            let budget = Budget { runs: Some(200), time: None };
            let options = Options::default();
            explore(&options, strategy, budget, &program(&toy), &mut |run, moves| {
                digests.push((digest(run), moves.to_vec()));
                Flow::Continue
            });
            digests
        };
        for strategy in [Strategy::BruteForce, Strategy::SourceDpor] {
            let first = all(strategy);
            assert_eq!(first, all(strategy), "{strategy:?}\n{toy}");
            runs += first.len();
        }
        let sampled = |seed| {
            let mut digests = Vec::new();
            let budget = Budget { runs: Some(5), time: None };
            sample(&Options::default(), seed, budget, &program(&toy), &mut |run, moves| {
                digests.push((digest(run), moves.to_vec()));
                Flow::Continue
            });
            digests
        };
        assert_eq!(sampled(number), sampled(number), "sampling\n{toy}");
    }
    println!("{runs} runs, each made twice");
}
