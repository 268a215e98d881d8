//! What is printed: small, the same every time, and as documented.

use std::collections::BTreeSet;
use std::process::{Command, Stdio};

use serde_json::Value;

use super::midturn;
use crate::subjects::all;

fn json(arguments: &[&str]) -> (i32, Value) {
    let ran = midturn(&[arguments, &["--format", "json"]].concat());
    let value = serde_json::from_str(&ran.out);
    (ran.code, value.unwrap_or_else(|error| panic!("{arguments:?}: {error}\n{}", ran.out)))
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn a_story_fits_and_names_its_token() {
    for scenario in all() {
        let (code, found) = json(&["check", &scenario.name, "--policy", "upstream"]);
        assert!([0, 1, 6].contains(&code), "{}: {code}", scenario.name);
        for violation in found["scenarios"][0]["violations"].as_array().expect("a list") {
            let story = violation["story"].as_array().expect("a list");
            assert!(!story.is_empty(), "{}: no story", scenario.name);
        }
        let ran = midturn(&["check", &scenario.name, "--policy", "upstream"]);
        let parts: Vec<&str> = ran.out.split("midturn replay ").collect();
        for part in &parts[..parts.len() - 1] {
            // From the heading of the table on; the line before it is the scenario's own.
            let story: Vec<&str> = part.lines().skip_while(|line| !line.contains(" # ")).collect();
            assert!(story.len() <= 40, "{}: {} lines", scenario.name, story.len());
            let table = story.iter().take_while(|line| !line.starts_with("violated: "));
            for line in table {
                assert!(line.chars().count() <= 100, "{}: {line}", scenario.name);
            }
        }
        for part in &parts[1..] {
            let token = part.split_whitespace().next().unwrap_or_default();
            let head = format!("m1:{}:codex:codex_0_149:", scenario.name);
            assert!(token.starts_with(&head), "{token}");
        }
    }
}

#[test]
fn two_processes_print_the_same() {
    let catalogue: Vec<String> = all().iter().map(|scenario| scenario.name.clone()).collect();
    let some: Vec<&str> = catalogue.iter().step_by(4).map(String::as_str).collect();
    for format in ["text", "json"] {
        let arguments = [&["check"], &some[..], &["--format", format]].concat();
        let (one, two) = (midturn(&arguments), midturn(&arguments));
        assert_eq!(one.code, 0, "{}{}", one.out, one.err);
        assert!(one.out == two.out && one.err == two.err, "{format} differs");
        assert!(!one.out.contains(env!("CARGO_MANIFEST_DIR")), "paths depend on the machine");
    }
}

#[test]
fn json_has_the_documented_keys() {
    let (code, found) = json(&["check", "steer_races_turn_end", "--policy", "upstream"]);
    assert_eq!(code, 1);
    assert_eq!(keys(&found), BTreeSet::from(["schema", "relation", "scenarios"]));
    assert_eq!((&found["schema"], &found["relation"]), (&Value::from(1), &Value::from("a")));
    let entry = &found["scenarios"][0];
    let documented = [
        "name",
        "design",
        "policy",
        "verdict",
        "complete",
        "bound",
        "relation",
        "classes",
        "executions",
        "abandoned",
        "steps",
        "reached",
        "missing",
        "expected",
        "pinned_but_not_seen",
        "violations",
    ];
    assert_eq!(keys(entry), BTreeSet::from(documented));
    assert_eq!((&entry["verdict"], &entry["complete"]), (&"violated".into(), &true.into()));
    assert_eq!((&entry["classes"], &entry["bound"]), (&entry["executions"], &Value::Null));
    assert_eq!((&entry["expected"], &entry["policy"]), (&false.into(), &"codex_0_149".into()));
    let violation = &entry["violations"][0];
    let documented = ["property", "what", "runs", "token", "minimal", "expected", "story"];
    assert_eq!(keys(violation), BTreeSet::from(documented));
    let (code, found) = json(&["check", "steer_races_turn_end", "--policy", "hardened"]);
    assert_eq!((code, &found["scenarios"][0]["verdict"]), (0, &"held".into()));
    let cut = ["check", "steer_races_turn_end", "--policy", "hardened", "--budget", "2runs"];
    let (code, found) = json(&cut);
    let entry = &found["scenarios"][0];
    assert_eq!((code, &entry["classes"], &entry["complete"]), (6, &Value::Null, &false.into()));
}

#[test]
fn list_and_show_know_the_catalogue() {
    let names: Vec<String> = all().iter().map(|scenario| scenario.name.clone()).collect();
    let listed = midturn(&["list"]);
    assert_eq!(listed.code, 0);
    let found: Vec<&str> = listed.out.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(found, names);
    let (code, found) = json(&["list"]);
    let listed: Vec<&str> =
        found.as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert_eq!((code, listed), (0, names.iter().map(String::as_str).collect()));
    let shown = midturn(&["show", "steer_races_turn_end"]);
    assert_eq!(shown.code, 0);
    for part in ["promise", "window", "harm", "source", "actors", "sometimes", "under hardened"] {
        assert!(shown.out.contains(part), "{part}:\n{}", shown.out);
    }
    let (code, found) = json(&["show", "steer_races_turn_end", "--policy", "hardened"]);
    let outcomes = found.as_array().expect("a list");
    assert!(code == 0 && outcomes.len() >= 2, "{found}");
    let documented = ["policy", "runs", "landings", "token"];
    assert_eq!(keys(&outcomes[0]), BTreeSet::from(documented));
}

#[test]
fn help_and_version_are_no_errors() {
    for flag in ["--help", "--version", "-h", "-V"] {
        let ran = midturn(&[flag]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{flag}");
        assert!(ran.out.contains("midturn"), "{flag}: {}", ran.out);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    for arguments in [&["list"][..], &["check", "steer_races_turn_end"], &["--help"]] {
        let child = Command::new(env!("CARGO_BIN_EXE_midturn"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.expect("the command starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the command ends");
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(!err.contains("panicked"), "{arguments:?}: {err}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
    }
}
