//! The slot of Codex 0.149.0, section by section.
//!
//! Promises: the sections of `reference/codex.md` 1.5 to 1.10 and no others, so each of its
//! unprotected windows (U1 to U15) is open here. Repairs nothing: what the real program loses
//! is lost. Where 0.171.0 and the seeds choose otherwise, the policy is asked in the one place
//! of that choice.

mod abort;
mod finish;
mod route;
mod start;
mod teardown;
mod turn;

use std::sync::Arc;

use midturn_protocol::{
    Answer, BoxFuture, Event, Input, InputId, Reason, Reply, SlotShape, SpecialTask, Submission,
    TaskKind, TurnContext, TurnId, Verdict,
};
use midturn_sync::task::AbortHandle;
use midturn_sync::{Cancel, Mutex, Signal};

use crate::codex::configuration::StartKind;
use crate::codex::session::Session;
use crate::codex::slot::{PresetTurn, Reservation, Slot, View};
use crate::codex::turn_state::{TurnLock, TurnState};

/// A handle on the slot.
#[derive(Clone)]
pub(crate) struct Upstream {
    active_turn: Arc<Mutex<Option<ActiveTurn>>>,
    /// For whoever looks when nobody moves: the session was told to end.
    closed: Arc<Mutex<bool>>,
}

struct ActiveTurn {
    /// For events only: the turn that owns the slot, or is to own it.
    turn: TurnId,
    /// For events only: whether a task was here before.
    finishing: bool,
    task: Option<RunningTask>,
    state: Arc<TurnLock>,
}

/// Dropping it aborts the task.
struct RunningTask {
    turn: TurnId,
    kind: TaskKind,
    context: Arc<TurnContext>,
    cancel: Cancel,
    done: Signal,
    abort: AbortHandle,
}

/// Proof that a task may be steered.
struct Steerable<'a> {
    turn: TurnId,
    context: &'a TurnContext,
    state: &'a TurnLock,
}

impl ActiveTurn {
    fn reserved(turn: TurnId) -> Self {
        ActiveTurn { turn, finishing: false, task: None, state: TurnState::new().locked() }
    }

    fn shape(&self) -> SlotShape {
        match (&self.task, self.finishing) {
            (Some(_), _) => SlotShape::Running,
            (None, true) => SlotShape::Finishing,
            (None, false) => SlotShape::Reserved,
        }
    }

    fn owns(&self, state: &Arc<TurnLock>) -> bool {
        Arc::ptr_eq(&self.state, state)
    }

    fn runs(&self, turn: TurnId) -> bool {
        self.task.as_ref().is_some_and(|task| task.turn == turn)
    }

    fn steerable(&self) -> Result<Steerable<'_>, Reason> {
        let task = self.task.as_ref().ok_or(Reason::NoActiveTurn)?;
        match task.kind {
            TaskKind::Regular => {
                Ok(Steerable { turn: task.turn, context: &task.context, state: &self.state })
            }
            TaskKind::Review | TaskKind::Compact => Err(Reason::ActiveTurnNotSteerable(task.kind)),
        }
    }
}

fn shape(slot: Option<&ActiveTurn>) -> SlotShape {
    slot.map_or(SlotShape::Idle, ActiveTurn::shape)
}

impl Upstream {
    pub(crate) fn new() -> Self {
        Upstream {
            active_turn: Arc::new(Mutex::new("active_turn", None)),
            closed: Arc::new(Mutex::new("closed", false)),
        }
    }
}

impl Slot for Upstream {
    fn steer(
        &self,
        session: &Session,
        submission: Submission,
        expected: Option<TurnId>,
    ) -> Result<TurnId, Reason> {
        self.steer_only(session, &submission, expected)
    }

