//! The slot with every window of Codex closed, without a lock more.
//!
//! Promises, under every interleaving, with callers dropped at any await and tasks that go on
//! until their next one:
//! - a turn is announced by whoever installs it and ended by whoever takes it out, so the two
//!   happen once each, and turns never overlap;
//! - what a turn accepts is sampled by it, or is reported as cleared, or is in the mailbox again;
//! - the slot never waits for a caller: a submit to a slot that is finishing becomes its
//!   successor, and aborts run in tasks of their own;
//! - an aborted turn is fenced: its task, wherever it is, changes nothing any more;
//! - whoever frees the slot looks for trigger mail afterwards.
//!
//! Does not wait for an aborted task to stop.

mod abort;
mod finish;
mod install;
mod interrupt;
mod reserve;
mod route;
mod turn;

use std::sync::Arc;

use midturn_protocol::{
    BoxFuture, Input, InputId, Reason, SlotShape, Submission, TaskKind, TurnId, Verdict,
};
use midturn_sync::task::AbortHandle;
use midturn_sync::{Cancel, Latch, Mutex};

use crate::codex::session::Session;
use crate::codex::slot::{Reservation, Slot, View};
use crate::codex::turn_state::{TurnLock, TurnState};

/// A handle on the slot.
#[derive(Clone)]
pub(crate) struct Hardened {
    active_turn: Arc<Mutex<ActiveTurn>>,
}

/// The slot. Every shape says who may change it next.
enum ActiveTurn {
    /// Anyone.
    Idle,
    /// The holder of the reservation, an interrupt, or explicit input, which outranks it.
    Reserved(Reservation),
    /// The turn itself at its last look, or an interrupt.
    Running(Running),
    /// Whoever ends `turn`; submits may name its successor.
    Finishing { turn: TurnId, state: Arc<TurnLock>, successor: Option<Successor> },
}

/// A turn with a task. Dropping it aborts the task.
struct Running {
    turn: TurnId,
    kind: TaskKind,
    state: Arc<TurnLock>,
    cancel: Cancel,
    /// Set when the task has ended, and remembered.
    done: Latch,
    abort: AbortHandle,
}

/// The turn that starts as soon as the slot is free.
struct Successor {
    turn: TurnId,
    state: Arc<TurnLock>,
    launched: Latch,
}

/// Proof that a turn takes steers: a regular task, or a successor, which will have one.
struct Steerable<'a> {
    turn: TurnId,
    state: &'a Arc<TurnLock>,
}

impl ActiveTurn {
    fn shape(&self) -> SlotShape {
        match self {
            ActiveTurn::Idle => SlotShape::Idle,
            ActiveTurn::Reserved(_) => SlotShape::Reserved,
            ActiveTurn::Running(_) => SlotShape::Running,
            ActiveTurn::Finishing { .. } => SlotShape::Finishing,
        }
    }

    fn steerable(&self) -> Result<Steerable<'_>, Reason> {
        match self {
            ActiveTurn::Idle
            | ActiveTurn::Reserved(_)
            | ActiveTurn::Finishing { successor: None, .. } => Err(Reason::NoActiveTurn),
            ActiveTurn::Running(Running { turn, kind, state, .. }) => match kind {
                TaskKind::Regular => Ok(Steerable { turn: *turn, state }),
                TaskKind::Review | TaskKind::Compact => Err(Reason::ActiveTurnNotSteerable(*kind)),
            },
            ActiveTurn::Finishing { successor: Some(next), .. } => {
                Ok(Steerable { turn: next.turn, state: &next.state })
            }
        }
    }

    /// Whether `turn`'s own task may act on the slot.
    fn runs(&self, state: &Arc<TurnLock>) -> bool {
        match self {
            ActiveTurn::Running(running) => Arc::ptr_eq(&running.state, state),
            ActiveTurn::Idle | ActiveTurn::Reserved(_) | ActiveTurn::Finishing { .. } => false,
        }
    }
}

impl Hardened {
    pub(crate) fn new() -> Self {
        Hardened { active_turn: Arc::new(Mutex::new("active_turn", ActiveTurn::Idle)) }
    }
}

impl Slot for Hardened {
    fn steer(
        &self,
        session: &Session,
        input: Input,
        expected: Option<TurnId>,
    ) -> Result<TurnId, Reason> {
        self.steer_input(session, &input, expected)
    }

    fn start_or_steer(
        &self,
        session: &Arc<Session>,
        submission: Submission,
    ) -> BoxFuture<'static, Verdict> {
        let (slot, session) = (self.clone(), session.clone());
        Box::pin(async move { slot.start_or_steer(&session, submission) })
    }

    fn reserve(
        &self,
        session: &Session,
        turn: TurnId,
        refuse: Option<InputId>,
    ) -> Option<Reservation> {
        self.reserve_idle(session, turn, refuse)
    }

    fn release(
        &self,
        session: &Session,
        reservation: &Reservation,
        refuse: Option<(InputId, Reason)>,
    ) {
        self.release_own(session, reservation, refuse);
    }

    fn abandon(&self, session: &Arc<Session>, reservation: Reservation) {
        self.release_on_drop(session, &reservation);
    }

    fn refused_start_looks_for_mail(&self) -> bool {
        true
    }

    fn start(
        &self,
        session: &Arc<Session>,
        reservation: Reservation,
        input: Input,
    ) -> Result<TurnId, Reason> {
        self.start_reserved(session, &reservation, input)
    }

    fn start_for_mail(&self, session: &Arc<Session>, reservation: Reservation) {
        self.start_reserved_for_mail(session, &reservation);
    }

    fn inject(&self, session: &Session, input: Input, _wants_task: bool) -> Result<TurnId, Input> {
        self.inject_if_steerable(session, input)
    }

    fn interrupt(
        &self,
        session: &Arc<Session>,
        command: InputId,
    ) -> BoxFuture<'static, Option<TurnId>> {
        Box::pin(self.clone().interrupt_task(session.clone(), command))
    }

    fn explicit_waits(&self, found: &dyn Fn()) -> bool {
        self.active_turn.section("subscribe_activity: look", |slot| {
            let waits = slot.steerable().is_ok_and(|turn| {
                turn.state.peek("subscribe_activity: pending", TurnState::holds_explicit)
            });
            if waits {
                found();
            }
            waits
        })
    }

    fn view(&self) -> View {
        let (shape, turns) = self.active_turn.peek("observe: slot", |slot| {
            let turns = match slot {
                ActiveTurn::Idle => Vec::new(),
                ActiveTurn::Reserved(reservation) => vec![reservation.state.clone()],
                ActiveTurn::Running(running) => vec![running.state.clone()],
                ActiveTurn::Finishing { state, successor, .. } => {
                    let next = successor.as_ref().map(|next| &next.state);
                    std::iter::once(state).chain(next).cloned().collect()
                }
            };
            (slot.shape(), turns)
        });
        let mut view = View { shape, phase: None, pending: Vec::new() };
        for turn in turns {
            turn.peek("observe: turn", |state| {
                view.phase.get_or_insert(state.phase);
                view.pending.extend(state.waiting());
            });
        }
        view
    }

    fn preset(&self, session: &Arc<Session>, finishing: bool) {
        self.install_preset(session, finishing);
    }
}
