//! The exit codes. Stable; scripts may rely on them.

use std::process::ExitCode;

use crate::check::{Finding, Word};

/// How the command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything is as expected, and complete or bounded by agreement.
    Expected = 0,
    /// A property is violated that was not expected to be.
    Violated = 1,
    /// Usage or bad input.
    Usage = 2,
    /// Not deterministic, or blind.
    Unseen = 4,
    /// Something that must be reached never was.
    Vacuous = 5,
    /// The budget or bound ended the search.
    NotRefuted = 6,
    /// A pinned violation does not happen any more.
    Unpinned = 7,
}

/// Which code wins when several apply.
const ORDER: [Exit; 7] = [
    Exit::Usage,
    Exit::Unseen,
    Exit::Violated,
    Exit::Unpinned,
    Exit::Vacuous,
    Exit::NotRefuted,
    Exit::Expected,
];

impl Exit {
    /// The code of one finding.
    pub fn of(finding: &Finding, accept_bounded: bool) -> Exit {
        let bounded =
            finding.is_bounded_by_agreement() || (accept_bounded && finding.bound.is_some());
        if matches!(finding.word, Word::Blind(_) | Word::NotDeterministic(_)) {
            Exit::Unseen
        } else if finding.unexpected().next().is_some() {
            Exit::Violated
        } else if !finding.unpinned.is_empty() && finding.is_whole() {
            Exit::Unpinned
        } else if !finding.missing.is_empty() && finding.is_whole() {
            Exit::Vacuous
        } else if (!finding.complete && !bounded)
            || !finding.missing.is_empty()
            || !finding.unpinned.is_empty()
        {
            Exit::NotRefuted
        } else {
            Exit::Expected
        }
    }

    /// The code of both together.
    #[must_use]
    pub fn and(self, other: Exit) -> Exit {
        ORDER.into_iter().find(|exit| *exit == self || *exit == other).unwrap_or(Exit::Usage)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
