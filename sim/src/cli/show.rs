//! `midturn list` and `midturn show`.

use std::io::Write;

use midturn_properties::scenario::Scenario;
use serde::Serialize;

use super::arguments::{Format, ListArguments, ShowArguments};
use super::check::{resolve, subjects};
use super::load::{all, load};
use super::{CliError, Exit, print};
use crate::check::{Effort, Finding, check, outcome_witness};
use crate::design::{CodexDesign, Design};
use crate::report::{self, token_and_story};

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    promise: &'a str,
}

pub(super) fn list(arguments: &ListArguments, out: &mut dyn Write) -> Result<Exit, CliError> {
    let loaded = all(CodexDesign.name())?;
    let scenarios = loaded.iter().map(|loaded| &*loaded.scenario);
    if arguments.format == Format::Json {
        let listed: Vec<Listed<'_>> = scenarios
            .map(|scenario| Listed { name: &scenario.name, promise: &scenario.promise })
            .collect();
        let text = serde_json::to_string_pretty(&listed)
            .map_err(|error| CliError::new(format!("the list cannot be written: {error}")))?;
        print(out, &format!("{text}\n"))?;
        return Ok(Exit::Expected);
    }
    let mut text = String::new();
    for scenario in scenarios {
        text.push_str(&format!("{}\n    {}\n", scenario.name, scenario.promise));
    }
    print(out, &text)?;
    Ok(Exit::Expected)
}

#[derive(Serialize)]
struct ShownOutcome {
    policy: String,
    runs: u64,
    landings: Vec<(String, String)>,
    token: String,
}

pub(super) fn show(arguments: &ShowArguments, out: &mut dyn Write) -> Result<Exit, CliError> {
    let design = CodexDesign;
    let loaded = load(&arguments.scenario, design.name())?;
    let policy = arguments.policy.as_deref().map(|name| resolve(&design, name)).transpose()?;
    let mut text = describe(&loaded.scenario);
    let mut shown = Vec::new();
    for subject in subjects(&design, &loaded.scenario, policy.as_deref())? {
        let finding = check(&design, subject, &Effort::default())
            .map_err(|errors| CliError::new(errors.to_string()))?;
        let entry = report::entry(&design, &finding, finding.is_expected(), &|_| false);
        text.push_str(&format!("\nunder {}\n{}\n", entry.policy, report::line(&entry, &finding)));
        let outcomes = outcomes(&design, &finding);
        for outcome in &outcomes {
            let landings =
                outcome.landings.iter().map(|(input, landing)| format!("{input} {landing}"));
            let landings: Vec<String> = landings.collect();
            text.push_str(&format!("  {:>6}  {}\n", outcome.runs, landings.join("; ")));
            text.push_str(&format!("  {:>6}  midturn replay {}\n", "", outcome.token));
        }
        shown.extend(outcomes);
    }
    if arguments.format == Format::Json {
        text = serde_json::to_string_pretty(&shown)
            .map_err(|error| CliError::new(format!("the outcomes cannot be written: {error}")))?;
        text.push('\n');
    }
    print(out, &text)?;
    Ok(Exit::Expected)
}

fn outcomes(design: &CodexDesign, finding: &Finding) -> Vec<ShownOutcome> {
    let names = &finding.subject.scenario.names;
    finding
        .outcomes
        .iter()
        .map(|outcome| {
            let witness = outcome_witness(design, finding, outcome);
            let landings = outcome.landings.iter();
            ShownOutcome {
                policy: finding.subject.policy.clone(),
                runs: outcome.runs,
                landings: landings
                    .map(|(input, landing)| (names.input(*input).into(), names.landing(*landing)))
                    .collect(),
                token: token_and_story(design, finding, &witness).0,
            }
        })
        .collect()
}

fn describe(scenario: &Scenario) -> String {
    let mut text = format!("{}\n", scenario.name);
    let mut line = |head: &str, words: &str| {
        text.push_str(&format!("  {head:<9} {words}\n"));
    };
    line("promise", &scenario.promise);
    if let Some(window) = &scenario.window {
        line("window", window);
    }
    if let Some(harm) = &scenario.harm {
        line("harm", harm);
    }
    for source in &scenario.sources {
        line("source", source);
    }
    let actors: Vec<&str> = scenario.actors.iter().map(|actor| actor.name.as_str()).collect();
    line("actors", &actors.join(", "));
    for condition in &scenario.reach {
        line("sometimes", &condition.text);
    }
    text
}
