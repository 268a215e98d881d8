//! Schedules that show something: found small, written as tokens, replayed.

use midturn_properties::history::History;
use midturn_properties::property::Violation;

use super::{Finding, Judge, Outcome, Subject, options};
use crate::design::Design;
use crate::search::{
    Budget, Deviation, DeviationDecider, Flow, Move, Schedule, bounded, replay_schedule,
};
use crate::world::{Execution, Options, Suspension, World, execute};

/// Runs that the search for a smaller witness may take. Arbitrary; when it is spent the witness
/// at hand is kept.
const SMALLEST_WITNESS_RUNS: u64 = 20_000;

/// The largest number of deviations that is searched for a smaller witness.
const SMALLEST_WITNESS_BOUND: u32 = 3;

/// A schedule that shows something.
#[derive(Clone, Debug)]
pub struct Witness {
    /// The schedule.
    pub schedule: Schedule,
    /// Where actors are suspended in it.
    pub suspension: Suspension,
    /// Whether no schedule with fewer deviations shows the same.
    pub minimal: bool,
}

fn shows<D: Design>(
    judge: &Judge<'_, D>,
    execution: &Execution,
    property: &str,
) -> Option<Violation> {
    let verdict = judge.judge(execution)?;
    verdict.violations.into_iter().find(|violation| violation.property == property)
}

/// The schedule that `moves` took.
pub(crate) fn schedule_of<D: Design>(
    judge: &Judge<'_, D>,
    options: &Options,
    moves: &[Move],
) -> (Schedule, Execution) {
    let mut decider = DeviationDecider::of_decisions(moves);
    let execution = execute(options, &|world: &World| judge.set_up(world), &mut decider);
    (decider.taken, execution)
}

/// The smallest witness of a violation that can be found with reasonable effort: fewest
/// deviations first, then in the order of the search.
pub(crate) fn smallest<D: Design>(
    judge: &Judge<'_, D>,
    options: &Options,
    property: &str,
    what: String,
    moves: &[Move],
) -> (Witness, String) {
    let program = |world: &World| judge.set_up(world);
    let options = Options { random_choices: None, ..options.clone() };
    for bound in 0..=SMALLEST_WITNESS_BOUND {
        let mut found: Option<(Vec<Move>, String)> = None;
        let budget = Budget { runs: Some(SMALLEST_WITNESS_RUNS), time: None };
        let summary =
            bounded(&options, bound, budget, &program, &mut |execution, moves| match shows(
                judge, execution, property,
            ) {
                Some(violation) => {
                    found = Some((moves.to_vec(), violation.what));
                    Flow::Stop
                }
                None => Flow::Continue,
            });
        if let Some((moves, what)) = found {
            let (schedule, _) = schedule_of(judge, &options, &moves);
            let suspension = options.suspension;
            return (Witness { schedule, suspension, minimal: true }, what);
        }
        if !summary.complete {
            break;
        }
    }
    let (schedule, _) = schedule_of(judge, &options, moves);
    let suspension = options.suspension;
    (Witness { schedule, suspension, minimal: false }, what)
}

/// A small schedule that ends in `outcome`.
pub fn outcome_witness<D: Design>(design: &D, finding: &Finding, outcome: &Outcome) -> Witness {
    let suspension = finding.suspension;
    let options = options(&finding.subject, suspension);
    let judge = Judge::new(design, &finding.subject);
    let ends_so = |execution: &Execution| {
        let verdict = judge.judge(execution)?;
        Some(verdict.history?.landings == outcome.landings)
    };
    let program = |world: &World| judge.set_up(world);
    let mut found: Option<Vec<Move>> = None;
    for bound in 0..=SMALLEST_WITNESS_BOUND {
        let budget = Budget { runs: Some(SMALLEST_WITNESS_RUNS), time: None };
        let summary = bounded(&options, bound, budget, &program, &mut |execution, moves| {
            if ends_so(execution) == Some(true) {
                found = Some(moves.to_vec());
                return Flow::Stop;
            }
            Flow::Continue
        });
        if found.is_some() || !summary.complete {
            break;
        }
    }
    let minimal = found.is_some();
    let moves = found.unwrap_or_else(|| outcome.moves.clone());
    let (schedule, _) = schedule_of(&judge, &options, &moves);
    Witness { schedule, suspension, minimal }
}

/// A replayed schedule.
pub struct Replayed {
    /// The run.
    pub execution: Execution,
    /// Its history.
    pub history: History,
    /// What it violates.
    pub violations: Vec<Violation>,
    /// The first deviation that could not be carried out.
    pub unmet: Option<Deviation>,
}

/// Runs `schedule`. None if the scenario itself is at fault.
pub fn replay<D: Design>(
    design: &D,
    subject: &Subject,
    suspension: Suspension,
    schedule: &Schedule,
) -> Option<Replayed> {
    let judge = Judge::new(design, subject);
    let options = options(subject, suspension);
    let program = |world: &World| judge.set_up(world);
    let (execution, unmet) = replay_schedule(&options, &program, schedule);
    let (violations, history) = judge.tell(&execution)?;
    Some(Replayed { execution, history, violations, unmet })
}
