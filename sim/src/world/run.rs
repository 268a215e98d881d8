//! One run: set a program up, move actors as decided until nobody can move, clean up.

use std::any::Any;
use std::cell::RefCell;
use std::panic;
use std::sync::Once;

use midturn_sync::{ObjectId, OperationKind, hook};

use super::coroutine::{Fiber, Resume, inside_fiber};
use super::failure::{Failure, Stuck};
use super::hook::Discarded;
use super::types::*;
use super::{CURRENT, Choices, Relation, State, Suspension, Time, World, mix};

/// How a run is to be carried out.
#[derive(Clone, Debug)]
pub struct Options {
    /// When actors are suspended.
    pub suspension: Suspension,
    /// What order is part of a class.
    pub relation: Relation,
    /// When timers may fire.
    pub time: Time,
    /// Steps after which a run is given up as endless.
    pub step_limit: u32,
    /// Draw the values of choices from this seed instead of planning them.
    pub random_choices: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            suspension: Suspension::default(),
            relation: Relation::default(),
            time: Time::default(),
            step_limit: 5_000,
            random_choices: None,
        }
    }
}

/// The state of a run at the moment at which someone is to be moved.
pub struct Moment<'a> {
    /// Steps done so far.
    pub steps: u32,
    /// Who may move, as a bit mask over [`ActorId`].
    pub enabled: u32,
    /// Who moved last.
    pub last: Option<ActorId>,
    state: &'a State,
}

impl Moment<'_> {
    /// A digest of who may move and what each would do; equal in every repetition.
    pub fn digest(&self) -> u64 {
        let mut digest = mix(u64::from(self.enabled), u64::from(self.steps));
        for (id, actor) in self.state.actors.iter().enumerate() {
            if self.enabled >> id & 1 == 1 {
                let line = self.site(id).map_or(0, |site| u64::from(site.location.line()));
                digest = mix(digest, mix(actor.path, line));
            }
        }
        digest
    }

    /// Where `actor` stands: the place of what it would do next.
    pub fn site(&self, actor: ActorId) -> Option<midturn_sync::Site> {
        match &self.state.actors.get(actor)?.pending {
            Pending::Operation { site, .. } | Pending::Mark { site, .. } => Some(*site),
            Pending::Wait { entries } => entries.first().map(|entry| entry.site),
            Pending::Nothing | Pending::Blind => None,
        }
    }

    /// How many operations `actor` has performed so far.
    pub fn ordinal(&self, actor: ActorId) -> u32 {
        self.state.ordinals.get(actor).copied().unwrap_or(0)
    }

    /// The actor with this identity, if it may move.
    pub fn enabled_by_path(&self, path: u64) -> Option<ActorId> {
        let position = self.state.actors.iter().position(|actor| actor.path == path)?;
        (self.enabled >> position & 1 == 1).then_some(position)
    }

    /// What an actor is called.
    pub fn name(&self, actor: ActorId) -> &str {
        self.state.actors.get(actor).map_or("", |actor| &actor.name)
    }

    /// Actors that are suspended before a lock that somebody else holds, with that lock.
    pub fn blocked_on_locks(&self) -> Vec<(ActorId, Access)> {
        let mut blocked = Vec::new();
        for (id, actor) in self.state.actors.iter().enumerate() {
            let Pending::Operation { kind, object, .. } = &actor.pending else { continue };
            let mode = match kind {
                OperationKind::Section => Mode::Write,
                OperationKind::ReadSection => Mode::Read,
                OperationKind::Write | OperationKind::Read => continue,
            };
            if !actor.has_ended() && self.state.objects[object.0 as usize].held_by.is_some() {
                blocked.push((id, Access { object: *object, mode }));
            }
        }
        blocked
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Move this actor; these are the values of the choices of its step, then zeroes.
    Step(ActorId, Vec<u8>),
    /// Nothing new can come of this run: carry it to its end unrecorded.
    Abandon,
}

