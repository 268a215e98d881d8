//! Starts that need time between their claim and their start.
//!
//! Promises: a start happens only while its reservation is in the slot; otherwise the input is
//! given back. A reservation whose holder went away is released, and the mail that it may have
//! kept waiting gets a task of its own to be started by.

use std::sync::Arc;

use midturn_protocol::{
    Event, Input, InputId, InputKind, Place, Reason, SlotShape, TaskName, TurnId,
};

use crate::codex::Fault;
use crate::codex::hardened::{ActiveTurn, Hardened};
use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;
use crate::codex::slot::Reservation;
use crate::codex::submit::is_empty;
use crate::codex::turn_state::TurnState;

impl ActiveTurn {
    fn is_reserved_by(&self, reservation: &Reservation) -> bool {
        match self {
            ActiveTurn::Reserved(holder) => Arc::ptr_eq(&holder.state, &reservation.state),
            ActiveTurn::Idle | ActiveTurn::Running(_) | ActiveTurn::Finishing { .. } => false,
        }
    }

    fn empty(&mut self, session: &Session, turn: TurnId) {
        let (from, to) = (self.shape(), SlotShape::Idle);
        session.observe(Event::Slot { from, to, turn: Some(turn) });
        *self = ActiveTurn::Idle;
    }

    /// Whether `reservation` was in the slot.
    fn release(&mut self, session: &Session, reservation: &Reservation) -> bool {
        let anyones = session.policy.faults.has(Fault::ReleaseAnyonesSlot);
        let occupied = self.shape() != SlotShape::Idle;
        let releases = self.is_reserved_by(reservation) || anyones && occupied;
        if releases {
            self.empty(session, reservation.turn);
        }
        releases
    }
}

impl Hardened {
    pub(super) fn reserve_idle(
        &self,
        session: &Session,
        turn: TurnId,
        refuse: Option<InputId>,
    ) -> Option<Reservation> {
        self.active_turn.section("reserve: check and reserve", |slot| {
            session.mailbox.also_read();
            if slot.shape() != SlotShape::Idle {
                let reason = Reason::NotIdle;
                if let Some(input) = refuse {
                    session.observe(Event::Refused { input, reason });
                }
                return None;
            }
            let (from, to) = (SlotShape::Idle, SlotShape::Reserved);
            session.observe(Event::Slot { from, to, turn: Some(turn) });
            let reservation = Reservation { turn, state: TurnState::new().locked() };
            *slot = ActiveTurn::Reserved(reservation.clone());
            Some(reservation)
        })
    }

    pub(super) fn release_own(
        &self,
        session: &Session,
        reservation: &Reservation,
        refuse: Option<(InputId, Reason)>,
    ) {
        self.active_turn.section("release: empty the slot", |slot| {
            slot.release(session, reservation);
            if let Some((input, reason)) = refuse {
                session.observe(Event::Refused { input, reason });
            }
        });
    }

    pub(super) fn release_on_drop(&self, session: &Arc<Session>, reservation: &Reservation) {
        let released = self
            .active_turn
            .section_on_drop("release: caller dropped", |slot| slot.release(session, reservation));
        if released == Some(true) {
            let (turn, again) = (reservation.turn, session.clone());
            let task = async move { start_pending_work(&again, turn).await };
            session.env.spawn(TaskName::PendingWork(turn), Box::pin(task));
        }
    }

    pub(super) fn start_reserved(
        &self,
        session: &Arc<Session>,
        reservation: &Reservation,
        input: Input,
    ) -> Result<TurnId, Reason> {
        let turn = reservation.turn;
        self.active_turn.section("start: verify and install", |slot| {
            if !slot.is_reserved_by(reservation) {
                let (input, reason) = (input.id, Reason::Superseded);
                session.observe(Event::GivenBack { input });
                session.observe(Event::Refused { input, reason });
                return Err(reason);
            }
            if !is_empty(&input) {
                let place = match input.kind {
                    InputKind::User => Place::Initial(turn),
                    InputKind::Response | InputKind::ToolOutput | InputKind::Mail { .. } => {
                        Place::Pending(turn)
                    }
                };
                reservation.state.section("start: first input", |state| {
                    state.append(&*session.env, input, place);
                });
            }
            self.install(session, slot, turn, reservation.state.clone());
            Ok(turn)
        })
    }

    /// The mail itself is taken by the turn, at its first drain.
    pub(super) fn start_reserved_for_mail(
        &self,
        session: &Arc<Session>,
        reservation: &Reservation,
    ) {
        self.active_turn.section("start for mail: verify and install", |slot| {
            if !slot.is_reserved_by(reservation) {
                return;
            }
            let trigger = session
                .mailbox
                .peek("start for mail: trigger mail", |mailbox| mailbox.has_trigger());
            if trigger {
                self.install(session, slot, reservation.turn, reservation.state.clone());
            } else {
                slot.empty(session, reservation.turn);
            }
        });
    }
}
