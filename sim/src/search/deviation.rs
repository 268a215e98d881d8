//! Schedules as deviations from a default, and the search bounded by their number.
//!
//! The default scheduler lets whoever moved last go on, and takes the actor that was created
//! first when that one cannot. A schedule is written down as the places where it differs, by
//! meaning: an actor, the name of the place before which it stood, and how often it had begun
//! a step there. So a schedule survives edits elsewhere, and a place that is gone is noticed.

use std::collections::BTreeMap;

use crate::token::{short_hash, slug};
use crate::world::{ActorId, Decider, Decision, Execution, Moment, Options, StepReport, execute};

use super::{Diverged, Move, Program};

/// Letters of a place's hash: enough to tell a few hundred places apart. Arbitrary.
const SITE_LETTERS: usize = 5;

/// A place of a schedule: the `occurrence`-th time that `actor` stands before `site`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// Who stands there, as a [`slug`], with a number if it is not the first of its name.
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
        Address { actor: label(moment, actor), site: short_hash(site, SITE_LETTERS), occurrence }
    }

    fn step(&mut self, moment: &Moment<'_>, actor: ActorId) {
        let site = moment.site(actor).map_or("", |site| site.name);
        *self.0.entry((actor, site)).or_default() += 1;
    }
}

/// An actor's name in a schedule. The second one of that name, in the order in which this run
/// created them, is `name~2`, and so on: no [`slug`] has such an end.
fn label(moment: &Moment<'_>, actor: ActorId) -> String {
    let name = slug(moment.name(actor));
    match (0..actor).filter(|earlier| slug(moment.name(*earlier)) == name).count() {
        0 => name,
        earlier => format!("{name}~{}", earlier + 1),
    }
}

/// Replays a [`Schedule`], or decisions by number; notes the schedule that it really took.
pub struct DeviationDecider<'a> {
    source: Source<'a>,
    occurrences: Occurrences,
    /// The schedule as taken.
    pub taken: Schedule,
    /// The place of the step that is being done, in case it turns out to choose.
    at: Option<Address>,
    /// A repeated decision that could not be carried out.
    pub diverged: Option<Diverged>,
    /// The first deviation that could not be carried out.
    impossible: Option<Deviation>,
    /// The values that the step being done is to choose.
    planned: Option<Deviation>,
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
            impossible: None,
            planned: None,
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
        let default = moment.default_actor();
        let here = self.occurrences.address(moment, default);
        let (mut actor, mut values) = (default, Vec::new());
        match &mut self.source {
            Source::Decisions { decisions, next } => {
                match decisions.get(*next) {
                    Some((decided, planned)) if moment.may_move(*decided) => {
                        (actor, values) = (*decided, planned.clone());
                    }
                    Some((decided, _)) => {
                        self.diverged.get_or_insert_with(|| Diverged::before(moment, *decided));
                    }
                    None => {}
                }
                *next += 1;
            }
            Source::Schedule { deviations, next } => {
                if let Some(Deviation::Switch { at, to }) = deviations.get(*next)
                    && *at == here
                {
                    let found = (0..32)
                        .filter(|id| moment.enabled >> id & 1 == 1)
                        .find(|id| label(moment, *id) == *to);
                    match found.filter(|found| *found != default) {
                        Some(found) => actor = found,
                        None => {
                            self.impossible =
                                self.impossible.take().or(deviations.get(*next).cloned())
                        }
                    }
                    *next += 1;
                }
                let there = self.occurrences.address(moment, actor);
                if let Some(Deviation::Choose { at, values: planned }) = deviations.get(*next)
                    && *at == there
                {
                    values.clone_from(planned);
                    self.planned = deviations.get(*next).cloned();
                    *next += 1;
                }
            }
        }
        if actor != default {
            let to = label(moment, actor);
            self.taken.deviations.push(Deviation::Switch { at: here, to });
        }
        self.at = Some(self.occurrences.address(moment, actor));
        self.occurrences.step(moment, actor);
        Decision::Step(actor, values)
    }

    fn stepped(&mut self, report: &StepReport) {
        if let Some(Deviation::Choose { at, values }) = self.planned.take() {
            let chosen: Vec<u8> = report.choices.iter().map(|(value, _)| *value).collect();
            if chosen != values {
                self.impossible.get_or_insert(Deviation::Choose { at, values });
            }
        }
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
    let impossible = decider.impossible.clone();
    let unmet = decider.unmet().cloned();
    (execution, impossible.or(unmet))
}
