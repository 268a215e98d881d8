//! Random schedules, under a budget. Never a proof: what it did not find is `not refuted`.

use crate::world::{ActorId, Decider, Decision, Execution, Moment, Options, StepReport, execute};

use super::deadline::Deadline;
use super::{Budget, Diverged, Flow, Move, Program, Summary, Visit};

/// Every how-many-eth run is repeated by its decisions, to find out programs that are not
/// deterministic. Arbitrary.
const REPLAYED_SHARE: u64 = 100;

struct Walk {
    random: fastrand::Rng,
    decisions: Vec<Move>,
}

/// Adds what a step chose to the decision that led to it.
pub(super) fn note_values(decisions: &mut [Move], report: &StepReport) {
    if !report.is_barrier
        && let Some((_, values)) = decisions.last_mut()
    {
        values.extend(report.choices.iter().map(|(value, _)| *value));
    }
}

impl Decider for Walk {
    fn decide(&mut self, moment: &Moment<'_>) -> Decision {
        let mut pick = self.random.u32(..moment.enabled.count_ones());
        let mut mask = moment.enabled;
        while pick > 0 {
            mask &= mask - 1;
            pick -= 1;
        }
        let actor = mask.trailing_zeros() as ActorId;
        self.decisions.push((actor, Vec::new()));
        Decision::Step(actor, Vec::new())
    }

    fn stepped(&mut self, report: &StepReport) {
        note_values(&mut self.decisions, report);
    }
}

/// Random walks over schedules and values, drawn from `seed`.
pub fn sample(
    options: &Options,
    seed: u64,
    budget: Budget,
    program: &Program<'_>,
    visit: &mut Visit<'_>,
) -> Summary {
    let mut seeds = fastrand::Rng::with_seed(seed);
    let deadline = Deadline::after(budget.time);
    let mut summary = Summary::default();
    loop {
        let random = fastrand::Rng::with_seed(seeds.u64(..));
        let options = Options { random_choices: Some(seeds.u64(..)), ..options.clone() };
        let mut walk = Walk { random, decisions: Vec::new() };
        let execution = execute(&options, program, &mut walk);
        summary.take_note(&execution);
        if summary.executions.is_multiple_of(REPLAYED_SHARE) {
            summary.diverged = repeats(&options, program, &execution, &walk.decisions);
        }
        summary.executions += 1;
        summary.steps += u64::from(execution.steps);
        let stops = visit(&execution, &walk.decisions) == Flow::Stop;
        let spent = budget.runs.is_some_and(|limit| summary.executions >= limit);
        if stops || spent || summary.diverged.is_some() || deadline.has_passed() {
            return summary;
        }
    }
}

/// The first step in which a repetition of `execution` differs from it.
fn repeats(
    options: &Options,
    program: &Program<'_>,
    execution: &Execution,
    decisions: &[Move],
) -> Option<Diverged> {
    let options = Options { random_choices: None, ..options.clone() };
    let mut decider = super::DeviationDecider::of_decisions(decisions);
    let again = execute(&options, program, &mut decider);
    let same = |position: usize| {
        let both = (execution.performed.get(position), again.performed.get(position));
        matches!(both, (Some(operation), Some(repeated)) if repeated.actor == operation.actor
                && repeated.access == operation.access
                && repeated.site == operation.site)
    };
    let length = execution.performed.len().max(again.performed.len());
    let place = |position: usize| {
        let operation = execution.performed.get(position).or(again.performed.get(position));
        operation.map(|operation| (operation.step, operation.actor))
    };
    let unlike = (0..length).find(|position| !same(*position)).and_then(place);
    // The same operations, and yet something else was chosen or seen.
    let seen = || {
        let mut both = execution.observed.iter().zip(&again.observed);
        let first = both.find(|(one, other)| one != other).map(|(one, _)| (one.step, one.actor));
        let differs = execution.choices != again.choices || execution.observed != again.observed;
        first.or(differs.then_some((execution.steps, 0)))
    };
    decider.diverged.or(unlike.or_else(seen).map(|step| Diverged::at(execution, step)))
}
