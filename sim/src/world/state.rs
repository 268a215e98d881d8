//! The bookkeeping of one run: who may move, who holds what, what the running step did.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use midturn_sync::{ObjectId, OperationKind, Site, Stamp};

use super::failure::Failure;
use super::types::*;

/// When an actor is suspended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suspension {
    /// Before an outermost operation, and before a nested one once the step has released or
    /// changed anything: nested sections of two-phase form are one step. Explores the same
    /// outcomes, apart from lock-order deadlocks, which the order graph announces.
    #[default]
    WhereItMatters,
    /// Before every operation.
    Everywhere,
}

/// Which order is part of a class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relation {
    /// `a`: accesses to shared objects.
    #[default]
    Accesses,
    /// `r`: also a return before a later call of another actor.
    RealTime,
}

impl Relation {
    /// The letter that stands beside every count.
    pub fn letter(self) -> char {
        match self {
            Relation::Accesses => 'a',
            Relation::RealTime => 'r',
        }
    }
}

/// Where the values of choices come from.
pub(crate) enum Choices {
    /// These values first, then zero.
    Planned(Vec<u8>, usize),
    /// Drawn.
    Random(fastrand::Rng),
}

/// The object that stands for real time in relation `r`.
pub(crate) const REAL_TIME: ObjectId = ObjectId(0);

pub(crate) struct State {
    pub(crate) suspension: Suspension,
    pub(crate) relation: Relation,
    pub(crate) actors: Vec<Actor>,
    pub(crate) objects: Vec<Object>,
    /// Who performs the running step; `None` while the program is being set up.
    pub(crate) current: Option<ActorId>,
    pub(crate) step: u32,
    /// Virtual time, which only patient timers move.
    pub(crate) now: Duration,
    pub(crate) report: StepReport,
    /// The running step has released or changed something: the next operation suspends.
    pub(crate) committed: bool,
    pub(crate) in_action: bool,
    pub(crate) frozen: bool,
    /// How often an actor had to be told again that the run is over.
    pub(crate) discarded_again: u32,
    pub(crate) choices: Choices,
    pub(crate) performed: Vec<PerformedOperation>,
    pub(crate) ordinals: Vec<u32>,
    /// Values that were chosen: by whom, which, after how many of its operations.
    pub(crate) chosen: Vec<(ActorId, u8, u32)>,
    pub(crate) observed: Vec<Observed>,
    pub(crate) failure: Option<Failure>,
    /// Pairs (held, acquired while it was held).
    pub(crate) lock_order: Vec<(ObjectId, ObjectId)>,
    /// Who waited for something unannounced, and its last place by then.
    pub(crate) blind: Vec<(ActorId, Option<Site>)>,
    /// Kept alive until nobody moves any more.
    pub(crate) kept: Vec<Box<dyn Any>>,
    root_objects: u64,
    root_children: u64,
}

