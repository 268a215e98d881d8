//! The search against brute force and plain sleep sets, on thousands of random programs.

use midturn::search::Strategy;
use midturn::world::{Options, Relation, Suspension};

use crate::found::{Found, Outcome, find};
use crate::generate::{mixed, near_corpus, nested};
use crate::toy::{Op, Toy};

/// Brute force on a larger program is left to the next one that is drawn.
const BRUTE_FORCE_RUNS: u64 = 1_500;

fn options(suspension: Suspension, relation: Relation) -> Options {
    Options { suspension, relation, ..Options::default() }
}

fn compare(toy: &Toy, options: &Options) -> Option<Found> {
    let brute = find(toy, options, Strategy::BruteForce, BRUTE_FORCE_RUNS)?;
    let sleep = find(toy, options, Strategy::SleepSets, u64::MAX)?;
    let search = find(toy, options, Strategy::SourceDpor, u64::MAX)?;
    assert_eq!(
        brute.classes.len(),
        sleep.classes.len(),
        "classes, sleep sets, {options:?}:\n{toy}"
    );
    assert_eq!(brute.classes, sleep.classes, "classes, sleep sets, {options:?}:\n{toy}");
    assert_eq!(brute.classes.len(), search.classes.len(), "classes, search, {options:?}:\n{toy}");
    assert_eq!(brute.classes, search.classes, "classes, search, {options:?}:\n{toy}");
    assert_eq!(brute.outcomes, sleep.outcomes, "outcomes, sleep sets, {options:?}:\n{toy}");
    assert_eq!(brute.outcomes, search.outcomes, "outcomes, search, {options:?}:\n{toy}");
    assert_eq!(
        search.summary.executions,
        search.classes.len() as u64,
        "a class was run twice, {options:?}:\n{toy}"
    );
    Some(search)
}

fn free(found: &Found) -> Vec<Outcome> {
    found.outcomes.iter().filter(|outcome| outcome.stuck.is_empty()).cloned().collect()
}

/// Where suspension is left out between nested sections, a cycle in the lock order means that
/// the search has to be repeated with suspension everywhere; without one it must be exact.
#[test]
fn nested_sections_agree_with_brute_force() {
    let mut random = fastrand::Rng::with_seed(2);
    let (mut programs, mut deadlocks, mut acyclic, mut abandoned, mut classes) = (0, 0, 0, 0, 0);
    while programs < 5_000 {
        let toy = nested(&mut random);
        let everywhere = options(Suspension::Everywhere, Relation::Accesses);
        let Some(exact) = compare(&toy, &everywhere) else { continue };
        programs += 1;
        classes += exact.summary.executions;
        abandoned += exact.summary.abandoned;
        let matters = options(Suspension::WhereItMatters, Relation::Accesses);
        let fewer = find(&toy, &matters, Strategy::SourceDpor, u64::MAX).expect("no budget");
        assert_eq!(free(&exact), free(&fewer), "suspension changes outcomes:\n{toy}");
        let has_deadlock = free(&exact).len() < exact.outcomes.len();
        deadlocks += usize::from(has_deadlock);
        if fewer.summary.lock_order.cycle().is_none() {
            acyclic += 1;
            assert!(!has_deadlock, "no cycle was announced:\n{toy}");
            assert!(compare(&toy, &matters).is_some(), "fewer steps need fewer runs:\n{toy}");
        }
    }
    println!(
        "{programs} programs, {classes} classes, {abandoned} abandoned runs; \
         {deadlocks} programs with a deadlock, {acyclic} with locks in one order"
    );
    assert!(deadlocks > 500, "the generator draws too few lock-order inversions: {deadlocks}");
    assert!(acyclic > 1_000, "the generator draws too few ordered programs: {acyclic}");
}

/// Where random programs are too small to lose anything, see `mends`.
///
/// With a cycle in the lock order nothing is promised unless actors are suspended everywhere:
/// one of these programs in some thousands then loses even an outcome without a deadlock.
#[test]
fn programs_near_the_corpus_agree_with_sleep_sets() {
    let mut random = fastrand::Rng::with_seed(4);
    let (mut programs, mut classes, mut exact) = (0, 0, 0);
    let (mut lossy, mut lossy_free) = (0, 0);
    while programs < 3_000 {
        let toy = near_corpus(&mut random);
        let all = [Suspension::Everywhere, Suspension::WhereItMatters].map(|suspension| {
            let options = options(suspension, Relation::Accesses);
            let search = find(&toy, &options, Strategy::SourceDpor, 300)?;
            let sleep = find(&toy, &options, Strategy::SleepSets, 3_000)?;
            Some((suspension, search, sleep))
        });
        let [Some(everywhere), Some(matters)] = all else { continue };
        programs += 1;
        for (suspension, search, sleep) in [everywhere, matters] {
            assert_eq!(search.summary.executions, search.classes.len() as u64, "{toy}");
            let has_cycle = search.summary.lock_order.cycle().is_some();
            if suspension == Suspension::Everywhere || !has_cycle {
                assert_eq!(search.classes, sleep.classes, "{suspension:?}\n{toy}");
                exact += 1;
            }
            classes += search.classes.len();
            lossy += usize::from(search.classes != sleep.classes);
            lossy_free += usize::from(free(&search) != free(&sleep));
        }
    }
    println!(
        "{programs} programs twice, {exact} to be exact, {classes} classes; \
         with a cycle {lossy} lose classes, {lossy_free} of them free ones"
    );
}

#[test]
fn everything_else_agrees_with_brute_force() {
    let mut random = fastrand::Rng::with_seed(3);
    let (mut programs, mut classes, mut abandoned, mut seen) = (0, 0, 0, [0; 17]);
    while programs < 500 {
        let toy = mixed(&mut random);
        let both = [Relation::Accesses, Relation::RealTime].map(|relation| {
            let everywhere = compare(&toy, &options(Suspension::Everywhere, relation))?;
            let matters = compare(&toy, &options(Suspension::WhereItMatters, relation))?;
            assert_eq!(everywhere.outcomes, matters.outcomes, "suspension, {relation:?}:\n{toy}");
            Some(matters)
        });
        let [Some(accesses), Some(real_time)] = both else { continue };
        programs += 1;
        classes += accesses.summary.executions + real_time.summary.executions;
        abandoned += accesses.summary.abandoned + real_time.summary.abandoned;
        for op in toy.actors.iter().flatten() {
            seen[kind(op)] += 1;
        }
    }
    println!("{programs} programs, {classes} classes, {abandoned} abandoned runs, kinds {seen:?}");
    assert!(seen.iter().all(|count| *count > 0), "a kind of operation was never drawn: {seen:?}");
}

fn kind(op: &Op) -> usize {
    match op {
        Op::Section(_, inside) => inside.len().min(2),
        Op::Peek(_) => 3,
        Op::Send => 4,
        Op::Changed => 5,
        Op::Notify => 6,
        Op::NotifiedOrTimer => 7,
        Op::Reply => 8,
        Op::Receive => 9,
        Op::Choose(_) => 10,
        Op::Sleep => 11,
        Op::Spawn(_) => 12,
        Op::Join => 13,
        Op::Abort => 14,
        Op::Droppable(_) => 15,
        Op::Call(_) => 16,
    }
}
