//! Happens-before of one run, as vector clocks, and the races in it.
//!
//! An event is one step. It comes after its actor's earlier steps, after the step that created
//! its actor, after every earlier conflicting use of its objects, and after the end of every
//! section on a lock that it enters. The last is not implied by the uses themselves once
//! sections nest, and without it classes are lost.

use midturn_sync::Stamp;

use crate::world::{Access, ActorId, MAX_ACTORS, Mode, StepReport};

use super::SearchFault;

/// For each actor, the number of the last of its steps that is known. Signed, since the maximum
/// of signed words is one instruction on every machine.
pub(crate) type Clock = [i16; MAX_ACTORS];

pub(crate) struct Event {
    pub(crate) actor: ActorId,
    pub(crate) clock: Clock,
    first_use: usize,
}

#[derive(Clone, Default)]
struct ObjectUse {
    /// What the next user learns, by the mode of the earlier use.
    clocks: [Clock; 4],
    /// Uses since the last exclusive one, that one included.
    recent: Vec<Use>,
}

#[derive(Clone, Copy)]
struct Use {
    event: i16,
    actor: ActorId,
    mode: Mode,
}

#[derive(Default)]
pub(crate) struct HappensBefore {
    fault: Option<SearchFault>,
    pub(crate) events: Vec<Event>,
    /// The uses of all events, in order; an event knows where its own begin.
    uses: Vec<Access>,
    actors: Vec<Clock>,
    objects: Vec<ObjectUse>,
    barrier: Clock,
}

/// Only the first `actors` entries are in use.
fn join(clock: &mut Clock, other: &Clock, actors: usize) {
    for (mine, theirs) in clock[..actors].iter_mut().zip(&other[..actors]) {
        *mine = (*mine).max(*theirs);
    }
}

const MODES: [Mode; 4] = [Mode::Read, Mode::Write, Mode::Call, Mode::Return];

impl HappensBefore {
    pub(crate) fn with_fault(fault: Option<SearchFault>) -> Self {
        HappensBefore { fault, ..HappensBefore::default() }
    }

