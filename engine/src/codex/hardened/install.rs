//! A turn gets its task.
//!
//! Promises: the client is told inside the section that installs the turn, so no turn is ended
//! that was not announced, and an aborted task can announce nothing. The task finds its input
//! in the turn's own list, where an abort finds it too, however early it comes.

use std::sync::Arc;

use midturn_protocol::{Event, InputId, SlotShape, TaskKind, TaskName, TurnEnd, TurnId};
use midturn_sync::task::abortable;
use midturn_sync::{Cancel, Latch, Site};

use crate::codex::hardened::turn::HardenedTurn;
use crate::codex::hardened::{ActiveTurn, Hardened, Running};
use crate::codex::preset;
use crate::codex::session::Session;
use crate::codex::turn::{Opening, finish_task, run_task};
use crate::codex::turn_state::{TurnLock, TurnState};

impl Hardened {
    /// Inside the section of the slot: announces `turn` and lets its task run.
    pub(super) fn install(
        &self,
        session: &Arc<Session>,
        slot: &mut ActiveTurn,
        turn: TurnId,
        state: Arc<TurnLock>,
    ) {
        session.send_event("send_event: TurnStarted", Event::TurnStarted { turn });
        self.occupy(session, slot, turn, state, Opening::Waiting);
    }

    fn occupy(
        &self,
        session: &Arc<Session>,
        slot: &mut ActiveTurn,
        turn: TurnId,
        state: Arc<TurnLock>,
        opening: Opening,
    ) {
        let from = slot.shape();
        session.observe(Event::Slot { from, to: SlotShape::Running, turn: Some(turn) });
        let (cancel, done) = (Cancel::new("cancel"), Latch::new("done"));
        let side = HardenedTurn::new(session, self, turn, state.clone(), cancel.clone());
        let ended = done.clone();
        let (future, abort) = abortable("task", async move {
            run_task(side, opening).await;
            ended.set(Site::here("task: done"));
        });
        let task = async move {
            future.await;
        };
        session.env.spawn(TaskName::Turn(turn), Box::pin(task));
        let kind = TaskKind::Regular;
        *slot = ActiveTurn::Running(Running { turn, kind, state, cancel, done, abort });
    }

    pub(super) fn install_preset(&self, session: &Arc<Session>, finishing: bool) {
        let turn = TurnId::of(InputId::PRESET);
        preset::record_prompt(session, turn);
        let mut fresh = TurnState::new();
        if finishing {
            preset::record_answer(session, turn);
            fresh.defer(&*session.env, turn, session.policy.faults);
        }
        let state = fresh.locked();
        self.active_turn.section("preset: install", |slot| {
            if !finishing {
                return self.occupy(session, slot, turn, state, Opening::Recorded);
            }
            let (from, to) = (slot.shape(), SlotShape::Finishing);
            session.observe(Event::Slot { from, to, turn: Some(turn) });
            *slot = ActiveTurn::Finishing { turn, state: state.clone(), successor: None };
            let side = HardenedTurn::new(session, self, turn, state, Cancel::new("cancel"));
            let task = async move { finish_task(&side, Some(TurnEnd::Completed)).await };
            session.env.spawn(TaskName::Turn(turn), Box::pin(task));
        });
    }
}
