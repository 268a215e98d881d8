//! Codex: `abort_all_tasks`, `handle_task_abort`, and the interrupts that use them.
//!
//! Promises: cancel, grace, abort, marker, event, and only then those who wait and the pending
//! list, in this order. Does not wait for the task to stop (U10), may miss its `done` (U9), and
//! tells nobody which input it cleared (U14).

use std::sync::Arc;
use std::time::Duration;

use midturn_protocol::{
    Event, GraceEnd, InputId, Outside, SlotShape, TaskKind, TaskName, TurnEnd, TurnId,
};
use midturn_sync::{Either, oneshot, race};

use crate::codex::answer::close_all;
use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;
use crate::codex::special_task::leave_review;
use crate::codex::turn_state::TurnLock;
use crate::codex::upstream::{ActiveTurn, RunningTask, Upstream};

pub(crate) const GRACE: Duration = Duration::from_millis(100);

impl Upstream {
    /// Returns the turn whose task was aborted. Whoever interrupts starts pending work after it.
    pub(super) async fn abort_all_tasks(&self, session: &Session, how: TurnEnd) -> Option<TurnId> {
        let active = self.active_turn.section("abort_all_tasks: take active turn", |slot| {
            let active = slot.take()?;
            empty(session, &active);
            Some(active)
        })?;
        let task = active.task?;
        let turn = task.turn;
        handle_task_abort(session, task, &active.state, how).await;
        clear_pending(session, &active.state, turn);
        Some(turn)
    }

    pub(super) async fn interrupt_task(
        self,
        session: Arc<Session>,
        command: InputId,
    ) -> Option<TurnId> {
        let occupied = self.active_turn.peek("interrupt_task: occupied", Option::is_some);
        let ended = self.abort_all_tasks(&session, TurnEnd::Interrupted).await;
        if let Some(turn) = ended {
            start_pending_work(&session, turn.next()).await;
        } else if session.policy.idle_interrupt_looks_for_mail() {
            start_pending_work(&session, TurnId::of(command)).await;
        }
        if !occupied {
            session.start_up.cancel("interrupt_task: cancel start-up");
            session.observe(Event::StartUpCancelled { command });
        }
        ended
    }

    /// Codex: `abort_turn_if_active`, as an extension asks for it: on the session's own runtime,
    /// so that it goes on if whoever asked goes away.
    pub(super) async fn interrupt_one(self, session: Arc<Session>, turn: TurnId) -> Option<TurnId> {
        let (answer, ended) = oneshot("extension interrupt");
        let env = session.env.clone();
        let task = async move {
            let acted = self.abort_turn_if_active(&session, turn).await;
            // Whoever asked may have gone away.
            let _ = answer.send("extension interrupt: answer", acted);
        };
        env.spawn(TaskName::Abort(turn), Box::pin(task));
        drop(env);
        ended.receive("extension interrupt: wait").await.ok().flatten()
    }

    async fn abort_turn_if_active(&self, session: &Arc<Session>, turn: TurnId) -> Option<TurnId> {
        let (task, state) = self.take_running(session, turn)?;
        handle_task_abort(session, task, &state, TurnEnd::Interrupted).await;
        clear_pending(session, &state, turn);
        start_pending_work(session, turn.next()).await;
        session.thread_idle().await;
        Some(turn)
    }

    /// Takes `turn` with its task out of the slot, if it is the one that runs.
    pub(super) fn take_running(
        &self,
        session: &Session,
        turn: TurnId,
    ) -> Option<(RunningTask, Arc<TurnLock>)> {
        self.active_turn.section("abort_turn_if_active: take turn", |slot| {
            let active = slot.take_if(|active| active.runs(turn))?;
            empty(session, &active);
            Some((active.task?, active.state))
        })
    }
}

fn empty(session: &Session, active: &ActiveTurn) {
    let (from, to) = (active.shape(), SlotShape::Idle);
    session.observe(Event::Slot { from, to, turn: Some(active.turn) });
}

/// Codex: `clear_pending`. Those who wait first, then what waits.
pub(super) fn clear_pending(session: &Session, state: &TurnLock, turn: TurnId) {
    let waiters = state.section("clear_pending: drop pending", |state| {
        let waiters = close_all(session, state, turn);
        state.pending.clear();
        session.observe(Event::PendingCleared { turn });
        waiters
    });
    drop(waiters);
}

/// Asks the task to stop and waits for it, but not for long. False if somebody else did so
/// before.
pub(super) async fn stop(session: &Session, task: &RunningTask) -> bool {
    let turn = task.turn;
    if task.cancel.is_cancelled("handle_task_abort: already cancelled") {
        return false;
    }
    task.cancel.cancel("handle_task_abort: cancel");
    session.observe(Event::CancelRequested { turn });
    let done = task.done.subscribe("handle_task_abort: begin to wait for done");
    session.observe(Event::GraceBegan { turn });
    session.awaits(Outside::Task);
    let grace = race(done.notified("handle_task_abort: done"), session.env.sleep(GRACE)).await;
    let how = match grace {
        Either::First(()) => GraceEnd::Done,
        Either::Second(()) => GraceEnd::TimedOut,
    };
    session.observe(Event::GraceEnded { turn, how });
    true
}

async fn handle_task_abort(session: &Session, task: RunningTask, state: &TurnLock, how: TurnEnd) {
    let turn = task.turn;
    if !stop(session, &task).await {
        return;
    }
    task.abort.abort("handle_task_abort: abort future");
    match task.kind {
        TaskKind::Review => leave_review(session, state, turn, None),
        TaskKind::Regular | TaskKind::Compact => {}
    }
    if how == TurnEnd::Interrupted {
        session.state.section("handle_task_abort: record marker", |history| {
            history.record_marker(&*session.env, turn);
        });
        session.flush(turn).await;
    }
    session.send_event("send_event: TurnAborted", Event::TurnEnded { turn, how });
    session.flush(turn).await;
    session.report_end(turn, how, None).await;
}
