//! Explanations that are remembered: most runs of a search have the history of another.
//!
//! Promises: what is remembered is what would be found. Two histories are taken for one only if
//! their steps, the order of these and the session that they begin in are equal, not merely their
//! hashes.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

use crate::linearizability::{Operations, Place, Unexplained, explain};
use crate::machine::codex::{Observation, Promise, Refusal, Session, Step};

/// How many histories are remembered. Arbitrary; enough for the histories of most scenarios, and
/// little enough for any machine.
const CAPACITY: usize = 1 << 14;

/// Why a history cannot be explained.
#[derive(Clone, Debug)]
pub(super) struct Inexplicable {
    /// In words.
    pub(super) what: String,
    /// The steps that might come next, and cannot.
    pub(super) blocked: Vec<Place>,
}

/// A history, and why it cannot be explained; nothing if it can.
#[derive(Clone, Debug)]
struct Known {
    initial: Session,
    steps: Operations<Step>,
    sleeps: bool,
    inexplicable: Option<Inexplicable>,
}

/// What is known of the histories of one session of one scenario. Only asked, never listed, so that
/// its order does not matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Explanations {
    known: HashTable<Known>,
    hasher: DefaultHashBuilder,
    judged: u64,
    remembered: u64,
}

impl Explanations {
    /// Why `observation` cannot be explained under `promise`. The commands, the inputs, the preset
    /// and the names in the words must be those of all others that are judged with this memory.
    pub(super) fn missing(
        &mut self,
        promise: &Promise<'_>,
        observation: &Observation,
        words: impl FnOnce(&Unexplained<Refusal>) -> String,
    ) -> Option<Inexplicable> {
        let Observation { initial, steps, order } = observation;
        let sleeps = promise.sleeps;
        self.judged += 1;
        let hash = self.hasher.hash_one((initial, steps, sleeps));
        let same = |known: &Known| {
            known.steps == *steps && known.initial == *initial && known.sleeps == sleeps
        };
        if let Some(known) = self.known.find(hash, same) {
            self.remembered += 1;
            return known.inexplicable.clone();
        }
        let order = order.iter().map(|(place, _)| *place).collect::<Vec<Place>>();
        let unexplained = explain(promise, initial, steps, &order).err();
        let inexplicable = unexplained.map(|unexplained| Inexplicable {
            what: words(&unexplained),
            blocked: unexplained.blocked.iter().map(|blocked| blocked.place).collect(),
        });
        if self.known.len() < CAPACITY {
            let (initial, steps) = (initial.clone(), steps.clone());
            let known = Known { initial, steps, sleeps, inexplicable: inexplicable.clone() };
            let hasher = &self.hasher;
            self.known.insert_unique(hash, known, |known| {
                hasher.hash_one((&known.initial, &known.steps, known.sleeps))
            });
        }
        inexplicable
    }

    /// How many histories were judged, and how many of these were remembered.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.judged, self.remembered)
    }
}
