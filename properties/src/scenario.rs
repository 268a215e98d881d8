//! Scenarios: one TOML file, one race.
//!
//! A scenario is data, so that every backend runs the same file and nobody needs Rust to
//! reproduce a bug. [`parse`] reads one and reports every mistake with its place. The format
//! is published as `scenario.schema.json`; `tests/data/` has an example and a file with every key.
//!
//! # Names
//!
//! Mails (of a mailbox, of a tool, of a report) and commands have an `id`: letters, digits, `_`
//! and `-`, and none of the words `slot turn request answer tool never before while`. `slot`
//! names the input behind a preset turn, and may be used only if a session presets its slot. A
//! piece of context is named after its command: `yaml.cwd`.
//!
//! ```text
//! turn      = "turn of" id                      the turn that this input started
//!           | "turn after" id                   the one that follows by itself
//!           | "turn" n "after" id               the n-th that does
//! ```
//!
//! # Events
//!
//! In `when` (the command or hook waits for it) and `hold` (the model waits for it). An event
//! that names nobody (`request`, `answer`, `tool`, `slot`) is one of the first session.
//!
//! ```text
//! event     = id ("called" | "returned" | "started" | "steered" | "accepted" | "drained"
//!               | "hooked" | "recorded" | "cleared" | "given_back" | "woken" | "applied"
//!               | "began" | "answered" | "dropped_answer")
//!           | id "refused" [reason]
//!           | id "sampled" ["in" turn]          new in a model request
//!           | turn ("started" | "looked" | "cancel_requested" | "cancel_seen" | "marker"
//!               | "pending_cleared" | "compacted" | "task_done" | "suspended" | "asks"
//!               | "stops_waiting")
//!           | turn "ended" ["completed" | "failed" | "interrupted" | "replaced"]
//!           | "request" n ("began" | "ended")   n counts all of them, from 1
//!           | "answer shown"                    a final answer, by the rules of the model
//!           | "tool called"
//!           | "slot" shape                      the slot changes to this shape
//! reason    = "no_active_turn" | "expected_turn_mismatch" | "active_turn_not_steerable"
//!           | "output_schema_mismatch" | "empty_input" | "not_idle" | "pending_trigger_turn"
//!           | "plan_mode" | "invalid_request" | "superseded" | "server_draining"
//! shape     = "idle" | "reserved" | "running" | "finishing"
//! ```
//!
//! `started` and `steered` after an id are verdicts that a caller was told; mail has none. `began`
//! (a review or compaction) and `answered` (somebody waited for it) are told likewise. `applied`
//! is an edit of the settings that takes effect; a turn `asks` when one of its tools waits for an
//! answer from outside, and `stops_waiting` when one need not wait for activity any more.
//!
//! # Conditions
//!
//! In `reach.sometimes`.
//!
//! ```text
//! condition = event                             it happens
//!           | "never" event                     it does not
//!           | event "before" event              both happen; compares their first times
//!           | event "while slot" shape          at least once in this state of the first
//!           | event "while phase" phase           session, as the events before it left it
//!           | id "ends" landing                 where it is when nobody moves any more
//! phase     = "current" | "next"
//! landing   = "sampled" | "recorded" | "queued" | "returned" | "cleared" | "refused" | "lost"
//! ```

mod command;
mod condition;
mod describe;
mod errors;
mod expectation;
mod feature;
mod grammar;
mod known;
mod mistake;
mod names;
mod pattern;
mod race;
mod read;
mod script;
mod session;
mod word;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use midturn_protocol::TurnId;
use toml::Spanned;
use toml::de::DeTable;

pub use command::{Actor, Command};
pub use condition::{Condition, LandingKind, State};
pub use errors::ScenarioErrors;
pub use expectation::{Assumption, Bound, Expectation, Holds, Relation, Terms, Waiver};
pub use feature::Feature;
pub use known::{Known, KnownDesign};
pub use mistake::{Mistake, ScenarioError, What};
pub use names::Names;
pub use pattern::{EventPattern, InputEvent, Matcher, RequestEvent, TurnEvent};
pub use race::{Race, RaceRelation};
pub use script::{Model, ScriptItem, ScriptKind, ScriptTool, SentMail};
pub use session::{Front, HookChoice, HookScript, Mailed, Session, Time};
pub use word::{ReasonKind, Word};

/// The version of the format.
pub const SCHEMA: u32 = 1;

/// The largest file that is read, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// A place in a file, in bytes.
pub type Span = std::ops::Range<usize>;

/// Where the keys of a table stand, those that are given.
pub type KeySpans = BTreeMap<&'static str, Span>;

/// A phrase of the event language with its words.
#[derive(Clone, Debug, PartialEq)]
pub struct Stated<T> {
    /// The words, as they stand in the file.
    pub text: String,
    /// What they mean.
    pub value: T,
    /// Their place.
    pub span: Span,
}

