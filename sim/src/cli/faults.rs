//! `midturn faults`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;

use midturn_properties::property;
use serde_json::json;

use super::arguments::{FaultsArguments, Format};
use super::{CliError, Exit, nearest, print};
use crate::faults::{BACKENDS, Catch, Row, Unusable, Verdicts, rows, verdicts};

fn unusable(Unusable(why): Unusable) -> CliError {
    CliError::new(why)
}

pub(super) fn run(arguments: &FaultsArguments, out: &mut dyn Write) -> Result<Exit, CliError> {
    let rows = chosen(rows().map_err(unusable)?, &arguments.faults)?;
    let text = arguments.format == Format::Text;
    if text {
        print(out, &heading())?;
    }
    let mut all = Vec::new();
    for row in &rows {
        let found = verdicts(row).map_err(unusable)?;
        if text {
            print(out, &line(row, &found, !arguments.faults.is_empty()))?;
        }
        all.push(found);
    }
    if text {
        print(out, &summary(&all, arguments.faults.is_empty()))?;
    } else {
        let document = json!({ "schema": 1, "faults": all });
        let text = serde_json::to_string_pretty(&document)
            .map_err(|error| CliError::new(format!("the matrix cannot be written: {error}")))?;
        print(out, &format!("{text}\n"))?;
    }
    Ok(if all.iter().all(Verdicts::is_caught) { Exit::Expected } else { Exit::Violated })
}

/// The rows of these names, or all.
fn chosen(rows: Vec<Row>, names: &[String]) -> Result<Vec<Row>, CliError> {
    for name in names {
        if !rows.iter().any(|row| row.name == *name) {
            let error = CliError::new(format!("no fault is called `{name}`"));
            let near = nearest(name, rows.iter().map(|row| row.name.as_str()));
            return Err(match near {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint("`midturn faults` prints all"),
            });
        }
    }
    let is_chosen = |row: &Row| names.is_empty() || names.contains(&row.name);
    Ok(rows.into_iter().filter(is_chosen).collect())
}

fn heading() -> String {
    let mut text = format!("{:<32}", "fault");
    for name in BACKENDS {
        let _ = write!(text, "{name:<10}");
    }
    text.push_str("property, scenario\n");
    text
}

/// One fault; with `whole`, all that is known of it.
fn line(row: &Row, found: &Verdicts, whole: bool) -> String {
    let mut text = format!("{:<32}", found.name);
    for backend in BACKENDS {
        let word = match found.backends.get(backend) {
            Some(Catch { caught: true, .. }) => "caught",
            Some(Catch { blind: Some(_), .. }) => "blind",
            Some(_) | None => "-",
        };
        let _ = write!(text, "{word:<10}");
    }
    let _ = writeln!(text, "{}, {}", row.search.property, row.search.scenario);
    for (backend, catch) in BACKENDS.iter().filter_map(|name| found.backends.get_key_value(name)) {
        if let Some(why) = catch.blind {
            let _ = writeln!(text, "    {backend}: {why}");
        }
        if !whole {
            continue;
        }
        if let Some(property) = &catch.property {
            let _ = writeln!(text, "    {backend}: {property}");
        }
        match (&catch.scenario, &catch.token) {
            (Some(scenario), Some(token)) if scenario.contains('\n') => {
                let file = "all_races_all.toml";
                let _ = writeln!(text, "      midturn replay {token} --file {file}");
                for line in scenario.lines() {
                    let _ = writeln!(text, "      | {line}");
                }
            }
            (_, Some(token)) => {
                let _ = writeln!(text, "      midturn replay {token}");
            }
            (_, None) => {}
        }
    }
    text
}

/// How many each backend catches, and what catches nothing.
fn summary(all: &[Verdicts], complete: bool) -> String {
    let mut text = String::from("\n");
    for backend in BACKENDS {
        let caught = all.iter().filter(|found| found.backends[backend].caught).count();
        let _ = writeln!(text, "{backend:<10} catches {caught} of {}", all.len());
    }
    for nobody in all.iter().filter(|found| !found.is_caught()) {
        let _ = writeln!(text, "nobody catches {}", nobody.name);
    }
    if complete {
        let bite: BTreeSet<_> = all.iter().flat_map(|found| &found.properties).copied().collect();
        let of_the_run = |name: &&str| property::OF_THE_RUN.iter().any(|(other, _)| other == name);
        let idle = property::names().into_iter().filter(|name| !bite.contains(name));
        let idle: Vec<&str> = idle.filter(|name| !of_the_run(name)).collect();
        if !idle.is_empty() {
            let _ = writeln!(text, "no fault is caught here by {}", idle.join(", "));
        }
    }
    text.push_str("loom: as its own tests assert, cargo test -p midturn-engine-loom\n");
    text
}
