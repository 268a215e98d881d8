//! Codex: `abort_all_tasks` and `handle_task_abort`.
//!
//! Promises: cancel, grace, abort, marker, event, and only then the pending list, in this
//! order. Does not wait for the task to stop (U10), may miss its `done` (U9), and tells nobody
//! which input it cleared (U14).

use std::time::Duration;

use midturn_protocol::{Event, GraceEnd, SlotShape, TurnEnd, TurnId};
use midturn_sync::{Either, race};

use crate::codex::session::Session;
use crate::codex::upstream::{RunningTask, Upstream};

pub(crate) const GRACE: Duration = Duration::from_millis(100);

impl Upstream {
    /// Returns the turn whose task was aborted. Whoever interrupts starts pending work after it.
    pub(super) async fn abort_all_tasks(&self, session: &Session, how: TurnEnd) -> Option<TurnId> {
        let active = self.active_turn.section("abort_all_tasks: take active turn", |slot| {
            let active = slot.take()?;
            let (from, to) = (active.shape(), SlotShape::Idle);
            session.observe(Event::Slot { from, to, turn: Some(active.turn) });
            Some(active)
        })?;
        let task = active.task?;
        let turn = task.turn;
        handle_task_abort(session, task, how).await;
        active.state.section("clear_pending: drop pending", |state| {
            state.pending.clear();
            session.observe(Event::PendingCleared { turn });
        });
        Some(turn)
    }
}

async fn handle_task_abort(session: &Session, task: RunningTask, how: TurnEnd) {
    let turn = task.turn;
    if task.cancel.is_cancelled("handle_task_abort: already cancelled") {
        return;
    }
    task.cancel.cancel("handle_task_abort: cancel");
    session.observe(Event::CancelRequested { turn });
    let done = task.done.subscribe("handle_task_abort: begin to wait for done");
    let how_grace =
        match race(done.notified("handle_task_abort: done"), session.env.sleep(GRACE)).await {
            Either::First(()) => GraceEnd::Done,
            Either::Second(()) => GraceEnd::TimedOut,
        };
    session.observe(Event::GraceEnded { turn, how: how_grace });
    task.abort.abort("handle_task_abort: abort future");
    if how == TurnEnd::Interrupted {
        session.state.section("handle_task_abort: record marker", |history| {
            history.record_marker(&*session.env, turn);
        });
        session.flush(turn).await;
    }
    session.send_event("send_event: TurnAborted", Event::TurnEnded { turn, how });
    session.flush(turn).await;
}
