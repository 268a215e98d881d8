//! `docs/ledger.md` is true as far as a machine can tell: every statement and window is there
//! once, what it names exists, and every fault is pinned by the scenario that is said to catch
//! it. Does not say whether a scenario shows what the statement says.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use midturn_engine::codex::{Fault, Policy};
use midturn_properties::property;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace has a root").to_owned()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn table(path: &str) -> toml::Table {
    read(path).parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A row of a table: its first cell, and the others by the names of their columns.
struct Row {
    id: String,
    cells: BTreeMap<String, String>,
}

impl Row {
    fn cell(&self, column: &str) -> &str {
        let found = self.cells.iter().find(|(name, _)| name.replace('`', "") == column);
        found.map_or_else(|| panic!("{} has no column `{column}`", self.id), |(_, cell)| cell)
    }

    fn is_of(&self, prefix: char) -> bool {
        self.id.starts_with(prefix)
    }
}

fn rows() -> Vec<Row> {
    let mut columns: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for line in read("docs/ledger.md").lines().filter(|line| line.starts_with("| ")) {
        let mut cells: Vec<String> =
            line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
        if cells[0] == "id" {
            columns = cells.split_off(1);
            continue;
        }
        let id = cells.remove(0);
        assert_eq!(cells.len(), columns.len(), "{id}: cells and columns");
        rows.push(Row { id, cells: columns.iter().cloned().zip(cells).collect() });
    }
    rows
}

/// The words in backticks.
fn quoted(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The parts of a cell, each of which says one thing.
fn parts(cell: &str) -> impl Iterator<Item = &str> {
    cell.split("; ")
}

/// What can be named as showing something.
struct Known {
    scenarios: BTreeMap<String, toml::Table>,
    properties: Vec<&'static str>,
    conformance: BTreeSet<String>,
    observed: BTreeSet<String>,
}

impl Known {
    fn new() -> Self {
        let properties = property::names();
        Known {
            scenarios: scenarios(),
            properties,
            conformance: conformance(),
            observed: observed(),
        }
    }

    fn shows(&self, word: &str) -> Result<(), String> {
        let (exists, kind) = match word.split_once(' ') {
            Some(("row", number)) => {
                (self.conformance.contains(number), "row of conformance.toml that is played")
            }
            Some(("observed", name)) => {
                (self.observed.contains(name), "schedule in both files of what was observed")
            }
            _ => {
                let known = self.scenarios.contains_key(word) || self.properties.contains(&word);
                (known, "scenario and no property")
            }
        };
        if exists { Ok(()) } else { Err(format!("`{word}` is no {kind}")) }
    }

    /// Whether `scenario` expects `policy` to violate `property`.
    fn pins(&self, scenario: &str, policy: &str, property: &str) -> Result<(), String> {
        if !self.properties.contains(&property) {
            return Err(format!("`{property}` is no property"));
        }
        let file = format!("properties/scenarios/{scenario}.toml");
        let text = self.scenarios.get(scenario).ok_or_else(|| format!("{file} does not exist"))?;
        let expected = text.get("expect").and_then(|expect| expect.get("codex")?.get(policy));
        let key = if policy.contains('+') { format!("\"{policy}\"") } else { policy.to_owned() };
        let head = format!("[expect.codex.{key}]");
        let expected = expected.ok_or_else(|| format!("{file} has no {head}"))?;
        let violates = expected.get("violates").and_then(toml::Value::as_array);
        let named =
            violates.is_some_and(|all| all.iter().any(|one| one.as_str() == Some(property)));
        if named { Ok(()) } else { Err(format!("{head} of {file} does not name `{property}`")) }
    }
}

fn scenarios() -> BTreeMap<String, toml::Table> {
    let folder = root().join("properties/scenarios");
    let files = std::fs::read_dir(folder).expect("the catalogue");
    let paths = files.map(|entry| entry.expect("an entry").path());
    let tables = paths.filter(|path| path.extension().is_some_and(|end| end == "toml"));
    tables
        .map(|path| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let table = table(&format!("properties/scenarios/{name}.toml"));
            (name, table)
        })
        .collect()
}

/// The numbers of the rows that are played.
fn conformance() -> BTreeSet<String> {
    let table = table("engine/tests/data/conformance.toml");
    let rows = table["row"].as_array().expect("a list of rows");
    let played = rows.iter().filter(|row| row.get("left_out").is_none());
    played.filter_map(|row| row.get("number")?.as_integer()).map(|n| n.to_string()).collect()
}

/// The schedules that both releases were seen with.
fn observed() -> BTreeSet<String> {
    let names = |release: &str| -> BTreeSet<String> {
        let table = table(&format!("engine/tests/data/observed_{release}.toml"));
        let schedules = table["schedule"].as_array().expect("a list of schedules");
        let names = schedules.iter().filter_map(|schedule| schedule.get("name")?.as_str());
        names.map(str::to_owned).collect()
    };
    &names("0_149_0") & &names("0_171_0")
}

/// Says everything that is wrong, and not the first thing only.
fn report(mistakes: Vec<String>) {
    assert!(mistakes.is_empty(), "docs/ledger.md:\n  {}", mistakes.join("\n  "));
}

