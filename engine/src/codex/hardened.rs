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
mod close;
mod finish;
mod install;
mod interrupt;
mod reserve;
mod route;
mod turn;

use std::sync::Arc;

use midturn_protocol::{
    Answer, BoxFuture, Input, InputId, Reason, Reply, SlotShape, SpecialTask, Submission, TaskKind,
    TurnContext, TurnId, Verdict,
};
use midturn_sync::task::AbortHandle;
use midturn_sync::{Cancel, Latch, Mutex};

use crate::codex::configuration::StartKind;
use crate::codex::session::Session;
use crate::codex::slot::{PresetTurn, Reservation, Slot, View};
use crate::codex::turn::Work;
use crate::codex::turn_state::{TurnLock, TurnState};
use crate::codex::{Fault, Faults};

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
    /// The turn itself at its last look, or whoever stops it.
    Running(Running),
    /// Whoever ends `turn`; submits may name its successor.
    Finishing { turn: TurnId, state: Arc<TurnLock>, then: Then },
    /// Nobody: the session was told to end.
    Closed,
}

/// What the slot becomes once its turn has ended.
enum Then {
    Free,
    Successor(Successor),
    Closed,
}

/// A turn with a task. Dropping it aborts the task.
struct Running {
    turn: TurnId,
    kind: TaskKind,
    context: Arc<TurnContext>,
    state: Arc<TurnLock>,
    cancel: Cancel,
    /// Set when the task has ended, and remembered.
    done: Latch,
    abort: AbortHandle,
}

/// A task that may be installed.
struct Launch {
    turn: TurnId,
    context: Arc<TurnContext>,
    state: Arc<TurnLock>,
    work: Work,
}

/// The turn that starts as soon as the slot is free.
struct Successor {
    launch: Launch,
    launched: Latch,
}

impl Successor {
    fn new(launch: Launch) -> Self {
        Successor { launch, launched: Latch::new("launched") }
    }
}

/// Proof that a turn takes steers: a regular task, or a successor, which will have one.
struct Steerable<'a> {
    turn: TurnId,
    context: &'a TurnContext,
    state: &'a Arc<TurnLock>,
}

impl ActiveTurn {
    fn shape(&self) -> SlotShape {
        match self {
            ActiveTurn::Idle | ActiveTurn::Closed => SlotShape::Idle,
            ActiveTurn::Reserved(_) => SlotShape::Reserved,
            ActiveTurn::Running(_) => SlotShape::Running,
            ActiveTurn::Finishing { .. } => SlotShape::Finishing,
        }
    }

    /// The turn that a steer would reach, whatever its kind.
    fn steered(&self) -> Option<(Steerable<'_>, TaskKind)> {
        match self {
            ActiveTurn::Running(Running { turn, kind, context, state, .. }) => {
                Some((Steerable { turn: *turn, context, state }, *kind))
            }
            ActiveTurn::Finishing { then: Then::Successor(next), .. } => {
                let Launch { turn, context, state, work } = &next.launch;
                Some((Steerable { turn: *turn, context, state }, work.kind()))
            }
            ActiveTurn::Idle
            | ActiveTurn::Reserved(_)
            | ActiveTurn::Finishing { then: Then::Free | Then::Closed, .. }
            | ActiveTurn::Closed => None,
        }
    }

