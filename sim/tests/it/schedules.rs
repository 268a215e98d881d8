//! A schedule that is written down as deviations leads to the very same run.
//!
//! Promises: what a run took, replayed, performs and observes the same; a schedule that is
//! changed leads elsewhere or is said not to fit, and never panics; the bounded search covers
//! with its bound what the search finds.

use std::collections::BTreeSet;

use midturn::search::{
    Budget, Deviation, DeviationDecider, Flow, Move, Schedule, Strategy, bounded, class_of,
    explore, replay_schedule, sample,
};
use midturn::world::{Execution, Options, Relation, Suspension, Time, World, execute};

use crate::generate::{mixed, nested};
use crate::toy::{Toy, program};

/// All that was performed and observed, in order.
fn story(run: &Execution) -> (Vec<String>, Vec<String>) {
    let operations = run.performed.iter().map(|operation| format!("{operation:?}"));
    (operations.collect(), run.observed.iter().map(|observed| format!("{observed:?}")).collect())
}

fn all_options(random: &mut fastrand::Rng) -> Options {
    Options {
        suspension: if random.bool() { Suspension::Everywhere } else { Suspension::WhereItMatters },
        relation: if random.bool() { Relation::Accesses } else { Relation::RealTime },
        time: if random.u8(..4) == 0 { Time::Patient } else { Time::Hostile },
        ..Options::default()
    }
}

/// Some random runs of a program, with the decisions that led to each.
fn walks(toy: &Toy, options: &Options, seed: u64, runs: u64) -> Vec<(Execution, Vec<Move>)> {
    let decisions = |moves: &[Move]| moves.to_vec();
    let mut all = Vec::new();
    let budget = Budget { runs: Some(runs), time: None };
    let summary = sample(options, seed, budget, &program(toy), &mut |execution, moves| {
        all.push((story(execution), decisions(moves)));
        Flow::Continue
    });
    assert_eq!(summary.diverged, None, "{toy}");
    let again = |(story_of_walk, moves): ((Vec<String>, Vec<String>), Vec<Move>)| {
        let mut decider = DeviationDecider::of_decisions(&moves);
        let execution = execute(options, &program(toy), &mut decider);
        assert_eq!(decider.diverged, None, "{toy}");
        assert_eq!(story(&execution), story_of_walk, "decisions repeat a run\n{toy}");
        (execution, moves)
    };
    all.into_iter().map(again).collect()
}

fn taken(toy: &Toy, options: &Options, moves: &[Move]) -> Schedule {
    let mut decider = DeviationDecider::of_decisions(moves);
    execute(options, &program(toy), &mut decider);
    decider.taken
}

#[test]
fn a_schedule_leads_to_the_same_run() {
    let mut random = fastrand::Rng::with_seed(31);
    let (mut runs, mut deviations, mut values) = (0, 0, 0);
    for number in 0..450 {
        let toy = if number % 3 == 0 { nested(&mut random) } else { mixed(&mut random) };
        let options = all_options(&mut random);
        for (execution, moves) in walks(&toy, &options, number, 8) {
            let schedule = taken(&toy, &options, &moves);
            let (again, unmet) = replay_schedule(&options, &program(&toy), &schedule);
            assert_eq!(unmet, None, "{schedule:?}\n{toy}");
            assert_eq!(story(&again), story(&execution), "{schedule:?}\n{toy}");
            let of_again = DeviationDecider::of_schedule(&schedule);
            let mut decider = of_again;
            execute(&options, &program(&toy), &mut decider);
            assert_eq!(decider.taken, schedule, "a schedule is its own shortest form\n{toy}");
            runs += 1;
            deviations += schedule.deviations.len();
            let chooses = |deviation: &&Deviation| matches!(deviation, Deviation::Choose { .. });
            values += schedule.deviations.iter().filter(chooses).count();
        }
    }
    println!("{runs} runs with {deviations} deviations, {values} of them values");
    assert!(values > 100);
}

/// Changes one deviation in a random way.
fn damage(random: &mut fastrand::Rng, schedule: &Schedule) -> Schedule {
    let mut damaged = schedule.clone();
    let place = random.usize(..damaged.deviations.len());
    match random.u8(..5) {
        0 => drop(damaged.deviations.remove(place)),
        1 => damaged.deviations.truncate(place),
        2 => {
            let twice = damaged.deviations[place].clone();
            damaged.deviations.insert(random.usize(..=place), twice);
        }
        kind => match &mut damaged.deviations[place] {
            Deviation::Switch { at, .. } | Deviation::Choose { at, .. } if kind == 3 => {
                at.occurrence += random.u32(1..3);
            }
            Deviation::Switch { to, .. } => {
                *to = format!("{}{}", ["actor-", "child-", "timer~"][random.usize(..3)], 2);
            }
            Deviation::Choose { values, .. } => values.push(9),
        },
    }
    damaged
}

