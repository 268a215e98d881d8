//! Checks one scenario under one policy: runs it, judges every run, and says what is known.
//!
//! Promises: the word that is said is never stronger than what was explored. A budget or a bound
//! never turns into `held`, and a run that could not be seen whole takes the word away.

mod judge;
mod tally;
mod witness;

use std::collections::BTreeMap;
use std::sync::Arc;

use midturn_properties::property;
use midturn_properties::scenario::{self, Holds, Scenario, ScenarioErrors, Terms};
use midturn_protocol::{InputId, Landing};

use crate::design::Design;
use crate::search::{Budget, Diverged, Move, Strategy, Summary, bounded, explore, sample};
use crate::world::{Execution, Options, Relation, Suspension};

pub use judge::{Judge, RunVerdict};
use tally::Tally;
pub(crate) use witness::smallest;
pub use witness::{Replayed, Witness, outcome_witness, replay};

/// How hard to look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// When to stop.
    pub budget: Budget,
    /// Look only at schedules with so many deviations; the scenario's own bound unless given.
    pub bound: Option<u32>,
    /// Draw schedules at random from this seed instead of searching.
    pub random: Option<u64>,
}

/// What is to be checked.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// The canonical name of the policy.
    pub policy: String,
    /// The terms under which it is judged.
    pub terms: Terms,
    /// What must hold; [`Holds::All`] unless an expectation says otherwise.
    pub holds: Holds,
    /// What is pinned as violated.
    pub pinned: Vec<String>,
}

impl Subject {
    /// Whether a violation of `property` is neither pinned nor waived nor outside of what must
    /// hold.
    pub fn owes(&self, property: &str) -> bool {
        // What a run breaks by itself is asked of every scenario.
        let of_the_run = property::OF_THE_RUN.iter().any(|(name, _)| *name == property);
        let owed = match &self.holds {
            Holds::All | Holds::Unsaid => true,
            Holds::Listed(names) => of_the_run || names.iter().any(|name| name == property),
        };
        let pinned = self.pinned.iter().any(|name| name == property);
        let waived = self.terms.waive.iter().any(|waiver| waiver.property == property);
        owed && !pinned && !waived
    }
}

/// The words for what is known. They cannot be confused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// In every class.
    Held,
    /// In every schedule with at most so many deviations.
    HeldToBound(u32),
    /// In so many runs; more were not looked at.
    NotRefuted(u64),
    /// Some property is violated.
    Violated,
    /// Something that must be reached was not.
    Vacuous,
    /// A run could not be seen whole; why.
    Blind(String),
    /// The same decisions led to different runs.
    NotDeterministic(Diverged),
}

/// All final results that look alike.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Where every input landed.
    pub landings: BTreeMap<InputId, Landing>,
    /// Runs that ended so.
    pub runs: u64,
    /// The decisions of the first of them.
    pub moves: Vec<Move>,
}

/// A property that was violated.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The property.
    pub property: &'static str,
    /// What happened in the witness.
    pub what: String,
    /// Runs in which it was violated.
    pub runs: u64,
    /// A schedule that shows it.
    pub witness: Witness,
    /// Tolerated by the scenario, with its reason.
    pub waived: Option<String>,
}

/// What is known of one subject.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What was checked.
    pub subject: Subject,
    /// The design's name.
    pub design: &'static str,
    /// What is known.
    pub word: Word,
    /// Whether every class was covered.
    pub complete: bool,
    /// The bound within which every schedule was covered.
    pub bound: Option<u32>,
    /// The relation that classes are counted by.
    pub relation: Relation,
    /// Where actors were suspended.
    pub suspension: Suspension,
    /// The search's own account.
    pub summary: Summary,
    /// Violations, by property.
    pub broken: Vec<Broken>,
    /// What of `sometimes` was reached.
    pub reached: Vec<String>,
    /// What of it was not.
    pub missing: Vec<String>,
    /// Pinned violations that did not happen.
    pub unpinned: Vec<String>,
    /// All final results.
    pub outcomes: Vec<Outcome>,
}

impl Finding {
    /// Whether all is as the scenario expects.
    pub fn is_expected(&self) -> bool {
        self.unexpected().next().is_none()
            && self.unpinned.is_empty()
            && self.missing.is_empty()
            && !matches!(self.word, Word::Blind(_) | Word::NotDeterministic(_))
            && self.is_whole()
    }

    /// Violations that are neither pinned nor waived nor outside of what must hold.
    pub fn unexpected(&self) -> impl Iterator<Item = &Broken> {
        self.broken.iter().filter(|broken| self.subject.owes(broken.property))
    }

    /// Whether all was looked at that was to be looked at, so that what was not seen is not there.
    pub fn is_whole(&self) -> bool {
        self.complete || self.is_bounded_by_agreement()
    }

    /// Whether the scenario itself declares the bound that was reached.
    pub fn is_bounded_by_agreement(&self) -> bool {
        let declared = self.subject.terms.bound.map(|bound| bound.deviations);
        self.bound.is_some() && declared.is_some() && self.bound >= declared
    }
}

/// How runs of `subject` are to be carried out.
pub fn options(subject: &Subject, suspension: Suspension) -> Options {
    let relation = match subject.terms.relation.unwrap_or_default() {
        scenario::Relation::A => Relation::Accesses,
        scenario::Relation::R => Relation::RealTime,
    };
    let time = crate::stage::time_of(&subject.scenario);
    Options { suspension, relation, time, ..Options::default() }
}

/// Checks `subject`. Fails only if the scenario itself is at fault.
pub fn check<D: Design>(
    design: &D,
    subject: Subject,
    effort: &Effort,
) -> Result<Finding, ScenarioErrors> {
    let bound = effort.bound.or(subject.terms.bound.map(|bound| bound.deviations));
    let mut suspension = Suspension::WhereItMatters;
    loop {
        let options = options(&subject, suspension);
        let judge = Judge::new(design, &subject);
        let mut tally = Tally::new(&subject.scenario);
        let summary = {
            let program = |world: &crate::world::World| judge.set_up(world);
            let mut visit =
                |execution: &Execution, moves: &[Move]| tally.add(&judge, execution, moves);
            match (effort.random, bound) {
                (Some(seed), _) => sample(&options, seed, effort.budget, &program, &mut visit),
                (None, Some(bound)) => {
                    bounded(&options, bound, effort.budget, &program, &mut visit)
                }
                (None, None) => {
                    explore(&options, Strategy::SourceDpor, effort.budget, &program, &mut visit)
                }
            }
        };
        if let Some(errors) = judge.uncovered() {
            return Err(errors);
        }
        // Sections that nest in a cycle can deadlock only where they are taken one by one.
        let may_deadlock = summary.lock_order.cycle().is_some();
        if may_deadlock && suspension == Suspension::WhereItMatters {
            suspension = Suspension::Everywhere;
            continue;
        }
        let bound = bound.filter(|_| effort.random.is_none());
        return Ok(tally.conclude(&judge, &options, summary, bound, design.name()));
    }
}