    fn steerable(&self, faults: Faults) -> Result<Steerable<'_>, Reason> {
        let (turn, kind) = self.steered().ok_or(Reason::NoActiveTurn)?;
        match kind {
            TaskKind::Regular => Ok(turn),
            TaskKind::Review if faults.has(Fault::ReviewTakesSteers) => Ok(turn),
            TaskKind::Review | TaskKind::Compact => Err(Reason::ActiveTurnNotSteerable(kind)),
        }
    }

    /// Whether `turn`'s own task may act on the slot.
    fn runs(&self, state: &Arc<TurnLock>) -> bool {
        match self {
            ActiveTurn::Running(running) => Arc::ptr_eq(&running.state, state),
            ActiveTurn::Idle
            | ActiveTurn::Reserved(_)
            | ActiveTurn::Finishing { .. }
            | ActiveTurn::Closed => false,
        }
    }

    /// Whether no turn will start here any more.
    fn is_closed(&self) -> bool {
        match self {
            ActiveTurn::Closed | ActiveTurn::Finishing { then: Then::Closed, .. } => true,
            ActiveTurn::Idle
            | ActiveTurn::Reserved(_)
            | ActiveTurn::Running(_)
            | ActiveTurn::Finishing { then: Then::Free | Then::Successor(_), .. } => false,
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
        submission: Submission,
        expected: Option<TurnId>,
    ) -> Result<TurnId, Reason> {
        self.steer_input(session, &submission, expected)
    }

    fn start_or_steer(
        &self,
        session: &Arc<Session>,
        submission: Submission,
    ) -> BoxFuture<'static, Verdict> {
        let (slot, session) = (self.clone(), session.clone());
        Box::pin(async move {
            let turn = TurnId::of(submission.input.id);
            let verdict = slot.start_or_steer(&session, submission);
            if session.policy.faults.has(Fault::VerdictWaitsForTheLog) {
                session.flush(turn).await;
            }
            verdict
        })
    }

    fn reserve(
        &self,
        session: &Session,
        turn: TurnId,
        expected_previous: Option<TurnId>,
        refuse: Option<InputId>,
    ) -> Result<Reservation, Reason> {
        self.reserve_idle(session, turn, expected_previous, refuse)
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
        submission: Submission,
        kind: StartKind,
    ) -> Result<TurnId, Reason> {
        self.start_reserved(session, &reservation, submission, kind)
    }

    fn start_for_mail(&self, session: &Arc<Session>, reservation: Reservation) {
        self.start_reserved_for_mail(session, &reservation);
    }

    fn begin(
        &self,
        session: &Arc<Session>,
        id: InputId,
        task: SpecialTask,
    ) -> BoxFuture<'static, Reply> {
        let (slot, session) = (self.clone(), session.clone());
        Box::pin(async move { slot.begin_special(&session, id, task) })
    }

    fn inject(&self, session: &Session, input: Input, _wants_task: bool) -> Result<TurnId, Input> {
        self.inject_if_steerable(session, input)
    }

    fn answer(&self, session: &Session, answer: &Answer, response: Arc<str>) -> bool {
        self.notify(session, answer, response)
    }

    fn aborted_by(&self, answer: &Answer) -> Option<Option<TurnId>> {
        self.who_asks(answer).map(Some)
    }

    fn interrupt(
        &self,
        session: &Arc<Session>,
        command: InputId,
        only: Option<TurnId>,
    ) -> BoxFuture<'static, Option<TurnId>> {
        let only = only.filter(|_| !session.policy.faults.has(Fault::InterruptHitsAnyone));
        Box::pin(self.clone().interrupt_task(session.clone(), command, only))
    }

    fn suspend(
        &self,
        session: &Arc<Session>,
        command: InputId,
    ) -> BoxFuture<'static, Result<TurnId, Reason>> {
        Box::pin(self.clone().suspend_turn(session.clone(), command))
    }

    fn shut_down(&self, session: &Arc<Session>, command: InputId) -> BoxFuture<'static, ()> {
        Box::pin(self.clone().tear_down(session.clone(), command))
    }

    fn explicit_waits(&self, found: &dyn Fn()) -> bool {
        self.active_turn.section("subscribe_activity: look", |slot| {
            let waits = slot.steered().is_some_and(|(turn, _)| {
                turn.state.peek("subscribe_activity: pending", TurnState::holds_explicit)
            });
            if waits {
                found();
            }
            waits
        })
    }

    fn view(&self) -> View {
        let (shape, turns, closed) = self.active_turn.peek("observe: slot", |slot| {
            let turns = match slot {
                ActiveTurn::Idle | ActiveTurn::Closed => Vec::new(),
                ActiveTurn::Reserved(reservation) => vec![reservation.state.clone()],
                ActiveTurn::Running(running) => vec![running.state.clone()],
                ActiveTurn::Finishing { state, then, .. } => match then {
                    Then::Successor(next) => vec![state.clone(), next.launch.state.clone()],
                    Then::Free | Then::Closed => vec![state.clone()],
                },
            };
            (slot.shape(), turns, slot.is_closed())
        });
        let mut view = View { shape, phase: None, pending: Vec::new(), closed };
        for turn in turns {
            turn.peek("observe: turn", |state| {
                view.phase.get_or_insert(state.phase);
                view.pending.extend(state.waiting());
            });
        }
        view
    }

    fn preset(&self, session: &Arc<Session>, turn: PresetTurn) {
        self.install_preset(session, turn);
    }
}
