//! A turn ends by itself.
//!
//! Promises: the look that finds nothing is the section that closes the turn for steers. From
//! there on the turn belongs to its own task alone, until the slot is free or its successor's.

use std::sync::Arc;

use midturn_protocol::{
    ClearedBy, Event, Input, InputKind, Phase, Place, RequestEnd, SlotShape, TurnEnd, TurnId,
};
use midturn_sync::Site;

use crate::codex::hardened::turn::HardenedTurn;
use crate::codex::hardened::{ActiveTurn, Hardened, Running};
use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;
use crate::codex::turn_side::LastLook;
use crate::codex::turn_state::TurnLock;

impl HardenedTurn {
    pub(super) fn decide_end(&self) -> LastLook {
        let turn = self.turn;
        self.slot.active_turn.section("last look: decide", |slot| {
            if !slot.runs(&self.state) {
                return LastLook::TakenAway;
            }
            let found = self.state.section("last look: turn", |state| {
                let mail = || {
                    self.session.mailbox.peek("last look: mailbox", |mailbox| !mailbox.is_empty())
                };
                let current = state.phase == Phase::CurrentTurn;
                // After an answer mail is for the next turn, whatever a blocked steer asked for.
                let takes_mail = !state.answered;
                let found = current && (!state.pending.is_empty() || takes_mail && mail());
                self.session.observe(Event::Looked { turn, found });
                found
            });
            if found {
                return LastLook::GoOn;
            }
            if let Some(running) = slot.take_running(&self.session, &self.state) {
                running.abort.detach();
            }
            LastLook::Leave
        })
    }

    pub(super) async fn end_turn(&self, how: TurnEnd) {
        let turn = self.turn;
        match how {
            // The last look has taken the task out.
            TurnEnd::Completed => {}
            TurnEnd::Failed | TurnEnd::Interrupted | TurnEnd::Replaced => {
                if !self.close_failed() {
                    return;
                }
            }
        }
        self.session.send_event("send_event: TurnComplete", Event::TurnEnded { turn, how });
        let idle = self.slot.clear(&self.session);
        self.session.flush(turn).await;
        if idle {
            start_pending_work(&self.session, turn.next()).await;
        }
    }

    /// Takes the task of a turn whose request failed out of the slot, with what it will not
    /// sample. False if somebody else has taken it.
    fn close_failed(&self) -> bool {
        self.slot.active_turn.section("on_task_finished: take failed task", |slot| {
            let Some(running) = slot.take_running(&self.session, &self.state) else {
                return false;
            };
            running.abort.detach();
            clear_unsampled(&self.session, &self.state, ClearedBy::ModelError, self.turn);
            true
        })
    }
}

impl ActiveTurn {
    /// Takes the task out if it is that of `state`; the slot is finishing then.
    pub(super) fn take_running(
        &mut self,
        session: &Session,
        state: &Arc<TurnLock>,
    ) -> Option<Running> {
        if !self.runs(state) {
            return None;
        }
        self.take_any_running(session)
    }

    pub(super) fn take_any_running(&mut self, session: &Session) -> Option<Running> {
        let ActiveTurn::Running(Running { turn, state, .. }) = self else { return None };
        let (turn, state) = (*turn, state.clone());
        let (from, to) = (SlotShape::Running, SlotShape::Finishing);
        session.observe(Event::Slot { from, to, turn: Some(turn) });
        match std::mem::replace(self, ActiveTurn::Finishing { turn, state, successor: None }) {
            ActiveTurn::Running(running) => Some(running),
            ActiveTurn::Idle | ActiveTurn::Reserved(_) | ActiveTurn::Finishing { .. } => None,
        }
    }
}

impl Hardened {
    /// Frees the slot of a turn whose end was told. Whether it is idle now, and not its
    /// successor's.
    pub(super) fn clear(&self, session: &Arc<Session>) -> bool {
        self.active_turn.section("clear slot: idle or successor", |slot| {
            let ActiveTurn::Finishing { turn, successor, .. } = slot else { return false };
            let (turn, successor) = (*turn, successor.take());
            match successor {
                Some(next) => {
                    self.install(session, slot, next.turn, next.state);
                    next.launched.set(Site::here("clear slot: successor runs"));
                    false
                }
                None => {
                    let (from, to) = (SlotShape::Finishing, SlotShape::Idle);
                    session.observe(Event::Slot { from, to, turn: Some(turn) });
                    *slot = ActiveTurn::Idle;
                    true
                }
            }
        })
    }
}

/// Fences the turn and takes what it accepted and has not sampled: mail goes back to where it
/// came from, in front of what came later, and the rest is reported.
pub(super) fn clear_unsampled(session: &Session, state: &TurnLock, by: ClearedBy, turn: TurnId) {
    state.section("clear unsampled: fence", |state| {
        state.fenced = true;
        if let Some(request) = state.open_request.take() {
            let how = RequestEnd::Cancelled;
            session.observe(Event::RequestEnded { turn, request, how });
        }
        let mut unsampled = std::mem::take(&mut state.in_flight);
        unsampled.append(&mut state.pending);
        session.observe(Event::PendingCleared { turn });
        let (mail, cleared): (Vec<_>, Vec<_>) =
            unsampled.into_iter().partition(|input| matches!(input.kind, InputKind::Mail { .. }));
        for input in cleared {
            session.observe(Event::Cleared { input: input.id, by });
        }
        put_back(session, mail);
    });
}

/// Mail goes back to where it came from, in front of what came later.
pub(super) fn put_back(session: &Session, mail: Vec<Input>) {
    if mail.is_empty() {
        return;
    }
    session.mailbox.section("clear unsampled: mail goes back", |mailbox| {
        for input in &mail {
            let (input, kind, place) = (input.id, input.kind, Place::Mailbox);
            session.observe(Event::Accepted { input, kind, place });
        }
        mailbox.put_back(mail);
    });
}
