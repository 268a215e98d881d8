//! A turn ends by itself.
//!
//! Promises: the look that finds nothing is the section that closes the turn for steers. From
//! there on the turn belongs to its own task alone, until the slot is free or its successor's.

use std::sync::Arc;

use midturn_protocol::{
    Activity, ClearedBy, Event, Input, InputKind, Mail, Phase, Place, RequestEnd, SlotShape,
    TurnEnd, TurnId,
};
use midturn_sync::Site;

use crate::codex::Fault;
use crate::codex::answer::close_all;
use crate::codex::hardened::turn::HardenedTurn;
use crate::codex::hardened::{ActiveTurn, Hardened, Running, Then};
use crate::codex::mailbox::input_of;
use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;
use crate::codex::turn_side::{Ended, LastLook};
use crate::codex::turn_state::{TurnLock, TurnState, ids};

impl HardenedTurn {
    pub(super) fn decide_end(&self, takes_input: bool) -> LastLook {
        let faults = self.session.policy.faults;
        let early = faults.has(Fault::LastLookInTwoSections).then(|| self.look());
        self.slot.active_turn.section("last look: decide", |slot| {
            let anyone = faults.has(Fault::FinishTakesAnyone);
            if !slot.runs(&self.state) && !anyone {
                return LastLook::TakenAway;
            }
            if takes_input && early.unwrap_or_else(|| self.look()) {
                return LastLook::GoOn;
            }
            // The turn that runs is this one.
            if let Some(running) = slot.take_any_running(&self.session, Then::Free) {
                running.abort.detach();
            }
            LastLook::Leave
        })
    }

    /// Inside the section of the slot.
    fn look(&self) -> bool {
        self.state.section("last look: turn", |state| {
            let mail =
                || self.session.mailbox.peek("last look: mailbox", |mailbox| !mailbox.is_empty());
            let current = state.phase == Phase::CurrentTurn;
            // After an answer mail is for the next turn, whatever a blocked steer asked for.
            let takes_mail = !state.answered;
            let found = current && (!state.pending.is_empty() || takes_mail && mail());
            self.session.observe(Event::Looked { turn: self.turn, found });
            found
        })
    }

