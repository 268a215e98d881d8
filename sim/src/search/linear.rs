//! Other schedules of the same class, at random: what a property says must not depend on which
//! of them the search happened to run.

use crate::world::{Decider, Decision, Execution, Moment, Options, StepReport, execute};

use super::happens_before::HappensBefore;
use super::{Move, Program};

struct Recorder<'a> {
    decisions: &'a [Move],
    reports: Vec<StepReport>,
}

impl Decider for Recorder<'_> {
    fn decide(&mut self, moment: &Moment<'_>) -> Decision {
        let decided = self.reports.iter().filter(|report| !report.is_barrier).count();
        match self.decisions.get(decided) {
            Some((actor, values)) if moment.may_move(*actor) => {
                Decision::Step(*actor, values.clone())
            }
            _ => Decision::Step(moment.default_actor(), Vec::new()),
        }
    }

    fn stepped(&mut self, report: &StepReport) {
        self.reports.push(report.clone());
    }
}

/// Repeats `decisions` and reports every step.
pub fn record(
    options: &Options,
    program: &Program<'_>,
    decisions: &[Move],
) -> (Execution, Vec<StepReport>) {
    let mut recorder = Recorder { decisions, reports: Vec::new() };
    let execution = execute(options, program, &mut recorder);
    (execution, recorder.reports)
}

/// Moves actors in a given order of their identities.
struct Ordered {
    order: Vec<(u64, Vec<u8>)>,
    next: usize,
    impossible: bool,
}

impl Decider for Ordered {
    fn decide(&mut self, moment: &Moment<'_>) -> Decision {
        let wanted = self.order.get(self.next);
        self.next += 1;
        let found = wanted.and_then(|(path, values)| {
            let actor = moment.enabled_by_path(*path)?;
            Some(Decision::Step(actor, values.clone()))
        });
        found.unwrap_or_else(|| {
            self.impossible = true;
            Decision::Abandon
        })
    }
}

/// Steps that a lock in the hands of another cut short, each with the step that let go of it:
/// later than that, the step would have done more.
fn cut_short(reports: &[StepReport]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (step, report) in reports.iter().enumerate() {
        for attempt in &report.attempts {
            let lets_go = |later: &StepReport| {
                later.releases.iter().any(|release| release.object == attempt.object)
            };
            let after = reports[step + 1..].iter().position(lets_go);
            pairs.extend(after.map(|after| (step, step + 1 + after)));
        }
    }
    pairs
}

/// Runs a random linear extension of the class of a recorded run, step by step. `None` if that
/// order could not be carried out, which would mean that happens-before has a hole.
pub fn random_linear_extension(
    options: &Options,
    program: &Program<'_>,
    recorded: &(Execution, Vec<StepReport>),
    random: &mut fastrand::Rng,
) -> Option<Execution> {
    let (execution, reports) = recorded;
    let mut order = HappensBefore::default();
    for report in reports {
        order.push(report);
    }
    let cut_short = cut_short(reports);
    let before = |earlier: usize, later: usize| {
        order.before(earlier, later) || cut_short.contains(&(earlier, later))
    };
    let mut left: Vec<usize> = (0..reports.len()).collect();
    let mut extension = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let free: Vec<usize> = (0..left.len())
            .filter(|position| {
                left[..*position].iter().all(|earlier| !before(*earlier, left[*position]))
            })
            .collect();
        let position = free[random.usize(..free.len())];
        let report = &reports[left.remove(position)];
        if !report.is_barrier {
            let values = report.choices.iter().map(|(value, _)| *value).collect();
            extension.push((execution.actor_paths[report.actor], values));
        }
    }
    let mut decider = Ordered { order: extension, next: 0, impossible: false };
    let run = execute(options, program, &mut decider);
    let as_ordered = !decider.impossible && decider.next == decider.order.len();
    as_ordered.then_some(run)
}
