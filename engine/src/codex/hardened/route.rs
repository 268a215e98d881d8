//! Where explicit input goes: steer, start or steer, injection, answers.
//!
//! Promises: decision and effect are one section, settings and context included, so between the
//! two nothing can change; each is answered without an await. A steer is taken by a turn that
//! will still look, or refused.

use std::sync::Arc;

use midturn_protocol::{
    Activity, Answer, Event, Input, InputId, PhaseCause, Reason, SettingsEdit, StartOptions,
    Submission, TurnId, Verdict,
};

use crate::codex::Fault;
use crate::codex::answer::{hand_over, take};
use crate::codex::configuration::StartKind;
use crate::codex::hardened::reserve::launch;
use crate::codex::hardened::{ActiveTurn, Hardened, Steerable, Successor, Then};
use crate::codex::session::Session;
use crate::codex::slot::Reservation;
use crate::codex::submit::fits;
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
        submission: &Submission,
        expected: Option<TurnId>,
    ) -> Result<TurnId, Reason> {
        let input = &submission.input;
        let site = "steer_input: publish activity";
        session.put_then_publish(site, Activity::Steer, input.id, || {
            let apart = session.policy.faults.has(Fault::SteerInTwoSections);
            let late = session.policy.faults.has(Fault::SettingsAfterTheSteer);
            let early_edit = (!late).then_some(&submission.settings);
            let (turn, unpushed) =
                self.active_turn.section("steer_input: check and push", |slot| {
                    let (turn, state) = admit_steer(
                        session, slot, submission, expected, early_edit,
                    )
                    .inspect_err(|&reason| {
                        session.observe(Event::Refused { input: input.id, reason });
                        queue_refused(session, slot, input);
                    })?;
                    if apart {
                        return Ok((turn, Some(state)));
                    }
                    push_steer(session, &state, turn, submission);
                    Ok((turn, None))
                })?;
            if let Some(state) = unpushed {
                push_steer(session, &state, turn, submission);
            }
            if late {
                apply_settings(session, input.id, &submission.settings)?;
            }
            Ok(turn)
        })
    }

    pub(super) fn start_or_steer(&self, session: &Arc<Session>, submission: Submission) -> Verdict {
        let input = submission.input.id;
        let decided = self.decided_before(session, &submission);
        let mut unpublished = None;
        let routed = self.active_turn.section("start_or_steer: decide and do", |slot| {
            let routed = self.route(session, slot, submission, decided);
            match &routed {
                Ok(Routed::Started(turn)) => unpublished = publish_late(session, slot, *turn),
                Ok(Routed::Steered(_)) => {}
                Err(reason) => {
                    session.observe(Event::Refused { input, reason: *reason });
                }
            }
            routed
        });
        if let Some(task) = unpublished {
            self.active_turn.section("fault: publish task", |slot| *slot = task);
        }
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
        decided_to_start: bool,
    ) -> Result<Routed, Reason> {
        match admit_steer(session, slot, &submission, None, Some(&submission.settings)) {
            _ if decided_to_start => {}
            Ok((turn, state)) => {
                push_steer(session, &state, turn, &submission);
                return Ok(Routed::Steered(turn));
            }
            Err(Reason::NoActiveTurn) if slot.is_closed() => return Err(Reason::ServerDraining),
            Err(Reason::NoActiveTurn) => {}
            Err(reason) => return Err(reason),
        }
        let turn = TurnId::of(submission.input.id);
        let state = TurnState::new().locked();
        let fresh = Reservation { turn, submission: Some(turn.origin), state };
        let launch = launch(session, submission, StartKind::User, &fresh)?;
        match slot {
            ActiveTurn::Finishing { then, .. }
                if !session.policy.faults.has(Fault::SuccessorStartsAtOnce) =>
            {
                *then = Then::Successor(Successor::new(launch));
            }
            // Explicit input outranks whoever has reserved: that start will find itself
            // superseded.
            ActiveTurn::Idle
            | ActiveTurn::Reserved(_)
            | ActiveTurn::Running(_)
            | ActiveTurn::Finishing { .. }
            | ActiveTurn::Closed => self.install(session, slot, launch),
        }
        Ok(Routed::Started(turn))
    }

    /// The place of a planted fault; does nothing without it.
    fn decided_before(&self, session: &Session, submission: &Submission) -> bool {
        session.policy.faults.has(Fault::StartInTwoSections)
            && self.active_turn.section("fault: nothing to steer", |slot| {
                let (input, start) = (&submission.input, &submission.start);
                check_steer(session, slot, input, None, start)
                    .is_err_and(|reason| reason == Reason::NoActiveTurn && !slot.is_closed())
            })
    }

    /// Every form of injection wants somebody who will look: a task, or a successor.
    pub(super) fn inject_if_steerable(
        &self,
        session: &Session,
        input: Input,
    ) -> Result<TurnId, Input> {
        let (id, faults) = (input.id, session.policy.faults);
        let turn = self.active_turn.section("inject_if_running: check and push", |slot| {
            let target = match slot.steerable(faults) {
                Ok(Steerable { turn, state, .. }) => Some((turn, state.clone())),
                Err(_) => taskless(slot).filter(|_| faults.has(Fault::InjectionNeedsNoTask)),
            };
            let Some((turn, state)) = target else { return Err(input) };
            push(session, &state, turn, vec![input], PhaseCause::Injection);
            Ok(turn)
        })?;
        session.publish("inject_if_running: publish activity", Activity::Steer, id);
        Ok(turn)
    }

    /// The turn that runs, if it waits for this answer.
    pub(super) fn who_asks(&self, answer: &Answer) -> Option<TurnId> {
        self.active_turn.section("notify: who asks", |slot| {
            let ActiveTurn::Running(running) = slot else { return None };
            let asks = running.state.peek("notify: is asked", |state| state.waiters.has(answer));
            asks.then_some(running.turn)
        })
    }

    pub(super) fn notify(&self, session: &Session, answer: &Answer, response: Arc<str>) -> bool {
        let sender = self.active_turn.section("notify: find turn", |slot| {
            let ActiveTurn::Running(running) = slot else { return None };
            let turn = running.turn;
            running.state.section("notify: take waiter", |state| take(session, state, turn, answer))
        });
        hand_over(sender, response)
    }
}

