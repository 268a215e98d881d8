//! Starting a turn because mail asks for one.
//!
//! Promises: with trigger mail waiting and an idle slot, of several who try at the same time one
//! starts the turn. Mail is never taken out of the mailbox by somebody who then does not start.

use std::sync::Arc;

use midturn_protocol::TurnId;

use crate::codex::claim::Claim;
use crate::codex::session::Session;

/// Codex: `maybe_start_turn_for_pending_work`. Dropped while it prepares, `Hardened` makes
/// another try.
pub(crate) async fn start_pending_work(session: &Arc<Session>, turn: TurnId) {
    let trigger = session
        .mailbox
        .peek("maybe_start_turn_for_pending_work: trigger mail", |mailbox| mailbox.has_trigger());
    if !trigger {
        return;
    }
    let Some(reservation) = session.slot.reserve(session, turn, None) else { return };
    let claim = Claim::new(session, reservation);
    session.env.prepare_start().await;
    session.slot.start_for_mail(session, claim.redeem());
}
