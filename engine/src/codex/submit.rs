//! The submission modes.
//!
//! Promises: a verdict says where an input was routed and waits for no hook, history or model;
//! `NotSubmitted` means that neither input nor settings took effect. Each mode is written once;
//! what has to be decided in one piece is asked of the slot.

use std::sync::Arc;

use midturn_protocol::{
    Event, Input, InputId, InputKind, Mode, Outside, Reason, StartOptions, Submission, TurnContext,
    TurnId, Verdict,
};

use crate::codex::Fault;
use crate::codex::claim::Claim;
use crate::codex::configuration::StartKind;
use crate::codex::mailbox::Mailbox;
use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;

pub(crate) async fn submit(session: &Arc<Session>, submission: Submission) -> Verdict {
    let (command, edit) = (submission.input.id, submission.settings.clone());
    let verdict = match accepts(&submission) {
        true => route(session, submission).await,
        false => refuse(session, command, Reason::InvalidRequest),
    };
    if let Verdict::NotSubmitted(_) = verdict
        && !edit.is_empty()
        && session.policy.faults.has(Fault::RefusedEditIsApplied)
    {
        session.configuration.section("fault: refused edit", |configuration| {
            configuration.apply_refused(&*session.env, command, &edit);
        });
    }
    verdict
}

/// Which kinds of input go with which mode.
fn accepts(submission: &Submission) -> bool {
    let kind = submission.input.kind;
    match submission.mode {
        Mode::StartOrSteer => kind.is_explicit(),
        Mode::StartIfIdle => !matches!(kind, InputKind::Mail { .. }),
        Mode::ContinueIfIdle { .. } => kind == InputKind::Response,
        Mode::Recover { .. } => submission.input.is_empty(),
        Mode::Steer { .. } => kind == InputKind::User,
    }
}

async fn route(session: &Arc<Session>, submission: Submission) -> Verdict {
    match submission.mode {
        Mode::StartOrSteer => match preview(session, &submission) {
            Ok(()) => session.slot.start_or_steer(session, submission).await,
            Err(reason) => refuse(session, submission.input.id, reason),
        },
        Mode::Steer { expected } => {
            let command = submission.input.id;
            if let Err(reason) = preview(session, &submission) {
                return refuse(session, command, reason);
            }
            match session.slot.steer(session, submission, expected) {
                Ok(turn) => Verdict::Steered(turn),
                Err(reason) => Verdict::NotSubmitted(reason),
            }
        }
        Mode::StartIfIdle => {
            let says_something =
                submission.input.kind == InputKind::User && !submission.input.is_empty();
            let kind = if says_something { StartKind::User } else { StartKind::Automatic };
            let turn = TurnId::of(submission.input.id);
            start_if_idle(session, submission, kind, turn, None).await
        }
        Mode::ContinueIfIdle { expected_previous } => {
            let turn = TurnId::of(submission.input.id);
            start_if_idle(session, submission, StartKind::Recovery, turn, expected_previous).await
        }
        Mode::Recover { turn } => {
            start_if_idle(session, submission, StartKind::Recovery, turn, None).await
        }
    }
}

/// The last checks of a steer, in Codex's order: it says something, and asks for no other form of
/// answer than the turn gives.
pub(crate) fn fits(
    input: &Input,
    start: &StartOptions,
    running: &TurnContext,
) -> Result<(), Reason> {
    if input.is_empty() {
        return Err(Reason::EmptyInput);
    }
    let wanted = start.schema.as_ref();
    if wanted.is_some() && wanted != running.start.schema.as_ref() {
        return Err(Reason::ActiveTurnOutputSchemaMismatch);
    }
    Ok(())
}

/// Codex: `prepare`. Without an edit there is nothing to look at.
fn preview(session: &Session, submission: &Submission) -> Result<(), Reason> {
    if submission.settings.is_empty() {
        return Ok(());
    }
    session
        .configuration
        .peek("prepare: preview settings", |settings| settings.preview(&submission.settings))
}

fn refuse(session: &Session, input: InputId, reason: Reason) -> Verdict {
    session.observe(Event::Refused { input, reason });
    Verdict::NotSubmitted(reason)
}

/// Codex: `start_if_idle`, its checks in order.
async fn start_if_idle(
    session: &Arc<Session>,
    submission: Submission,
    kind: StartKind,
    turn: TurnId,
    expected_previous: Option<TurnId>,
) -> Verdict {
    let input = submission.input.id;
    if session.mailbox.peek("start_if_idle: trigger mail", |mailbox| {
        let refused = mailbox.has_trigger();
        if refused {
            session.observe(Event::Refused { input, reason: Reason::PendingTriggerTurn });
        }
        refused
    }) {
        return Verdict::NotSubmitted(Reason::PendingTriggerTurn);
    }
    let gate = session.configuration.peek("start_if_idle: mode and admission", |configuration| {
        if kind == StartKind::Automatic && configuration.is_plan() {
            return Err(Reason::PlanMode);
        }
        if configuration.is_draining() { Err(Reason::ServerDraining) } else { Ok(()) }
    });
    if let Err(reason) = gate {
        return refuse(session, input, reason);
    }
    match session.slot.reserve(session, turn, expected_previous, Some(input)) {
        Ok(reservation) => start_reserved(Claim::new(session, reservation), submission, kind).await,
        Err(reason) => Verdict::NotSubmitted(reason),
    }
}

/// Goes on with a start that holds its reservation.
pub(crate) async fn start_reserved(
    claim: Claim,
    submission: Submission,
    kind: StartKind,
) -> Verdict {
    let session = claim.session().clone();
    let input = submission.input.id;
    let looks_again = !session.policy.faults.has(Fault::NoSecondLook);
    if looks_again
        && session.mailbox.peek("start_if_idle: trigger mail, second look", Mailbox::has_trigger)
    {
        return give_up(claim, input, Reason::PendingTriggerTurn, true).await;
    }
    let looks_for_mail = session.slot.refused_start_looks_for_mail()
        && !session.policy.faults.has(Fault::RefusedStartForgetsMail);
    if let Err(reason) = preview(&session, &submission) {
        return give_up(claim, input, reason, looks_for_mail).await;
    }
    session.awaits(Outside::Preparation);
    session.env.prepare_start().await;
    match session.slot.start(&session, claim.redeem(), submission, kind) {
        Ok(turn) => Verdict::Started(turn),
        Err(reason) => {
            // Who lost the slot kept no mail from starting.
            if looks_for_mail && reason != Reason::Superseded {
                start_pending_work(&session, TurnId::of(input)).await;
            }
            Verdict::NotSubmitted(reason)
        }
    }
}

/// Releases the reservation, and starts what it kept from starting.
async fn give_up(claim: Claim, input: InputId, reason: Reason, looks_for_mail: bool) -> Verdict {
    let session = claim.session().clone();
    session.slot.release(&session, &claim.redeem(), Some((input, reason)));
    if looks_for_mail {
        start_pending_work(&session, TurnId::of(input)).await;
    }
    Verdict::NotSubmitted(reason)
}