/// Decides who moves.
pub trait Decider {
    /// Who moves now; `moment.enabled` is not empty.
    fn decide(&mut self, moment: &Moment<'_>) -> Decision;

    /// What the step did.
    fn stepped(&mut self, report: &StepReport) {
        let _ = report;
    }

    /// Nobody can move any more, or the run was abandoned.
    fn ended(&mut self, moment: &Moment<'_>) {
        let _ = moment;
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nobody could move any more.
    Quiescent,
    /// The decider gave it up.
    Abandoned,
    /// It failed by itself, see [`Execution::failure`].
    Failed,
}

/// A run that is over.
#[derive(Debug)]
pub struct Execution {
    /// How it ended.
    pub end: End,
    /// What went wrong, if anything.
    pub failure: Option<Failure>,
    /// Who was left over, unable to move.
    pub stuck: Vec<Stuck>,
    /// What was observed, in order.
    pub observed: Vec<Observed>,
    /// All operations, in order.
    pub performed: Vec<PerformedOperation>,
    /// Values that were chosen: by whom, which, after how many of its operations.
    pub choices: Vec<(ActorId, u8, u32)>,
    /// Steps done.
    pub steps: u32,
    /// The names of the actors.
    pub actors: Vec<std::sync::Arc<str>>,
    /// The objects.
    pub objects: Vec<Object>,
    /// The actors' identities, the same under every schedule of one class.
    pub actor_paths: Vec<u64>,
    /// Which lock was entered while which was held.
    pub lock_order: Vec<(ObjectId, ObjectId)>,
    /// Actors that waited for something that was never announced, with their last place.
    pub blind: Vec<(String, Option<midturn_sync::Site>)>,
}

/// Sets `program` up in a new world and runs it as `decider` says. `finish` is called at the
/// end of a quiescent run, inside the world, for a last look at shared state.
pub fn execute(
    options: &Options,
    program: &dyn Fn(&World),
    decider: &mut dyn Decider,
) -> Execution {
    quiet_panics_of_actors();
    let world = World::new(options.suspension, options.relation, options.time);
    let _installed = hook::install(world.shared().clone());
    let previous = CURRENT.with(|current| current.borrow_mut().replace(world.clone()));
    if let Some(seed) = options.random_choices {
        world.shared().state.borrow_mut().choices = Choices::Random(fastrand::Rng::with_seed(seed));
    }
    program(&world);
    let mut run = Run { world: &world, started: 0, last: None };
    let end = run.run_out(options, decider);
    let execution = run.conclude(end);
    CURRENT.with(|current| *current.borrow_mut() = previous);
    execution
}

struct Run<'a> {
    world: &'a World,
    /// Actors below this number have run up to their first operation.
    started: usize,
    last: Option<ActorId>,
}

impl Run<'_> {
    fn run_out(&mut self, options: &Options, decider: &mut dyn Decider) -> End {
        let mut abandoned = false;
        loop {
            self.start_new_actors();
            let moment = {
                let mut state = self.world.shared().state.borrow_mut();
                if state.step >= options.step_limit {
                    let steps = options.step_limit;
                    state.failure.get_or_insert(Failure::StepLimit { steps });
                }
                let enabled = state.enabled();
                if state.failure.is_some() {
                    return End::Failed;
                }
                (state.step, enabled)
            };
            let (steps, enabled) = moment;
            if enabled == 0 {
                let patient = self.world.shared().state.borrow().first_patient();
                if let Some(patient) = patient {
                    self.step(patient, Vec::new(), true, (!abandoned).then_some(&mut *decider));
                    continue;
                }
            }
            let decision = {
                let state = self.world.shared().state.borrow();
                let moment = Moment { steps, enabled, last: self.last, state: &state };
                if enabled == 0 {
                    if !abandoned {
                        decider.ended(&moment);
                    }
                    return if abandoned { End::Abandoned } else { End::Quiescent };
                }
                if abandoned {
                    Decision::Step(enabled.trailing_zeros() as ActorId, Vec::new())
                } else {
                    let decision = decider.decide(&moment);
                    if decision == Decision::Abandon {
                        decider.ended(&moment);
                    }
                    decision
                }
            };
            match decision {
                Decision::Step(actor, values) => {
                    self.step(actor, values, false, (!abandoned).then_some(&mut *decider));
                }
                Decision::Abandon => abandoned = true,
            }
        }
    }

    fn step(
        &mut self,
        actor: ActorId,
        values: Vec<u8>,
        is_barrier: bool,
        decider: Option<&mut dyn Decider>,
    ) {
        let shared = self.world.shared();
        let body = {
            let mut state = shared.state.borrow_mut();
            if let Choices::Planned(planned, next) = &mut state.choices {
                *planned = values;
                *next = 0;
            }
            let body = std::mem::replace(&mut state.actors[actor].body, Body::Ended);
            if matches!(body, Body::Fiber(_)) {
                state.begin_step(actor);
            } else {
                // An action announces its own operation again when it performs it.
                state.step += 1;
                state.current = Some(actor);
                state.report.clear(actor);
                state.in_action = true;
            }
            state.report.is_barrier = is_barrier;
            body
        };
        self.resume(actor, body);
        self.last = Some(actor);
        self.start_new_actors();
        if let Some(decider) = decider {
            let mut state = shared.state.borrow_mut();
            let report = std::mem::take(&mut state.report);
            drop(state);
            decider.stepped(&report);
            shared.state.borrow_mut().report = report;
        }
    }

