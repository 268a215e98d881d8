//! Loom and the search say the same of a scenario: verdict, and all outcomes.
//!
//! `tests/data/agreement.toml` is what the search says, which asserts it too (the test
//! `agreement` of the package `midturn`). So each backend is held to what the other says, and
//! neither knows the other.

use std::collections::BTreeSet;

use midturn_engine_loom::codex::Policy;
use toml::Table;

use super::play::play;
use super::{bound, rows, scenario, word};
use crate::explore::Limits;

/// No model of a row may need more.
const EXECUTIONS: usize = 400_000;

/// What differs, if anything does.
fn apart(row: &Table) -> Option<String> {
    let words = |key: &str| -> BTreeSet<String> {
        let all = row[key].as_array().expect("a list");
        all.iter().map(|word| word.as_str().expect("a word").to_owned()).collect()
    };
    let (name, policy) = (word(row, "scenario"), word(row, "policy"));
    let policy = Policy::named(policy).expect("a policy");
    let limits = Limits { preemptions: bound(row), executions: EXECUTIONS };
    let shown = match play(&scenario(name), policy, limits) {
        Ok(shown) if shown.complete => shown,
        Ok(shown) => return Some(format!("{name} under {policy}: stopped, {shown:?}")),
        Err(why) => return Some(format!("{name} under {policy}: {why}")),
    };
    let (violated, outcomes) = (words("violates"), words("outcomes"));
    let differ = (&shown.violated, &shown.outcomes) != (&violated, &outcomes);
    let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| -> Vec<String> {
        one.difference(other).cloned().collect()
    };
    differ.then(|| {
        format!(
            "{name} under {policy}\n  loom only: {:?} {:#?}\n  search only: {:?} {:#?}",
            only(&shown.violated, &violated),
            only(&shown.outcomes, &outcomes),
            only(&violated, &shown.violated),
            only(&outcomes, &shown.outcomes),
        )
    })
}

fn assert_agreement(is_meant: impl Fn(&Table) -> bool) {
    let file: Table = include_str!("../../data/agreement.toml").parse().expect("it is TOML");
    let meant = rows(&file, "row").filter(|row| is_meant(row));
    let apart: Vec<String> = meant.filter_map(apart).collect();
    assert!(apart.is_empty(), "{}", apart.join("\n"));
}

#[test]
fn loom_and_the_search_agree_without_a_bound() {
    assert_agreement(|row| bound(row).is_none());
}

#[test]
fn loom_and_the_search_agree_within_a_bound() {
    assert_agreement(|row| bound(row).is_some());
}
