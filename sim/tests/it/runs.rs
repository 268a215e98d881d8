//! All runs of a small program, for tests that look at each.

use std::sync::Arc;

use midturn::search::{Budget, Flow, Strategy, Summary, explore};
use midturn::world::{Execution, Observation, Options, Suspension, World};
use midturn_sync::Mutex;

/// Some locks, shared.
pub type Locks = Arc<Vec<Mutex<u64>>>;

/// New locks of these names, which outlive the actors.
pub fn locks(world: &World, names: &[&'static str]) -> Locks {
    let locks: Locks = Arc::new(names.iter().map(|name| Mutex::new(name, 0)).collect());
    world.keep(locks.clone());
    locks
}

/// Runs of `program`, by brute force and by the search, under both kinds of suspension.
pub fn all_runs(program: &dyn Fn(&World), visit: &mut dyn FnMut(&Execution)) -> Vec<Summary> {
    let mut summaries = Vec::new();
    for suspension in [Suspension::Everywhere, Suspension::WhereItMatters] {
        for strategy in [Strategy::BruteForce, Strategy::SourceDpor] {
            let options = Options { suspension, step_limit: 200, ..Options::default() };
            summaries.push(explore(
                &options,
                strategy,
                Budget::default(),
                program,
                &mut |run, _| {
                    visit(run);
                    Flow::Continue
                },
            ));
        }
    }
    summaries
}

/// What all actors noted, in the order of the run.
pub fn notes(execution: &Execution) -> Vec<u64> {
    let note = |what: &Observation| match what {
        Observation::Note(value) => Some(*value),
        Observation::Event { .. } => None,
    };
    execution.observed.iter().filter_map(|observed| note(&observed.what)).collect()
}
