//! Starting a turn because mail asks for one.
//!
//! Promises: with trigger mail waiting and an idle slot, of several who try at the same time one
//! starts the turn. Mail is never taken out of the mailbox by somebody who then does not start.

use std::sync::Arc;

use midturn_protocol::{Outside, TurnId};

use crate::codex::claim::Claim;
use crate::codex::session::Session;

/// Codex: `maybe_start_turn_for_pending_work`. Dropped while it prepares, `Hardened` makes
/// another try.
pub(crate) async fn start_pending_work(session: &Arc<Session>, turn: TurnId) {
    let (trigger, some) =
        session.mailbox.peek("maybe_start_turn_for_pending_work: trigger mail", |mailbox| {
            (mailbox.has_trigger(), !mailbox.is_empty())
        });
    if !(trigger || some && session.is_sleeping()) {
        return;
    }
    let Ok(reservation) = session.slot.reserve(session, turn, None, None) else { return };
    let claim = Claim::new(session, reservation);
    session.awaits(Outside::Preparation);
    session.env.prepare_start().await;
    session.slot.start_for_mail(session, claim.redeem());
}
