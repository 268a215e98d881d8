//! The share of `linearizable` in a whole check: exhaustive search, all properties, outcomes.

use std::cell::RefCell;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use midturn::catalogue::SCENARIOS;
use midturn::check::{Effort, Judge, Subject, check, options};
use midturn::design::{CodexDesign, with_known};
use midturn::search::{Budget, Flow, Strategy, explore};
use midturn::world::Suspension;
use midturn_properties::history::History;
use midturn_properties::property::{ALL, Memory, Property};
use midturn_properties::scenario::{Holds, Scenario, parse};

/// Scenarios with fewer classes are too short to be timed.
const CLASSES: u64 = 300;

/// Histories that are kept at once.
const KEPT: usize = 20_000;

pub fn share() {
    println!("linearizable in an exhaustive check, `hardened` and `codex_0_149`");
    println!(
        "{:<36} {:<12} {:>8} {:>11} {:>7} {:>11}",
        "scenario", "policy", "classes", "check", "share", "remembered"
    );
    let linearizable: Vec<&Property> =
        ALL.iter().filter(|property| property.name == "linearizable").collect();
    let (mut all, mut ours) = (Duration::ZERO, Duration::ZERO);
    for (name, text) in SCENARIOS {
        let path = Path::new(name).with_extension("toml");
        let scenario = with_known(|known| parse(&path, text.as_bytes(), known));
        let scenario = Arc::new(scenario.expect("the catalogue is valid"));
        for policy in ["hardened", "codex_0_149"] {
            let bounded = scenario.expectations.iter().any(|expectation| {
                expectation.policy == policy && expectation.terms.bound.is_some()
            });
            if bounded || scenario.sessions.len() > 1 {
                continue;
            }
            let subject = subject(&scenario, policy);
            let begun = Instant::now();
            let finding = check(&CodexDesign, subject.clone(), &Effort::default());
            let took = begun.elapsed();
            let classes = finding.expect("the scenario is covered").summary.executions;
            if !(CLASSES..=KEPT as u64).contains(&classes) {
                continue;
            }
            let histories = histories(&subject);
            let mut memory = Memory::default();
            let begun = Instant::now();
            for history in &histories {
                black_box(memory.judge_by(
                    linearizable.iter().copied(),
                    history,
                    &subject.scenario.names,
                ));
            }
            let part = begun.elapsed();
            let (judged, remembered) = memory.counts();
            println!(
                "{name:<36} {policy:<12} {classes:>8} {:>8.1} ms {:>6.1}% {:>10.1}%",
                took.as_secs_f64() * 1e3,
                100.0 * part.as_secs_f64() / took.as_secs_f64(),
                100.0 * remembered as f64 / judged as f64
            );
            all += took;
            ours += part;
        }
    }
    println!("all of these: {:.1}%", 100.0 * ours.as_secs_f64() / all.as_secs_f64());
}

fn subject(scenario: &Arc<Scenario>, policy: &str) -> Subject {
    Subject {
        scenario: scenario.clone(),
        policy: policy.to_owned(),
        terms: scenario.terms.clone(),
        holds: Holds::All,
        pinned: Vec::new(),
    }
}

fn histories(subject: &Subject) -> Vec<History> {
    let judge = Judge::new(&CodexDesign, subject);
    let all = RefCell::new(Vec::new());
    explore(
        &options(subject, Suspension::WhereItMatters),
        Strategy::SourceDpor,
        Budget::default(),
        &|world| judge.set_up(world),
        &mut |execution, _| {
            let history = judge.judge(execution).and_then(|verdict| verdict.history);
            all.borrow_mut().extend(history);
            Flow::Continue
        },
    );
    all.into_inner()
}
