//! One run: set a program up, move actors as decided until nobody can move, clean up.

use std::any::Any;

use midturn_sync::hook;

use super::coroutine::{Fiber, Resume};
use super::decide::{Decider, Decision, Moment};
use super::execution::{End, Execution, Options, stuck};
use super::failure::Failure;
use super::hook::Discarded;
use super::panics::{LAST_PANIC, quiet_panics_of_actors};
use super::types::*;
use super::{Choices, Current, World};

/// Sets `program` up in a new world and runs it as `decider` says.
pub fn execute(
    options: &Options,
    program: &dyn Fn(&World),
    decider: &mut dyn Decider,
) -> Execution {
    quiet_panics_of_actors();
    let world = World::new(options.suspension, options.relation, options.time);
    let _installed = hook::install(world.shared().clone());
    let _current = Current::install(world.clone());
    if let Some(seed) = options.random_choices {
        world.shared().state.borrow_mut().choices = Choices::Random(fastrand::Rng::with_seed(seed));
    }
    program(&world);
    let mut run = Run { world: &world, started: 0, last: None };
    let end = run.run_out(options, decider);
    run.conclude(end)
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
                let patient = self.world.shared().state.borrow_mut().begin_first_patient();
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
                    // As a replay of the decisions so far would go on.
                    Decision::Step(moment.default_actor(), Vec::new())
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
                    // Anybody else would enter a lock that is held, on the only thread there is.
                    assert!(
                        actor < MAX_ACTORS && enabled >> actor & 1 == 1,
                        "a decider moves only who may move"
                    );
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
            state.report.step = state.step;
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
        // What a program caught itself is not what ends its actor.
        LAST_PANIC.take();
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
                if self.started == state.actors.len() || state.failure.is_some() {
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
        let own = payload.downcast_ref::<&str>().map(ToString::to_string);
        let own = own.or_else(|| payload.downcast_ref::<String>().cloned());
        let raised = LAST_PANIC.take();
        let place = raised.as_ref().map_or_else(|| "unknown".into(), |(_, place)| place.clone());
        let message = own.or_else(|| raised.map(|(message, _)| message));
        let message = message.unwrap_or_else(|| "a panic without a message".into());
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
            while fiber.resume(Resume::Discard).is_none() {
                patience -= 1;
                if patience == 0 {
                    fiber.leak();
                    break;
                }
            }
        }
        let kept = std::mem::take(&mut shared.state.borrow_mut().kept);
        drop(kept);
        let mut state = shared.state.borrow_mut();
        state.current = None;
        let blind = std::mem::take(&mut state.blind);
        let blind =
            blind.into_iter().map(|(id, site)| (state.actors[id].name.to_string(), site)).collect();
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
