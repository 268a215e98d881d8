//! What can be wrong with a scenario, as data.

use super::Span;

/// One mistake and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioError {
    /// What is wrong.
    pub mistake: Mistake,
    /// Where, in bytes of [`ScenarioErrors::source`](super::ScenarioErrors::source). Always
    /// within it and on character boundaries.
    pub span: Span,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// The file is larger than the limit, and was not looked at.
    TooLarge {
        /// Its size in bytes.
        bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The file is not UTF-8.
    NotUtf8 {
        /// The first byte that is not.
        offset: usize,
    },
    /// The file is not TOML.
    NotToml {
        /// What the TOML parser says.
        message: String,
    },
    /// A key that this table does not have.
    UnknownKey {
        /// The key.
        key: String,
        /// The table.
        place: &'static str,
        /// The keys that it has.
        valid: &'static [&'static str],
    },
    /// A key that is here but belongs to another verb.
    MisplacedKey {
        /// The key.
        key: String,
        /// The verbs that it belongs to.
        verbs: &'static [&'static str],
    },
    /// A word that is not one of those that may stand here.
    Unknown {
        /// What it should have named.
        what: What,
        /// The word.
        word: String,
        /// The words that may stand here.
        valid: Vec<String>,
    },
    /// A value of the wrong type, or out of range.
    WrongType {
        /// The key, or what it is an element of.
        key: String,
        /// What is wanted.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// A key that this table must have.
    MissingKey {
        /// The key.
        key: &'static str,
        /// The table.
        place: &'static str,
    },
    /// Nobody acts.
    NoActors,
    /// A command without a verb, or a model item without a kind.
    NoVerb {
        /// The table.
        place: &'static str,
        /// What it could be.
        valid: &'static [&'static str],
    },
    /// A command with several verbs, or a model item of several kinds.
    SeveralVerbs {
        /// The table.
        place: &'static str,
        /// What it is, in file order.
        verbs: Vec<String>,
    },
    /// A name that is taken.
    Duplicate {
        /// What it names.
        what: What,
        /// The name.
        name: String,
        /// Where it was taken.
        first: Span,
    },
    /// A name that cannot be one.
    BadName {
        /// What it should have named.
        what: What,
        /// The name.
        name: String,
        /// Why it cannot.
        why: &'static str,
    },
    /// A version of the format that this program does not read.
    SchemaVersion {
        /// The version.
        found: String,
    },
    /// A file name that does not name a race.
    FileName {
        /// The name without its extension.
        name: String,
        /// Why not.
        why: &'static str,
    },
    /// An event, condition or turn that breaks off.
    Unfinished {
        /// What it should have been.
        what: What,
        /// What is there.
        text: String,
        /// What may come next.
        valid: Vec<String>,
    },
    /// A word after the end of an event, condition or turn.
    Superfluous {
        /// What has ended.
        what: What,
        /// The word.
        word: String,
    },
    /// A property that is to hold and to be violated at once.
    Contradiction {
        /// The property.
        property: String,
    },
    /// More than one session presets its slot, so that `slot` would name several turns.
    SeveralPresets,
    /// A key that one session must not have, and how to say it instead.
    NotHere {
        /// The key.
        key: &'static str,
        /// What is true, or what to write instead.
        why: &'static str,
    },
    /// A key without the key that gives it a meaning.
    Needs {
        /// The key.
        key: &'static str,
        /// What is missing.
        other: &'static str,
    },
    /// Two keys of one table that exclude each other.
    Together {
        /// The earlier one.
        first: String,
        /// The later one.
        second: String,
    },
    /// An answer to a table in which no tool of the scripts asks.
    NobodyAsks {
        /// The word of the table.
        table: &'static str,
    },
    /// A request that no script covers. Raised while running.
    UncoveredRequest {
        /// The session, if there are several.
        session: Option<String>,
        /// The turn that asked.
        turn: String,
        /// The how-many-eth request of its session, from 1.
        request: u32,
        /// How many are scripted.
        scripted: usize,
    },
    /// Something that a design does not do yet. Raised before running.
    Unsupported {
        /// The design.
        design: String,
        /// The word of the [`Feature`](super::Feature).
        feature: &'static str,
    },
}

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// An actor.
    Actor,
    /// A session.
    Session,
    /// An input or command.
    Id,
    /// A piece of context.
    Context,
    /// A turn.
    Turn,
    /// An event.
    Event,
    /// A condition.
    Condition,
    /// A design.
    Design,
    /// A policy.
    Policy,
    /// A planted fault.
    Fault,
    /// A property.
    Property,
    /// A relation in a file name.
    Relation,
    /// The value of this key.
    Value(&'static str),
}

impl What {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            What::Actor => "actor",
            What::Session => "session",
            What::Id => "id",
            What::Context => "context",
            What::Turn => "turn",
            What::Event => "event",
            What::Condition => "condition",
            What::Design => "design",
            What::Policy => "policy",
            What::Fault => "fault",
            What::Property => "property",
            What::Relation => "relation in the file name",
            What::Value(key) => key,
        }
    }
}

impl Mistake {
    /// The valid word that is nearest to the wrong one, if one is near enough.
    pub fn suggestion(&self) -> Option<&str> {
        match self {
            Mistake::UnknownKey { key, valid, .. } => nearest(key, valid.iter().copied()),
            Mistake::Unknown { word, valid, .. } => nearest(word, valid.iter().map(String::as_str)),
            _ => None,
        }
    }
}

/// The candidate with the greatest likeness; the first one of several.
fn nearest<'a>(word: &str, valid: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words cannot be typing mistakes, and comparing them takes time.
    if word.len() > 64 {
        return None;
    }
    let mut best: Option<(f64, &str)> = None;
    for candidate in valid {
        let likeness = strsim::normalized_damerau_levenshtein(word, candidate)
            .max(strsim::jaro_winkler(word, candidate) - 0.25);
        if likeness >= 0.55 && best.is_none_or(|(least, _)| likeness > least) {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}
