//! The submission modes.
//!
//! Promises: a verdict says where an input was routed and waits for no hook, history or model;
//! `NotSubmitted` means that neither input nor settings took effect. Each mode is written once;
//! what has to be decided in one piece is asked of the slot.

use std::sync::Arc;

use midturn_protocol::{
    Event, Input, InputId, InputKind, Mode, Reason, Submission, TurnId, Verdict,
};

use crate::codex::Fault;
use crate::codex::claim::Claim;
use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;

pub(crate) async fn submit(session: &Arc<Session>, submission: Submission) -> Verdict {
    match submission.mode {
        Mode::StartOrSteer => match submission.input.kind {
            InputKind::User | InputKind::ToolOutput => {
                session.slot.start_or_steer(session, submission).await
            }
            InputKind::Response | InputKind::Mail { .. } => invalid(session, submission.input.id),
        },
        Mode::StartIfIdle => start_if_idle(session, submission).await,
        Mode::Steer { expected } => match submission.input.kind {
            InputKind::User => match session.slot.steer(session, submission.input, expected) {
                Ok(turn) => Verdict::Steered(turn),
                Err(reason) => Verdict::NotSubmitted(reason),
            },
            InputKind::Response | InputKind::ToolOutput | InputKind::Mail { .. } => {
                invalid(session, submission.input.id)
            }
        },
    }
}

/// Whether an input says nothing: it may start a turn, which then has no message, but not steer.
pub(crate) fn is_empty(input: &Input) -> bool {
    input.kind == InputKind::User && input.text.is_empty()
}

fn invalid(session: &Session, input: InputId) -> Verdict {
    session.observe(Event::Refused { input, reason: Reason::InvalidRequest });
    Verdict::NotSubmitted(Reason::InvalidRequest)
}

async fn start_if_idle(session: &Arc<Session>, submission: Submission) -> Verdict {
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
    match session.slot.reserve(session, TurnId::of(input), Some(input)) {
        Some(reservation) => start_reserved(Claim::new(session, reservation), submission).await,
        None => Verdict::NotSubmitted(Reason::NotIdle),
    }
}

/// Goes on with a start that holds its reservation.
pub(crate) async fn start_reserved(claim: Claim, submission: Submission) -> Verdict {
    let session = claim.session().clone();
    let looks_again = !session.policy.faults.has(Fault::NoSecondLook);
    if looks_again
        && session
            .mailbox
            .peek("start_if_idle: trigger mail, second look", |mailbox| mailbox.has_trigger())
    {
        return give_up(claim, submission.input.id, Reason::PendingTriggerTurn, true).await;
    }
    session.env.prepare_start().await;
    if submission.settings_refused {
        let looks = session.slot.refused_start_looks_for_mail();
        return give_up(claim, submission.input.id, Reason::InvalidRequest, looks).await;
    }
    match session.slot.start(&session, claim.redeem(), submission.input) {
        Ok(turn) => Verdict::Started(turn),
        Err(reason) => Verdict::NotSubmitted(reason),
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
