//! Properties and landings are judged on classes: whichever schedule of a class the search
//! happens to run, the verdict is the same. Without this one run a class proves nothing.
//!
//! Conditions of `sometimes` may compare independent events, so they may differ within a class:
//! one that was reached can be reached, one that was not may be reached by another schedule.
//! Which ones do is printed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use midturn::check::{Judge, RunVerdict, Subject, options};
use midturn::design::CodexDesign;
use midturn::search::{
    Budget, Flow, Move, Strategy, bounded, class_of, explore, random_linear_extension, record,
    sample,
};
use midturn::world::{Execution, Suspension, World};
use midturn_properties::scenario::Scenario;
use midturn_protocol::{InputId, Landing};

use crate::subjects::{all, budget, expected, scenario, under};
use midturn::generated::{NAME, case, text};

/// Classes of one subject, spread over its search.
const CLASSES: usize = 40;

/// Other schedules of each.
const EXTENSIONS: usize = 50;

/// What must not depend on the schedule.
#[derive(Debug, PartialEq, Eq)]
struct Judged {
    class: u128,
    violated: BTreeSet<&'static str>,
    landings: BTreeMap<InputId, Landing>,
}

fn judged(execution: &Execution, verdict: &RunVerdict) -> Judged {
    let landings = verdict.history.iter().flat_map(|history| history.landings.clone()).collect();
    let violated = verdict.violations.iter().map(|violation| violation.property);
    Judged { class: class_of(execution), violated: violated.collect(), landings }
}

/// The conditions that a run reaches.
fn reached(scenario: &Scenario, verdict: &RunVerdict) -> BTreeSet<String> {
    let Some(history) = &verdict.history else { return BTreeSet::new() };
    let events = history.records.iter().map(|record| (record.session, &record.event));
    let events = events.collect::<Vec<_>>();
    let reach = scenario.reach.iter();
    let holds = reach.filter(|condition| condition.value.holds(&events, &history.landings));
    holds.map(|condition| condition.text.clone()).collect()
}

/// The decisions of runs that are spread evenly over the search.
fn spread(subject: &Subject, judge: &Judge<'_, CodexDesign>) -> Vec<Vec<Move>> {
    let options = options(subject, Suspension::WhereItMatters);
    let program = |world: &World| judge.set_up(world);
    let (mut kept, mut stride, mut seen) = (Vec::new(), 1, 0);
    let mut visit = |execution: &Execution, moves: &[Move]| {
        let _ = judge.judge(execution);
        if seen % stride == 0 {
            kept.push(moves.to_vec());
        }
        seen += 1;
        if kept.len() == 2 * CLASSES {
            let mut nth = 0;
            kept.retain(|_| {
                nth += 1;
                nth % 2 == 1
            });
            stride *= 2;
        }
        Flow::Continue
    };
    let budget = Budget::default();
    match subject.terms.bound {
        Some(bound) => bounded(&options, bound.deviations, budget, &program, &mut visit),
        None => explore(&options, Strategy::SourceDpor, budget, &program, &mut visit),
    };
    let step = kept.len().div_ceil(CLASSES);
    kept.into_iter().step_by(step.max(1)).collect()
}

/// What happened, a line an event.
fn log(scenario: &Scenario, verdict: &RunVerdict) -> String {
    let mut text = String::new();
    for record in verdict.history.iter().flat_map(|history| &history.records) {
        let event = scenario.names.event(&record.event);
        let _ = writeln!(text, "  {:>3} {}: {event}", record.step, record.actor);
    }
    text
}

/// The decisions of a few random runs.
fn drawn(subject: &Subject, judge: &Judge<'_, CodexDesign>, seed: u64) -> Vec<Vec<Move>> {
    let options = options(subject, Suspension::WhereItMatters);
    let budget = Budget { runs: Some(3), time: None };
    let mut drawn = Vec::new();
    let program = |world: &World| judge.set_up(world);
    sample(&options, seed, budget, &program, &mut |execution, moves| {
        let _ = judge.judge(execution);
        drawn.push(moves.to_vec());
        Flow::Continue
    });
    drawn
}

/// What comparing schedules showed.
#[derive(Default)]
struct Compared {
    schedules: usize,
    /// Conditions that differ within a class.
    varying: BTreeSet<String>,
}

/// Compares `extensions` schedules with each of those that `choose` chooses.
fn compare(
    subject: &Subject,
    choose: impl Fn(&Judge<'_, CodexDesign>) -> Vec<Vec<Move>>,
    extensions: usize,
    random: &mut fastrand::Rng,
    compared: &mut Compared,
) {
    let design = CodexDesign;
    let judge = Judge::new(&design, subject);
    let options = options(subject, Suspension::WhereItMatters);
    let program = |world: &World| judge.set_up(world);
    let name = format!("{} under {}", subject.scenario.name, subject.policy);
    let scenario = &*subject.scenario;
    for moves in choose(&judge) {
        let recorded = record(&options, &program, &moves);
        let verdict = judge.judge(&recorded.0).expect("the scenario is not at fault");
        let known = judged(&recorded.0, &verdict);
        for _ in 0..extensions {
            let Some(other) = random_linear_extension(&options, &program, &recorded, random) else {
                panic!("{name}: an order of the same class cannot be carried out");
            };
            let second = judge.judge(&other).expect("the scenario is not at fault");
            let found = judged(&other, &second);
            assert!(
                known == found,
                "{name}: two schedules of one class differ: {known:?} and {found:?}\none:\n{}\n\
                 two:\n{}",
                log(scenario, &verdict),
                log(scenario, &second)
            );
            compared.schedules += 1;
            let reached = reached(scenario, &verdict);
            for varies in reached.symmetric_difference(&self::reached(scenario, &second)) {
                compared.varying.insert(format!("{}: {varies}", scenario.name));
            }
        }
    }
}

#[test]
fn all_schedules_of_a_class_of_a_generated_program_are_judged_alike() {
    compare_generated(0..budget() / 20);
}

fn compare_generated(seeds: std::ops::Range<u64>) {
    let mut random = fastrand::Rng::with_seed(5);
    let mut compared = Compared::default();
    for seed in seeds {
        let scenario = scenario(NAME, &text(&case(seed).expect("a case").0));
        for policy in ["hardened", "codex_0_149"] {
            let subject = under(&scenario, policy);
            let draw = |judge: &Judge<'_, CodexDesign>| drawn(&subject, judge, seed);
            compare(&subject, draw, 20, &mut random, &mut compared);
        }
    }
    println!("generated: {} schedules compared", compared.schedules);
    assert!(compared.schedules > 10_000, "{} schedules", compared.schedules);
}

#[test]
fn all_schedules_of_a_class_are_judged_alike() {
    let mut random = fastrand::Rng::with_seed(4);
    let mut compared = Compared::default();
    for scenario in all() {
        for subject in expected(&scenario) {
            compare(
                &subject,
                |judge| spread(&subject, judge),
                EXTENSIONS,
                &mut random,
                &mut compared,
            );
        }
    }
    println!("{} schedules compared with another one of their class", compared.schedules);
    for condition in &compared.varying {
        println!("differs within a class: {condition}");
    }
    assert!(compared.schedules > 10_000, "{} schedules", compared.schedules);
}
