//! What callers ask of the slot, the session's place for an active turn.
//!
//! Each structure answers with its own critical sections, and that is where structures differ.
//! Contracts that hold for all of them: a refusal changes nothing and is observed in the
//! section that decided it; an acceptance is observed in the section that made it. The turn's
//! own questions are in `turn_side`.

use std::sync::Arc;

use midturn_protocol::{
    Answer, BoxFuture, Input, InputId, Phase, Reason, Reply, SlotShape, SpecialTask, Submission,
    TurnId, Verdict,
};

use crate::codex::configuration::StartKind;
use crate::codex::session::Session;
use crate::codex::turn_state::TurnLock;

/// The slot as its callers see it.
pub(crate) trait Slot: Send + Sync {
    /// Queues the input, with its context, on the running turn. Before that turn's last look it
    /// will be seen by it; after it, refused by `Hardened` and kept for the record by `Upstream`.
    fn steer(
        &self,
        session: &Session,
        submission: Submission,
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
        expected_previous: Option<TurnId>,
        refuse: Option<InputId>,
    ) -> Result<Reservation, Reason>;

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

    /// Starts the reserved turn, if settings and mode allow it. If the reservation is gone, the
    /// start is made all the same or the input is given back, as the policy says.
    fn start(
        &self,
        session: &Arc<Session>,
        reservation: Reservation,
        submission: Submission,
        kind: StartKind,
    ) -> Result<TurnId, Reason>;

    /// Starts the reserved turn for waiting mail, unless the reservation is gone.
    fn start_for_mail(&self, session: &Arc<Session>, reservation: Reservation);

    /// Starts a review or a compaction in place of whatever runs.
    fn begin(
        &self,
        session: &Arc<Session>,
        id: InputId,
        task: SpecialTask,
    ) -> BoxFuture<'static, Reply>;

    /// Queues `input` on the active turn without starting one; gives it back if there is none.
    fn inject(&self, session: &Session, input: Input, wants_task: bool) -> Result<TurnId, Input>;

    /// Answers who waits on the active turn; false if nobody does.
    fn answer(&self, session: &Session, answer: &Answer, response: Arc<str>) -> bool;

    /// Whom an answer that aborts is to interrupt: this turn, or whatever runs. `None`: nobody has
    /// asked.
    fn aborted_by(&self, answer: &Answer) -> Option<Option<TurnId>>;

    /// Ends the running turn, or only this one; returns once it is ended, with its name.
    fn interrupt(
        &self,
        session: &Arc<Session>,
        command: InputId,
        only: Option<TurnId>,
    ) -> BoxFuture<'static, Option<TurnId>>;

    /// Stops the running turn without an end and closes the session.
    fn suspend(
        &self,
        session: &Arc<Session>,
        command: InputId,
    ) -> BoxFuture<'static, Result<TurnId, Reason>>;

    /// Closes the session and ends what runs; returns once that is ended.
    fn shut_down(&self, session: &Arc<Session>, command: InputId) -> BoxFuture<'static, ()>;

    /// Whether explicit input waits on the active turn. `found` is told inside the section.
    fn explicit_waits(&self, found: &dyn Fn()) -> bool;

    /// What is in the slot now. Meant for when nobody moves.
    fn view(&self) -> View;

    /// Installs the preset turn. Before anyone moves.
    fn preset(&self, session: &Arc<Session>, turn: PresetTurn);
}

/// A turn that is there before anyone moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PresetTurn {
    Running,
    Finishing,
    Review,
    Compact,
}

/// The right to start a turn in the slot, as long as nobody took it away.
#[derive(Clone, Debug)]
pub(crate) struct Reservation {
    /// The turn that it is for.
    pub(crate) turn: TurnId,
    /// The submission that it is for; none if it is for mail.
    pub(crate) submission: Option<InputId>,
    /// Its identity, and what already waits on the turn.
    pub(crate) state: Arc<TurnLock>,
}

/// The slot at one moment.
#[derive(Debug)]
pub(crate) struct View {
    pub(crate) shape: SlotShape,
    pub(crate) phase: Option<Phase>,
    pub(crate) pending: Vec<InputId>,
    pub(crate) closed: bool,
}
