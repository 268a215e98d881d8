//! Follows a generated schedule. Never a search: it is one run.

use midturn_strategies::Stretch;

use crate::world::{ActorId, Decider, Decision, Execution, Moment, Options, StepReport, execute};

use super::random::note_values;
use super::{Move, Program};

struct Follow<'a> {
    stretches: std::slice::Iter<'a, Stretch>,
    /// Whose stretch it is, how many steps of it are left, and what they choose.
    current: Option<(ActorId, u8, u8)>,
    decisions: Vec<Move>,
}

impl Follow<'_> {
    fn next(&mut self, moment: &Moment<'_>) -> (ActorId, u8) {
        let goes_on = self.current.filter(|(actor, left, _)| *left > 0 && moment.may_move(*actor));
        if let Some((actor, left, value)) = goes_on {
            self.current = Some((actor, left - 1, value));
            return (actor, value);
        }
        let Some(stretch) = self.stretches.next() else {
            self.current = None;
            return (moment.default_actor(), 0);
        };
        let mut mask = moment.enabled;
        for _ in 0..u32::from(stretch.actor) % mask.count_ones().max(1) {
            mask &= mask - 1;
        }
        let actor = mask.trailing_zeros() as ActorId;
        self.current = Some((actor, stretch.steps, stretch.value));
        (actor, stretch.value)
    }
}

impl Decider for Follow<'_> {
    fn decide(&mut self, moment: &Moment<'_>) -> Decision {
        let (actor, value) = self.next(moment);
        self.decisions.push((actor, Vec::new()));
        Decision::Step(actor, vec![value; 4])
    }

    fn stepped(&mut self, report: &StepReport) {
        note_values(&mut self.decisions, report);
    }
}

/// Runs `program` under a schedule of stretches; also says which decisions that came to.
pub fn follow(
    options: &Options,
    schedule: &[Stretch],
    program: &Program<'_>,
) -> (Execution, Vec<Move>) {
    let mut follow = Follow { stretches: schedule.iter(), current: None, decisions: Vec::new() };
    let execution = execute(options, program, &mut follow);
    (execution, follow.decisions)
}
