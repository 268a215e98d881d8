//! What must hold of every run.
//!
//! A property reads one [`History`] and nothing else. Its value must be the same for every
//! schedule of a class, so it compares only events whose order the class fixes: those of one
//! actor, and those that are emitted inside sections of one lock. Where it asks about the order
//! of two others, the engine makes the one a reader of the other's state.

mod all;
mod answer;
mod interrupt;
mod landing;
mod linearizable;
mod order;
mod routing;
mod settings;
mod turn;

pub use all::ALL;

use crate::history::History;
use crate::scenario::Names;
use linearizable::Explanations;

/// A property that was broken, with words for a person.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The property.
    pub property: &'static str,
    /// What happened.
    pub what: String,
    /// The position of the record at which it shows.
    pub at: Option<usize>,
}

/// Something that must hold.
#[derive(Clone, Copy)]
pub struct Property {
    /// Its name, the same in files, output and code.
    pub name: &'static str,
    /// What it says, with its exceptions.
    pub words: &'static str,
    check: fn(&History, &Names, &mut Found<'_>),
}

impl std::fmt::Debug for Property {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

/// Collects what a property finds.
pub(crate) struct Found<'a> {
    property: &'static str,
    violations: Vec<Violation>,
    explanations: &'a mut Explanations,
}

impl Found<'_> {
    pub(crate) fn report(&mut self, what: String, at: Option<usize>) {
        self.violations.push(Violation { property: self.property, what, at });
    }
}

/// What a run breaks by itself; pinned and waived by these names like any property.
pub const OF_THE_RUN: &[(&str, &str)] = &[
    (
        "no_deadlock",
        "Nobody waits for ever, except who is declared as parked, who waits for an event of the \
         script, and a submission loop that has nothing to do.",
    ),
    ("no_panic", "Nobody panics."),
    ("no_lost_wake_up", "Whoever waits for something that is there was woken."),
    ("ends", "A run ends within the limit of steps."),
];

/// The names of everything that can be violated.
pub fn names() -> Vec<&'static str> {
    ALL.iter()
        .map(|property| property.name)
        .chain(OF_THE_RUN.iter().map(|(name, _)| *name))
        .collect()
}

/// Everything that `history` breaks.
pub fn judge(history: &History, names: &Names) -> Vec<Violation> {
    Memory::default().judge(history, names)
}

/// What one run can tell about another of the same session of the same scenario. It spares work
/// and never changes a verdict.
#[derive(Debug, Default)]
pub struct Memory {
    explanations: Explanations,
}

impl Memory {
    /// Everything that `history` breaks.
    pub fn judge(&mut self, history: &History, names: &Names) -> Vec<Violation> {
        self.judge_by(ALL, history, names)
    }

    /// What `history` breaks of these.
    pub fn judge_by<'a>(
        &mut self,
        properties: impl IntoIterator<Item = &'a Property>,
        history: &History,
        names: &Names,
    ) -> Vec<Violation> {
        let mut all = Vec::new();
        for Property { name, check, .. } in properties {
            let violations = Vec::new();
            let explanations = &mut self.explanations;
            let mut found = Found { property: name, violations, explanations };
            check(history, names, &mut found);
            all.append(&mut found.violations);
        }
        all
    }

    /// How many runs were judged, and of how many the explanation was remembered.
    pub fn counts(&self) -> (u64, u64) {
        self.explanations.counts()
    }
}