/// The checks of a steer, in Codex's order, and its settings. Inside the section of the slot.
fn admit_steer(
    session: &Session,
    slot: &ActiveTurn,
    submission: &Submission,
    expected: Option<TurnId>,
    edit: Option<&SettingsEdit>,
) -> Result<(TurnId, Arc<TurnLock>), Reason> {
    let expected = expected.filter(|_| !session.policy.faults.has(Fault::ExpectedIsIgnored));
    let Steerable { turn, state, .. } =
        check_steer(session, slot, &submission.input, expected, &submission.start)?;
    if let Some(edit) = edit {
        apply_settings(session, submission.input.id, edit)?;
    }
    Ok((turn, state.clone()))
}

fn apply_settings(session: &Session, command: InputId, edit: &SettingsEdit) -> Result<(), Reason> {
    if edit.is_empty() {
        return Ok(());
    }
    session.configuration.section("steer_input: apply settings", |configuration| {
        configuration.apply(&*session.env, command, edit)
    })
}

fn check_steer<'a>(
    session: &Session,
    slot: &'a ActiveTurn,
    input: &Input,
    expected: Option<TurnId>,
    start: &StartOptions,
) -> Result<Steerable<'a>, Reason> {
    let (steered, _) = slot.steered().ok_or(Reason::NoActiveTurn)?;
    let actual = steered.turn;
    if let Some(expected) = expected.filter(|expected| *expected != actual) {
        return Err(Reason::ExpectedTurnMismatch { expected, actual });
    }
    let steerable = slot.steerable(session.policy.faults)?;
    fits(input, start, steerable.context)?;
    Ok(steerable)
}

/// Queues a steer as one batch: context first, then the input.
fn push_steer(session: &Session, state: &TurnLock, turn: TurnId, submission: &Submission) {
    let (env, input) = (&*session.env, &submission.input);
    let merge = |state: &TurnState| {
        session.merge_context(&submission.context, |context| {
            state.waiting().any(|waits| waits == context) || session.has_read(context)
        })
    };
    let apart = session.policy.faults.has(Fault::ContextApart);
    if apart {
        state.section("fault: push context", |state| {
            let context = merge(state);
            state.push(env, context, turn, PhaseCause::Steer);
        });
    }
    state.section("steer_input: push", |state| {
        let mut batch = if apart { Vec::new() } else { merge(state) };
        batch.push(input.clone());
        state.set_metadata(env, submission.metadata.clone(), input.id, turn);
        state.push(env, batch, turn, PhaseCause::Steer);
    });
}

fn push(session: &Session, state: &TurnLock, turn: TurnId, batch: Vec<Input>, because: PhaseCause) {
    state.section("inject: push", |state| state.push(&*session.env, batch, turn, because));
}

/// A turn that has the slot and no task. For a planted fault.
fn taskless(slot: &ActiveTurn) -> Option<(TurnId, Arc<TurnLock>)> {
    match slot {
        ActiveTurn::Reserved(reservation) => Some((reservation.turn, reservation.state.clone())),
        ActiveTurn::Finishing { turn, state, .. } => Some((*turn, state.clone())),
        ActiveTurn::Idle | ActiveTurn::Running(_) | ActiveTurn::Closed => None,
    }
}

/// The place of a planted fault: takes a turn that was installed out of the slot again, for a
/// section of its own.
fn publish_late(session: &Session, slot: &mut ActiveTurn, turn: TurnId) -> Option<ActiveTurn> {
    let late = session.policy.faults.has(Fault::PublishedAfterTheTask);
    let runs = matches!(slot, ActiveTurn::Running(running) if running.turn == turn);
    (late && runs).then(|| std::mem::replace(slot, ActiveTurn::Idle))
}

/// The place of a planted fault; does nothing without it.
fn queue_refused(session: &Session, slot: &ActiveTurn, input: &Input) {
    if let ActiveTurn::Running(running) = slot
        && session.policy.faults.has(Fault::RefusedSteerIsQueued)
    {
        let because = PhaseCause::Steer;
        push(session, &running.state, running.turn, vec![input.clone()], because);
    }
}
