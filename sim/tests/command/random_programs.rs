//! Generated programs under generated schedules: nothing is violated under `hardened`, and the
//! same strategies find planted faults, small enough to read.

use midturn::check::replay;
use midturn::cli::Exit;
use midturn::design::CodexDesign;
use midturn::generated::{Counterexample, Found, NAME, find, scenario};
use midturn_engine::codex::Fault;

use crate::command_line::{file, in_process};
use crate::faults::table;
use crate::subjects::{budget, under};

/// Cases in which a planted fault has to show.
const FAULTY_CASES: u32 = 4_000;

/// Cases of `hardened` that once violated something.
const REGRESSIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/regressions.txt");

fn told(found: &Counterexample) -> String {
    let Counterexample { text, property, what, token } = found;
    format!(
        "--- {NAME}.toml\n{text}\n{property}: {what}\n  midturn replay {token} --file {NAME}.toml"
    )
}

fn hold(seed: u64) {
    let cases = u32::try_from(budget() / 2).unwrap_or(u32::MAX);
    match find("hardened", cases, seed, Some(REGRESSIONS)) {
        Found::Nothing(runs) => println!("hardened: {cases} programs, {runs} runs"),
        Found::Violation(found) => panic!("{}", told(&found)),
        Found::Useless(why, text) => panic!("{why}\n{text}"),
    }
}

// Two halves, for two cores.
#[test]
fn generated_programs_hold_under_hardened() {
    hold(1);
}

#[test]
fn more_generated_programs_hold_under_hardened() {
    hold(2);
}

#[test]
fn the_same_programs_violate_much_under_the_policy_of_the_real_program() {
    let found = (0..40).filter_map(|seed| match find("codex_0_149", 100, seed, None) {
        Found::Violation(found) => Some(found.property),
        Found::Nothing(_) => None,
        Found::Useless(why, text) => panic!("{why}\n{text}"),
    });
    let mut found: Vec<&str> = found.collect();
    let times = found.len();
    found.sort_unstable();
    found.dedup();
    println!("codex_0_149: {times} of 40 times, {found:?}");
    assert!(times >= 30 && found.len() >= 4, "{times} {found:?}");
}

/// The violation as a user would handle it: saved, replayed by the command, and gone without the
/// fault.
fn is_handled(fault: Fault, found: &Counterexample) {
    let path = file(&format!("generated/{}", fault.name()), &format!("{NAME}.toml"), &found.text);
    let (path, token) = (path.to_string_lossy(), found.token.to_string());
    let (exit, out, err) = in_process(&["replay", &token, "--file", &path]);
    assert_eq!(exit, Exit::Violated, "{}\n{out}{err}", told(found));
    assert!(out.contains(found.property), "{}\n{out}", told(found));
    let scenario = scenario(&found.text).unwrap_or_else(|errors| panic!("{errors}"));
    let (suspension, schedule) = (found.token.suspension, &found.token.schedule);
    let sound = replay(&CodexDesign, &under(&scenario, "hardened"), suspension, schedule);
    let sound = sound.expect("it runs without the fault too");
    assert!(sound.violations.is_empty(), "{}: {:?}", fault.name(), sound.violations);
    let commands = found.text.matches("{ id = ").count();
    assert!(commands <= 6, "{commands} commands are left\n{}", told(found));
}

#[test]
fn generated_programs_find_the_faults_that_they_are_said_to_find() {
    let (mut silent, mut blind) = (Vec::new(), 0);
    for (fault, row) in table() {
        let policy = format!("hardened+{}", fault.name());
        if let Some(reason) = row.blind_to_programs() {
            println!("{}: {reason}", fault.name());
            blind += 1;
            continue;
        }
        match find(&policy, FAULTY_CASES, 1, None) {
            Found::Nothing(_) => silent.push(fault),
            Found::Violation(found) => {
                println!("{}: {} {}", fault.name(), found.property, found.token);
                is_handled(fault, &found);
            }
            Found::Useless(why, text) => panic!("{why}\n{text}"),
        }
    }
    assert!(silent.is_empty(), "no program shows {silent:?}");
    assert!(blind * 3 <= Fault::ALL.len(), "programs are blind to {blind}");
}
