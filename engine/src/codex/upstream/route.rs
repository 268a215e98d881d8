//! Codex: `steer_input`, the modes that use it, injection, and answers.
//!
//! Promises: a steer is checked and queued in one section. What comes before and after (preview
//! and application of settings, the start) is not part of it: U4, U5, U11.

use std::sync::Arc;

use midturn_protocol::{
    Activity, Answer, Event, Input, InputKind, PhaseCause, Reason, SlotShape, StartOptions,
    Submission, TurnEnd, TurnId, Verdict,
};

use crate::codex::answer::{hand_over, take};
use crate::codex::configuration::{StartKind, StartRequest};
use crate::codex::session::Session;
use crate::codex::slot::{Reservation, Slot};
use crate::codex::submit::fits;
use crate::codex::upstream::start::Launch;
use crate::codex::upstream::{ActiveTurn, Steerable, Upstream, shape};

/// What a steer is to do where there is nothing to steer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Otherwise {
    /// It is refused.
    Refuse,
    /// A start follows, outside of the section.
    Start,
    /// The slot is taken for a start at once, from whoever has it without a task.
    Claim(TurnId),
}

enum Routed {
    Steered(TurnId),
    Claimed(Reservation),
}

/// The checks of `steer_input`, in its order.
fn check_steer<'a>(
    slot: Option<&'a ActiveTurn>,
    input: &Input,
    expected: Option<TurnId>,
    start: &StartOptions,
) -> Result<Steerable<'a>, Reason> {
    let active = slot.ok_or(Reason::NoActiveTurn)?;
    let actual = active.task.as_ref().ok_or(Reason::NoActiveTurn)?.turn;
    if let Some(expected) = expected.filter(|expected| *expected != actual) {
        return Err(Reason::ExpectedTurnMismatch { expected, actual });
    }
    let steerable = active.steerable()?;
    fits(input, start, steerable.context)?;
    Ok(steerable)
}

impl Upstream {
    pub(super) fn steer_only(
        &self,
        session: &Session,
        submission: &Submission,
        expected: Option<TurnId>,
    ) -> Result<TurnId, Reason> {
        let routed = self.steer_input(session, submission, expected, Otherwise::Refuse)?;
        match routed {
            Routed::Steered(turn) => apply_steered(session, submission).map(|()| turn),
            Routed::Claimed(_) => Err(Reason::NoActiveTurn),
        }
    }

    fn steer_input(
        &self,
        session: &Session,
        submission: &Submission,
        expected: Option<TurnId>,
        otherwise: Otherwise,
    ) -> Result<Routed, Reason> {
        let (env, input) = (&*session.env, &submission.input);
        self.active_turn.section("steer_input: check and push", |slot| {
            let checked = check_steer(slot.as_ref(), input, expected, &submission.start);
            let steerable = match (checked, otherwise) {
                (Ok(steerable), _) => steerable,
                (Err(Reason::NoActiveTurn), Otherwise::Claim(turn)) => {
                    return Ok(Routed::Claimed(claim(session, slot, turn)));
                }
                (Err(Reason::NoActiveTurn), Otherwise::Start) => return Err(Reason::NoActiveTurn),
                (Err(reason), _) => {
                    env.observe(Event::Refused { input: input.id, reason });
                    return Err(reason);
                }
            };
            let turn = steerable.turn;
            let mut batch = session.merge_context(&submission.context, |_| true);
            batch.push(input.clone());
            steerable.state.section("steer_input: push", |state| {
                state.set_metadata(env, submission.metadata.clone(), input.id, turn);
                state.push(env, batch, turn, PhaseCause::Steer);
            });
            session.publish("steer_input: publish activity", Activity::Steer, input.id);
            Ok(Routed::Steered(turn))
        })
    }

