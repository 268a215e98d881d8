//! What Codex's own tests assert about its queues, row by row, played on our engine.
//!
//! Promises: every row of the reading is here, played or left out for a reason from a closed
//! list; a row runs under every policy that promises what it asserts; one that disagrees is named
//! with its step and both values. Does not show what no caller of the engine can see.

mod bites;
mod keys;
mod names;
mod play;
mod read;
mod read_step;
mod row;
mod text;

use midturn_engine::codex::Policy;

use play::{Failure, play};
use row::{Body, Case, LeftOut, Row};

const DATA: &str = include_str!("../data/conformance.toml");

/// Those under which a row can be played: all that plant no mistake.
const POLICIES: [Policy; 4] =
    [Policy::codex_0_149(), Policy::codex_0_171(), Policy::seed(), Policy::hardened()];

/// How many rows the reading has.
const ROWS: u32 = 80;

/// How many of them may be left out.
const MAY_BE_LEFT_OUT: usize = 8;

fn rows() -> Vec<Row> {
    read::read(DATA).unwrap_or_else(|mistake| panic!("{mistake}"))
}

fn cases(row: &Row) -> &[Case] {
    match &row.body {
        Body::Played(cases) => cases,
        Body::LeftOut(_) => &[],
    }
}

/// Every case of every row, under every policy that it has.
fn for_each_case(mut each: impl FnMut(&Row, &Case, Policy)) {
    for row in rows() {
        for case in cases(&row) {
            for &policy in &case.policies {
                each(&row, case, policy);
            }
        }
    }
}

fn name(row: &Row, case: &Case, policy: Policy) -> String {
    let when = if case.when.is_empty() { String::new() } else { format!(", {}", case.when) };
    format!("row {} under {policy}{when}: {}", row.number, row.words)
}

#[test]
fn every_row_agrees() {
    let mut disagreements = Vec::new();
    for_each_case(|row, case, policy| {
        if let Err(failure) = play(case, policy) {
            disagreements.push(format!("{}\n{failure}", name(row, case, policy)));
        }
    });
    let count = disagreements.len();
    assert!(count == 0, "{count} disagree:\n\n{}", disagreements.join("\n\n"));
}

#[test]
fn every_row_of_the_reading_is_there_once() {
    let numbers: Vec<u32> = rows().iter().map(|row| row.number).collect();
    assert_eq!(numbers, (1..=ROWS).collect::<Vec<_>>());
}

#[test]
fn few_rows_are_left_out_and_every_reason_is_used() {
    let reasons: Vec<LeftOut> = rows()
        .iter()
        .filter_map(|row| match row.body {
            Body::LeftOut(why) => Some(why),
            Body::Played(_) => None,
        })
        .collect();
    assert!(reasons.len() <= MAY_BE_LEFT_OUT, "{reasons:?}");
    for reason in LeftOut::ALL {
        assert!(reasons.contains(&reason), "{reason:?} is no reason any more");
    }
}

#[test]
fn every_row_says_what_and_where() {
    for row in rows() {
        assert!(!row.words.is_empty() && row.words.ends_with('.'), "row {}", row.number);
        assert!(row.omits.as_ref().is_none_or(|omits| !omits.is_empty()), "row {}", row.number);
        if let Body::Played(cases) = &row.body {
            assert!(!row.policies.is_empty(), "row {} names no policy", row.number);
            let policies = |row: &[Policy]| POLICIES.map(|policy| row.contains(&policy));
            let played: Vec<Policy> = cases.iter().flat_map(|case| case.policies.clone()).collect();
            assert_eq!(policies(&played), policies(&row.policies), "row {}", row.number);
            let distinct: std::collections::BTreeSet<&str> =
                cases.iter().map(|case| case.when.as_str()).collect();
            assert_eq!(distinct.len(), cases.len(), "row {}: two cases alike", row.number);
        }
    }
}