    /// Runs the body until it suspends or ends, and puts it back.
    fn resume(&mut self, actor: ActorId, body: Body) {
        let shared = self.world.shared();
        let body = match body {
            Body::Fiber(mut fiber) => match fiber.resume(Resume::Go) {
                None => Body::Fiber(fiber),
                Some(result) => {
                    if let Err(payload) = result {
                        self.panicked(actor, &*payload);
                    }
                    Body::Ended
                }
            },
            Body::Action(action) => {
                action();
                shared.state.borrow_mut().in_action = false;
                Body::Ended
            }
            Body::Ended => Body::Ended,
        };
        let mut state = shared.state.borrow_mut();
        state.actors[actor].body = body;
        state.current = None;
    }

    /// Runs each new actor up to its first operation. Nothing visible can happen on the way.
    fn start_new_actors(&mut self) {
        loop {
            let (actor, body) = {
                let mut state = self.world.shared().state.borrow_mut();
                if self.started == state.actors.len() {
                    return;
                }
                let actor = self.started;
                self.started += 1;
                if !matches!(state.actors[actor].pending, Pending::Nothing) {
                    continue;
                }
                state.current = Some(actor);
                // Its first operation suspends in any case, since it holds nothing.
                state.committed = true;
                (actor, std::mem::replace(&mut state.actors[actor].body, Body::Ended))
            };
            self.resume(actor, body);
        }
    }

    fn panicked(&self, actor: ActorId, payload: &(dyn Any + Send)) {
        if payload.is::<Discarded>() {
            return;
        }
        let (message, place) = LAST_PANIC
            .with(|last| last.borrow_mut().take())
            .unwrap_or_else(|| ("a panic without a message".into(), "unknown".into()));
        let mut state = self.world.shared().state.borrow_mut();
        let actor = state.actors[actor].name.to_string();
        state.failure.get_or_insert(Failure::Panicked { actor, message, place });
    }

    /// Freezes the world, lets go of everybody who is left, and takes out what was seen.
    fn conclude(self, end: End) -> Execution {
        let shared = self.world.shared();
        let (stuck, bodies) = {
            let mut state = shared.state.borrow_mut();
            state.frozen = true;
            let stuck = stuck(&state);
            let bodies: Vec<(ActorId, Fiber)> = (0..state.actors.len())
                .filter_map(|id| match std::mem::replace(&mut state.actors[id].body, Body::Ended) {
                    Body::Fiber(fiber) => Some((id, fiber)),
                    Body::Action(_) | Body::Ended => None,
                })
                .collect();
            (stuck, bodies)
        };
        for (id, mut fiber) in bodies {
            shared.state.borrow_mut().current = Some(id);
            // A fiber that ignores being discarded is resumed until it ends or repeats itself.
            let mut patience = 3;
            while fiber.resume(Resume::Discard).is_none() && patience > 0 {
                patience -= 1;
            }
        }
        let kept = std::mem::take(&mut shared.state.borrow_mut().kept);
        drop(kept);
        let mut state = shared.state.borrow_mut();
        state.current = None;
        let blind = std::mem::take(&mut state.blind);
        let blind = blind
            .into_iter()
            .map(|id| (state.actors[id].name.to_string(), state.actors[id].last_site))
            .collect();
        Execution {
            end,
            failure: state.failure.take(),
            stuck,
            observed: std::mem::take(&mut state.observed),
            performed: std::mem::take(&mut state.performed),
            choices: std::mem::take(&mut state.chosen),
            steps: state.step,
            actors: state.actors.iter().map(|actor| actor.name.clone()).collect(),
            actor_paths: state.actors.iter().map(|actor| actor.path).collect(),
            objects: std::mem::take(&mut state.objects),
            lock_order: std::mem::take(&mut state.lock_order),
            blind,
        }
    }
}

fn stuck(state: &State) -> Vec<Stuck> {
    let name = |id: ActorId| state.actors[id].name.to_string();
    let left = state.actors.iter().filter(|actor| !actor.has_ended());
    left.map(|actor| {
        let parent = actor.parent.map(name);
        let (waits_for, held_by) = match &actor.pending {
            Pending::Operation { object, site, .. } => {
                let object = &state.objects[object.0 as usize];
                (vec![(object.name, *site)], object.held_by.map(name))
            }
            Pending::Wait { entries } => {
                let waits = entries.iter().map(|entry| {
                    (state.objects[entry.source.object().0 as usize].name, entry.site)
                });
                (waits.collect(), None)
            }
            Pending::Mark { .. } | Pending::Blind | Pending::Nothing => (Vec::new(), None),
        };
        Stuck { actor: actor.name.to_string(), waits_for, held_by, parent }
    })
    .collect()
}

thread_local! {
    static LAST_PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Panics of actors are reported with their run, not printed as they happen.
fn quiet_panics_of_actors() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if inside_fiber() {
                let message = info.payload_as_str().unwrap_or("a panic without a message");
                let place = info
                    .location()
                    .map_or_else(|| "unknown".into(), |at| format!("{}:{}", at.file(), at.line()));
                LAST_PANIC.with(|last| *last.borrow_mut() = Some((message.to_owned(), place)));
            } else {
                previous(info);
            }
        }));
    });
}
