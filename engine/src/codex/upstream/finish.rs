//! Codex: `on_task_finished`.
//!
//! Promises: what is still pending when the task is taken out is recorded, never sampled. Takes
//! whatever task is in the slot (U13), and starts pending work only if nobody emptied the slot
//! meanwhile (U5, U6).

use std::sync::Arc;

use midturn_protocol::{Event, SlotShape, TaskName, TurnContext, TurnEnd, TurnId};
use midturn_sync::Cancel;

use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;
use crate::codex::turn_side::Ended;
use crate::codex::turn_state::{TurnLock, ids};
use crate::codex::upstream::Upstream;
use crate::codex::upstream::turn::{UpstreamTurn, run_hooks_and_record_inputs};

impl UpstreamTurn {
    pub(super) async fn on_task_finished(&self, ended: Ended) {
        if let Some(state) = self.take_task() {
            self.after_take(&state, ended).await;
        }
    }

    fn take_task(&self) -> Option<Arc<TurnLock>> {
        self.slot.active_turn.section("on_task_finished: take task", |slot| {
            let active = slot.as_mut()?;
            let task = active.task.take()?;
            task.abort.detach();
            active.finishing = true;
            let (from, to) = (SlotShape::Running, SlotShape::Finishing);
            self.session.observe(Event::Slot { from, to, turn: Some(task.turn) });
            Some(active.state.clone())
        })
    }

    async fn after_take(&self, state: &Arc<TurnLock>, ended: Ended) {
        let (turn, how) = (self.turn, ended.how);
        let leftovers = state.section("on_task_finished: take leftovers", |state| {
            let leftovers = std::mem::take(&mut state.pending);
            if !leftovers.is_empty() {
                self.session.observe(Event::Drained { turn, inputs: ids(&leftovers) });
            }
            leftovers
        });
        run_hooks_and_record_inputs(&self.session, turn, leftovers).await;
        self.session.send_event("send_event: TurnComplete", Event::TurnEnded { turn, how });
        let cleared = self.slot.active_turn.section("on_task_finished: clear slot", |slot| {
            let cleared = slot.take_if(|a| a.task.is_none() && a.owns(state)).is_some();
            if cleared {
                let (from, to) = (SlotShape::Finishing, SlotShape::Idle);
                self.session.observe(Event::Slot { from, to, turn: Some(turn) });
            }
            cleared
        });
        if cleared {
            self.session.thread_idle().await;
        }
        self.session.flush(turn).await;
        self.session.report_end(turn, how, ended.answer).await;
        if cleared {
            start_pending_work(&self.session, turn.next()).await;
        }
    }
}

impl Upstream {
    /// A turn whose completion goes on right after `take_task`.
    pub(super) fn spawn_finishing(
        &self,
        session: &Arc<Session>,
        turn: TurnId,
        context: Arc<TurnContext>,
        state: Arc<TurnLock>,
    ) {
        let side = UpstreamTurn::new(session, self, turn, context, Cancel::new("cancel"));
        let ended = Ended { how: TurnEnd::Completed, answer: Some("done".into()) };
        let task = async move { side.after_take(&state, ended).await };
        session.env.spawn(TaskName::Turn(turn), Box::pin(task));
    }
}
