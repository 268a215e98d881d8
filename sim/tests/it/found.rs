//! What can be seen of a toy's runs, and what a search finds in it.

use std::collections::{BTreeMap, BTreeSet};

use midturn::search::{
    Budget, Flow, Program, SearchFault, Strategy, Summary, class_of, explore_faulty,
};
use midturn::world::{Execution, Mode, Observation, Options};

use crate::toy::{Toy, program};

/// Everything that can be seen of a run, apart from the order of independent things.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Outcome {
    /// What each actor noted, in its order.
    pub notes: BTreeMap<u64, Vec<u64>>,
    /// Who was left over, and for what it waits.
    pub stuck: Vec<(String, Vec<&'static str>)>,
    /// Calls and returns in real-time order, where they are steps.
    pub real_time: Vec<(u64, u64)>,
}

/// The outcome of a run.
pub fn outcome(execution: &Execution) -> Outcome {
    let mut notes: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for observed in &execution.observed {
        if let Observation::Note(value) = observed.what {
            notes.entry(execution.actor_paths[observed.actor]).or_default().push(value);
        }
    }
    let mut stuck: Vec<_> = execution
        .stuck
        .iter()
        .map(|stuck| (stuck.actor.clone(), stuck.waits_for.iter().map(|(name, _)| *name).collect()))
        .collect();
    stuck.sort();
    Outcome { notes, stuck, real_time: real_time(execution) }
}

/// For each call, which returns came before it: all that relation `r` fixes.
fn real_time(execution: &Execution) -> Vec<(u64, u64)> {
    let mut before = Vec::new();
    let mut returns: Vec<(usize, u64)> = Vec::new();
    for operation in &execution.performed {
        let name = execution.actor_paths[operation.actor] ^ u64::from(operation.ordinal);
        match operation.access.mode {
            Mode::Return => returns.push((operation.actor, name)),
            Mode::Call => before.extend(
                returns
                    .iter()
                    .filter(|(actor, _)| *actor != operation.actor)
                    .map(|(_, r)| (*r, name)),
            ),
            Mode::Read | Mode::Write => {}
        }
    }
    before.sort_unstable();
    before
}

/// What a search found.
#[derive(Debug, Default)]
pub struct Found {
    /// Identities of classes.
    pub classes: BTreeSet<u128>,
    /// Outcomes.
    pub outcomes: BTreeSet<Outcome>,
    /// The search's own account.
    pub summary: Summary,
}

/// Searches `toy`; `None` if it needs more than `runs` runs.
pub fn find(toy: &Toy, options: &Options, strategy: Strategy, runs: u64) -> Option<Found> {
    find_faulty(toy, options, strategy, None, runs)
}

/// Searches `toy` with a mistake planted in the search.
pub fn find_faulty(
    toy: &Toy,
    options: &Options,
    strategy: Strategy,
    fault: Option<SearchFault>,
    runs: u64,
) -> Option<Found> {
    let mut found = Found::default();
    let program: &Program<'_> = &program(toy);
    let budget = Budget { runs: Some(runs), time: None };
    let summary = explore_faulty(options, strategy, fault, budget, program, &mut |execution, _| {
        assert_eq!(execution.failure, None, "{toy}");
        found.classes.insert(class_of(execution));
        found.outcomes.insert(outcome(execution));
        Flow::Continue
    });
    assert_eq!(summary.diverged, None, "{toy}");
    found.summary = summary;
    found.summary.complete.then_some(found)
}