#[test]
fn a_damaged_schedule_is_noticed_or_leads_elsewhere() {
    let mut random = fastrand::Rng::with_seed(32);
    let (mut noticed, mut elsewhere, mut same) = (0, 0, 0);
    for number in 0..300 {
        let toy = mixed(&mut random);
        let options = all_options(&mut random);
        for (execution, moves) in walks(&toy, &options, number, 6) {
            let schedule = taken(&toy, &options, &moves);
            if schedule.deviations.is_empty() {
                continue;
            }
            let damaged = damage(&mut random, &schedule);
            let (run, unmet) = replay_schedule(&options, &program(&toy), &damaged);
            if unmet.is_some() {
                noticed += 1;
            } else if story(&run) != story(&execution) {
                elsewhere += 1;
            } else {
                same += 1;
                // Only a value whose effect nobody saw, or what was there before, changes nothing.
                let values = |schedule: &Schedule| {
                    let chooses = |d: &&Deviation| matches!(d, Deviation::Choose { .. });
                    schedule.deviations.iter().filter(chooses).cloned().collect::<Vec<_>>()
                };
                let differs = values(&damaged) != values(&schedule);
                assert!(differs || damaged == schedule, "{damaged:?}\n{schedule:?}\n{toy}");
            }
        }
    }
    println!("{noticed} noticed, {elsewhere} led elsewhere, {same} changed nothing");
    assert!(noticed > 100 && elsewhere > 100);
}

/// Deviations of another program altogether.
#[test]
fn a_foreign_schedule_never_panics() {
    let mut random = fastrand::Rng::with_seed(33);
    let mut noticed = 0;
    for number in 0..300 {
        let (one, other) = (mixed(&mut random), mixed(&mut random));
        let options = all_options(&mut random);
        for (_, moves) in walks(&one, &options, number, 3) {
            let schedule = taken(&one, &options, &moves);
            let (_, unmet) = replay_schedule(&options, &program(&other), &schedule);
            noticed += usize::from(unmet.is_some());
            let mut decider = DeviationDecider::of_decisions(&moves);
            execute(&options, &program(&other), &mut decider);
        }
    }
    assert!(noticed > 100, "{noticed}");
}

#[test]
fn the_bounded_search_reaches_every_class() {
    let mut random = fastrand::Rng::with_seed(34);
    let (mut programs, mut deepest, mut all_classes) = (0, 0, 0);
    while programs < 300 {
        let toy = if programs % 3 == 0 { nested(&mut random) } else { mixed(&mut random) };
        let options = Options { time: Time::Hostile, ..all_options(&mut random) };
        let of = |bound: Option<u32>| {
            let mut classes = BTreeSet::new();
            let mut visit = |execution: &Execution, _: &[Move]| {
                classes.insert(class_of(execution));
                Flow::Continue
            };
            let budget = Budget { runs: Some(2_000), time: None };
            let program: &dyn Fn(&World) = &program(&toy);
            let summary = match bound {
                Some(bound) => bounded(&options, bound, budget, program, &mut visit),
                None => explore(&options, Strategy::SleepSets, budget, program, &mut visit),
            };
            summary.complete.then_some((summary.executions, classes))
        };
        let Some((_, classes)) = of(None).filter(|(_, classes)| classes.len() < 40) else {
            continue;
        };
        let (runs, mut reached) = of(Some(0)).expect("one run");
        assert_eq!((runs, reached.len()), (1, 1), "bound 0 is one run\n{toy}");
        let mut bound = 0;
        let mut given_up = false;
        while reached != classes && !given_up {
            bound += 1;
            assert!(bound < 40, "some class is out of reach\n{toy}");
            match of(Some(bound)) {
                Some((_, more)) => {
                    assert!(more.is_superset(&reached), "more deviations, fewer classes\n{toy}");
                    assert!(more.is_subset(&classes), "an invented class\n{toy}");
                    reached = more;
                }
                None => given_up = true,
            }
        }
        if !given_up {
            programs += 1;
            all_classes += classes.len();
            deepest = deepest.max(bound);
        }
    }
    println!("{programs} programs, {all_classes} classes, bounds up to {deepest}");
    assert!(deepest >= 3);
}
