//! `docs/ledger.md` is true as far as a machine can tell: what it names exists, every window and
//! statement is there once, and every fault that it names is pinned by a scenario.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use midturn_engine::codex::Fault;
use midturn_properties::property;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace has a root").to_owned()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The rows of all tables, by their first cell.
fn rows() -> BTreeMap<String, Vec<String>> {
    let mut rows = BTreeMap::new();
    for line in read("docs/ledger.md").lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<String> =
            line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
        if cells[0] == "id" {
            continue;
        }
        let id = cells[0].clone();
        assert!(rows.insert(id.clone(), cells).is_none(), "{id} stands twice");
    }
    rows
}

/// The words in backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

fn scenarios() -> BTreeMap<String, String> {
    let folder = root().join("properties/scenarios");
    let files = std::fs::read_dir(folder).expect("the catalogue");
    let paths = files.map(|entry| entry.expect("an entry").path());
    let toml = paths.filter(|path| path.extension().is_some_and(|extension| extension == "toml"));
    toml.map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("a scenario is text"))
    })
    .collect()
}

/// The numbers of the conformance rows that are run.
fn conformance() -> BTreeSet<i64> {
    let text = read("engine/tests/data/conformance.toml");
    let table: toml::Table = text.parse().expect("the rows are TOML");
    let rows = table["row"].as_array().expect("a list of rows");
    let run = rows.iter().filter(|row| row.get("left_out").is_none());
    run.filter_map(|row| row.get("number")?.as_integer()).collect()
}

#[test]
fn every_statement_and_window_is_there() {
    let rows = rows();
    for (prefix, count) in [("P", 16), ("U", 15)] {
        for number in 1..=count {
            let id = format!("{prefix}{number}");
            assert!(rows.contains_key(&id), "{id} is missing");
        }
    }
    for (seed, count) in [("S0", 10), ("S2", 21), ("S4", 17)] {
        for number in 1..=count {
            let id = format!("{seed}.{number}");
            assert!(rows.contains_key(&id), "{id} is missing");
        }
    }
    assert_eq!(rows.len(), 16 + 15 + 10 + 21 + 17, "{:?}", rows.keys());
}

#[test]
fn every_statement_is_shown_by_something_that_exists() {
    let (scenarios, rows_run) = (scenarios(), conformance());
    let properties = property::names();
    for (id, cells) in rows().iter().filter(|(id, _)| id.starts_with('S')) {
        let shown = cells.last().expect("a last cell");
        let excused = shown.starts_with("not queueing, because ") || shown.contains("*observed*");
        assert!(excused || quoted(shown).next().is_some(), "{id} is shown by nothing");
        for word in quoted(shown) {
            let exists = match word.strip_prefix("row ") {
                Some(number) => number.parse().is_ok_and(|number| rows_run.contains(&number)),
                None => scenarios.contains_key(word) || properties.contains(&word),
            };
            assert!(exists, "{id}: `{word}` is no scenario, property or row that is run");
        }
    }
}

#[test]
fn what_closes_a_window_exists_and_its_fault_is_pinned() {
    let scenarios = scenarios();
    let properties = property::names();
    for (id, cells) in rows().iter().filter(|(id, _)| id.starts_with(['P', 'U'])) {
        let [.., closed, undone, caught] = cells.as_slice() else { panic!("{id} is too short") };
        let file = quoted(closed).next().unwrap_or_else(|| panic!("{id} names no file"));
        let section = closed.split('"').nth(1).unwrap_or_else(|| panic!("{id} names no section"));
        assert!(read(file).contains(&format!("\"{section}\"")), "{id}: {file} has no `{section}`");
        let fault = quoted(undone).next().unwrap_or_else(|| panic!("{id} names no fault"));
        assert!(Fault::named(fault).is_some(), "{id}: `{fault}` is no fault");
        let words: Vec<&str> = quoted(caught).collect();
        let [scenario, property] = words.as_slice() else { panic!("{id}: caught in {words:?}") };
        assert!(properties.contains(property), "{id}: `{property}` is no property");
        let text = scenarios.get(*scenario);
        let text = text.unwrap_or_else(|| panic!("{id}: `{scenario}` is no scenario"));
        let head = format!("[expect.codex.\"hardened+{fault}\"]");
        let pins = text.split(&head).nth(1).and_then(|rest| rest.split("\n[").next());
        let pins = pins.unwrap_or_else(|| panic!("{id}: {scenario} does not pin {fault}"));
        assert!(pins.contains(property), "{id}: {scenario} does not pin {property} of {fault}");
    }
}

#[test]
fn every_unprotected_window_shows_in_its_scenario() {
    let scenarios = scenarios();
    for (id, cells) in rows().iter().filter(|(id, _)| id.starts_with('U')) {
        let scenario = quoted(&cells[1]).next().unwrap_or_else(|| panic!("{id}: no scenario"));
        let property = quoted(&cells[2]).next().unwrap_or_else(|| panic!("{id}: no property"));
        let text = scenarios.get(scenario);
        let text = text.unwrap_or_else(|| panic!("{id}: `{scenario}` is no scenario"));
        let pins = text.split("[expect.codex.codex_0_149]").nth(1);
        let pins = pins.and_then(|rest| rest.split("\n[").next()).unwrap_or_default();
        assert!(pins.contains(property), "{id}: {scenario} does not pin {property}");
    }
}
