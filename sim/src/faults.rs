//! The kill matrix: which backend catches which planted fault, by which property.
//!
//! Promises: search, random schedules, generated programs and threads are tried now; what loom
//! says is what its own tests assert (`properties/faults.toml`). A backend that is blind to a
//! fault says why, and is not tried. Who catches nothing at all is not hidden.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use midturn_engine::codex::Fault;
use midturn_properties::scenario::{Holds, Scenario, parse};
use serde::{Deserialize, Serialize};

use crate::catalogue;
use crate::check::{Effort, Finding, Subject, check};
use crate::design::{CodexDesign, Design, with_known};
use crate::generated::{self, Found};
use crate::report::token_and_story;
use crate::search::Budget;
use crate::soak::{Soak, Soaked};

/// The backends, in the order in which they are shown.
pub const BACKENDS: [&str; 5] = ["search", "sampling", "proptest", "loom", "soak"];

/// Random schedules of a scenario.
const RUNS: u64 = 20_000;
/// Generated cases.
const CASES: u32 = 4_000;
/// Rounds on threads.
const ROUNDS: u64 = 30_000;
const THREADS: usize = 4;

/// What the file says of a fault.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// The fault.
    pub name: String,
    /// Where the search finds it; other backends look there too.
    pub search: Place,
    loom: Said,
    proptest: Option<Blind>,
}

impl Row {
    /// Why generated programs do not show it, if they do not.
    pub fn blind_to_programs(&self) -> Option<&'static str> {
        self.proptest.as_ref().map(|blind| sentence(&blind.blind))
    }
}

/// A scenario and a property.
#[derive(Clone, Debug, Deserialize)]
pub struct Place {
    /// Of the catalogue.
    pub scenario: String,
    /// What the fault violates there.
    pub property: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Said {
    Blind(Blind),
    Catches(Place),
}

#[derive(Clone, Debug, Deserialize)]
struct Blind {
    blind: String,
}

#[derive(Deserialize)]
struct File {
    fault: Vec<Row>,
}

/// What a backend says of a fault.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Catch {
    /// Whether a violation was seen.
    pub caught: bool,
    /// Which property was violated.
    pub property: Option<String>,
    /// A schedule that shows it, where a schedule can be repeated.
    pub token: Option<String>,
    /// The scenario, or the text of a generated one.
    pub scenario: Option<String>,
    /// Why the backend cannot see it, in one line.
    pub blind: Option<&'static str>,
}

/// What all backends say of a fault.
#[derive(Clone, Debug, Serialize)]
pub struct Verdicts {
    /// The fault.
    pub name: String,
    /// By backend.
    pub backends: BTreeMap<&'static str, Catch>,
    /// Every property that the search saw violated.
    #[serde(skip)]
    pub properties: BTreeSet<&'static str>,
}

impl Verdicts {
    /// Whether anybody catches it.
    pub fn is_caught(&self) -> bool {
        self.backends.values().any(|catch| catch.caught)
    }
}

/// Why the matrix cannot be made: the data or the machine is at fault.
#[derive(Debug)]
pub struct Unusable(pub String);

/// Of a word for blindness, the sentence.
fn sentence(word: &str) -> &'static str {
    match word {
        "threads" => "needs more than loom's five threads",
        "drops" => "needs a caller that goes away",
        "patience" => "needs a timer that fires once nothing else moves",
        "first_branch" => "needs the second branch of a race whose first is ready too",
        "rare" => "needs an order that the generated cases do not have",
        "parked" => "generated programs declare whoever waits for activity as parked",
        _ => "for a reason that this build does not know",
    }
}

impl Blind {
    fn told(&self) -> Catch {
        Catch { blind: Some(sentence(&self.blind)), ..Catch::default() }
    }
}

/// The rows of the file.
///
/// # Errors
/// If the file is not what this build expects.
pub fn rows() -> Result<Vec<Row>, Unusable> {
    let file: File = toml::from_str(include_str!("../../properties/faults.toml"))
        .map_err(|error| Unusable(format!("properties/faults.toml: {error}")))?;
    for fault in Fault::ALL {
        if !file.fault.iter().any(|row| row.name == fault.name()) {
            return Err(Unusable(format!("properties/faults.toml has no row {}", fault.name())));
        }
    }
    Ok(file.fault)
}

