//! Explores the runs of a program.
//!
//! Promises: [`explore`] with [`Strategy::SourceDpor`] runs one schedule of every class, each
//! once, unless a budget or a failure of the run itself stops it, and says so. Brute force and
//! plain sleep sets are kept as oracles of the same shape.
//!
//! Does not judge runs: whoever calls gets each of them.

mod bounded;
mod class;
pub(crate) mod deadline;
mod deviation;
mod explorer;
mod follow;
mod happens_before;
mod linear;
mod lock_order;
mod random;

use crate::world::{ActorId, Execution, Moment, World};

pub use bounded::bounded;
pub use class::class_of;
pub use deviation::{Address, Deviation, DeviationDecider, Schedule, replay_schedule};
pub use explorer::explore;
#[doc(hidden)]
pub use explorer::explore_faulty;
pub use follow::follow;
pub use linear::{random_linear_extension, record};
pub use lock_order::LockOrder;
pub use random::sample;

/// A program: sets up shared state and actors in a new world.
pub type Program<'a> = dyn Fn(&World) + 'a;

/// One decision: who moves, and the values that its step chooses.
pub type Move = (ActorId, Vec<u8>);

/// Gets each run with the decisions that led to it.
pub type Visit<'a> = dyn FnMut(&Execution, &[Move]) -> Flow + 'a;

/// How runs are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strategy {
    /// Every schedule.
    BruteForce,
    /// Every schedule, less those that only repeat a class (Godefroid).
    SleepSets,
    /// Race reversal with source sets and sleep sets (Abdulla, Aronsson, Jonsson, Sagonas),
    /// with releases passing clocks and blocked operations counted as races, without which
    /// nested sections lose classes.
    #[default]
    SourceDpor,
}

/// A mistake planted in the search on purpose, to show that a test would notice it.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchFault {
    /// The end of a section teaches the next one to enter it nothing.
    ReleasesPassNothing,
    /// At the end of a run, who is blocked does not race with who blocks it.
    BlockedOperationsIgnored,
    /// A step's uses are looked at together, as if the step could not be cut short.
    NestedUsesAsOne,
    /// A nested lock that was found held is not a use.
    AttemptsIgnored,
    /// A wait could never have come earlier.
    WaitsNeverReversed,
    /// Of earlier uses, those before the last change of the object do not count.
    HiddenUsesForgotten,
    /// Whoever moves in between counts as able to move first.
    AnyoneIsInitial,
    /// Who sleeps is not woken by a step on which its own depends.
    SleepersNeverWake,
}

/// When to stop early.
#[derive(Clone, Copy, Debug, Default)]
pub struct Budget {
    /// Runs, abandoned ones included.
    pub runs: Option<u64>,
    /// Wall-clock time. Only the command uses it; a search that it ended is not complete.
    pub time: Option<std::time::Duration>,
}

/// Whether to go on after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Stop here.
    Stop,
}

/// A run took another way on a prefix that was known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diverged {
    /// The first step that differs, counted from 1.
    pub step: u32,
    /// Who was expected to move, and where it stood now.
    pub actor: String,
    /// Where it stands.
    pub site: Option<midturn_sync::Site>,
}

impl Diverged {
    /// The next step cannot be the known one of `actor`.
    fn before(moment: &Moment<'_>, actor: ActorId) -> Self {
        let site = moment.site(actor);
        Diverged { step: moment.steps + 1, actor: moment.name(actor).to_owned(), site }
    }

    /// A step of a run that is over was not the known one of `actor`, or is missing.
    fn at(execution: &Execution, (step, actor): (u32, ActorId)) -> Self {
        let actor = execution.actors.get(actor).map_or_else(String::new, ToString::to_string);
        let performed = execution.performed.iter().find(|operation| operation.step == step);
        Diverged { step, actor, site: performed.map(|operation| operation.site) }
    }
}

/// What a search did.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Completed runs. With sleep sets, the number of classes.
    pub executions: u64,
    /// Runs that were given up because only known classes lay ahead.
    pub abandoned: u64,
    /// Steps of completed runs.
    pub steps: u64,
    /// Whether nothing was left to explore.
    pub complete: bool,
    /// The program is not deterministic.
    pub diverged: Option<Diverged>,
    /// Which lock was entered while which was held, over all runs.
    pub lock_order: LockOrder,
    /// Actors that waited for something that was never announced.
    pub blind: Vec<(String, Option<midturn_sync::Site>)>,
}

impl Summary {
    fn take_note(&mut self, execution: &Execution) {
        self.lock_order.add(execution);
        for blind in &execution.blind {
            if !self.blind.contains(blind) {
                self.blind.push(blind.clone());
            }
        }
    }
}
