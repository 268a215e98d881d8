//! Starts that need time between their claim and their start.
//!
//! Promises: a start happens only while its reservation is in the slot, and only if settings and
//! mode allow it in that very section; otherwise the input is given back or refused. A
//! reservation whose holder went away is released, and the mail that it may have kept waiting
//! gets a task of its own to be started by.

use std::sync::Arc;

use midturn_protocol::{
    Event, InputId, InputKind, Mode, Place, Reason, SlotShape, Submission, TaskName, TurnId,
};

use crate::codex::Fault;
use crate::codex::configuration::{StartKind, StartRequest};
use crate::codex::hardened::{ActiveTurn, Hardened, Launch};
use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;
use crate::codex::slot::Reservation;
use crate::codex::turn::{Opening, Work};
use crate::codex::turn_state::TurnState;

impl ActiveTurn {
    fn is_reserved_by(&self, reservation: &Reservation) -> bool {
        match self {
            ActiveTurn::Reserved(holder) => Arc::ptr_eq(&holder.state, &reservation.state),
            ActiveTurn::Idle
            | ActiveTurn::Running(_)
            | ActiveTurn::Finishing { .. }
            | ActiveTurn::Closed => false,
        }
    }

    /// Whether a start that holds `reservation` may go on.
    fn lets_start(&self, session: &Session, reservation: &Reservation) -> bool {
        self.is_reserved_by(reservation)
            || session.policy.faults.has(Fault::StartIgnoresReservation)
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
        expected_previous: Option<TurnId>,
        refuse: Option<InputId>,
    ) -> Result<Reservation, Reason> {
        self.active_turn.section("reserve: check and reserve", |slot| {
            session.mailbox.also_read();
            let free = match slot {
                ActiveTurn::Idle => session.follows(expected_previous),
                ActiveTurn::Closed => Err(Reason::ServerDraining),
                ActiveTurn::Reserved(_) | ActiveTurn::Running(_) | ActiveTurn::Finishing { .. } => {
                    Err(Reason::NotIdle)
                }
            };
            free.inspect_err(|&reason| {
                if let Some(input) = refuse {
                    session.observe(Event::Refused { input, reason });
                }
            })?;
            let turn = if refuse.is_none() { session.unused(turn) } else { turn };
            let (from, to) = (SlotShape::Idle, SlotShape::Reserved);
            session.observe(Event::Slot { from, to, turn: Some(turn) });
            let state = TurnState::new().locked();
            let reservation = Reservation { turn, submission: refuse, state };
            *slot = ActiveTurn::Reserved(reservation.clone());
            Ok(reservation)
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
        if session.policy.faults.has(Fault::ReservationIsLeft) {
            return;
        }
        let released = self
            .active_turn
            .section_on_drop("release: caller dropped", |slot| slot.release(session, reservation));
        if released == Some(true) {
            // Not the turn of a recovery, which would start again for something else.
            let turn = reservation.submission.map_or(reservation.turn, TurnId::of);
            let again = session.clone();
            let task = async move { start_pending_work(&again, turn).await };
            session.env.spawn(TaskName::PendingWork(turn), Box::pin(task));
        }
    }

    pub(super) fn start_reserved(
        &self,
        session: &Arc<Session>,
        reservation: &Reservation,
        submission: Submission,
        kind: StartKind,
    ) -> Result<TurnId, Reason> {
        let (turn, input) = (reservation.turn, submission.input.id);
        self.active_turn.section("start: verify and install", |slot| {
            if !slot.lets_start(session, reservation) {
                let reason = Reason::Superseded;
                session.observe(Event::GivenBack { input });
                session.observe(Event::Refused { input, reason });
                return Err(reason);
            }
            let launch = launch(session, submission, kind, reservation).inspect_err(|&reason| {
                slot.empty(session, turn);
                session.observe(Event::Refused { input, reason });
            })?;
            self.install(session, slot, launch);
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
            if !slot.lets_start(session, reservation) {
                return;
            }
            let (trigger, waiting, start) =
                session.mailbox.peek("start for mail: trigger mail", |mail| {
                    (mail.has_trigger(), mail.ids(), mail.derived_start())
                });
            let blindly = session.policy.faults.has(Fault::StartsWithoutLooking);
            let sleeping = !trigger && !waiting.is_empty() && session.is_sleeping();
            if !(trigger || sleeping || blindly) {
                return slot.empty(session, reservation.turn);
            }
            let turn = reservation.turn;
            let context = session.context_for_mail(turn, start, trigger);
            let state = reservation.state.clone();
            state.section("start for mail: note it", |state| state.started_for = waiting);
            let work = Work::Turn(Opening::Waiting);
            self.install(session, slot, Launch { turn, context, state, work });
        });
    }
}

/// What a start turns out to be, inside the section of the slot; nothing has changed if it is
/// refused.
pub(super) fn launch(
    session: &Session,
    submission: Submission,
    kind: StartKind,
    reservation: &Reservation,
) -> Result<Launch, Reason> {
    let turn = reservation.turn;
    let Submission { mode, input, settings, context, metadata, start } = submission;
    let command = input.id;
    let early = session.policy.faults.has(Fault::PlanIsDecidedEarly);
    let kind = if early && mode == Mode::StartIfIdle { StartKind::User } else { kind };
    // What a parent turn delegates is let in.
    let asks_host = start.parent.is_none() && !session.policy.faults.has(Fault::DrainIsForgotten);
    let asks_constraints = !session.policy.faults.has(Fault::ConstraintsAreAskedEarly);
    let edit = &settings;
    let request = StartRequest { command, turn, kind, edit, start, asks_host, asks_constraints };
    let (context, mut batch) =
        session.apply_started(&request, &context, |context| session.has_read(context))?;
    batch.extend(Some(input.clone()).filter(|input| !input.is_empty()));
    let place = match (mode, input.kind) {
        (Mode::StartOrSteer | Mode::Steer { .. }, _) | (_, InputKind::User) => Place::Initial(turn),
        (
            Mode::StartIfIdle | Mode::ContinueIfIdle { .. } | Mode::Recover { .. },
            InputKind::Response | InputKind::ToolOutput | InputKind::Mail { .. },
        ) => Place::Pending(turn),
    };
    let state = reservation.state.clone();
    if !batch.is_empty() || metadata.is_some() {
        state.section("start: first input", |state| {
            state.set_metadata(&*session.env, metadata, command, turn);
            for input in batch {
                state.append(&*session.env, input, place);
            }
        });
    }
    Ok(Launch { turn, context, state, work: Work::Turn(Opening::Waiting) })
}
