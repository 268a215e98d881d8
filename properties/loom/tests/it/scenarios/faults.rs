//! Which planted faults loom catches, as `properties/faults.toml` says.

use std::collections::BTreeSet;

use midturn_engine_loom::codex::{Fault, Policy};
use toml::Table;

use super::play::{Unplayable, play};
use super::{bound, rows, scenario, word};
use crate::explore::Limits;

/// Of the file's rows, unless they say more.
const PREEMPTIONS: usize = 2;
/// No row needs more.
const EXECUTIONS: usize = 20_000;

/// What is wrong with what the row says of loom.
fn mistake(row: &Table) -> Option<String> {
    let fault = word(row, "name");
    let fault = Fault::ALL.into_iter().find(|known| known.name() == fault).expect("a fault");
    let said = row["loom"].as_table().expect("what loom says");
    let name = word(said, "scenario");
    let scenario = scenario(name);
    let limits =
        Limits { preemptions: Some(bound(said).unwrap_or(PREEMPTIONS)), executions: EXECUTIONS };
    let faulty = play(&scenario, Policy::hardened().with(fault), limits);
    let Some(blind) = said.get("blind") else {
        let property = word(said, "property");
        let sound = play(&scenario, Policy::hardened(), limits);
        let silent = sound.as_ref().is_ok_and(|shown| shown.violated.is_empty());
        let caught = faulty.as_ref().is_ok_and(|shown| shown.violated.contains(property));
        let how = || format!("{name}, {property}: {faulty:?}, and without it {sound:?}");
        return (!silent || !caught).then(how);
    };
    let as_said = match blind.as_str().expect("a reason") {
        "drops" => faulty == Err(Unplayable::Drops),
        "threads" => faulty == Err(Unplayable::Threads),
        "patience" => faulty == Err(Unplayable::Patience),
        "first_branch" => faulty.as_ref().is_ok_and(|shown| shown.violated.is_empty()),
        _ => false,
    };
    (!as_said).then(|| format!("{name}, blind: {faulty:?}"))
}

#[test]
fn loom_catches_the_faults_that_it_is_said_to_catch() {
    let file: Table = include_str!("../../../../faults.toml").parse().expect("it is TOML");
    let named: BTreeSet<&str> = rows(&file, "fault").map(|row| word(row, "name")).collect();
    assert_eq!(named, Fault::ALL.iter().map(|fault| fault.name()).collect());
    let with_name = |row| mistake(row).map(|what| format!("{}: {what}", word(row, "name")));
    let mistakes: Vec<String> = rows(&file, "fault").filter_map(with_name).collect();
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
}