    pub(super) async fn end_turn(&self, ended: Ended) {
        let (turn, how) = (self.turn, ended.how);
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
        if idle {
            self.session.thread_idle().await;
        }
        self.session.flush(turn).await;
        self.session.report_end(turn, how, ended.answer).await;
        if idle {
            look_for_mail(&self.session, turn).await;
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
        self.take_any_running(session, Then::Free)
    }

    pub(super) fn take_any_running(&mut self, session: &Session, then: Then) -> Option<Running> {
        let ActiveTurn::Running(Running { turn, state, .. }) = self else { return None };
        let (turn, state) = (*turn, state.clone());
        let (from, to) = (SlotShape::Running, SlotShape::Finishing);
        session.observe(Event::Slot { from, to, turn: Some(turn) });
        match std::mem::replace(self, ActiveTurn::Finishing { turn, state, then }) {
            ActiveTurn::Running(running) => Some(running),
            ActiveTurn::Idle
            | ActiveTurn::Reserved(_)
            | ActiveTurn::Finishing { .. }
            | ActiveTurn::Closed => None,
        }
    }
}

impl Hardened {
    /// Frees the slot of a turn whose end was told. Whether it is idle now, and not its
    /// successor's.
    pub(super) fn clear(&self, session: &Arc<Session>) -> bool {
        self.active_turn.section("clear slot: idle or successor", |slot| {
            let ActiveTurn::Finishing { turn, then, .. } = slot else { return false };
            let turn = *turn;
            let free = match std::mem::replace(then, Then::Free) {
                Then::Successor(next) => {
                    self.install(session, slot, next.launch);
                    next.launched.set(Site::here("clear slot: successor runs"));
                    return false;
                }
                Then::Closed => session.policy.faults.has(Fault::CloseIsForgotten),
                Then::Free => true,
            };
            let (from, to) = (SlotShape::Finishing, SlotShape::Idle);
            session.observe(Event::Slot { from, to, turn: Some(turn) });
            *slot = if free { ActiveTurn::Idle } else { ActiveTurn::Closed };
            free
        })
    }
}

/// What whoever has freed the slot of `turn` owes to mail that waits.
pub(super) async fn look_for_mail(session: &Arc<Session>, turn: TurnId) {
    if !session.policy.faults.has(Fault::FreedSlotIsNotLookedAt) {
        start_pending_work(session, turn.next()).await;
    }
}

/// Fences the turn and takes what it accepted and has not sampled: mail goes back to where it
/// came from, in front of what came later (that of a turn that failed enters history), and the
/// rest is reported. Who waits for an answer is
/// told that none will come.
pub(super) fn clear_unsampled(session: &Session, state: &TurnLock, by: ClearedBy, turn: TurnId) {
    let waiters = state.section("clear unsampled: fence", |state| {
        let faults = session.policy.faults;
        state.fenced = !faults.has(Fault::FenceIsLeftOpen);
        if let Some(request) = state.open_request.take() {
            let how = RequestEnd::Cancelled;
            session.observe(Event::RequestEnded { turn, request, how });
        }
        let waiters = if faults.has(Fault::WaitersAreForgotten) {
            // Not even dropped with the turn: that would close them after all.
            std::mem::forget(state.waiters.take_all());
            Vec::new()
        } else {
            close_all(session, state, turn)
        };
        let mut unsampled = std::mem::take(&mut state.in_flight);
        unsampled.append(&mut state.pending);
        session.observe(Event::PendingCleared { turn });
        let (mail, cleared): (Vec<_>, Vec<_>) =
            unsampled.into_iter().partition(|input| matches!(input.kind, InputKind::Mail { .. }));
        for input in cleared.iter().filter(|_| !faults.has(Fault::ClearedIsNotTold)) {
            session.observe(Event::Cleared { input: input.id, by });
        }
        if !faults.has(Fault::MailIsNotPutBack) {
            match by {
                // Back in the mailbox it would start the next turn, which would fail as well.
                ClearedBy::ModelError => record_mail(session, state, mail, turn),
                ClearedBy::Interrupt | ClearedBy::Hook | ClearedBy::TurnEnd => {
                    put_back(session, state, &mail);
                }
            }
        }
        waiters
    });
    drop(waiters);
}

/// The mail of a turn that failed enters history: what it had taken, and what it was started for
/// and had no time to take.
fn record_mail(session: &Session, state: &mut TurnState, mut taken: Vec<Input>, turn: TurnId) {
    let left = session.mailbox.section("failed turn: take its mail", |mailbox| {
        let left: Vec<Input> = mailbox.take(&state.started_for).iter().map(input_of).collect();
        if !left.is_empty() {
            session.observe(Event::Drained { turn, inputs: ids(&left) });
        }
        left
    });
    taken.extend(left);
    if taken.is_empty() || session.policy.faults.has(Fault::FailedTurnForgetsMail) {
        return;
    }
    session.state.section("failed turn: record its mail", |history| {
        for input in &taken {
            history.record_input(&*session.env, input, Some(turn));
        }
    });
}

/// Mail goes back to where it came from, in front of what came later.
pub(super) fn put_back(session: &Session, state: &mut TurnState, inputs: &[Input]) {
    if inputs.is_empty() {
        return;
    }
    let (back, rest) = std::mem::take(&mut state.taken_mail)
        .into_iter()
        .partition::<Vec<Mail>, _>(|mail| inputs.iter().any(|input| input.id == mail.id));
    state.taken_mail = rest;
    session.mailbox.section("clear unsampled: mail goes back", |mailbox| {
        for mail in &back {
            let kind = InputKind::Mail { trigger: mail.trigger };
            session.observe(Event::Accepted { input: mail.id, kind, place: Place::Mailbox });
        }
        mailbox.put_back(back);
    });
    if let Some(last) = inputs.last() {
        // Who looked while a turn had it found nothing.
        session.publish("mail goes back: publish activity", Activity::Mailbox, last.id);
    }
}
