//! Ten thousand generated programs under `hardened`: nothing is violated, and everything is seen.
//!
//! A failure prints the file and the token: save the one, replay the other. The same programs
//! show that the judges are awake: they find violations under the policy of the real program.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use midturn::check::{Effort, Judge, Subject, check, options};
use midturn::design::{CodexDesign, with_known};
use midturn::search::{Budget, Flow, sample};
use midturn::world::Suspension;
use midturn_engine::codex::Fault;
use midturn_properties::scenario::parse;

use crate::generate::program;
use crate::shrink::shrink;
use crate::subjects::{budget, scenario, token, under};

/// A name as scenario files have them. All programs share it.
const NAME: &str = "all_races_all";

/// Random schedules a program.
const RUNS: u64 = 20;

/// Random schedules of each smaller program that is tried when one fails.
const SHRINKING_RUNS: u64 = 300;

/// Programs in which a planted fault has to show.
const FAULTY_PROGRAMS: u64 = 20_000;

/// What a few random schedules of one program show.
#[derive(Default)]
struct Shown {
    runs: u64,
    steps: u64,
    violated: Option<&'static str>,
    unseen: Option<String>,
}

fn look(subject: &Subject, seed: u64, runs: u64) -> Shown {
    let design = CodexDesign;
    let judge = Judge::new(&design, subject);
    let options = options(subject, Suspension::WhereItMatters);
    let budget = Budget { runs: Some(runs), time: None };
    let mut shown = Shown::default();
    let summary = sample(&options, seed, budget, &|world| judge.set_up(world), &mut |run, _| {
        let Some(verdict) = judge.judge(run) else {
            shown.unseen = judge.uncovered().map(|errors| errors.to_string());
            return Flow::Stop;
        };
        shown.violated = verdict.violations.first().map(|violation| violation.property);
        shown.unseen = verdict.blind;
        let stops = shown.violated.is_some() || shown.unseen.is_some();
        if stops { Flow::Stop } else { Flow::Continue }
    });
    shown.runs = summary.executions;
    shown.steps = summary.steps;
    if let Some((actor, site)) = summary.blind.first() {
        shown.unseen.get_or_insert(format!("blind: {actor} after {site:?}"));
    }
    if let Some(diverged) = summary.diverged {
        shown.unseen.get_or_insert(format!("not deterministic: {diverged:?}"));
    }
    shown
}

/// The property that a program violates, if it does; texts that are no scenario do not.
fn violation(text: &str, policy: &str, seed: u64) -> Option<&'static str> {
    let path = std::path::Path::new(NAME).with_extension("toml");
    let parsed = with_known(|known| parse(&path, text.as_bytes(), known)).ok()?;
    look(&under(&Arc::new(parsed), policy), seed, SHRINKING_RUNS).violated
}

/// The file of a program that violates something, made small, and how to replay it.
fn report(policy: &str, seed: u64, property: &str) -> String {
    let fails = |text: &str| violation(text, policy, seed) == Some(property);
    let text = shrink(&program(seed), &fails);
    let budget = Budget { runs: Some(SHRINKING_RUNS), time: None };
    let effort = Effort { budget, bound: None, random: Some(seed) };
    let mut report = format!("\n--- {NAME}.toml (seed {seed}, {policy}: {property})\n{text}");
    match check(&CodexDesign, under(&scenario(NAME, &text), policy), &effort) {
        Ok(finding) => {
            for broken in &finding.broken {
                let token = token(&finding, broken);
                let _ = writeln!(
                    report,
                    "{}: {}\n  midturn replay {token} --file {NAME}.toml",
                    broken.property, broken.what
                );
            }
        }
        Err(errors) => {
            let _ = writeln!(report, "{errors}");
        }
    }
    report
}

/// Programs with these seeds hold under `hardened`.
fn hold(seeds: std::ops::Range<u64>, runs_each: u64) {
    let (mut runs, mut steps) = (0, 0);
    let mut violated: BTreeMap<&'static str, Vec<u64>> = BTreeMap::new();
    for seed in seeds.clone() {
        let text = program(seed);
        let subject = under(&scenario(NAME, &text), "hardened");
        let shown = look(&subject, seed, runs_each);
        runs += shown.runs;
        steps += shown.steps;
        if let Some(unseen) = shown.unseen {
            panic!("seed {seed}: {unseen}\n{text}");
        }
        if let Some(property) = shown.violated {
            violated.entry(property).or_default().push(seed);
        }
    }
    println!("hardened: {} programs, {runs} runs, {steps} steps", seeds.end - seeds.start);
    let mut told = String::new();
    for (property, seeds) in &violated {
        let _ = writeln!(told, "\n{property}: {} programs", seeds.len());
        for seed in seeds.iter().take(2) {
            told.push_str(&report("hardened", *seed, property));
        }
    }
    assert!(violated.is_empty(), "{told}");
}

// Two halves, for two cores.
#[test]
fn generated_programs_hold_under_hardened() {
    hold(0..budget() / 2, RUNS);
}

#[test]
fn more_generated_programs_hold_under_hardened() {
    hold(budget() / 2..budget(), RUNS);
}

/// How many of these programs violate what under `policy`.
fn violating(policy: &str, seeds: std::ops::Range<u64>) -> Vec<(&'static str, u32)> {
    let mut found: BTreeMap<&'static str, u32> = Default::default();
    for seed in seeds {
        let subject = under(&scenario(NAME, &program(seed)), policy);
        if let Some(property) = look(&subject, seed, RUNS).violated {
            *found.entry(property).or_default() += 1;
        }
    }
    found.into_iter().collect()
}

#[test]
fn the_same_programs_violate_much_under_the_policy_of_the_real_program() {
    let found = violating("codex_0_149", 0..1_000);
    let programs: u32 = found.iter().map(|(_, programs)| programs).sum();
    println!("codex_0_149: {programs} of 1000 programs violate something, first: {found:?}");
    assert!(programs >= 50 && found.len() >= 4, "{found:?}");
}

/// The first of these programs that violates something under `policy`, and what.
fn first_violating(policy: &str, seeds: std::ops::Range<u64>) -> Option<(u64, &'static str)> {
    seeds.into_iter().find_map(|seed| {
        let subject = under(&scenario(NAME, &program(seed)), policy);
        Some((seed, look(&subject, seed, RUNS).violated?))
    })
}

/// What these programs are not asked for.
fn is_out_of_reach(fault: Fault) -> bool {
    match fault {
        // A whole turn has to come and go between two steps of somebody else.
        Fault::StartsWithoutLooking | Fault::SuspendTakesAnyone => true,
        // Interrupted, then mail, taken up again, then mail: four commands in this order.
        Fault::NamesAreUsedTwice => true,
        // Who waits for activity is declared as parked here.
        Fault::LooksBeforeSubscribing => true,
        _ => false,
    }
}

#[test]
fn the_same_programs_find_planted_faults() {
    let mut silent = Vec::new();
    for fault in Fault::ALL.into_iter().filter(|fault| !is_out_of_reach(*fault)) {
        match first_violating(&format!("hardened+{}", fault.name()), 0..FAULTY_PROGRAMS) {
            Some((seed, property)) => println!("{}: program {seed}, {property}", fault.name()),
            None => silent.push(fault),
        }
    }
    assert!(silent.is_empty(), "no program shows {silent:?}");
}
