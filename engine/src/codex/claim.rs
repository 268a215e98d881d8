//! A reservation in the hands of a future that may be dropped at any await.
//!
//! Promises: a claim that is dropped before it was used is handed to [`Slot::abandon`]. What
//! becomes of it there differs by structure.
//!
//! [`Slot::abandon`]: crate::codex::slot::Slot::abandon

use std::sync::Arc;

use crate::codex::session::Session;
use crate::codex::slot::Reservation;

pub(crate) struct Claim {
    session: Arc<Session>,
    reservation: Option<Reservation>,
}

impl Claim {
    pub(crate) fn new(session: &Arc<Session>, reservation: Reservation) -> Self {
        Claim { session: session.clone(), reservation: Some(reservation) }
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The reservation, for somebody who uses or releases it without awaiting.
    pub(crate) fn redeem(mut self) -> Reservation {
        self.reservation.take().expect("a claim is redeemed once, by value")
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(reservation) = self.reservation.take() {
            self.session.slot.abandon(&self.session, reservation);
        }
    }
}
