//! How the command ends, and which end wins when several apply.

use super::{file, midturn, steer};

const HARDENED: &str = "[expect.codex.hardened]\nholds = \"all\"";
const VACUOUS: &str = "[reach]\nsometimes = [\"yaml started\"]";
const UNPINNED: &str = "[expect.codex.hardened]\nviolates = [\"single_active_turn\"]";
const UPSTREAM: &str = "[expect.codex.codex_0_149]\nholds = \"all\"";

/// Checks that `arguments` end with `code` and say all of `says`.
fn ends(arguments: &[&str], code: i32, says: &[&str]) {
    let ran = midturn(arguments);
    assert_eq!(ran.code, code, "{arguments:?}: {}{}", ran.out, ran.err);
    for said in says {
        assert!(ran.out.contains(said), "{arguments:?} does not say `{said}`:\n{}", ran.out);
    }
}

/// Files for each end.
fn files(folder: &str) -> impl Fn(&str) -> String {
    let folder = folder.to_owned();
    move |end: &str| {
        let content = match end {
            "fine" => HARDENED.to_owned(),
            "vacuity" => format!("{VACUOUS}\n{HARDENED}"),
            "pin" => UNPINNED.to_owned(),
            _ => UPSTREAM.to_owned(),
        };
        let path = file(&folder, &format!("steer_races_{end}.toml"), steer(&content));
        path.to_str().expect("a plain path").to_owned()
    }
}

#[test]
fn each_end() {
    let name = "steer_races_turn_end";
    ends(&["check", name, "--policy", "hardened"], 0, &["held", "classes (r)", "all as expected"]);
    ends(&["check", name], 0, &["4 checks of 1 scenario: all as expected"]);
    ends(&[name], 0, &["4 checks of 1 scenario: all as expected"]);
    ends(&["check", name, "--policy", "upstream"], 1, &["violated: accepted_is_sampled"]);
    let path = files("each_end");
    ends(&["check", &path("fine")], 0, &["held"]);
    ends(&["check", &path("violation")], 1, &["violated: accepted_is_sampled"]);
    ends(&["check", &path("vacuity")], 5, &["vacuous", "never reached: yaml started"]);
    let gone = "pinned, and not violated any more: single_active_turn";
    ends(&["check", &path("pin")], 7, &["held", gone]);
}

#[test]
fn a_search_that_was_cut_short_claims_nothing() {
    let name = "steer_races_turn_end";
    let cut = ["check", name, "--policy", "hardened", "--budget", "2runs"];
    ends(&cut, 6, &["not refuted in 2 runs", "2 runs, not complete", "not reached in these runs"]);
    let cut = ["check", name, "--budget", "1runs"];
    ends(&cut, 6, &["pinned, and not violated in these runs: accepted_is_sampled"]);
    let random = ["check", name, "--policy", "hardened", "--random", "3", "--budget", "40runs"];
    ends(&random, 6, &["not refuted in 40 runs"]);
    let bounded = ["check", name, "--policy", "hardened", "--bound", "0"];
    ends(&bounded, 6, &["held to bound 0", "1 run, bound 0"]);
    let accepted = [&bounded[..], &["--accept-bounded"]].concat();
    ends(&accepted, 6, &["held to bound 0", "not reached in these runs"]);
    let enough = ["check", name, "--policy", "hardened", "--bound", "1", "--accept-bounded"];
    ends(&enough, 0, &["held to bound 1", "all as expected"]);
    let violated = ["check", name, "--policy", "upstream", "--bound", "1", "--accept-bounded"];
    ends(&violated, 1, &["violated"]);
    let complete = ["check", name, "--policy", "hardened", "--budget", "1000000runs"];
    ends(&complete, 0, &["held"]);
}

#[test]
fn a_bound_of_the_file_is_an_agreement() {
    let content = |reach: &str, bound| {
        let expect =
            format!("[expect.codex.hardened]\nholds = \"all\"\nbound = {{ deviations = {bound} }}");
        steer(&format!("[reach]\nsometimes = [\"{reach}\"]\n{expect}"))
    };
    let path = file("agreement", "steer_races_bound.toml", content("yaml sampled", 2));
    let path = path.to_str().expect("a plain path");
    ends(&["check", path], 0, &["held to bound 2"]);
    ends(&["check", path, "--bound", "0"], 6, &["held to bound 0"]);
    let path = file("agreement", "steer_races_less.toml", content("yaml sampled", 0));
    let path = path.to_str().expect("a plain path");
    ends(&["check", path], 5, &["vacuous", "never reached"]);
    ends(&["check", path, "--bound", "2"], 0, &["held to bound 2"]);
}

#[test]
fn the_worst_end_wins() {
    let path = files("the_worst_end_wins");
    let (fine, violation) = (path("fine"), path("violation"));
    let (vacuity, pin) = (path("vacuity"), path("pin"));
    ends(&["check", &vacuity, &violation, &pin], 1, &["3 not as expected"]);
    ends(&["check", &vacuity, &pin, &fine], 7, &["2 not as expected"]);
    ends(&["check", &fine, &vacuity], 5, &["1 not as expected"]);
    ends(
        &["check", &vacuity, "steer_races_answer", "--policy", "hardened", "--budget", "10runs"],
        5,
        &["not refuted in 10 runs"],
    );
    let ran = midturn(&["check", &violation, "no_such_scenario"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
}
