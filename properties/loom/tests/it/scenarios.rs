//! Scenario files under loom, judged by the same properties as in the search.

mod agreement;
mod backend;
mod faults;
mod play;

use std::path::Path;
use std::sync::Arc;

use midturn_engine_loom::codex::{Fault, Policy};
use midturn_properties::property;
use midturn_properties::scenario::{Known, KnownDesign, Scenario, parse};
use toml::{Table, Value};

/// A scenario of the catalogue.
fn scenario(name: &str) -> Arc<Scenario> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios").join(name);
    let path = path.with_extension("toml");
    let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let faults: Vec<&str> = Fault::ALL.iter().map(|fault| fault.name()).collect();
    let properties = property::names();
    let designs = [KnownDesign { name: "codex", policies: &Policy::NAMES, faults: &faults }];
    let known = Known { designs: &designs, properties: &properties };
    Arc::new(parse(&path, &text, &known).unwrap_or_else(|errors| panic!("{errors}")))
}

/// The rows under `key` of a file of data.
fn rows<'a>(file: &'a Table, key: &str) -> impl Iterator<Item = &'a Table> + use<'a> {
    let rows = file[key].as_array().expect("a list of rows");
    rows.iter().map(|row| row.as_table().expect("a row"))
}

fn word<'a>(row: &'a Table, key: &str) -> &'a str {
    row[key].as_str().expect("a word")
}

/// The bound of preemptions of a row, if it has one.
fn bound(row: &Table) -> Option<usize> {
    let bound = row.get("bound").and_then(Value::as_integer);
    bound.map(|bound| usize::try_from(bound).expect("a small number"))
}
