//! The data of one run: actors, objects, accesses, steps.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Wake;
use std::time::Duration;

use midturn_protocol::Event;
use midturn_sync::{ObjectId, OperationKind, Site, Source, Stamp, WaitId};

use super::coroutine::Fiber;

/// The number of an actor in one run, in the order of creation.
pub type ActorId = usize;

/// Actors that one run can hold; more is reported, never wrapped.
pub const MAX_ACTORS: usize = 32;

/// How a step uses an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// Only looks.
    Read,
    /// May change it, or enters an exclusive section.
    Write,
    /// A command is given (relation `r`): depends on returns only.
    Call,
    /// A command is answered (relation `r`): depends on calls only.
    Return,
}

impl Mode {
    /// Whether the order of two uses of one object matters. This is the dependency table.
    pub fn conflicts_with(self, other: Mode) -> bool {
        match (self, other) {
            (Mode::Read, Mode::Read) | (Mode::Call, Mode::Call) | (Mode::Return, Mode::Return) => {
                false
            }
            (Mode::Read | Mode::Write | Mode::Call | Mode::Return, _) => true,
        }
    }
}

/// One use of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// The object.
    pub object: ObjectId,
    /// How it is used.
    pub mode: Mode,
}

impl Access {
    /// Whether the order of the two matters.
    pub fn conflicts_with(self, other: Access) -> bool {
        self.object == other.object && self.mode.conflicts_with(other.mode)
    }
}

/// Whether any of `left` conflicts with any of `right`.
pub fn dependent(left: &[Access], right: &[Access]) -> bool {
    left.iter().any(|a| right.iter().any(|b| a.conflicts_with(*b)))
}

/// One thing that an actor waits for.
pub(crate) struct WaitEntry {
    pub(crate) id: WaitId,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) ticket: u64,
    pub(crate) site: Site,
    /// Ready when the wait was announced, so that no wake-up is owed.
    pub(crate) was_ready: bool,
}

/// What an actor will do when it moves next.
pub(crate) enum Pending {
    /// It runs now, or has not announced anything yet.
    Nothing,
    /// A visible operation.
    Operation { kind: OperationKind, object: ObjectId, site: Site },
    /// A call or return (relation `r`).
    Mark { mode: Mode, site: Site },
    /// A wait for any of these.
    Wait { entries: Vec<WaitEntry> },
    /// A wait in which nothing was announced: nobody can say when it will end.
    Blind,
}

/// What runs an actor.
pub(crate) enum Body {
    /// A coroutine.
    Fiber(Fiber),
    /// One step, done on the scheduler's own stack.
    Action(Box<dyn FnOnce()>),
    /// Nothing more to do.
    Ended,
}

/// Somebody who acts.
pub(crate) struct Actor {
    pub(crate) name: Arc<str>,
    /// The same under every schedule of one class.
    pub(crate) path: u64,
    pub(crate) parent: Option<ActorId>,
    pub(crate) children: u64,
    pub(crate) objects: u64,
    pub(crate) body: Body,
    pub(crate) pending: Pending,
    pub(crate) held: Vec<(ObjectId, Mode)>,
    pub(crate) waker: Arc<ActorWaker>,
    /// A wait that was chosen and not yet taken.
    pub(crate) granted: Option<WaitId>,
    pub(crate) took_grant: bool,
    pub(crate) announced: Vec<WaitEntry>,
    /// Moves only when nothing else can (patient time), the earliest point in time first.
    pub(crate) deadline: Option<Duration>,
    pub(crate) last_site: Option<Site>,
}

impl Actor {
    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.body, Body::Ended)
    }
}

/// Remembers that somebody woke an actor.
#[derive(Debug, Default)]
pub(crate) struct ActorWaker {
    pub(crate) woken: AtomicBool,
}

impl Wake for ActorWaker {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Relaxed);
    }
}

/// A shared object of one run.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name, not necessarily unique.
    pub name: &'static str,
    /// The same under every schedule of one class.
    pub path: u64,
    pub(crate) held_by: Option<ActorId>,
}

/// One performed operation, for stories, tokens and class identities.
#[derive(Clone, Copy, Debug)]
pub struct PerformedOperation {
    /// The step, counted from 1.
    pub step: u32,
    /// Who.
    pub actor: ActorId,
    /// On what, how.
    pub access: Access,
    /// Where.
    pub site: Site,
    /// The how-many-eth operation of this actor; the entries of one wait share a number.
    pub ordinal: u32,
}

/// One event of the engine, with the step and the actor to which it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The step, counted from 1; 0 for what happened before anyone moved.
    pub step: u32,
    /// Who.
    pub actor: ActorId,
    /// What.
    pub what: Observation,
}

/// What was observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observation {
    /// An event of a queue engine.
    Event {
        /// The number of its session.
        session: usize,
        /// What.
        event: Event,
    },
    /// A number that a program noted.
    Note(u64),
}

/// What one step did, as the search needs it.
#[derive(Clone, Debug, Default)]
pub struct StepReport {
    /// Its number, counted from 1.
    pub step: u32,
    /// Who moved.
    pub actor: ActorId,
    /// All uses of objects, in order.
    pub accesses: Vec<Access>,
    /// A nested lock that was found held, which cut the step short: what the step did depends
    /// on who holds it, as much as on what it used.
    pub attempts: Vec<Access>,
    /// Sections that ended in this step.
    pub releases: Vec<Access>,
    /// The values that were chosen, each with the number of values there were.
    pub choices: Vec<(u8, u8)>,
    /// For a wait: since which step each object that was ready has been so.
    pub ready_since: Vec<Stamp>,
    /// Whether this was a wait.
    pub is_wait: bool,
    /// Moved because nothing else could: ordered after all before and before all after.
    pub is_barrier: bool,
    /// Actors created in this step.
    pub created: Vec<ActorId>,
}

impl StepReport {
    pub(crate) fn clear(&mut self, actor: ActorId) {
        self.actor = actor;
        self.accesses.clear();
        self.attempts.clear();
        self.releases.clear();
        self.choices.clear();
        self.ready_since.clear();
        self.is_wait = false;
        self.is_barrier = false;
        self.created.clear();
    }
}
