//! The search against brute force and plain sleep sets, on thousands of random programs.

use midturn::search::Strategy;
use midturn::world::{Options, Relation, Suspension};

use crate::toy::{Found, Op, Outcome, Toy, find};

/// Brute force on a larger program is left to the next one that is drawn.
const BRUTE_FORCE_RUNS: u64 = 1_500;

fn options(suspension: Suspension, relation: Relation) -> Options {
    Options { suspension, relation, ..Options::default() }
}

/// Nested sections in any order, as the programs on which textbook DPOR loses classes.
fn nested(random: &mut fastrand::Rng) -> Toy {
    let locks = random.usize(2..4);
    let actors = (0..random.usize(2..4))
        .map(|_| {
            (0..random.usize(1..3))
                .map(|_| {
                    let lock = random.usize(..locks);
                    let mut inside = Vec::new();
                    if random.bool() {
                        for _ in 0..random.usize(1..3) {
                            let inner = random.usize(..locks);
                            if inner != lock {
                                inside.push(Op::Section(inner, Vec::new()));
                            }
                        }
                    }
                    Op::Section(lock, inside)
                })
                .collect()
        })
        .collect();
    Toy { locks, actors }
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

/// Programs over everything that `midturn-sync` and the world offer.
fn mixed(random: &mut fastrand::Rng) -> Toy {
    let actors = (0..random.usize(2..4)).map(|_| mixed_ops(random, 0)).collect();
    Toy { locks: 2, actors }
}

fn mixed_ops(random: &mut fastrand::Rng, depth: usize) -> Vec<Op> {
    (0..random.usize(1..4 - depth.min(1))).map(|_| mixed_op(random, depth)).collect()
}

fn mixed_op(random: &mut fastrand::Rng, depth: usize) -> Op {
    let lock = random.usize(..2);
    let pick = random.usize(..if depth == 0 { 17 } else { 12 });
    match pick {
        0 => Op::Section(lock, Vec::new()),
        1 => Op::Section(0, vec![Op::Section(1, Vec::new())]),
        2 => Op::Section(0, vec![Op::Section(1, Vec::new()), Op::Peek(1), Op::Send]),
        3 | 4 => Op::Peek(lock),
        5 => Op::Send,
        6 => Op::Changed,
        7 => Op::Notify,
        8 => Op::NotifiedOrTimer,
        9 => Op::Reply,
        10 => Op::Receive,
        11 => Op::Choose(2),
        12 => Op::Sleep,
        13 => Op::Spawn(mixed_ops(random, depth + 1)),
        14 => Op::Join,
        15 => {
            if random.bool() {
                Op::Abort
            } else {
                Op::Droppable(mixed_ops(random, depth + 1))
            }
        }
        _ => Op::Call(mixed_ops(random, depth + 1)),
    }
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
