//! Schedules as deviations from a default, and the search bounded by their number.
//!
//! The default scheduler lets whoever moved last go on, and takes the actor that was created
//! first when that one cannot. A schedule is written down as the places where it differs, by
//! meaning: an actor, the name of the place before which it stood, and how often it had begun
//! a step there. So a schedule survives edits elsewhere, and a place that is gone is noticed.

use std::collections::BTreeMap;

use crate::token::{short_hash, slug};
use crate::world::{ActorId, Decider, Decision, Execution, Moment, Options, StepReport, execute};

use super::explorer::Deadline;
use super::{Budget, Diverged, Flow, Move, Program, Summary, Visit};

/// Letters of a place's hash: enough to tell a few hundred places apart. Arbitrary.
const SITE_LETTERS: usize = 5;

/// A place of a schedule: the `occurrence`-th time that `actor` stands before `site`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// Who stands there, as a [`slug`].
    pub actor: String,
    /// A short hash of the name of the operation before which it stands.
    pub site: String,
    /// Counted from 1.
    pub occurrence: u32,
}

/// One difference from the default.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Deviation {
    /// Where the actor at `at` would move, this one moves.
    Switch {
        /// Where.
        at: Address,
        /// Who moves instead.
        to: String,
    },
    /// The step at `at` takes these values where it chooses.
    Choose {
        /// Where.
        at: Address,
        /// The values.
        values: Vec<u8>,
    },
}

/// A schedule, by its deviations in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The differences from the default.
    pub deviations: Vec<Deviation>,
}

#[derive(Default)]
struct Occurrences(BTreeMap<(ActorId, &'static str), u32>);

impl Occurrences {
    fn address(&self, moment: &Moment<'_>, actor: ActorId) -> Address {
        let site = moment.site(actor).map_or("", |site| site.name);
        let occurrence = self.0.get(&(actor, site)).copied().unwrap_or(0) + 1;
        Address {
            actor: slug(moment.name(actor)),
            site: short_hash(site, SITE_LETTERS),
            occurrence,
        }
    }

    fn step(&mut self, moment: &Moment<'_>, actor: ActorId) {
        let site = moment.site(actor).map_or("", |site| site.name);
        *self.0.entry((actor, site)).or_default() += 1;
    }
}

fn default_actor(moment: &Moment<'_>) -> ActorId {
    let goes_on = moment.last.filter(|last| moment.enabled >> last & 1 == 1);
    goes_on.unwrap_or(moment.enabled.trailing_zeros() as ActorId)
}

/// Replays a [`Schedule`], or decisions by number; notes the schedule that it really took.
pub struct DeviationDecider<'a> {
    source: Source<'a>,
    occurrences: Occurrences,
    /// The schedule as taken.
    pub taken: Schedule,
    /// The place of the step that is being done, in case it turns out to choose.
    at: Option<Address>,
    /// A deviation that could not be carried out.
    pub diverged: Option<Diverged>,
}

enum Source<'a> {
    Schedule { deviations: &'a [Deviation], next: usize },
    Decisions { decisions: &'a [Move], next: usize },
}

impl<'a> DeviationDecider<'a> {
    /// Replays `schedule`.
    pub fn of_schedule(schedule: &'a Schedule) -> Self {
        Self::new(Source::Schedule { deviations: &schedule.deviations, next: 0 })
    }

    /// Repeats `decisions` of an earlier run.
    pub fn of_decisions(decisions: &'a [Move]) -> Self {
        Self::new(Source::Decisions { decisions, next: 0 })
    }

    fn new(source: Source<'a>) -> Self {
        DeviationDecider {
            source,
            occurrences: Occurrences::default(),
            taken: Schedule::default(),
            at: None,
            diverged: None,
        }
    }

    /// The first deviation that was never met, once the run is over.
    pub fn unmet(&self) -> Option<&'a Deviation> {
        match &self.source {
            Source::Schedule { deviations, next } => deviations.get(*next),
            Source::Decisions { .. } => None,
        }
    }
}

impl Decider for DeviationDecider<'_> {
    fn decide(&mut self, moment: &Moment<'_>) -> Decision {
        let default = default_actor(moment);
        let here = self.occurrences.address(moment, default);
        let (mut actor, mut values) = (default, Vec::new());
        match &mut self.source {
            Source::Decisions { decisions, next } => {
                if let Some((decided, planned)) = decisions.get(*next) {
                    (actor, values) = (*decided, planned.clone());
                }
                *next += 1;
            }
            Source::Schedule { deviations, next } => {
                if let Some(Deviation::Switch { at, to }) = deviations.get(*next)
                    && *at == here
                {
                    let found = (0..32)
                        .filter(|id| moment.enabled >> id & 1 == 1)
                        .find(|id| slug(moment.name(*id)) == *to);
                    match found {
                        Some(found) => actor = found,
                        None => {
                            self.diverged.get_or_insert(Diverged {
                                step: moment.steps + 1,
                                actor: to.clone(),
                                site: moment.site(default),
                            });
                        }
                    }
                    *next += 1;
                }
                let there = self.occurrences.address(moment, actor);
                if let Some(Deviation::Choose { at, values: planned }) = deviations.get(*next)
                    && *at == there
                {
                    values.clone_from(planned);
                    *next += 1;
                }
            }
        }
        if actor != default {
            let to = slug(moment.name(actor));
            self.taken.deviations.push(Deviation::Switch { at: here, to });
        }
        self.at = Some(self.occurrences.address(moment, actor));
        self.occurrences.step(moment, actor);
        Decision::Step(actor, values)
    }

    fn stepped(&mut self, report: &StepReport) {
        if report.choices.iter().any(|(value, _)| *value != 0)
            && let Some(at) = self.at.take()
        {
            let values = report.choices.iter().map(|(value, _)| *value).collect();
            self.taken.deviations.push(Deviation::Choose { at, values });
        }
    }
}

