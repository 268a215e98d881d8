//! The slot of Codex 0.149.0, section by section.
//!
//! Promises: the sections of `reference/codex.md` 1.5 to 1.10 and no others, so each of its
//! unprotected windows (U1 to U14) is open here. Repairs nothing: what the real program loses
//! is lost.

mod abort;
mod finish;
mod start;
mod turn;

use std::sync::Arc;

use midturn_protocol::{
    Activity, BoxFuture, Event, Input, InputId, PhaseCause, Place, Reason, SlotShape, Submission,
    TaskKind, TurnEnd, TurnId, Verdict,
};
use midturn_sync::task::AbortHandle;
use midturn_sync::{Cancel, Mutex, Signal};

use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;
use crate::codex::slot::{Reservation, Slot, View};
use crate::codex::submit::is_empty;
use crate::codex::turn_state::{TurnLock, TurnState};

/// A handle on the slot.
#[derive(Clone)]
pub(crate) struct Upstream {
    active_turn: Arc<Mutex<Option<ActiveTurn>>>,
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
    cancel: Cancel,
    done: Signal,
    abort: AbortHandle,
}

/// Proof that a task may be steered.
struct Steerable<'a> {
    turn: TurnId,
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

    fn steerable(&self) -> Result<Steerable<'_>, Reason> {
        let task = self.task.as_ref().ok_or(Reason::NoActiveTurn)?;
        match task.kind {
            TaskKind::Regular => Ok(Steerable { turn: task.turn, state: &self.state }),
            TaskKind::Review | TaskKind::Compact => Err(Reason::ActiveTurnNotSteerable(task.kind)),
        }
    }
}

fn shape(slot: Option<&ActiveTurn>) -> SlotShape {
    slot.map_or(SlotShape::Idle, ActiveTurn::shape)
}

/// The checks of `steer_input`, in its order.
fn check_steer<'a>(
    slot: Option<&'a ActiveTurn>,
    input: &Input,
    expected: Option<TurnId>,
) -> Result<Steerable<'a>, Reason> {
    let active = slot.ok_or(Reason::NoActiveTurn)?;
    let actual = active.task.as_ref().ok_or(Reason::NoActiveTurn)?.turn;
    if let Some(expected) = expected.filter(|expected| *expected != actual) {
        return Err(Reason::ExpectedTurnMismatch { expected, actual });
    }
    let steerable = active.steerable()?;
    if is_empty(input) { Err(Reason::EmptyInput) } else { Ok(steerable) }
}

impl Upstream {
    pub(crate) fn new() -> Self {
        Upstream { active_turn: Arc::new(Mutex::new("active_turn", None)) }
    }

    /// `starts_otherwise`: that there is no turn is not a refusal, since a start follows.
    fn steer_input(
        &self,
        session: &Session,
        input: &Input,
        expected: Option<TurnId>,
        starts_otherwise: bool,
    ) -> Result<TurnId, Reason> {
        let env = &*session.env;
        self.active_turn.section("steer_input: check and push", |slot| {
            let checked = check_steer(slot.as_ref(), input, expected);
            let steerable = checked.inspect_err(|&reason| {
                if !(starts_otherwise && reason == Reason::NoActiveTurn) {
                    env.observe(Event::Refused { input: input.id, reason });
                }
            })?;
            let turn = steerable.turn;
            steerable.state.section("steer_input: push", |state| {
                state.push(env, input.clone(), turn, PhaseCause::Steer);
            });
            session.publish("steer_input: publish activity", Activity::Steer, input.id);
            Ok(turn)
        })
    }