pub(crate) fn mix(left: u64, right: u64) -> u64 {
    (left ^ right.wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .rotate_left(29)
        .wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

impl State {
    pub(crate) fn new(suspension: Suspension, relation: Relation) -> Self {
        let real_time = Object { name: "real time", path: 1, held_by: None };
        State {
            suspension,
            relation,
            actors: Vec::with_capacity(8),
            objects: vec![real_time],
            current: None,
            step: 0,
            now: Duration::ZERO,
            report: StepReport::default(),
            committed: false,
            in_action: false,
            frozen: false,
            discarded_again: 0,
            choices: Choices::Planned(Vec::new(), 0),
            performed: Vec::with_capacity(128),
            ordinals: Vec::with_capacity(8),
            chosen: Vec::new(),
            observed: Vec::with_capacity(64),
            failure: None,
            lock_order: Vec::new(),
            blind: Vec::new(),
            kept: Vec::new(),
            root_objects: 0,
            root_children: 0,
        }
    }

    pub(crate) fn add_object(&mut self, name: &'static str) -> ObjectId {
        let path = match self.current {
            Some(actor) => {
                let actor = &mut self.actors[actor];
                actor.objects += 1;
                mix(actor.path, actor.objects * 2)
            }
            None => {
                self.root_objects += 1;
                mix(7, self.root_objects * 2)
            }
        };
        self.objects.push(Object { name, path, held_by: None });
        ObjectId(self.objects.len() as u32 - 1)
    }

    pub(crate) fn add_actor(
        &mut self,
        name: Arc<str>,
        body: Body,
        pending: Pending,
        deadline: Option<Duration>,
    ) -> ActorId {
        let path = match self.current {
            Some(parent) => {
                let parent = &mut self.actors[parent];
                parent.children += 1;
                mix(parent.path, parent.children * 2 + 1)
            }
            None => {
                self.root_children += 1;
                mix(7, self.root_children * 2 + 1)
            }
        };
        let id = self.actors.len();
        if id >= MAX_ACTORS {
            self.failure.get_or_insert(Failure::TooManyActors { name: name.to_string() });
        }
        self.actors.push(Actor {
            name,
            path,
            parent: self.current,
            children: 0,
            objects: 0,
            body,
            pending,
            held: Vec::new(),
            waker: Arc::new(ActorWaker::default()),
            granted: None,
            took_grant: false,
            announced: Vec::new(),
            deadline,
            last_site: None,
        });
        self.ordinals.push(0);
        self.report.created.push(id);
        id
    }

    /// The actors that may move, as a bit mask. Patient ones are not among them.
    pub(crate) fn enabled(&mut self) -> u32 {
        let mut mask = 0;
        for id in 0..self.actors.len().min(MAX_ACTORS) {
            if self.actors[id].deadline.is_none() && self.may_move(id) {
                mask |= 1 << id;
            }
        }
        mask
    }

    /// The patient actor whose time comes first. Time moves on to its deadline.
    pub(crate) fn begin_first_patient(&mut self) -> Option<ActorId> {
        let waiting = self.actors.iter().enumerate().filter(|(_, actor)| !actor.has_ended());
        let (deadline, _, id) =
            waiting.filter_map(|(id, actor)| Some((actor.deadline?, actor.path, id))).min()?;
        self.now = deadline;
        Some(id)
    }

    fn may_move(&mut self, id: ActorId) -> bool {
        let actor = &self.actors[id];
        if actor.has_ended() {
            return false;
        }
        match &actor.pending {
            Pending::Operation { kind, object, .. } => match kind {
                OperationKind::Section | OperationKind::ReadSection => {
                    self.objects[object.0 as usize].held_by.is_none()
                }
                OperationKind::Write | OperationKind::Read => true,
            },
            Pending::Mark { .. } => true,
            Pending::Wait { entries } => {
                let woken = actor.waker.woken.load(Ordering::Relaxed);
                let mut ready = false;
                for entry in entries {
                    if entry.source.ready(entry.ticket).is_some() {
                        ready = true;
                        if !entry.was_ready && !woken {
                            let name = actor.name.to_string();
                            self.failure.get_or_insert(Failure::LostWakeUp {
                                actor: name,
                                site: entry.site,
                            });
                            break;
                        }
                    }
                }
                ready
            }
            Pending::Blind => actor.waker.woken.load(Ordering::Relaxed),
            Pending::Nothing => false,
        }
    }

    /// Begins the step of `id`: clears the report and performs what is pending, except that a
    /// coroutine goes on by itself.
    pub(crate) fn begin_step(&mut self, id: ActorId) {
        self.step += 1;
        self.current = Some(id);
        self.committed = false;
        self.report.clear(id);
        match std::mem::replace(&mut self.actors[id].pending, Pending::Nothing) {
            Pending::Operation { kind, object, site } => self.perform(kind, object, site),
            Pending::Mark { mode, site } => {
                let access = Access { object: REAL_TIME, mode };
                self.record(access, site, true);
                self.committed = true;
            }
            Pending::Wait { entries } => self.perform_wait(id, &entries),
            Pending::Blind | Pending::Nothing => {}
        }
    }

    /// Performs an operation of the current actor in the running step.
    pub(crate) fn perform(&mut self, kind: OperationKind, object: ObjectId, site: Site) {
        let Some(current) = self.current else { return };
        let mode = match kind {
            OperationKind::Section | OperationKind::Write => Mode::Write,
            OperationKind::ReadSection | OperationKind::Read => Mode::Read,
        };
        if self.actors[current].held.last().is_some_and(|(_, mode)| *mode == Mode::Read) {
            self.failure.get_or_insert(Failure::OperationInsideRead { site });
        }
        self.record(Access { object, mode }, site, true);
        match kind {
            OperationKind::Section | OperationKind::ReadSection => {
                for (held, _) in &self.actors[current].held {
                    let edge = (*held, object);
                    if !self.lock_order.contains(&edge) {
                        self.lock_order.push(edge);
                    }
                }
                self.objects[object.0 as usize].held_by = Some(current);
                self.actors[current].held.push((object, mode));
            }
            OperationKind::Write | OperationKind::Read => self.committed = true,
        }
    }

    fn perform_wait(&mut self, id: ActorId, entries: &[WaitEntry]) {
        let mut ready = Vec::with_capacity(entries.len());
        for (position, entry) in entries.iter().enumerate() {
            if let Some(stamp) = entry.source.ready(entry.ticket) {
                ready.push(position);
                self.report.ready_since.push(stamp);
            }
        }
        self.report.is_wait = true;
        // The choice belongs to the operation that it is made in.
        self.ordinals[id] += 1;
        let chosen = if ready.len() > 1 { self.choose(ready.len() as u8) as usize } else { 0 };
        let chosen = ready.get(chosen).copied();
        // What was chosen comes first: a story tells it, and the others were only looked at.
        let others = (0..entries.len()).filter(|position| Some(*position) != chosen);
        for position in chosen.into_iter().chain(others) {
            let entry = &entries[position];
            let access = Access { object: entry.source.object(), mode: Mode::Read };
            self.record(access, entry.site, false);
        }
        if let Some(position) = chosen {
            let entry = &entries[position];
            self.actors[id].granted = Some(entry.id);
            self.actors[id].last_site = Some(entry.site);
        }
        self.committed = true;
    }

    pub(crate) fn record(&mut self, access: Access, site: Site, new_operation: bool) {
        let Some(actor) = self.current else { return };
        if new_operation {
            self.ordinals[actor] += 1;
        }
        self.actors[actor].last_site = Some(site);
        self.report.accesses.push(access);
        let ordinal = self.ordinals[actor];
        self.performed.push(PerformedOperation { step: self.step, actor, access, site, ordinal });
    }

    pub(crate) fn choose(&mut self, arity: u8) -> u8 {
        let value = match &mut self.choices {
            Choices::Planned(values, next) => {
                let value = values.get(*next).copied().unwrap_or(0);
                *next += 1;
                value.min(arity.saturating_sub(1))
            }
            Choices::Random(random) => random.u8(..arity.max(1)),
        };
        self.report.choices.push((value, arity));
        if let Some(actor) = self.current {
            self.chosen.push((actor, value, self.ordinals[actor]));
        }
        value
    }

    pub(crate) fn release(&mut self, object: ObjectId) {
        let Some(current) = self.current else { return };
        let actor = &mut self.actors[current];
        let Some(position) = actor.held.iter().rposition(|(held, _)| *held == object) else {
            return;
        };
        let (object, mode) = actor.held.remove(position);
        self.objects[object.0 as usize].held_by = None;
        self.report.releases.push(Access { object, mode });
        self.committed = true;
    }

    /// Whether the current actor must be suspended before an operation of this kind.
    pub(crate) fn must_suspend(&mut self, kind: OperationKind, object: ObjectId) -> bool {
        let Some(current) = self.current else { return false };
        let is_section = matches!(kind, OperationKind::Section | OperationKind::ReadSection);
        let goes_on = self.suspension == Suspension::WhereItMatters
            && !self.committed
            && !self.actors[current].held.is_empty();
        let is_held = is_section && self.objects[object.0 as usize].held_by.is_some();
        if goes_on && is_held {
            let mode = if kind == OperationKind::Section { Mode::Write } else { Mode::Read };
            self.report.attempts.push(Access { object, mode });
        }
        !goes_on || is_held
    }

    pub(crate) fn stamp(&self) -> Stamp {
        Stamp(self.step)
    }
}