    /// Forgets the run.
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.uses.clear();
        self.actors.clear();
        for object in &mut self.objects {
            object.clocks = Default::default();
            object.recent.clear();
        }
        self.barrier = Clock::default();
    }

    fn actor_clock(&mut self, actor: ActorId) -> &mut Clock {
        if self.actors.len() <= actor {
            self.actors.resize(actor + 1, self.barrier);
        }
        &mut self.actors[actor]
    }

    fn object(&mut self, access: Access) -> &mut ObjectUse {
        let index = access.object.0 as usize;
        if self.objects.len() <= index {
            self.objects.resize_with(index + 1, ObjectUse::default);
        }
        &mut self.objects[index]
    }

    /// Adds a step; returns its number, counted from 0.
    pub(crate) fn push(&mut self, report: &StepReport) -> usize {
        let number = self.events.len();
        let mut clock = *self.actor_clock(report.actor);
        let actors = self.actors.len();
        for access in report.accesses.iter().chain(&report.attempts) {
            let object = self.object(*access);
            for mode in MODES {
                if mode.conflicts_with(access.mode) {
                    join(&mut clock, &object.clocks[mode as usize], actors);
                }
            }
        }
        if report.is_barrier {
            for other in &self.actors {
                join(&mut clock, other, actors);
            }
        }
        clock[report.actor] = number as i16 + 1;
        for access in &report.accesses {
            let object = self.object(*access);
            join(&mut object.clocks[access.mode as usize], &clock, actors);
            if access.mode == Mode::Write {
                object.recent.clear();
            }
            let event = number as i16;
            object.recent.push(Use { event, actor: report.actor, mode: access.mode });
        }
        let is_mute = self.fault == Some(SearchFault::ReleasesPassNothing);
        for release in report.releases.iter().filter(|_| !is_mute) {
            let object = self.object(*release);
            join(&mut object.clocks[release.mode as usize], &clock, actors);
        }
        *self.actor_clock(report.actor) = clock;
        for created in &report.created {
            *self.actor_clock(*created) = clock;
        }
        if report.is_barrier {
            self.barrier = clock;
            for other in &mut self.actors {
                join(other, &clock, actors);
            }
        }
        self.events.push(Event { actor: report.actor, clock, first_use: self.uses.len() });
        self.uses.extend(&report.accesses);
        number
    }

    /// Whether event `first` happens before event `second`.
    pub(crate) fn before(&self, first: usize, second: usize) -> bool {
        self.events[second].clock[self.events[first].actor] > first as i16
    }

    /// Earlier events that race with the next step of `actor`, which makes these uses in this
    /// order. Asked before the step is pushed.
    ///
    /// Each use is looked at by itself, after what the uses before it have taught: a step that
    /// enters a nested section might, in another schedule, be cut short before it.
    pub(crate) fn races(&mut self, actor: ActorId, accesses: &[Access]) -> Vec<usize> {
        let mut known = *self.actor_clock(actor);
        let actors = self.actors.len();
        let mut races = Vec::new();
        for access in accesses {
            let object = self.object(*access);
            let is_new = |usage: &&Use| {
                usage.actor != actor
                    && known[usage.actor] <= usage.event
                    && usage.mode.conflicts_with(access.mode)
            };
            let candidates: Vec<usize> =
                object.recent.iter().filter(is_new).map(|usage| usage.event as usize).collect();
            for mode in MODES {
                if mode.conflicts_with(access.mode) {
                    join(&mut known, &object.clocks[mode as usize], actors);
                }
            }
            if self.fault == Some(SearchFault::NestedUsesAsOne) {
                known = *self.actor_clock(actor);
                races.extend(candidates);
            } else {
                races.extend(self.latest(&candidates));
            }
        }
        if self.fault == Some(SearchFault::NestedUsesAsOne) {
            races = self.latest(&races);
        }
        races.sort_unstable();
        races.dedup();
        races
    }

    /// Those after which none of the others comes.
    fn latest(&self, events: &[usize]) -> Vec<usize> {
        let is_latest = |event: &usize| {
            !events.iter().any(|other| other != event && self.before(*event, *other))
        };
        events.iter().copied().filter(is_latest).collect()
    }

    /// Whether the wait of a step, ready since these steps, could also have come before `event`.
    pub(crate) fn wait_can_precede(&self, event: usize, ready_since: &[Stamp]) -> bool {
        ready_since.iter().any(|stamp| {
            let Some(made_ready) = (stamp.0 as usize).checked_sub(1) else { return true };
            made_ready != event && !self.before(event, made_ready)
        })
    }

    /// The actors that can make the first step of a schedule in which `actor`'s next step, with
    /// these uses, comes before `event`.
    pub(crate) fn initials(&mut self, event: usize, actor: ActorId, accesses: &[Access]) -> u32 {
        let known = *self.actor_clock(actor);
        let between: Vec<usize> =
            (event + 1..self.events.len()).filter(|later| !self.before(event, *later)).collect();
        let mut initials = 0u32;
        let mut seen = 0u32;
        for (position, later) in between.iter().enumerate() {
            let who = self.events[*later].actor;
            if seen >> who & 1 == 1 {
                continue;
            }
            seen |= 1 << who;
            let anyone = self.fault == Some(SearchFault::AnyoneIsInitial);
            if anyone || between[..position].iter().all(|earlier| !self.before(*earlier, *later)) {
                initials |= 1 << who;
            }
        }
        let comes_first = seen >> actor & 1 == 0
            && between.iter().all(|earlier| {
                known[self.events[*earlier].actor] <= *earlier as i16
                    && !self.uses_conflicting(*earlier, accesses)
            });
        if comes_first {
            initials |= 1 << actor;
        }
        initials
    }

    /// Whether `event` used anything in conflict with these. All its uses count, also those
    /// that a later change of the same object has hidden from new races.
    fn uses_conflicting(&self, event: usize, accesses: &[Access]) -> bool {
        let first = self.events[event].first_use;
        let end = self.events.get(event + 1).map_or(self.uses.len(), |next| next.first_use);
        let mut uses = self.uses[first..end].iter();
        let is_hidden = |usage: &Access| {
            self.fault == Some(SearchFault::HiddenUsesForgotten)
                && !self.objects[usage.object.0 as usize]
                    .recent
                    .iter()
                    .any(|recent| recent.event as usize == event)
        };
        uses.any(|usage| {
            accesses.iter().any(|access| usage.conflicts_with(*access)) && !is_hidden(usage)
        })
    }
}
