//! What is judged on one run of a class holds for all of them: other schedules of the class,
//! drawn at random, end in the same outcome, and in the same class.

use std::collections::BTreeSet;

use midturn::search::{Budget, Flow, Strategy, class_of, explore, random_linear_extension, record};
use midturn::world::{Observation, Options, Relation, Suspension, Time};

use crate::found::outcome;
use crate::generate::{mixed, near_corpus, nested};
use crate::toy::{Toy, program};

/// Linear extensions of each class.
const EXTENSIONS: usize = 50;

/// A program with more classes than this is left to the next one that is drawn.
const CLASSES: u64 = 60;

#[derive(Debug, Default)]
struct Tally {
    programs: u64,
    classes: u64,
    extensions: u64,
    /// Classes whose extensions differ in the order in which independent actors noted.
    reordered: u64,
}

fn extend(toy: &Toy, options: &Options, random: &mut fastrand::Rng, tally: &mut Tally) {
    let program = program(toy);
    let budget = Budget { runs: Some(CLASSES), time: None };
    let mut classes = Vec::new();
    let summary =
        explore(options, Strategy::SourceDpor, budget, &program, &mut |execution, moves| {
            classes.push((class_of(execution), outcome(execution), moves.to_vec()));
            Flow::Continue
        });
    if !summary.complete {
        return;
    }
    tally.programs += 1;
    for (class, outcome_of_class, moves) in classes {
        let recorded = record(options, &program, &moves);
        assert_eq!(class_of(&recorded.0), class, "a repetition is in the same class\n{toy}");
        let mut orders = BTreeSet::new();
        for _ in 0..EXTENSIONS {
            let run = random_linear_extension(options, &program, &recorded, random);
            let run = run.unwrap_or_else(|| panic!("happens-before has a hole:\n{toy}"));
            assert_eq!(class_of(&run), class, "{options:?}\n{toy}");
            assert_eq!(outcome(&run), outcome_of_class, "{options:?}\n{toy}");
            let raw = run.observed.iter().map(|observed| match observed.what {
                Observation::Note(value) => (run.actor_paths[observed.actor], value),
                Observation::Event { .. } => unreachable!("toys only note"),
            });
            orders.insert(raw.collect::<Vec<_>>());
            tally.extensions += 1;
        }
        tally.classes += 1;
        tally.reordered += u64::from(orders.len() > 1);
    }
}

fn tally(draw: fn(&mut fastrand::Rng) -> Toy, programs: u64) -> Tally {
    let mut random = fastrand::Rng::with_seed(21);
    let mut tally = Tally::default();
    while tally.programs < programs {
        let toy = draw(&mut random);
        for suspension in [Suspension::Everywhere, Suspension::WhereItMatters] {
            for relation in [Relation::Accesses, Relation::RealTime] {
                for time in [Time::Hostile, Time::Patient] {
                    let options = Options { suspension, relation, time, ..Options::default() };
                    extend(&toy, &options, &mut random, &mut tally);
                }
            }
        }
    }
    tally
}

/// The raw order of notes is what no property may look at: were it the same in all extensions,
/// nothing would have been tested.
fn check(draw: fn(&mut fastrand::Rng) -> Toy, programs: u64) {
    let tally = tally(draw, programs);
    println!("{tally:?}");
    assert!(
        tally.reordered * 4 > tally.classes,
        "a property of the raw order must be told apart in many classes: {tally:?}"
    );
}

#[test]
fn nested_programs() {
    check(nested, 300);
}

#[test]
fn programs_near_the_corpus() {
    check(near_corpus, 80);
}

#[test]
fn mixed_programs() {
    check(mixed, 800);
}
