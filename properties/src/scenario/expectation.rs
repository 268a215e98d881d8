//! What is expected of a design under a policy.

use super::Span;
use super::word::words;

/// What a scenario expects of one design under one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// The design.
    pub design: String,
    /// The policy, as it is written (an alias is not resolved).
    pub policy: String,
    /// The planted faults that are switched on, as written.
    pub faults: Vec<String>,
    /// What must hold.
    pub holds: Holds,
    /// What is pinned as violated.
    pub violates: Vec<String>,
    /// Under which terms: the expectation's own, else the scenario's.
    pub terms: Terms,
    /// The place of the policy in the file.
    pub span: Span,
}

/// What must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Nothing is said.
    Unsaid,
    /// Every property in scope but those that are pinned as violated.
    All,
    /// These properties.
    Listed(Vec<String>),
}

/// The terms under which properties are judged.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Terms {
    /// Actors that may wait for ever, as indices into `Scenario::actors`. Those of an
    /// expectation are added to the scenario's.
    pub parked: Vec<usize>,
    /// What is taken for granted. Those of an expectation are added to the scenario's.
    pub assume: Vec<Assumption>,
    /// Search only so far.
    pub bound: Option<Bound>,
    /// Known violations. Those of an expectation are added to the scenario's.
    pub waive: Vec<Waiver>,
    /// What tells two classes apart; [`Relation::A`] unless given.
    pub relation: Option<Relation>,
}

/// A limit of the search that the scenario itself accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// At most so many deviations.
    pub deviations: u32,
}

/// A violation that is known and does not fail the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// The property.
    pub property: String,
    /// Why it is tolerated.
    pub because: String,
    /// Where it is written down.
    pub url: String,
}

/// What is taken for granted about the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumption {
    /// Locks are granted in the order in which they were asked for.
    FifoLocks,
}
words!(Assumption { FifoLocks = "fifo_locks" });

/// What tells two classes of schedules apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relation {
    /// The order of dependent steps.
    #[default]
    A,
    /// That, and the real-time order of calls and returns.
    R,
}
words!(Relation { A = "a", R = "r" });