/// A file and a section in it, as often as the cell names one.
fn check_places(id: &str, cell: &str, mistakes: &mut Vec<String>) {
    for part in parts(cell) {
        let (Some(file), Some(section)) = (quoted(part).first().copied(), part.split('"').nth(1))
        else {
            mistakes.push(format!("{id}: no file and section in: {part}"));
            continue;
        };
        match std::fs::read_to_string(root().join(file)) {
            Err(error) => mistakes.push(format!("{id}: {file}: {error}")),
            Ok(text) if !text.contains(&format!("\"{section}\"")) => {
                mistakes.push(format!("{id}: {file} has no section \"{section}\""));
            }
            Ok(_) => {}
        }
    }
}

/// Each fault is undone by a pin of its own: a scenario and a property.
fn check_faults(known: &Known, row: &Row, mistakes: &mut Vec<String>) {
    let id = &row.id;
    let (undone, caught) = (row.cell("undone by"), row.cell("caught in"));
    let faults = quoted(undone);
    let pins: Vec<Vec<&str>> = parts(caught).map(quoted).collect();
    if faults.is_empty() || faults.len() != pins.len() {
        mistakes.push(format!("{id}: {} faults, {} pins", faults.len(), pins.len()));
    }
    for (fault, pin) in faults.iter().zip(pins) {
        if Fault::named(fault).is_none() {
            mistakes.push(format!("{id}: `{fault}` is no fault"));
        }
        match pin.as_slice() {
            [scenario, property] => {
                let pinned = known.pins(scenario, &format!("hardened+{fault}"), property);
                mistakes.extend(pinned.err().map(|why| format!("{id}: {why}")));
            }
            other => mistakes.push(format!("{id}: a scenario and a property, not {other:?}")),
        }
    }
}

#[test]
fn every_number_is_there_once() {
    let tables = [("S0.", 12), ("S2.", 26), ("S4.", 19), ("D", 18), ("P", 16), ("U", 15)];
    let wanted = tables.iter().flat_map(|(prefix, last)| {
        (1..=*last).map(move |number: usize| format!("{prefix}{number}"))
    });
    let wanted: BTreeSet<String> = wanted.collect();
    let mut mistakes = Vec::new();
    let mut seen = BTreeSet::new();
    for row in rows() {
        if !wanted.contains(&row.id) {
            mistakes.push(format!("{} is no statement and no window", row.id));
        }
        if !seen.insert(row.id.clone()) {
            mistakes.push(format!("{} stands twice", row.id));
        }
    }
    mistakes.extend(wanted.difference(&seen).map(|id| format!("{id} is missing")));
    report(mistakes);
}

#[test]
fn every_statement_is_shown_by_something_that_exists() {
    let known = Known::new();
    let mut mistakes = Vec::new();
    for row in rows().iter().filter(|row| row.is_of('S') || row.is_of('D')) {
        let shown = row.cell("shown by");
        let excused = ["not queueing, because ", "not built here, because "];
        if excused.iter().any(|excuse| shown.starts_with(excuse)) {
            continue;
        }
        let words = quoted(shown);
        if words.is_empty() {
            mistakes.push(format!("{} is shown by nothing, and not excused", row.id));
        }
        let wrong = words.into_iter().filter_map(|word| known.shows(word).err());
        mistakes.extend(wrong.map(|why| format!("{}: {why}", row.id)));
    }
    report(mistakes);
}

#[test]
fn every_difference_says_who_follows() {
    let mut mistakes = Vec::new();
    for row in rows().iter().filter(|row| row.is_of('D')) {
        let who = row.cell("who follows the seeds");
        if !who.starts_with("nobody") && quoted(who).is_empty() {
            mistakes.push(format!("{} names no policy", row.id));
        }
        let unknown = quoted(who).into_iter().filter(|word| Policy::named(word).is_none());
        mistakes.extend(unknown.map(|word| format!("{}: `{word}` is no policy", row.id)));
    }
    report(mistakes);
}

#[test]
fn what_closes_a_window_exists_and_its_fault_is_pinned() {
    let known = Known::new();
    let mut mistakes = Vec::new();
    for row in rows().iter().filter(|row| row.is_of('P') || row.is_of('U')) {
        check_places(&row.id, row.cell("closed in hardened by"), &mut mistakes);
        if row.is_of('P') {
            check_places(&row.id, row.cell("protected there by"), &mut mistakes);
        }
        check_faults(&known, row, &mut mistakes);
    }
    report(mistakes);
}

#[test]
fn every_unprotected_window_shows_in_its_scenario() {
    let known = Known::new();
    let mut mistakes = Vec::new();
    for row in rows().iter().filter(|row| row.is_of('U')) {
        let shows = quoted(row.cell("shows under codex_0_149 in"));
        let [scenario, property] = shows.as_slice() else {
            mistakes.push(format!("{}: a scenario and a property, not {shows:?}", row.id));
            continue;
        };
        let pinned = known.pins(scenario, "codex_0_149", property);
        mistakes.extend(pinned.err().map(|why| format!("{}: {why}", row.id)));
    }
    report(mistakes);
}
