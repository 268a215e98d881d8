//! What callers ask of the slot, the session's place for an active turn.
//!
//! Each structure answers with its own critical sections, and that is where structures differ.
//! Contracts that hold for all of them: a refusal changes nothing and is observed in the
//! section that decided it; an acceptance is observed in the section that made it. The turn's
//! own questions are in `turn_side`.

use std::sync::Arc;

use midturn_protocol::{
    BoxFuture, Input, InputId, Phase, Reason, SlotShape, Submission, TurnId, Verdict,
};

use crate::codex::session::Session;
use crate::codex::turn_state::TurnLock;

/// The slot as its callers see it.
pub(crate) trait Slot: Send + Sync {
    /// Queues `input` on the running turn. Before that turn's last look it will be seen by it;
    /// after it, refused by `Hardened` and kept for the record by `Upstream`.
    fn steer(
        &self,
        session: &Session,
        input: Input,
        expected: Option<TurnId>,
    ) -> Result<TurnId, Reason>;

    /// Steers the running turn, or starts one.
    fn start_or_steer(
        &self,
        session: &Arc<Session>,
        submission: Submission,
    ) -> BoxFuture<'static, Verdict>;

    /// Takes an idle slot for a start that is still being prepared. Of two at the same time one
    /// gets it. `refuse` names the input to refuse otherwise.
    fn reserve(
        &self,
        session: &Session,
        turn: TurnId,
        refuse: Option<InputId>,
    ) -> Option<Reservation>;

    /// Gives a reservation up, and refuses the input it was made for. Twice, or after somebody
    /// else took the slot, it changes nothing but the refusal.
    fn release(
        &self,
        session: &Session,
        reservation: &Reservation,
        refuse: Option<(InputId, Reason)>,
    );

    /// The future that held `reservation` was dropped. Called from `Drop`.
    fn abandon(&self, session: &Arc<Session>, reservation: Reservation);

    /// Whether a refused start looks for trigger mail that came while it held the slot.
    fn refused_start_looks_for_mail(&self) -> bool;

    /// Starts the reserved turn with `input`. If the reservation is gone, `Upstream` starts all
    /// the same and `Hardened` gives the input back.
    fn start(
        &self,
        session: &Arc<Session>,
        reservation: Reservation,
        input: Input,
    ) -> Result<TurnId, Reason>;

    /// Starts the reserved turn for waiting mail, unless the reservation is gone.
    fn start_for_mail(&self, session: &Arc<Session>, reservation: Reservation);

    /// Queues `input` on the active turn without starting one; gives it back if there is none.
    fn inject(&self, session: &Session, input: Input, wants_task: bool) -> Result<TurnId, Input>;

    /// Ends the running turn; returns once it is ended, with its name.
    fn interrupt(
        &self,
        session: &Arc<Session>,
        command: InputId,
    ) -> BoxFuture<'static, Option<TurnId>>;

    /// Whether explicit input waits on the active turn. `found` is told inside the section.
    fn explicit_waits(&self, found: &dyn Fn()) -> bool;

    /// What is in the slot now. Meant for when nobody moves.
    fn view(&self) -> View;

    /// Installs the preset turn as running or as finishing. Before anyone moves.
    fn preset(&self, session: &Arc<Session>, finishing: bool);
}

/// The right to start a turn in the slot, as long as nobody took it away.
#[derive(Clone, Debug)]
pub(crate) struct Reservation {
    /// The turn that it is for.
    pub(crate) turn: TurnId,
    /// Its identity, and what already waits on the turn.
    pub(crate) state: Arc<TurnLock>,
}

/// The slot at one moment.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) shape: SlotShape,
    pub(crate) phase: Option<Phase>,
    pub(crate) pending: Vec<InputId>,
}
