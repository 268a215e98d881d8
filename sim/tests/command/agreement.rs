//! What the search says of the scenarios that loom runs too.
//!
//! `properties/loom/tests/data/agreement.toml` is written from the search, with
//! `UPDATE_DATA=1 cargo test -p midturn --test command agreement`, and asserted by both backends: each by
//! itself says exactly what the file says.

use std::fmt::Write as _;

use midturn::check::{Effort, Word, check};
use midturn::design::CodexDesign;
use serde_json::Value;
use toml::Table;

use crate::subjects::{built_in, under};

const PATH: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../properties/loom/tests/data/agreement.toml");

/// What the file says before its rows.
const HEAD: &str = "\
# What the search says of these scenarios, complete and exact: which properties are violated, and all
# outcomes. Loom must say the same; `bound` is its bound of preemptions, where it has one.
";

fn strings(list: impl IntoIterator<Item = String>) -> String {
    let quoted = list.into_iter().map(|text| Value::from(text).to_string());
    quoted.map(|text| format!("  {text},\n")).collect()
}

/// One row as the search has it.
fn row(name: &str, policy: &str, bound: Option<i64>) -> String {
    let found = check(&CodexDesign, under(&built_in(name), policy), &Effort::default());
    let finding = found.unwrap_or_else(|errors| panic!("{errors}"));
    assert!(
        finding.complete && finding.bound.is_none(),
        "{name} under {policy}: {:?}",
        finding.word
    );
    assert!(!matches!(finding.word, Word::Blind(_)), "{name} under {policy} is blind");
    let names = &finding.subject.scenario.names;
    let mut outcomes: Vec<String> =
        finding.outcomes.iter().map(|outcome| names.landings(&outcome.landings)).collect();
    outcomes.sort();
    outcomes.dedup();
    let mut violates: Vec<String> =
        finding.broken.iter().map(|broken| broken.property.to_owned()).collect();
    violates.sort();
    let mut text = format!("\n[[row]]\nscenario = {name:?}\npolicy = {policy:?}\n");
    if let Some(bound) = bound {
        let _ = writeln!(text, "bound = {bound}");
    }
    let _ = write!(
        text,
        "violates = [\n{}]\noutcomes = [\n{}]\n",
        strings(violates),
        strings(outcomes)
    );
    text
}

#[test]
fn the_search_says_what_the_file_says() {
    let text = std::fs::read_to_string(PATH).expect("the file is there");
    let file: Table = text.parse().expect("it is TOML");
    let rows = file["row"].as_array().expect("rows");
    let mut said = HEAD.to_owned();
    for old in rows {
        let word = |key: &str| old[key].as_str().expect("a word").to_owned();
        let bound = old.get("bound").and_then(toml::Value::as_integer);
        said.push_str(&row(&word("scenario"), &word("policy"), bound));
    }
    if std::env::var_os("UPDATE_DATA").is_some() {
        std::fs::write(PATH, &said).expect("the file can be written");
        return;
    }
    assert_eq!(text, said, "run with UPDATE_DATA=1, and look at what loom says then");
}
