//! The race that a file name names.

use std::path::Path;

use super::mistake::{Mistake, What};
use super::word::{Word, words};

/// A race: `<act>_<relation>_<other>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// What is done.
    pub act: String,
    /// How it lies to the other.
    pub relation: RaceRelation,
    /// The other; may be empty after `twice`.
    pub other: String,
}

/// How an act lies to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaceRelation {
    /// In any order.
    Races,
    /// While the other is under way.
    During,
    /// Earlier.
    Before,
    /// Later.
    After,
    /// Later, and first to take effect.
    Overtakes,
    /// Done two times.
    Twice,
}
words!(RaceRelation {
    Races = "races",
    During = "during",
    Before = "before",
    After = "after",
    Overtakes = "overtakes",
    Twice = "twice",
});

impl Race {
    /// The scenario's name and its race.
    pub(crate) fn of(path: &Path) -> Result<(String, Race), Mistake> {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bad = |why| Err(Mistake::FileName { name: stem.clone(), why });
        if !stem.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            return bad("only the letters a to z and `_`");
        }
        let parts: Vec<_> = stem.split('_').collect();
        if parts.iter().any(|part| part.is_empty()) {
            return bad("an empty word");
        }
        let relation = |part: &&str| RaceRelation::from_word(part);
        let Some(at) = parts.iter().skip(1).position(|part| relation(part).is_some()) else {
            return Err(unknown(&parts, &stem));
        };
        let (at, relation) = (at + 1, relation(&parts[at + 1]).unwrap_or(RaceRelation::Races));
        let other = parts[at + 1..].join("_");
        if other.is_empty() && relation != RaceRelation::Twice {
            return bad("nothing stands after the relation");
        }
        let act = parts[..at].join("_");
        Ok((stem, Race { act, relation, other }))
    }
}

/// Blames the word that is most like a relation.
fn unknown(parts: &[&str], stem: &str) -> Mistake {
    let valid = RaceRelation::words();
    let as_word = |word: &str| Mistake::Unknown {
        what: What::Relation,
        word: word.to_owned(),
        valid: valid.clone(),
    };
    let near = parts.iter().skip(1).map(|part| as_word(part));
    near.into_iter().find(|mistake| mistake.suggestion().is_some()).unwrap_or_else(|| as_word(stem))
}