/// One race.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its name: the file's, without the extension.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The file's text.
    pub source: Arc<str>,
    /// What the name says.
    pub race: Race,
    /// What is promised to people.
    pub promise: String,
    /// When it could be broken.
    pub window: Option<String>,
    /// What happens to people then.
    pub harm: Option<String>,
    /// Where it is written down.
    pub sources: Vec<String>,
    /// The sessions, each with what its model says; at least one.
    pub sessions: Vec<Session>,
    /// Who acts; at least one.
    pub actors: Vec<Actor>,
    /// What must be reached in some schedule.
    pub reach: Vec<Stated<Condition>>,
    /// What is expected, in file order.
    pub expectations: Vec<Expectation>,
    /// The terms under which properties are judged where no expectation says otherwise.
    pub terms: Terms,
    /// The names of all inputs.
    pub names: Names,
}

impl Scenario {
    /// The failure of a run in which a request began that no script covers. `session` is an index
    /// into the sessions; `nth` counts over it, from 1.
    pub fn uncovered_request(&self, session: usize, turn: TurnId, nth: u32) -> ScenarioErrors {
        let nothing = Model::default();
        let found = self.sessions.get(session);
        let model = found.map_or(&nothing, |session| &session.model);
        let several = self.sessions.len() > 1;
        let mistake = Mistake::UncoveredRequest {
            session: found.filter(|_| several).map(|session| session.name.clone()),
            turn: self.names.turn(turn),
            request: nth,
            scripted: model.requests.len(),
        };
        self.error(model.span.clone(), mistake)
    }

    /// The refusal to run the scenario with a design that does not do `feature`.
    pub fn unsupported(&self, design: &str, feature: Feature, span: Span) -> ScenarioErrors {
        let feature = feature.name();
        self.error(span, Mistake::Unsupported { design: design.to_owned(), feature })
    }

    fn error(&self, span: Span, mistake: Mistake) -> ScenarioErrors {
        ScenarioErrors::one(&self.path, self.source.clone(), span, mistake)
    }
}

/// Reads a scenario. `path` names it and is not opened; `bytes` is its content.
///
/// Never panics. On failure, reports every mistake that was found, up to 20.
pub fn parse(path: &Path, bytes: &[u8], known: &Known<'_>) -> Result<Scenario, ScenarioErrors> {
    if bytes.len() > MAX_BYTES {
        let mistake = Mistake::TooLarge { bytes: bytes.len(), limit: MAX_BYTES };
        return Err(ScenarioErrors::one(path, Arc::from(""), 0..0, mistake));
    }
    let source: Arc<str> = match std::str::from_utf8(bytes) {
        Ok(source) => Arc::from(source),
        Err(error) => {
            let offset = error.valid_up_to();
            let good = String::from_utf8_lossy(&bytes[..offset]);
            let mistake = Mistake::NotUtf8 { offset };
            return Err(ScenarioErrors::one(path, Arc::from(good), offset..offset, mistake));
        }
    };
    let mut reader = read::Reader::new(&source, known);
    let top = match DeTable::parse(&source) {
        Ok(top) => top,
        Err(error) => {
            let mistake = Mistake::NotToml { message: error.message().to_owned() };
            let span = error.span().unwrap_or(0..0);
            return Err(ScenarioErrors::one(path, source.clone(), span, mistake));
        }
    };
    let race = Race::of(path).map_err(|mistake| reader.fail(0..0, mistake)).ok();
    let read = scenario(&mut reader, &top, path, &source, race);
    let names = reader.finish(path, source.clone())?;
    match read {
        Some(scenario) => Ok(Scenario { names, ..scenario }),
        // Nothing is left out without a mistake, but a promise never to panic needs an answer.
        None => Err(ScenarioErrors::one(path, source, 0..0, Mistake::NoActors)),
    }
}

fn scenario(
    reader: &mut read::Reader<'_>,
    top: &Spanned<DeTable<'_>>,
    path: &Path,
    source: &Arc<str>,
    race: Option<(String, Race)>,
) -> Option<Scenario> {
    let fields = reader.table(top.get_ref(), top.span(), &read::TOP);
    reader.declare(top.get_ref());
    reader.version(fields);
    let promise = reader.promise(fields);
    let window = reader.words(fields, "window");
    let harm = reader.words(fields, "harm");
    let sources = reader.sources(fields);
    let mut sessions = reader.sessions(fields);
    let model = reader.model(fields);
    if let Some(first) = sessions.first_mut() {
        first.model = model;
    }
    let actors = reader.actors(fields);
    let reach = reader.reach(fields);
    let terms = reader.terms(fields);
    let expectations = reader.expectations(fields, &terms);
    let (name, race) = race?;
    let (path, source) = (path.to_owned(), source.clone());
    let promise = promise?;
    let names = Names::default();
    Some(Scenario {
        name,
        path,
        source,
        race,
        promise,
        window,
        harm,
        sources,
        sessions,
        actors,
        reach,
        expectations,
        terms,
        names,
    })
}

/// Every table of the format with its keys, by the name of its definition in the published
/// schema.
pub fn tables() -> &'static [(&'static str, &'static [&'static str])] {
    read::TABLES
}
