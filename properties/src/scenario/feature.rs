//! What a scenario asks for that no backend can give yet.

use super::word::{Word, words};
use super::{Assumption, Scenario, Span};

/// Something that is refused before a scenario is run, and never left out in silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// Locks that are granted in the order in which they were asked for.
    FifoLocks,
}
words!(Feature { FifoLocks = "fifo_locks" });

impl Feature {
    /// Its word, for people.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

impl Scenario {
    /// Every feature that is asked for, with its place.
    pub fn needs(&self) -> Vec<(Feature, Span)> {
        let mut needs = Vec::new();
        let all = self.expectations.iter().map(|expected| &expected.terms).chain([&self.terms]);
        if all.into_iter().any(|terms| terms.assume.contains(&Assumption::FifoLocks)) {
            // Terms are merged and have no place of their own: the word is.
            let word = Feature::FifoLocks.name();
            let span = self.source.find(word).map_or(0..0, |start| start..start + word.len());
            needs.push((Feature::FifoLocks, span));
        }
        needs
    }
}
