//! Waiting for an answer from outside, and giving it.
//!
//! Promises: what happens to somebody who waits is observed in the section that decides it; the
//! channel itself is used outside of sections. An answer that finds nobody is dropped and said so.

use std::sync::Arc;

use midturn_protocol::{
    ANSWER_FROM_OUTSIDE, Answer, Decision, Event, Reply, TurnId, WaiterEvent, WaiterTable,
};
use midturn_sync::{Receiver, Sender, oneshot};

use crate::codex::session::Session;
use crate::codex::slot::Slot;
use crate::codex::turn_state::TurnState;

type Answers = Sender<Arc<str>>;

/// A new place in a table. The sender goes into [`enter`].
pub(crate) fn new_waiter() -> (Answers, Receiver<Arc<str>>) {
    oneshot(ANSWER_FROM_OUTSIDE)
}

/// Enters a waiter; whom it displaces is to be dropped outside of the section.
#[must_use]
pub(crate) fn enter(
    session: &Session,
    state: &mut TurnState,
    turn: TurnId,
    (table, key): (WaiterTable, Arc<str>),
    sender: Answers,
) -> Option<Answers> {
    let tell = |what| session.observe(Event::Waiter { turn, table, key: key.clone(), what });
    let displaced = state.waiters.open(table, key.clone(), sender);
    if displaced.is_some() {
        tell(WaiterEvent::Closed);
    }
    tell(WaiterEvent::Opened);
    displaced
}

/// Takes out who waits for `answer`.
pub(crate) fn take(
    session: &Session,
    state: &mut TurnState,
    turn: TurnId,
    answer: &Answer,
) -> Option<Answers> {
    let (table, key) = (answer.table, answer.key.clone());
    let sender = state.waiters.take(table, &key)?;
    session.observe(Event::Waiter { turn, table, key, what: WaiterEvent::Answered });
    Some(sender)
}

/// Takes out everybody; to be dropped outside of the section.
#[must_use]
pub(crate) fn close_all(session: &Session, state: &mut TurnState, turn: TurnId) -> Vec<Answers> {
    let waiters = state.waiters.take_all();
    let close = |(table, key, sender)| {
        session.observe(Event::Waiter { turn, table, key, what: WaiterEvent::Closed });
        sender
    };
    waiters.into_iter().map(close).collect()
}

/// Codex: `notify_*`. An `Abort` goes to nobody who waits: it interrupts who has asked.
pub(crate) async fn answer(session: &Arc<Session>, answer: Answer) -> Reply {
    match &answer.decision {
        Decision::Abort => match session.slot.aborted_by(&answer) {
            Some(only) => {
                Reply::Interrupted(session.slot.interrupt(session, answer.id, only).await)
            }
            None => {
                session.observe(Event::AnswerDropped { command: answer.id });
                Reply::Answered { found: false }
            }
        },
        Decision::Reply(response) => {
            let slot: &dyn Slot = &*session.slot;
            let found = slot.answer(session, &answer, response.clone());
            if !found {
                session.observe(Event::AnswerDropped { command: answer.id });
            }
            Reply::Answered { found }
        }
    }
}

/// Hands an answer over. Whoever waited may be gone by now.
pub(crate) fn hand_over(sender: Option<Answers>, response: Arc<str>) -> bool {
    match sender {
        Some(sender) => {
            let _ = sender.send("answer: hand over", response);
            true
        }
        None => false,
    }
}
