//! Which lock was entered while which was held. Where suspension is left out between nested
//! sections, a deadlock by lock order shows here and nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use crate::world::Execution;

/// The order graph of all runs of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockOrder {
    edges: BTreeMap<u64, BTreeSet<u64>>,
    names: BTreeMap<u64, &'static str>,
}

impl LockOrder {
    /// Adds what one run did.
    pub fn add(&mut self, execution: &Execution) {
        for (held, entered) in &execution.lock_order {
            let held = &execution.objects[held.0 as usize];
            let entered = &execution.objects[entered.0 as usize];
            if self.edges.entry(held.path).or_default().insert(entered.path) {
                self.names.insert(held.path, held.name);
                self.names.insert(entered.path, entered.name);
            }
        }
    }

    /// The names of locks that are entered in a cycle, if there is one.
    pub fn cycle(&self) -> Option<Vec<&'static str>> {
        let mut finished = BTreeSet::new();
        for start in self.edges.keys() {
            let mut path = Vec::new();
            if self.find_cycle(*start, &mut path, &mut finished) {
                return Some(
                    path.iter().filter_map(|lock| self.names.get(lock).copied()).collect(),
                );
            }
        }
        None
    }

    fn find_cycle(&self, lock: u64, path: &mut Vec<u64>, finished: &mut BTreeSet<u64>) -> bool {
        if let Some(position) = path.iter().position(|earlier| *earlier == lock) {
            path.drain(..position);
            return true;
        }
        if !finished.contains(&lock) {
            path.push(lock);
            for next in self.edges.get(&lock).into_iter().flatten() {
                if self.find_cycle(*next, path, finished) {
                    return true;
                }
            }
            path.pop();
            finished.insert(lock);
        }
        false
    }
}