/// Tries `row` on every backend.
///
/// # Errors
/// If the row names what is not there, or threads cannot be had.
pub fn verdicts(row: &Row) -> Result<Verdicts, Unusable> {
    let name = &row.search.scenario;
    let text = catalogue::find(name).ok_or_else(|| Unusable(format!("no scenario {name}")))?;
    let path = Path::new(name).with_extension("toml");
    let scenario = with_known(|known| parse(&path, text.as_bytes(), known))
        .map_err(|errors| Unusable(errors.to_string()))?;
    let subject = subject(&Arc::new(scenario), &format!("hardened+{}", row.name))?;
    let budget = Budget { runs: Some(RUNS), time: None };
    let searched = checked(&subject, &Effort::default())?;
    let sampled = checked(&subject, &Effort { budget, bound: None, random: Some(0) })?;
    let loom = match &row.loom {
        Said::Blind(blind) => blind.told(),
        Said::Catches(Place { scenario, property }) => Catch {
            caught: true,
            property: Some(property.clone()),
            scenario: Some(scenario.clone()),
            ..Catch::default()
        },
    };
    let proptest = match &row.proptest {
        Some(blind) => blind.told(),
        None => programs(&subject.policy)?,
    };
    let soak = threads(&subject)?;
    let properties = searched.broken.iter().map(|broken| broken.property).collect();
    let preferred = Some(row.search.property.as_str());
    let backends = [
        ("search", of_finding(&searched, preferred)),
        ("sampling", of_finding(&sampled, preferred)),
        ("proptest", proptest),
        ("loom", loom),
        ("soak", soak),
    ];
    Ok(Verdicts { name: row.name.clone(), backends: backends.into(), properties })
}

fn subject(scenario: &Arc<Scenario>, policy: &str) -> Result<Subject, Unusable> {
    let policy =
        CodexDesign.policy(policy).ok_or_else(|| Unusable(format!("no policy {policy}")))?;
    let (terms, pinned) = (scenario.terms.clone(), Vec::new());
    Ok(Subject { scenario: scenario.clone(), policy, terms, holds: Holds::All, pinned })
}

fn checked(subject: &Subject, effort: &Effort) -> Result<Finding, Unusable> {
    check(&CodexDesign, subject.clone(), effort).map_err(|errors| Unusable(errors.to_string()))
}

fn of_finding(finding: &Finding, preferred: Option<&str>) -> Catch {
    let named = finding.broken.iter().find(|broken| Some(broken.property) == preferred);
    let Some(broken) = named.or(finding.broken.first()) else { return Catch::default() };
    Catch {
        caught: true,
        property: Some(broken.property.to_owned()),
        token: Some(token_and_story(&CodexDesign, finding, &broken.witness).0),
        scenario: Some(finding.subject.scenario.name.clone()),
        blind: None,
    }
}

fn programs(policy: &str) -> Result<Catch, Unusable> {
    match generated::find(policy, CASES, 1, None) {
        Found::Nothing(_) => Ok(Catch::default()),
        Found::Useless(why, _) => Err(Unusable(why)),
        Found::Violation(found) => Ok(Catch {
            caught: true,
            property: Some(found.property.to_owned()),
            token: Some(found.token.to_string()),
            scenario: Some(found.text),
            blind: None,
        }),
    }
}

fn threads(subject: &Subject) -> Result<Catch, Unusable> {
    let mut soak = Soak::new(THREADS, 0).map_err(|error| Unusable(error.to_string()))?;
    let mut soaked = Soaked::new(subject.clone());
    while soaked.rounds < ROUNDS && soaked.seen.is_empty() {
        let unusable = |unjudged| Unusable(format!("{unjudged:?}"));
        soak.round(&CodexDesign, &mut soaked).map_err(unusable)?;
    }
    let seen = soaked.seen.keys().next();
    Ok(Catch {
        caught: seen.is_some(),
        property: seen.map(|property| (*property).to_owned()),
        scenario: seen.map(|_| subject.scenario.name.clone()),
        ..Catch::default()
    })
}
