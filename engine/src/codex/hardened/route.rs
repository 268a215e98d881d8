//! Where explicit input goes: steer, start or steer, injection.
//!
//! Promises: decision and effect are one section, so between the two nothing can change; each
//! is answered without an await. A steer is taken by a turn that will still look, or refused.

use std::sync::Arc;

use midturn_protocol::{
    Activity, Event, Input, InputKind, PhaseCause, Place, Reason, Submission, TurnId, Verdict,
};
use midturn_sync::Latch;

use crate::codex::Fault;
use crate::codex::hardened::{ActiveTurn, Hardened, Successor};
use crate::codex::session::Session;
use crate::codex::submit::is_empty;
use crate::codex::turn_state::{TurnLock, TurnState};

/// How a submission was routed.
enum Routed {
    Started(TurnId),
    Steered(TurnId),
}

impl Hardened {
    pub(super) fn steer_input(
        &self,
        session: &Session,
        input: &Input,
        expected: Option<TurnId>,
    ) -> Result<TurnId, Reason> {
        let site = "steer_input: publish activity";
        session.put_then_publish(site, Activity::Steer, input.id, || {
            let apart = session.policy.faults.has(Fault::SteerInTwoSections);
            let (turn, unpushed) =
                self.active_turn.section("steer_input: check and push", |slot| {
                    let (turn, state) =
                        check_steer(slot, input, expected).inspect_err(|&reason| {
                            session.observe(Event::Refused { input: input.id, reason });
                            queue_refused(session, slot, input);
                        })?;
                    if apart {
                        return Ok((turn, Some(state.clone())));
                    }
                    push(session, state, turn, input.clone(), PhaseCause::Steer);
                    Ok((turn, None))
                })?;
            if let Some(state) = unpushed {
                push(session, &state, turn, input.clone(), PhaseCause::Steer);
            }
            Ok(turn)
        })
    }

    pub(super) fn start_or_steer(&self, session: &Arc<Session>, submission: Submission) -> Verdict {
        let input = submission.input.id;
        let routed = self.active_turn.section("start_or_steer: decide and do", |slot| {
            self.route(session, slot, submission).inspect_err(|&reason| {
                session.observe(Event::Refused { input, reason });
            })
        });
        match routed {
            Ok(Routed::Started(turn)) => Verdict::Started(turn),
            Ok(Routed::Steered(turn)) => {
                session.publish("start_or_steer: publish activity", Activity::Steer, input);
                Verdict::Steered(turn)
            }
            Err(reason) => Verdict::NotSubmitted(reason),
        }
    }

    /// Inside the section of the slot.
    fn route(
        &self,
        session: &Arc<Session>,
        slot: &mut ActiveTurn,
        submission: Submission,
    ) -> Result<Routed, Reason> {
        let Submission { input, settings_refused, .. } = submission;
        match check_steer(slot, &input, None) {
            Ok((turn, state)) => {
                push(session, state, turn, input, PhaseCause::Steer);
                return Ok(Routed::Steered(turn));
            }
            Err(Reason::NoActiveTurn) if settings_refused => return Err(Reason::InvalidRequest),
            Err(Reason::NoActiveTurn) => {}
            Err(reason) => return Err(reason),
        }
        let turn = TurnId::of(input.id);
        let mut fresh = TurnState::new();
        if !is_empty(&input) {
            fresh.append(&*session.env, input, Place::Initial(turn));
        }
        let state = fresh.locked();
        match slot {
            ActiveTurn::Finishing { successor, .. } => {
                *successor = Some(Successor { turn, state, launched: Latch::new("launched") });
            }
            // Explicit input outranks whoever has reserved: that start will find itself
            // superseded.
            ActiveTurn::Idle | ActiveTurn::Reserved(_) | ActiveTurn::Running(_) => {
                self.install(session, slot, turn, state);
            }
        }
        Ok(Routed::Started(turn))
    }

    /// Every form of injection wants somebody who will look: a task, or a successor.
    pub(super) fn inject_if_steerable(
        &self,
        session: &Session,
        input: Input,
    ) -> Result<TurnId, Input> {
        let id = input.id;
        let turn =
            self.active_turn.section("inject_if_running: check and push", |slot| {
                match slot.steerable() {
                    Ok(steerable) => {
                        let cause = PhaseCause::Injection;
                        push(session, steerable.state, steerable.turn, input, cause);
                        Ok(steerable.turn)
                    }
                    Err(_) => Err(input),
                }
            })?;
        session.publish("inject_if_running: publish activity", Activity::Steer, id);
        Ok(turn)
    }
}

/// The checks of a steer, in Codex's order.
fn check_steer<'a>(
    slot: &'a ActiveTurn,
    input: &Input,
    expected: Option<TurnId>,
) -> Result<(TurnId, &'a Arc<TurnLock>), Reason> {
    let actual = match slot {
        ActiveTurn::Running(running) => running.turn,
        ActiveTurn::Finishing { successor: Some(next), .. } => next.turn,
        ActiveTurn::Idle | ActiveTurn::Reserved(_) | ActiveTurn::Finishing { .. } => {
            return Err(Reason::NoActiveTurn);
        }
    };
    if let Some(expected) = expected.filter(|expected| *expected != actual) {
        return Err(Reason::ExpectedTurnMismatch { expected, actual });
    }
    let steerable = slot.steerable()?;
    match input.kind {
        InputKind::User if is_empty(input) => Err(Reason::EmptyInput),
        InputKind::User | InputKind::Response | InputKind::ToolOutput | InputKind::Mail { .. } => {
            Ok((steerable.turn, steerable.state))
        }
    }
}

fn push(session: &Session, state: &TurnLock, turn: TurnId, input: Input, because: PhaseCause) {
    state.section("steer_input: push", |state| state.push(&*session.env, input, turn, because));
}

/// The place of a planted fault; does nothing without it.
fn queue_refused(session: &Session, slot: &ActiveTurn, input: &Input) {
    if let ActiveTurn::Running(running) = slot
        && session.policy.faults.has(Fault::RefusedSteerIsQueued)
    {
        push(session, &running.state, running.turn, input.clone(), PhaseCause::Steer);
    }
}
