//! `midturn replay`.

use std::io::Write;

use midturn_properties::scenario::{self, Holds};
use serde::Serialize;

use super::arguments::{Format, ReplayArguments};
use super::check::{resolve, subjects};
use super::load::load;
use super::{CliError, Exit, print};
use crate::check::{Replayed, Subject, replay};
use crate::design::{CodexDesign, Design};
use crate::search::{Address, Deviation};
use crate::story;
use crate::token::{Token, digest};
use crate::world::Relation;

#[derive(Serialize)]
struct ReplayDocument {
    schema: u32,
    name: String,
    design: String,
    policy: String,
    /// Whether the steps are those of the run from which the token was made.
    same_run: bool,
    violations: Vec<ReplayedViolation>,
    story: Vec<String>,
}

#[derive(Serialize)]
struct ReplayedViolation {
    property: &'static str,
    what: String,
}

pub(super) fn run(arguments: &ReplayArguments, out: &mut dyn Write) -> Result<Exit, CliError> {
    let token: Token =
        arguments.token.parse().map_err(|error| CliError::new(format!("{error}")))?;
    let design = CodexDesign;
    if token.design != design.name() {
        return Err(CliError::new(format!("the token is of design `{}`", token.design))
            .hint(format!("this build has `{}`", design.name())));
    }
    let policy = resolve(&design, &token.policy)?;
    let word = arguments.file.as_deref().unwrap_or(&token.scenario);
    let loaded = load(word, design.name()).map_err(|error| {
        if arguments.file.is_some() || error.message.contains('\n') {
            return error;
        }
        let hint = error.hint.unwrap_or_default();
        CliError::new(error.message).hint(format!("{hint}; a file of your own wants `--file FILE`"))
    })?;
    let scenario = loaded.scenario;
    if scenario.name != token.scenario {
        return Err(CliError::new(format!(
            "the token is of scenario `{}`, the file is `{}`",
            token.scenario, scenario.name
        )));
    }
    let same = subjects(&design, &scenario, Some(&policy))?.into_iter().next();
    let mut terms = same.map_or_else(|| scenario.terms.clone(), |subject: Subject| subject.terms);
    terms.relation = Some(match token.relation {
        Relation::Accesses => scenario::Relation::A,
        Relation::RealTime => scenario::Relation::R,
    });
    let pinned = Vec::new();
    let subject = Subject { scenario, policy, terms, holds: Holds::All, pinned };
    let Some(replayed) = replay(&design, &subject, token.suspension, &token.schedule) else {
        return Err(CliError::new("the run could not be judged"));
    };
    if let Some(deviation) = &replayed.unmet {
        return Err(unmet(deviation));
    }
    tell(arguments, &token, &subject, &replayed, out)
}

fn unmet(deviation: &Deviation) -> CliError {
    let (Deviation::Switch { at, .. } | Deviation::Choose { at, .. }) = deviation;
    let Address { actor, site, occurrence } = at;
    let what = match deviation {
        Deviation::Switch { to, .. } => format!("`{to}` cannot move there, or"),
        Deviation::Choose { .. } => String::new(),
    };
    CliError::new(format!(
        "the engine changed since the token was made: the first step that differs is where \
         `{actor}` was to stand before the place `{site}` for time {occurrence}"
    ))
    .hint(format!("{what} it does not come to that place; check the scenario for a new token"))
}

fn tell(
    arguments: &ReplayArguments,
    token: &Token,
    subject: &Subject,
    replayed: &Replayed,
    out: &mut dyn Write,
) -> Result<Exit, CliError> {
    let Replayed { execution, history, violations, .. } = replayed;
    let places = arguments.places;
    let story = story::tell(&subject.scenario, execution, history, violations, places);
    let exit = if violations.is_empty() { Exit::Expected } else { Exit::Violated };
    if arguments.format == Format::Json {
        let shown = violations.iter().map(|violation| ReplayedViolation {
            property: violation.property,
            what: violation.what.clone(),
        });
        let document = ReplayDocument {
            schema: 1,
            name: token.scenario.clone(),
            design: token.design.clone(),
            policy: subject.policy.clone(),
            same_run: digest(execution) == token.digest,
            violations: shown.collect(),
            story,
        };
        let text = serde_json::to_string_pretty(&document)
            .map_err(|error| CliError::new(format!("the run cannot be written: {error}")))?;
        print(out, &format!("{text}\n"))?;
        return Ok(exit);
    }
    let mut text = format!("{} under {}/{}\n", token.scenario, token.design, subject.policy);
    text.push_str(&story.join("\n"));
    text.push('\n');
    for violation in violations {
        let words = story::last_words(&violation.what).join("\n");
        text.push_str(&format!("violated: {}\n{words}\n", violation.property));
    }
    if violations.is_empty() {
        text.push_str("nothing is violated\n");
    }
    if digest(execution) != token.digest {
        text.push_str("note: some steps are not those of the run from which the token was made\n");
    }
    print(out, &text)?;
    Ok(exit)
}
