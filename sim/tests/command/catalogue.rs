//! The built-in scenarios: each is listed, bites, is reached, and is as its file says.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use midturn::catalogue::SCENARIOS;
use midturn::check::{Effort, Finding, check};
use midturn::cli::Exit;
use midturn::design::CodexDesign;
use midturn_properties::property;
use midturn_properties::scenario::{Holds, Scenario};
use midturn_protocol::Command;

use crate::subjects::{all, expected, policy_of};

/// Unprotected windows of the real program (the table of its seeds), each with the scenario
/// that goes through it and the property that it breaks there.
const WINDOWS: [(&str, &str, &str); 4] = [
    ("U1", "injection_races_turn_end", "no_silent_loss"),
    ("U3", "interrupt_during_reservation", "no_silent_loss"),
    ("U6", "interrupt_during_turn_end", "no_work_stranded_while_idle"),
    ("U8", "interrupt_races_drain", "no_silent_loss"),
];

/// What every expectation of the catalogue leads to. Found once.
fn findings() -> &'static [Finding] {
    static FINDINGS: OnceLock<Vec<Finding>> = OnceLock::new();
    FINDINGS.get_or_init(|| {
        let subjects = all().iter().flat_map(expected).collect::<Vec<_>>();
        let finding = |subject| {
            let finding = check(&CodexDesign, subject, &Effort::default());
            finding.unwrap_or_else(|errors| panic!("{errors}"))
        };
        subjects.into_iter().map(finding).collect()
    })
}

fn under_hardened() -> impl Iterator<Item = &'static Finding> {
    findings().iter().filter(|finding| finding.subject.policy == "hardened")
}

#[test]
fn the_list_is_the_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../properties/scenarios");
    let files = fs::read_dir(&folder).expect("the folder of scenarios can be read");
    let mut files: Vec<String> = files
        .map(|file| file.expect("a file of it can be read").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    files.sort();
    let listed: Vec<String> = SCENARIOS.iter().map(|(name, _)| format!("{name}.toml")).collect();
    assert_eq!(listed, files, "sim/src/catalogue.rs lists all files, in alphabetical order");
    assert!(listed.len() >= 12, "{} scenarios", listed.len());
}

#[test]
fn every_scenario_says_what_must_be_reached_and_can_bite() {
    for scenario in all() {
        let name = &scenario.name;
        assert!(scenario.reach.len() >= 2, "{name} has fewer than two `sometimes`");
        assert!(scenario.window.is_some() && scenario.harm.is_some(), "{name} has no window, harm");
        let expectation = |policy: &str| {
            scenario.expectations.iter().find(|expectation| policy_of(expectation) == policy)
        };
        let hardened = expectation("hardened").map(|expectation| &expectation.holds);
        assert_eq!(hardened, Some(&Holds::All), "{name} does not hold under hardened");
        let bites = scenario.expectations.iter().any(|other| !other.violates.is_empty());
        assert!(bites, "{name} violates nothing under any policy");
    }
}

#[test]
fn every_expectation_is_met() {
    let mut unmet = Vec::new();
    for finding in findings() {
        let exit = Exit::of(finding, false);
        if exit != Exit::Expected || !finding.is_expected() {
            let broken: Vec<_> = finding.broken.iter().map(|broken| broken.property).collect();
            unmet.push(format!(
                "{} under {}: {exit:?}, {:?}, violated {broken:?}, missing {:?}, unpinned {:?}",
                finding.subject.scenario.name,
                finding.subject.policy,
                finding.word,
                finding.missing,
                finding.unpinned
            ));
        }
    }
    assert!(unmet.is_empty(), "{}", unmet.join("\n"));
}

#[test]
fn the_catalogue_is_not_small() {
    for finding in findings() {
        println!(
            "{:<40} {:<40} {:>7} {}",
            finding.subject.scenario.name,
            finding.subject.policy,
            finding.summary.executions,
            if finding.complete { "classes" } else { "runs" }
        );
    }
    let scenarios = under_hardened().count();
    let large = under_hardened().filter(|finding| finding.summary.executions >= 20).count();
    let complete = under_hardened().filter(|finding| finding.complete).count();
    let abandoned: u64 = findings().iter().map(|finding| finding.summary.abandoned).sum();
    println!("{large} of {scenarios} with 20 classes or more, {complete} complete");
    println!("{abandoned} runs abandoned in all");
    assert!(2 * large >= scenarios, "{large} of {scenarios} have 20 classes");
    assert!(12 * complete >= 9 * scenarios, "{complete} of {scenarios} are complete");
}

/// How many actors submit something.
fn submitters(scenario: &Scenario) -> usize {
    let submits = |call: &Command| matches!(call, Command::Submit(_));
    let actors = scenario.actors.iter();
    actors.filter(|actor| actor.does.iter().any(|command| submits(&command.call))).count()
}

#[test]
fn three_scenarios_have_three_submitters() {
    let three: Vec<String> = all()
        .iter()
        .filter(|scenario| submitters(scenario) >= 3)
        .map(|scenario| scenario.name.clone())
        .collect();
    println!("three submitters: {three:?}");
    assert!(three.len() >= 3, "only {three:?}");
}

#[test]
fn unprotected_windows_of_the_real_program_are_gone_through() {
    for (window, scenario, property) in WINDOWS {
        let finding = findings().iter().find(|finding| {
            finding.subject.scenario.name == scenario && finding.subject.policy == "codex_0_149"
        });
        let finding =
            finding.unwrap_or_else(|| panic!("{window}: {scenario} says nothing of upstream"));
        let broken = finding.broken.iter().find(|broken| broken.property == property);
        let broken = broken.unwrap_or_else(|| panic!("{window}: {scenario} keeps {property}"));
        println!("{window}: {scenario} {property}: {}", broken.what);
    }
}

#[test]
fn properties_have_teeth() {
    let broken: BTreeSet<&str> = findings()
        .iter()
        .flat_map(|finding| finding.broken.iter().map(|broken| broken.property))
        .collect();
    for property in property::ALL.iter().map(|property| property.name) {
        assert!(broken.contains(property), "no scenario violates {property} under any policy");
    }
}
