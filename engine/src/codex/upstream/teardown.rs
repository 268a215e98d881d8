//! Codex: the end of a session, for good or to be taken up elsewhere.
//!
//! Promises: a suspension takes the turn only if it is still the one that was looked at, and
//! writes neither marker nor end. The end of a session aborts as an interrupt does, so waiting
//! trigger mail can start a turn in the middle of it (U12).

use std::sync::Arc;

use midturn_protocol::{Event, InputId, Reason, TaskKind, TurnEnd, TurnId};

use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;
use crate::codex::upstream::Upstream;
use crate::codex::upstream::abort::{clear_pending, stop};

impl Upstream {
    pub(super) async fn tear_down(self, session: Arc<Session>, command: InputId) {
        self.close(&session, command);
        let ended = self.abort_all_tasks(&session, TurnEnd::Interrupted).await;
        if let Some(turn) = ended {
            start_pending_work(&session, turn.next()).await;
        }
    }

    pub(super) async fn suspend_turn_and_shutdown(
        self,
        session: Arc<Session>,
        command: InputId,
    ) -> Result<TurnId, Reason> {
        let turn = self.suspendable()?;
        session.flush(turn).await;
        let Some((task, state)) = self.take_running(&session, turn) else {
            return Err(Reason::NoActiveTurn);
        };
        stop(&session, &task).await;
        task.abort.abort("suspend: abort future");
        clear_pending(&session, &state, turn);
        // The client is told nothing; only the order among its events is fixed here.
        session.events.section("suspend: nothing is told", |_view| {
            session.observe(Event::TurnSuspended { turn });
        });
        self.close(&session, command);
        session.flush(turn).await;
        Ok(turn)
    }

    fn suspendable(&self) -> Result<TurnId, Reason> {
        self.active_turn.peek("suspend: find turn", |slot| {
            let task = slot.as_ref().and_then(|active| active.task.as_ref());
            let task = task.ok_or(Reason::NoActiveTurn)?;
            match task.kind {
                TaskKind::Regular => Ok(task.turn),
                TaskKind::Review | TaskKind::Compact => {
                    Err(Reason::ActiveTurnNotSteerable(task.kind))
                }
            }
        })
    }

    /// Nothing in the slot looks at this: the real program stops reading commands.
    fn close(&self, session: &Session, command: InputId) {
        self.active_turn.section("shut down: close", |_slot| {
            self.closed.section("shut down: closed", |closed| *closed = true);
            session.observe(Event::Closed { command });
        });
    }
}