    fn start_or_steer(
        &self,
        session: &Arc<Session>,
        submission: Submission,
    ) -> BoxFuture<'static, Verdict> {
        Box::pin(self.clone().steer_or_start(session.clone(), submission))
    }

    fn reserve(
        &self,
        session: &Session,
        turn: TurnId,
        expected_previous: Option<TurnId>,
        refuse: Option<InputId>,
    ) -> Result<Reservation, Reason> {
        self.active_turn.section("reserve: check and reserve", |slot| {
            session.mailbox.also_read();
            let free = match slot {
                Some(_) => Err(Reason::NotIdle),
                None => session.follows(expected_previous),
            };
            free.inspect_err(|&reason| {
                if let Some(input) = refuse {
                    session.observe(Event::Refused { input, reason });
                }
            })?;
            let turn = if refuse.is_none() { session.unused(turn) } else { turn };
            let active = slot.insert(ActiveTurn::reserved(turn));
            let (from, to) = (SlotShape::Idle, SlotShape::Reserved);
            session.observe(Event::Slot { from, to, turn: Some(turn) });
            Ok(Reservation { turn, submission: refuse, state: active.state.clone() })
        })
    }

    fn release(
        &self,
        session: &Session,
        reservation: &Reservation,
        refuse: Option<(InputId, Reason)>,
    ) {
        self.active_turn.section("release: empty the slot", |slot| {
            if slot.take_if(|a| a.task.is_none() && a.owns(&reservation.state)).is_some() {
                let (from, to) = (SlotShape::Reserved, SlotShape::Idle);
                session.observe(Event::Slot { from, to, turn: Some(reservation.turn) });
            }
            if let Some((input, reason)) = refuse {
                session.observe(Event::Refused { input, reason });
            }
        });
    }

    /// The real handlers run in a loop that is never dropped: nobody cleans up.
    fn abandon(&self, _session: &Arc<Session>, _reservation: Reservation) {}

    fn refused_start_looks_for_mail(&self) -> bool {
        false
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
        self.start_pending(session, &reservation);
    }

    fn begin(
        &self,
        session: &Arc<Session>,
        id: InputId,
        task: SpecialTask,
    ) -> BoxFuture<'static, Reply> {
        Box::pin(self.clone().spawn_special(session.clone(), id, task))
    }

    fn inject(&self, session: &Session, input: Input, wants_task: bool) -> Result<TurnId, Input> {
        self.inject_if_running(session, input, wants_task)
    }

    fn answer(&self, session: &Session, answer: &Answer, response: Arc<str>) -> bool {
        self.notify(session, answer, response)
    }

    /// Whatever runs by now, whoever had asked.
    fn aborted_by(&self, _answer: &Answer) -> Option<Option<TurnId>> {
        Some(None)
    }

    fn interrupt(
        &self,
        session: &Arc<Session>,
        command: InputId,
        only: Option<TurnId>,
    ) -> BoxFuture<'static, Option<TurnId>> {
        let (slot, session) = (self.clone(), session.clone());
        match only {
            None => Box::pin(slot.interrupt_task(session, command)),
            Some(turn) => Box::pin(slot.interrupt_one(session, turn)),
        }
    }

    fn suspend(
        &self,
        session: &Arc<Session>,
        command: InputId,
    ) -> BoxFuture<'static, Result<TurnId, Reason>> {
        Box::pin(self.clone().suspend_turn_and_shutdown(session.clone(), command))
    }

    fn shut_down(&self, session: &Arc<Session>, command: InputId) -> BoxFuture<'static, ()> {
        Box::pin(self.clone().tear_down(session.clone(), command))
    }

    fn explicit_waits(&self, found: &dyn Fn()) -> bool {
        self.active_turn.section("subscribe_activity: look", |slot| {
            let waits = slot.as_ref().is_some_and(|active| {
                active.state.peek("subscribe_activity: pending", TurnState::holds_explicit)
            });
            if waits {
                found();
            }
            waits
        })
    }

    fn view(&self) -> View {
        let closed = self.closed.peek("observe: closed", |closed| *closed);
        let seen = self.active_turn.peek("observe: slot", |slot| {
            slot.as_ref().map(|active| (active.shape(), active.state.clone()))
        });
        match seen {
            None => View { shape: SlotShape::Idle, phase: None, pending: Vec::new(), closed },
            Some((shape, state)) => state.peek("observe: turn", |state| View {
                shape,
                phase: Some(state.phase),
                pending: state.waiting().collect(),
                closed,
            }),
        }
    }

    fn preset(&self, session: &Arc<Session>, turn: PresetTurn) {
        self.install_preset(session, turn);
    }
}
