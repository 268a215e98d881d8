//! A turn is ended from outside.
//!
//! Promises: cancel, then done or 100 ms, then the fence with all that is cleared, then the
//! marker, then the event, then the slot. Runs in a task of its own: whoever asked may go away.

use std::sync::Arc;
use std::time::Duration;

use midturn_protocol::{ClearedBy, Event, GraceEnd, Outside, TaskKind, TaskName, TurnEnd, TurnId};
use midturn_sync::{Either, Receiver, Sender, Site, oneshot, race};

use crate::codex::Fault;
use crate::codex::hardened::finish::{clear_unsampled, look_for_mail};
use crate::codex::hardened::{ActiveTurn, Hardened, Running, Then};
use crate::codex::session::Session;
use crate::codex::special_task::leave_review;

const GRACE: Duration = Duration::from_millis(100);

/// Why a turn is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abort {
    Interrupt,
    Replace,
    Suspend,
}

impl Abort {
    fn clears_by(self) -> ClearedBy {
        match self {
            Abort::Interrupt => ClearedBy::Interrupt,
            Abort::Replace | Abort::Suspend => ClearedBy::TurnEnd,
        }
    }
}

impl Hardened {
    /// Inside the section of the slot: takes the running turn out and has it ended; what comes
    /// `then` is up to the caller. The answer comes once the slot has been freed.
    pub(super) fn stop_running(
        &self,
        session: &Arc<Session>,
        slot: &mut ActiveTurn,
        why: Abort,
        then: Then,
    ) -> Option<Receiver<TurnId>> {
        let running = slot.take_any_running(session, then)?;
        let (answer, stopped) = oneshot("turn stopped");
        let name = TaskName::Abort(running.turn);
        let abort = self.clone().abort(session.clone(), running, why, answer);
        session.env.spawn(name, Box::pin(abort));
        Some(stopped)
    }

    /// Ends `running`, which was taken out of the slot; then answers.
    async fn abort(
        self,
        session: Arc<Session>,
        running: Running,
        why: Abort,
        answer: Sender<TurnId>,
    ) {
        let Running { turn, kind, state, cancel, done, abort, context: _ } = running;
        let too_early = session.policy.faults.has(Fault::ClearBeforeCancel);
        if too_early {
            clear_unsampled(&session, &state, why.clears_by(), turn);
        }
        cancel.cancel("abort: cancel");
        session.observe(Event::CancelRequested { turn });
        let how = wait_for_task(&session, turn, &done).await;
        session.observe(Event::GraceEnded { turn, how });
        abort.abort("abort: abort future");
        if !too_early {
            clear_unsampled(&session, &state, why.clears_by(), turn);
        }
        match kind {
            TaskKind::Review => leave_review(&session, &state, turn, None),
            TaskKind::Regular | TaskKind::Compact => {}
        }
        self.tell_end(&session, turn, why).await;
        let idle = self.clear(&session);
        // Whoever asked may have gone away.
        let _ = answer.send("abort: answer", turn);
        if idle {
            session.thread_idle().await;
            look_for_mail(&session, turn).await;
        }
    }

    async fn tell_end(&self, session: &Session, turn: TurnId, why: Abort) {
        let (event, how) = match why {
            Abort::Interrupt => {
                let how = TurnEnd::Interrupted;
                let ended = Event::TurnEnded { turn, how };
                if session.policy.faults.has(Fault::EndIsToldFirst) {
                    session.send_event("fault: TurnAborted", ended.clone());
                }
                session.state.section("abort: record marker", |history| {
                    history.record_marker(&*session.env, turn);
                });
                if !session.policy.faults.has(Fault::MarkerIsNotFlushed) {
                    session.flush(turn).await;
                }
                (ended, Some(how))
            }
            Abort::Replace => {
                let how = TurnEnd::Replaced;
                (Event::TurnEnded { turn, how }, Some(how))
            }
            Abort::Suspend => (Event::TurnSuspended { turn }, None),
        };
        session.send_event("send_event: TurnAborted", event);
        session.flush(turn).await;
        if let Some(how) = how {
            session.report_end(turn, how, None).await;
        }
    }
}

/// A task that has ended before is heard of all the same.
async fn wait_for_task(session: &Session, turn: TurnId, done: &midturn_sync::Latch) -> GraceEnd {
    let remembers = !session.policy.faults.has(Fault::DoneIsNotRemembered);
    let ended = done.is_set(Site::here("abort: done already"));
    session.observe(Event::GraceBegan { turn });
    if ended && remembers {
        return GraceEnd::Done;
    }
    session.awaits(Outside::Task);
    match race(done.wait(Site::here("abort: done")), session.env.sleep(GRACE)).await {
        Either::First(()) => GraceEnd::Done,
        Either::Second(()) => GraceEnd::TimedOut,
    }
}
