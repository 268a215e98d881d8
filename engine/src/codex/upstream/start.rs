//! Codex: `start_task` and those who call it.
//!
//! Promises: the drain of the mailbox, the record of the started turn and the publication of
//! its task are three sections, with nothing that ties them together (U3, U4).

use std::sync::Arc;

use midturn_protocol::{
    Event, Input, InputId, InputKind, Place, Reason, SlotShape, TaskKind, TaskName, TurnId,
};
use midturn_sync::task::abortable;
use midturn_sync::{Cancel, Signal};

use crate::codex::preset;
use crate::codex::session::Session;
use crate::codex::slot::Reservation;
use crate::codex::submit::is_empty;
use crate::codex::turn::{Opening, run_task};
use crate::codex::turn_state::{TurnState, ids};
use crate::codex::upstream::turn::UpstreamTurn;
use crate::codex::upstream::{ActiveTurn, RunningTask, Upstream, accept_initial, shape};

impl Upstream {
    pub(super) fn start_reserved(
        &self,
        session: &Arc<Session>,
        reservation: Reservation,
        input: Input,
    ) -> Result<TurnId, Reason> {
        let turn = reservation.turn;
        let initial = match input.kind {
            InputKind::User => Some(input).filter(|input| !is_empty(input)),
            InputKind::Response | InputKind::ToolOutput | InputKind::Mail { .. } => {
                reservation.state.section("start_if_idle: append to reserved turn", |state| {
                    state.append(&*session.env, input, Place::Pending(turn));
                });
                None
            }
        };
        self.start_task(session, turn, initial);
        Ok(turn)
    }

    pub(super) fn start_pending(&self, session: &Arc<Session>, reservation: &Reservation) {
        let turn = reservation.turn;
        let still_reserved =
            self.active_turn.peek("maybe_start_turn_for_pending_work: still reserved", |slot| {
                slot.as_ref().is_some_and(|a| a.task.is_none() && a.owns(&reservation.state))
            });
        if !still_reserved {
            return;
        }
        let drained = self.get_pending_input(session, turn);
        if !drained.is_empty() {
            let site = "maybe_start_turn_for_pending_work: put back on the turn";
            reservation.state.section(site, |state| {
                for input in drained {
                    state.append(&*session.env, input, Place::Pending(turn));
                }
            });
        }
        self.start_task(session, turn, None);
    }

    pub(super) fn start_task(&self, session: &Arc<Session>, turn: TurnId, initial: Option<Input>) {
        let env = &*session.env;
        let mail = session.mailbox.section("start_task: drain mailbox", |mailbox| {
            let mail = mailbox.take_all();
            if !mail.is_empty() {
                env.observe(Event::Drained { turn, inputs: ids(&mail) });
            }
            mail
        });
        let state = self.active_turn.section("start_task: record started turn", |slot| {
            get_or_create(session, slot, turn).state.clone()
        });
        if !mail.is_empty() {
            state.section("start_task: append mail to pending", |state| {
                for input in mail {
                    state.append(env, input, Place::Pending(turn));
                }
            });
        }
        self.active_turn.section("start_task: publish task", |slot| {
            let active = get_or_create(session, slot, turn);
            let from = active.shape();
            if let Some(input) = &initial {
                accept_initial(session, input, turn);
            }
            let opening = initial.map_or(Opening::Waiting, Opening::Input);
            let task = self.spawn(session, turn, opening);
            active.turn = turn;
            active.finishing = false;
            env.observe(Event::Slot { from, to: SlotShape::Running, turn: Some(turn) });
            // Whatever task was here is dropped, and with it aborted, without a word (U4).
            active.task = Some(task);
        });
    }

    fn spawn(&self, session: &Arc<Session>, turn: TurnId, opening: Opening) -> RunningTask {
        let (cancel, done) = (Cancel::new("cancel"), Signal::new("done"));
        let side = UpstreamTurn::new(session, self, turn, cancel.clone());
        let notify = done.clone();
        let (future, abort) = abortable("task", async move {
            run_task(side, opening).await;
            notify.notify("task: notify done");
        });
        let task = async move {
            future.await;
        };
        session.env.spawn(TaskName::Turn(turn), Box::pin(task));
        RunningTask { turn, kind: TaskKind::Regular, cancel, done, abort }
    }

    pub(super) fn install_preset(&self, session: &Arc<Session>, finishing: bool) {
        let turn = TurnId::of(InputId::PRESET);
        preset::record_prompt(session, turn);
        let mut state = TurnState::new();
        if finishing {
            preset::record_answer(session, turn);
            state.defer(&*session.env, turn, session.policy.faults);
        }
        self.active_turn.section("preset: install", |slot| {
            let state = state.locked();
            let task = if finishing {
                self.spawn_finishing(session, turn, state.clone());
                None
            } else {
                Some(self.spawn(session, turn, Opening::Recorded))
            };
            let from = shape(slot.as_ref());
            let active = slot.insert(ActiveTurn { turn, finishing, task, state });
            session.observe(Event::Slot { from, to: active.shape(), turn: Some(turn) });
        });
    }
}

fn get_or_create<'a>(
    session: &Session,
    slot: &'a mut Option<ActiveTurn>,
    turn: TurnId,
) -> &'a mut ActiveTurn {
    slot.get_or_insert_with(|| {
        let (from, to) = (SlotShape::Idle, SlotShape::Reserved);
        session.observe(Event::Slot { from, to, turn: Some(turn) });
        ActiveTurn::reserved(turn)
    })
}
