//! A schedule as a text that a person can paste into a shell.
//!
//! `m1:<scenario>:<design>:<policy>:<relation>:<deviations>:<digest>`. A deviation is
//! `<actor>@<place>.<occurrence>=<actor that moves instead>` or `...+<value>.<value>` for the
//! values that the step chooses; the place is a short hash of the operation's name. The digest
//! is that of the whole run: a difference is said, but does not stop a replay.
//!
//! The version letter moves when the meaning of a token does; another one is refused by name.

use std::fmt;

use crate::search::{Address, Deviation, Schedule};
use crate::world::{Execution, Relation, Suspension};

/// The version of the format.
pub const VERSION: &str = "m1";

/// A parsed token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The scenario's name.
    pub scenario: String,
    /// The design's name.
    pub design: String,
    /// The policy's canonical name.
    pub policy: String,
    /// The relation of the search that found it.
    pub relation: Relation,
    /// Where actors are suspended.
    pub suspension: Suspension,
    /// The schedule.
    pub schedule: Schedule,
    /// The digest of the run.
    pub digest: String,
}

/// Why a text is not a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenError {
    /// Made by another version.
    Version {
        /// What it says.
        found: String,
    },
    /// It does not have the right number of fields.
    Fields {
        /// How many it has.
        found: usize,
    },
    /// A field has a form that no token has.
    Field {
        /// Which one.
        name: &'static str,
        /// What stands there.
        found: String,
    },
}

impl fmt::Display for TokenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenError::Version { found } => {
                write!(formatter, "the token is of version `{found}`, this is `{VERSION}`")
            }
            TokenError::Fields { found } => {
                write!(formatter, "a token has 7 fields between colons, this has {found}")
            }
            TokenError::Field { name, found } => {
                write!(formatter, "`{found}` is not a token's {name}")
            }
        }
    }
}

impl std::error::Error for TokenError {}

/// A short hash of a name, in letters and digits. FNV-1a, so that it never changes.
pub fn short_hash(name: &str, length: usize) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 32;
    let digits = b"0123456789abcdefghijklmnopqrstuvwxyz";
    (0..length)
        .map(|_| {
            let digit = digits[(hash % 36) as usize];
            hash /= 36;
            char::from(digit)
        })
        .collect()
}

/// A name without what a shell or the token itself would take for something else.
pub fn slug(name: &str) -> String {
    name.chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' })
        .collect()
}

/// The digest of a run: who did what, in order.
pub fn digest(execution: &Execution) -> String {
    let mut text = String::new();
    for operation in &execution.performed {
        text.push_str(&execution.actors[operation.actor]);
        text.push('@');
        text.push_str(operation.site.name);
        text.push('\n');
    }
    for (actor, value, ordinal) in &execution.choices {
        text.push_str(&format!("{}+{value}.{ordinal}\n", execution.actors[*actor]));
    }
    short_hash(&text, 6)
}

impl fmt::Display for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let everywhere = if self.suspension == Suspension::Everywhere { "e" } else { "" };
        write!(
            formatter,
            "{VERSION}:{}:{}:{}:{}{everywhere}:",
            self.scenario,
            self.design,
            self.policy,
            self.relation.letter()
        )?;
        if self.schedule.deviations.is_empty() {
            formatter.write_str("-")?;
        }
        for (position, deviation) in self.schedule.deviations.iter().enumerate() {
            if position > 0 {
                formatter.write_str(",")?;
            }
            let (Deviation::Switch { at, .. } | Deviation::Choose { at, .. }) = deviation;
            write!(formatter, "{}@{}.{}", at.actor, at.site, at.occurrence)?;
            match deviation {
                Deviation::Switch { to, .. } => write!(formatter, "={to}")?,
                Deviation::Choose { values, .. } => {
                    let values: Vec<String> = values.iter().map(u8::to_string).collect();
                    write!(formatter, "+{}", values.join("."))?;
                }
            }
        }
        write!(formatter, ":{}", self.digest)
    }
}

impl std::str::FromStr for Token {
    type Err = TokenError;

    fn from_str(text: &str) -> Result<Self, TokenError> {
        let fields: Vec<&str> = text.trim().split(':').collect();
        let [version, scenario, design, policy, relation, deviations, digest] = fields[..] else {
            return Err(match fields.first() {
                Some(version) if fields.len() > 1 && *version != VERSION => {
                    TokenError::Version { found: (*version).to_owned() }
                }
                _ => TokenError::Fields { found: fields.len() },
            });
        };
        if version != VERSION {
            return Err(TokenError::Version { found: version.to_owned() });
        }
        let field = |name, found: &str| TokenError::Field { name, found: found.to_owned() };
        let (relation, suspension) = match relation {
            "a" => (Relation::Accesses, Suspension::WhereItMatters),
            "ae" => (Relation::Accesses, Suspension::Everywhere),
            "r" => (Relation::RealTime, Suspension::WhereItMatters),
            "re" => (Relation::RealTime, Suspension::Everywhere),
            other => return Err(field("relation", other)),
        };
        let parse = |part: &str| deviation(part).ok_or_else(|| field("deviation", part));
        let deviations = match deviations {
            "-" => Vec::new(),
            some => some.split(',').map(parse).collect::<Result<_, _>>()?,
        };
        Ok(Token {
            scenario: scenario.to_owned(),
            design: design.to_owned(),
            policy: policy.to_owned(),
            relation,
            suspension,
            schedule: Schedule { deviations },
            digest: digest.to_owned(),
        })
    }
}

fn deviation(part: &str) -> Option<Deviation> {
    let (actor, rest) = part.split_once('@')?;
    let (site, rest) = rest.split_once('.')?;
    let at = |occurrence: &str| {
        let occurrence = occurrence.parse().ok().filter(|occurrence| *occurrence > 0)?;
        Some(Address { actor: actor.to_owned(), site: site.to_owned(), occurrence })
    };
    if let Some((occurrence, to)) = rest.split_once('=') {
        return Some(Deviation::Switch { at: at(occurrence)?, to: to.to_owned() });
    }
    let (occurrence, values) = rest.split_once('+')?;
    let values = values.split('.').map(|value| value.parse().ok()).collect::<Option<_>>()?;
    Some(Deviation::Choose { at: at(occurrence)?, values })
}
