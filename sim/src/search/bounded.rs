//! The search bounded by the number of deviations from the default schedule.

use crate::world::{ActorId, Decider, Decision, End, Moment, Options, StepReport, execute};

use super::deadline::Deadline;
use super::explorer::repeats_choices;
use super::{Budget, Diverged, Flow, Program, Summary, Visit};

struct BoundedNode {
    digest: u64,
    enabled: u32,
    tried: u32,
    chosen: ActorId,
    plan: Vec<u8>,
    choices: Vec<(u8, u8)>,
    spent_before: u32,
    default: ActorId,
}

impl BoundedNode {
    fn spent(&self) -> u32 {
        let values = self.choices.iter().filter(|(value, _)| *value != 0).count() as u32;
        self.spent_before + u32::from(self.chosen != self.default) + values
    }
}

struct Bounded {
    bound: u32,
    stack: Vec<BoundedNode>,
    depth: usize,
    diverged: Option<Diverged>,
    /// A step that was not the known one.
    unlike: Option<(u32, ActorId)>,
}

impl Decider for Bounded {
    fn decide(&mut self, moment: &Moment<'_>) -> Decision {
        if self.depth == self.stack.len() {
            let default = moment.default_actor();
            self.stack.push(BoundedNode {
                digest: moment.digest(),
                enabled: moment.enabled,
                tried: 1 << default,
                chosen: default,
                plan: Vec::new(),
                choices: Vec::new(),
                spent_before: self.stack.last().map_or(0, BoundedNode::spent),
                default,
            });
        } else if self.diverged.is_none() && self.stack[self.depth].digest != moment.digest() {
            self.diverged = Some(Diverged::before(moment, self.stack[self.depth].chosen));
        }
        if self.diverged.is_some() || self.unlike.is_some() {
            return Decision::Abandon;
        }
        let node = &self.stack[self.depth];
        Decision::Step(node.chosen, node.plan.clone())
    }

    fn stepped(&mut self, report: &StepReport) {
        if report.is_barrier {
            return;
        }
        let is_new = self.depth + 1 == self.stack.len();
        let node = &mut self.stack[self.depth];
        let known = if is_new { node.plan.len() } else { node.choices.len() };
        if !repeats_choices(&node.choices[..known], report, is_new) {
            self.unlike.get_or_insert((report.step, report.actor));
        }
        node.choices.clone_from(&report.choices);
        self.depth += 1;
    }
}

impl Bounded {
    fn backtrack(&mut self) -> bool {
        while let Some(node) = self.stack.last_mut() {
            let untried = (0..node.choices.len()).rev().find(|position| {
                let (value, arity) = node.choices[*position];
                let fewer = node.choices[..*position].iter().filter(|(v, _)| *v != 0).count();
                let spent =
                    node.spent_before + u32::from(node.chosen != node.default) + fewer as u32;
                value + 1 < arity && spent < self.bound
            });
            if let Some(position) = untried {
                node.plan = node.choices[..=position].iter().map(|(value, _)| *value).collect();
                node.plan[position] += 1;
                node.choices.truncate(position + 1);
                node.choices[position].0 += 1;
                return true;
            }
            let next = node.enabled & !node.tried;
            if next != 0 && node.spent_before < self.bound {
                node.chosen = next.trailing_zeros() as ActorId;
                node.tried |= 1 << node.chosen;
                node.plan.clear();
                node.choices.clear();
                return true;
            }
            self.stack.pop();
        }
        false
    }
}

/// Every schedule with at most `bound` deviations. `complete` of the result is about the bound,
/// not about the program.
pub fn bounded(
    options: &Options,
    bound: u32,
    budget: Budget,
    program: &Program<'_>,
    visit: &mut Visit<'_>,
) -> Summary {
    let mut search = Bounded { bound, stack: Vec::new(), depth: 0, diverged: None, unlike: None };
    let deadline = Deadline::after(budget.time);
    let mut summary = Summary::default();
    let mut hides_schedules = false;
    loop {
        search.depth = 0;
        let execution = execute(options, program, &mut search);
        summary.take_note(&execution);
        let missing = search.stack.get(search.depth).map(|node| (execution.steps + 1, node.chosen));
        let unlike = search.unlike.take().or(missing).map(|step| Diverged::at(&execution, step));
        if let Some(diverged) = search.diverged.take().or(unlike) {
            summary.diverged = Some(diverged);
            return summary;
        }
        // Nobody knows what the others would have done after a failure.
        hides_schedules |= execution.end == End::Failed;
        summary.executions += 1;
        summary.steps += u64::from(execution.steps);
        let values = |node: &BoundedNode| node.choices.iter().map(|(value, _)| *value).collect();
        let path: Vec<_> = search.stack.iter().map(|node| (node.chosen, values(node))).collect();
        if visit(&execution, &path) == Flow::Stop {
            return summary;
        }
        if !search.backtrack() {
            summary.complete = !hides_schedules;
            return summary;
        }
        if budget.runs.is_some_and(|limit| summary.executions >= limit) || deadline.has_passed() {
            return summary;
        }
    }
}
