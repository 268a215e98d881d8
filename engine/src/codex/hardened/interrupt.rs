//! An interrupt, whatever is in the slot.
//!
//! Promises: every interrupt is answered. Before a turn's last look it ends that turn; after it
//! there is nothing to end; a start that is being prepared is cancelled, and its caller told; a
//! successor is ended as soon as it runs, never the turn after it. One that names a turn leaves
//! every other alone. Twice at the same time: the second finds the slot finishing and is answered
//! at once.

use std::sync::Arc;

use midturn_protocol::{Event, InputId, SlotShape, TurnId};
use midturn_sync::{Latch, Receiver, Site};

use crate::codex::hardened::abort::Abort;
use crate::codex::hardened::{ActiveTurn, Hardened, Then};
use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;

enum Found {
    Nothing,
    /// Nothing at all is there, and nobody meant a particular turn.
    Idle,
    /// A start was cancelled.
    Start,
    /// A turn is being aborted.
    Turn(Receiver<TurnId>),
    /// A successor cannot be interrupted before it runs.
    Successor(TurnId, Latch),
}

impl Hardened {
    pub(super) async fn interrupt_task(
        self,
        session: Arc<Session>,
        command: InputId,
        only: Option<TurnId>,
    ) -> Option<TurnId> {
        let mut only = only;
        loop {
            match self.interrupt_now(&session, only) {
                Found::Nothing => return None,
                Found::Idle => {
                    session.start_up.cancel("interrupt: cancel start-up");
                    session.observe(Event::StartUpCancelled { command });
                    return None;
                }
                Found::Start => {
                    start_pending_work(&session, TurnId::of(command)).await;
                    return None;
                }
                Found::Turn(stopped) => {
                    return stopped.receive("interrupt: turn stopped").await.ok();
                }
                Found::Successor(turn, launched) => {
                    launched.wait(Site::here("interrupt: successor runs")).await;
                    only = Some(turn);
                }
            }
        }
    }

    /// `only`: leave any other turn alone.
    fn interrupt_now(&self, session: &Arc<Session>, only: Option<TurnId>) -> Found {
        self.active_turn.section("interrupt: take what is there", |slot| {
            let meant = |turn: TurnId| only.is_none_or(|only| only == turn);
            match slot {
                ActiveTurn::Idle if only.is_none() => Found::Idle,
                ActiveTurn::Reserved(reservation) if only.is_none() => {
                    let turn = Some(reservation.turn);
                    let (from, to) = (SlotShape::Reserved, SlotShape::Idle);
                    session.observe(Event::Slot { from, to, turn });
                    *slot = ActiveTurn::Idle;
                    Found::Start
                }
                ActiveTurn::Running(running) if meant(running.turn) => {
                    match self.stop_running(session, slot, Abort::Interrupt, Then::Free) {
                        Some(stopped) => Found::Turn(stopped),
                        None => Found::Nothing,
                    }
                }
                ActiveTurn::Finishing { then: Then::Successor(next), .. }
                    if meant(next.launch.turn) =>
                {
                    Found::Successor(next.launch.turn, next.launched.clone())
                }
                ActiveTurn::Idle
                | ActiveTurn::Reserved(_)
                | ActiveTurn::Running(_)
                | ActiveTurn::Finishing { .. }
                | ActiveTurn::Closed => Found::Nothing,
            }
        })
    }
}
