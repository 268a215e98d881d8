//! The end of a session, for good or to be taken up elsewhere.
//!
//! Promises: in the section that closes the slot it is decided that no turn starts any more.
//! What waits on a turn is reported as cleared; mail stays in the mailbox. Twice, the second
//! finds the session closed and is answered at once.

use std::sync::Arc;

use midturn_protocol::{ClearedBy, Event, InputId, Reason, SlotShape, TaskKind, TurnId};
use midturn_sync::{Receiver, Site};

use crate::codex::Fault;
use crate::codex::hardened::abort::Abort;
use crate::codex::hardened::finish::clear_unsampled;
use crate::codex::hardened::{ActiveTurn, Hardened, Successor, Then};
use crate::codex::session::Session;

impl Hardened {
    pub(super) async fn tear_down(self, session: Arc<Session>, command: InputId) {
        let stopped = self.active_turn.section("shut down: close", |slot| {
            session.observe(Event::Closed { command });
            self.close(&session, slot)
        });
        if let Some(stopped) = stopped {
            // It is ended all the same if its task goes away first.
            let _ = stopped.receive("shut down: turn stopped").await;
        }
    }

    /// Inside the section of the slot.
    fn close(&self, session: &Arc<Session>, slot: &mut ActiveTurn) -> Option<Receiver<TurnId>> {
        match slot {
            ActiveTurn::Running(_) => {
                return self.stop_running(session, slot, Abort::Interrupt, Then::Closed);
            }
            ActiveTurn::Finishing { then, .. } => match std::mem::replace(then, Then::Closed) {
                Then::Successor(successor) => drop_successor(session, &successor),
                Then::Free | Then::Closed => {}
            },
            ActiveTurn::Reserved(reservation) => {
                let (from, to) = (SlotShape::Reserved, SlotShape::Idle);
                session.observe(Event::Slot { from, to, turn: Some(reservation.turn) });
                *slot = ActiveTurn::Closed;
            }
            ActiveTurn::Idle | ActiveTurn::Closed => *slot = ActiveTurn::Closed,
        }
        None
    }

    pub(super) async fn suspend_turn(
        self,
        session: Arc<Session>,
        command: InputId,
    ) -> Result<TurnId, Reason> {
        let apart = session.policy.faults.has(Fault::SuspendTakesAnyone);
        let early = self.active_turn_if(apart);
        let (turn, stopped) = self.active_turn.section("suspend: take turn", |slot| {
            let ActiveTurn::Running(running) = slot else { return Err(Reason::NoActiveTurn) };
            let turn = early.unwrap_or(running.turn);
            match running.kind {
                TaskKind::Regular => {}
                TaskKind::Review | TaskKind::Compact => {
                    return Err(Reason::ActiveTurnNotSteerable(running.kind));
                }
            }
            session.observe(Event::Closed { command });
            Ok((turn, self.stop_running(&session, slot, Abort::Suspend, Then::Closed)))
        })?;
        if let Some(stopped) = stopped {
            let _ = stopped.receive("suspend: turn stopped").await;
        }
        Ok(turn)
    }
}

impl Hardened {
    /// The place of a planted fault; does nothing without it.
    fn active_turn_if(&self, looks: bool) -> Option<TurnId> {
        if !looks {
            return None;
        }
        self.active_turn.peek("fault: which turn runs", |slot| match slot {
            ActiveTurn::Running(running) => Some(running.turn),
            ActiveTurn::Idle
            | ActiveTurn::Reserved(_)
            | ActiveTurn::Finishing { .. }
            | ActiveTurn::Closed => None,
        })
    }
}

/// A turn that will not start after all.
fn drop_successor(session: &Session, successor: &Successor) {
    let launch = &successor.launch;
    clear_unsampled(session, &launch.state, ClearedBy::TurnEnd, launch.turn);
    successor.launched.set(Site::here("shut down: no successor"));
}
