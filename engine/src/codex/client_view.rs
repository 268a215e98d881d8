//! What a client believes of the session, from the events that it was sent (Codex: the server's
//! view of a thread), and who waits for a turn to end.
//!
//! Promises: an interrupt that was let in is answered when the turn that it names is seen to
//! end. Whether an interrupted turn is seen as ended is a choice: 0.149.0 only looks at
//! completions, so a second interrupt of the same turn waits for ever (B60).

use midturn_protocol::{Event, Reason, TurnEnd, TurnId};
use midturn_sync::{Receiver, Sender, oneshot};

/// The turns of a session as a client sees them.
#[derive(Debug, Default)]
pub(crate) struct ClientView {
    active: Option<TurnId>,
    interrupting: Vec<(TurnId, Sender<TurnId>)>,
}

/// Replies that are due, to be sent outside of the section.
pub(crate) type Due = Vec<(TurnId, Sender<TurnId>)>;

impl ClientView {
    #[must_use]
    pub(crate) fn follow(&mut self, event: &Event, keeps_aborted: bool) -> Due {
        match event {
            Event::TurnStarted { turn, .. } => {
                self.active = Some(*turn);
                Vec::new()
            }
            Event::TurnEnded { turn, how } => {
                let aborted = match how {
                    TurnEnd::Interrupted | TurnEnd::Replaced => true,
                    TurnEnd::Completed | TurnEnd::Failed => false,
                };
                if self.active == Some(*turn) && !(aborted && keeps_aborted) {
                    self.active = None;
                }
                self.settle(*turn)
            }
            // Nothing more will be heard of it.
            Event::TurnSuspended { turn } => {
                self.active = self.active.filter(|active| active != turn);
                self.settle(*turn)
            }
            _ => Vec::new(),
        }
    }

    /// Whoever waits for `turn`, and will get no other event about it.
    fn settle(&mut self, turn: TurnId) -> Due {
        let (due, waiting) =
            std::mem::take(&mut self.interrupting).into_iter().partition(|(of, _)| *of == turn);
        self.interrupting = waiting;
        due
    }

    /// Lets an interrupt of `turn` in, whose reply is held until that turn ends.
    pub(crate) fn hold_interrupt(&mut self, turn: TurnId) -> Result<Receiver<TurnId>, Reason> {
        match self.active {
            None => Err(Reason::NoActiveTurn),
            Some(actual) if actual != turn => {
                Err(Reason::ExpectedTurnMismatch { expected: turn, actual })
            }
            Some(_) => {
                let (sender, receiver) = oneshot("interrupt");
                self.interrupting.push((turn, sender));
                Ok(receiver)
            }
        }
    }
}