    pub(super) async fn steer_or_start(
        self,
        session: Arc<Session>,
        submission: Submission,
    ) -> Verdict {
        let turn = TurnId::of(submission.input.id);
        let one_section = session.policy.decides_in_one_section();
        let otherwise = if one_section { Otherwise::Claim(turn) } else { Otherwise::Start };
        let claimed = match self.steer_input(&session, &submission, None, otherwise) {
            Ok(Routed::Steered(turn)) => {
                return match apply_steered(&session, &submission) {
                    Ok(()) => Verdict::Steered(turn),
                    Err(reason) => Verdict::NotSubmitted(reason),
                };
            }
            Ok(Routed::Claimed(reservation)) => Some(reservation),
            Err(Reason::NoActiveTurn) => None,
            Err(reason) => return Verdict::NotSubmitted(reason),
        };
        match self.start_instead(&session, submission, claimed).await {
            Ok(turn) => Verdict::Started(turn),
            Err(reason) => Verdict::NotSubmitted(reason),
        }
    }

    /// There was nothing to steer.
    async fn start_instead(
        &self,
        session: &Arc<Session>,
        submission: Submission,
        claimed: Option<Reservation>,
    ) -> Result<TurnId, Reason> {
        let Submission { input, settings, context, metadata, start, .. } = submission;
        let (command, turn) = (input.id, TurnId::of(input.id));
        let refuse = |reason: Reason| match &claimed {
            Some(reservation) => self.release(session, reservation, Some((command, reason))),
            None => session.observe(Event::Refused { input: command, reason }),
        };
        session.admit_start(&start).inspect_err(|&reason| refuse(reason))?;
        let request = StartRequest {
            command,
            turn,
            kind: StartKind::User,
            edit: &settings,
            start,
            asks_host: false,
            asks_constraints: true,
        };
        let (context, mut batch) = session
            .apply_started(&request, &context, |_| true)
            .inspect_err(|&reason| refuse(reason))?;
        batch.extend(Some(input).filter(|input| !input.is_empty()));
        match claimed {
            Some(reservation) => self.verify(session, &reservation, command)?,
            None => {
                self.abort_all_tasks(session, TurnEnd::Replaced).await;
            }
        }
        self.start_task(session, Launch::turn(turn, context, batch, (command, metadata)));
        Ok(turn)
    }

    pub(super) fn inject_if_running(
        &self,
        session: &Session,
        input: Input,
        wants_task: bool,
    ) -> Result<TurnId, Input> {
        let env = &*session.env;
        self.active_turn.section("inject_if_running: check and push", |slot| {
            match slot.as_ref().filter(|active| !wants_task || active.task.is_some()) {
                None => Err(input),
                Some(active) => {
                    let (turn, id) = (active.turn, input.id);
                    active.state.section("inject_if_running: push", |state| {
                        state.push(env, vec![input], turn, PhaseCause::Injection);
                    });
                    session.publish("inject_if_running: publish activity", Activity::Steer, id);
                    Ok(turn)
                }
            }
        })
    }

    pub(super) fn notify(&self, session: &Session, answer: &Answer, response: Arc<str>) -> bool {
        let sender = self.active_turn.section("notify: find turn", |slot| {
            let active = slot.as_ref()?;
            let turn = active.turn;
            active.state.section("notify: take waiter", |state| take(session, state, turn, answer))
        });
        hand_over(sender, response)
    }
}

/// Takes the slot from whoever has it without a task.
fn claim(session: &Session, slot: &mut Option<ActiveTurn>, turn: TurnId) -> Reservation {
    let from = shape(slot.as_ref());
    let active = slot.insert(ActiveTurn::reserved(turn));
    session.observe(Event::Slot { from, to: SlotShape::Reserved, turn: Some(turn) });
    Reservation { turn, submission: Some(turn.origin), state: active.state.clone() }
}

/// The input is queued already, whatever becomes of the settings (U11).
fn apply_steered(session: &Session, submission: &Submission) -> Result<(), Reason> {
    if submission.settings.is_empty() {
        return Ok(());
    }
    session.configuration.section("apply_steered: apply settings", |configuration| {
        configuration.apply(&*session.env, submission.input.id, &submission.settings)
    })
}

/// Whether a start takes `input` before anything that waits, or lets it wait.
pub(super) fn is_initial(input: &Input) -> bool {
    match input.kind {
        InputKind::User => true,
        InputKind::Response | InputKind::ToolOutput | InputKind::Mail { .. } => false,
    }
}