    async fn start_or_steer(self, session: Arc<Session>, submission: Submission) -> Verdict {
        let Submission { input, settings_refused, .. } = submission;
        match self.steer_input(&session, &input, None, true) {
            Ok(turn) => return Verdict::Steered(turn),
            Err(Reason::NoActiveTurn) => {}
            Err(reason) => return Verdict::NotSubmitted(reason),
        }
        if settings_refused {
            let reason = Reason::InvalidRequest;
            session.observe(Event::Refused { input: input.id, reason });
            return Verdict::NotSubmitted(reason);
        }
        let turn = TurnId::of(input.id);
        self.abort_all_tasks(&session, TurnEnd::Replaced).await;
        self.start_task(&session, turn, Some(input).filter(|input| !is_empty(input)));
        Verdict::Started(turn)
    }

    async fn interrupt_task(self, session: Arc<Session>) -> Option<TurnId> {
        let ended = self.abort_all_tasks(&session, TurnEnd::Interrupted).await;
        if let Some(turn) = ended {
            start_pending_work(&session, turn.next()).await;
        }
        ended
    }
}

impl Slot for Upstream {
    fn steer(
        &self,
        session: &Session,
        input: Input,
        expected: Option<TurnId>,
    ) -> Result<TurnId, Reason> {
        self.steer_input(session, &input, expected, false)
    }

    fn start_or_steer(
        &self,
        session: &Arc<Session>,
        submission: Submission,
    ) -> BoxFuture<'static, Verdict> {
        Box::pin(self.clone().start_or_steer(session.clone(), submission))
    }

    fn reserve(
        &self,
        session: &Session,
        turn: TurnId,
        refuse: Option<InputId>,
    ) -> Option<Reservation> {
        self.active_turn.section("reserve: check and reserve", |slot| {
            session.mailbox.also_read();
            if slot.is_some() {
                let reason = Reason::NotIdle;
                if let Some(input) = refuse {
                    session.observe(Event::Refused { input, reason });
                }
                return None;
            }
            let active = slot.insert(ActiveTurn::reserved(turn));
            let (from, to) = (SlotShape::Idle, SlotShape::Reserved);
            session.observe(Event::Slot { from, to, turn: Some(turn) });
            Some(Reservation { turn, state: active.state.clone() })
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
        input: Input,
    ) -> Result<TurnId, Reason> {
        self.start_reserved(session, reservation, input)
    }

    fn start_for_mail(&self, session: &Arc<Session>, reservation: Reservation) {
        self.start_pending(session, &reservation);
    }

    fn inject(&self, session: &Session, input: Input, wants_task: bool) -> Result<TurnId, Input> {
        let env = &*session.env;
        self.active_turn.section("inject_if_running: check and push", |slot| {
            match slot.as_ref().filter(|active| !wants_task || active.task.is_some()) {
                None => Err(input),
                Some(active) => {
                    let (turn, id) = (active.turn, input.id);
                    active.state.section("inject_if_running: push", |state| {
                        state.push(env, input, turn, PhaseCause::Injection);
                    });
                    session.publish("inject_if_running: publish activity", Activity::Steer, id);
                    Ok(turn)
                }
            }
        })
    }

    fn interrupt(
        &self,
        session: &Arc<Session>,
        _command: InputId,
    ) -> BoxFuture<'static, Option<TurnId>> {
        Box::pin(self.clone().interrupt_task(session.clone()))
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
        let seen = self.active_turn.peek("observe: slot", |slot| {
            slot.as_ref().map(|active| (active.shape(), active.state.clone()))
        });
        match seen {
            None => View { shape: SlotShape::Idle, phase: None, pending: Vec::new() },
            Some((shape, state)) => state.peek("observe: turn", |state| View {
                shape,
                phase: Some(state.phase),
                pending: state.waiting().collect(),
            }),
        }
    }

    fn preset(&self, session: &Arc<Session>, finishing: bool) {
        self.install_preset(session, finishing);
    }
}

/// Where the initial input of a turn stands.
fn accept_initial(session: &Session, input: &Input, turn: TurnId) {
    let place = Place::Initial(turn);
    session.observe(Event::Accepted { input: input.id, kind: input.kind, place });
}
