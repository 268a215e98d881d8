//! `midturn soak`: what it says when it saw something, and when it did not.

use super::midturn;

#[test]
fn a_violation_is_told_and_the_search_that_finds_its_token_is_named() {
    let ran =
        midturn(&["soak", "steer_races_turn_end", "--policy", "upstream", "--budget", "4000runs"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("violated "), "{}", ran.out);
    assert!(ran.out.contains("violated: accepted_is_sampled, in "), "{}", ran.out);
    let search = "for a token: midturn check steer_races_turn_end --policy codex_0_149\n";
    assert!(ran.out.contains(search), "{}", ran.out);
}

#[test]
fn silence_is_not_called_proof() {
    let ran =
        midturn(&["soak", "prompt_during_turn_end", "steer_races_turn_end", "--budget", "40runs"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    let last = "40 rounds of 2 scenarios: no violation seen, which proves nothing\n";
    assert!(ran.out.ends_with(last), "{}", ran.out);
    assert!(!ran.out.contains("held"), "{}", ran.out);
}

#[test]
fn generated_scenarios_are_printed_when_they_are_violated() {
    let ran = midturn(&["soak", "--generated", "--policy", "upstream", "--budget", "20000runs"]);
    assert_eq!(ran.code, 1, "{}{}", ran.out, ran.err);
    assert!(ran.out.starts_with("schema  = 1\n"), "{}", ran.out);
    assert!(ran.out.contains("\nviolated: "), "{}", ran.out);
    let search = "for a token: midturn check all_races_all.toml --policy codex_0_149\n";
    assert!(ran.out.contains(search), "{}", ran.out);
    let ran = midturn(&["soak", "--generated", "--budget", "400runs"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
}

#[test]
fn bad_words_are_refused() {
    for arguments in [["soak", "no_such_race"], ["soak", "--policy=no"], ["soak", "--threads=0"]] {
        let ran = midturn(&arguments);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{arguments:?}: {}", ran.err);
    }
}