/// Runs `program` under `schedule`. The last value is the first place that could not be met.
pub fn replay_schedule(
    options: &Options,
    program: &Program<'_>,
    schedule: &Schedule,
) -> (Execution, Option<Deviation>) {
    let mut decider = DeviationDecider::of_schedule(schedule);
    let execution = execute(options, program, &mut decider);
    let impossible = decider.diverged.as_ref().and_then(|diverged| {
        let switches_to = |deviation: &&Deviation| {
            matches!(deviation, Deviation::Switch { to, .. } if *to == diverged.actor)
        };
        schedule.deviations.iter().find(switches_to).cloned()
    });
    let unmet = decider.unmet().cloned();
    (execution, impossible.or(unmet))
}

struct BoundedNode {
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
}

impl Decider for Bounded {
    fn decide(&mut self, moment: &Moment<'_>) -> Decision {
        if self.depth == self.stack.len() {
            let default = default_actor(moment);
            self.stack.push(BoundedNode {
                enabled: moment.enabled,
                tried: 1 << default,
                chosen: default,
                plan: Vec::new(),
                choices: Vec::new(),
                spent_before: self.stack.last().map_or(0, BoundedNode::spent),
                default,
            });
        }
        let node = &self.stack[self.depth];
        Decision::Step(node.chosen, node.plan.clone())
    }

    fn stepped(&mut self, report: &StepReport) {
        if report.is_barrier {
            return;
        }
        let node = &mut self.stack[self.depth];
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
    let mut search = Bounded { bound, stack: Vec::new(), depth: 0 };
    let deadline = Deadline::after(budget.time);
    let mut summary = Summary::default();
    loop {
        search.depth = 0;
        let execution = execute(options, program, &mut search);
        summary.take_note(&execution);
        summary.executions += 1;
        summary.steps += u64::from(execution.steps);
        let values = |node: &BoundedNode| node.choices.iter().map(|(value, _)| *value).collect();
        let path: Vec<_> = search.stack.iter().map(|node| (node.chosen, values(node))).collect();
        if visit(&execution, &path) == Flow::Stop {
            return summary;
        }
        if !search.backtrack() {
            summary.complete = true;
            return summary;
        }
        if budget.runs.is_some_and(|limit| summary.executions >= limit) || deadline.has_passed() {
            return summary;
        }
    }
}
