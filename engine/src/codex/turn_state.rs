//! What one turn owns under its own lock: the input that waits on it, and its phase.
//!
//! Promises: input and phase change together, so nobody sees a steer that waits in a turn which
//! defers its input. Does not know whether the turn is still in the slot.

use std::sync::Arc;

use midturn_protocol::{Env, Event, Input, InputId, InputKind, Phase, PhaseCause, Place, TurnId};
use midturn_sync::Mutex;

use crate::codex::{Fault, Faults};

pub(crate) type TurnLock = Mutex<TurnState>;

/// The state of one turn. The last four fields are the hardened structure's.
#[derive(Debug)]
pub(crate) struct TurnState {
    pub(crate) pending: Vec<Input>,
    pub(crate) phase: Phase,
    /// Drained, and neither in history nor anywhere else yet.
    pub(crate) in_flight: Vec<Input>,
    /// The turn was aborted: its task changes nothing any more.
    pub(crate) fenced: bool,
    /// The request whose end has not been told.
    pub(crate) open_request: Option<u32>,
    /// A final answer was shown, and nothing but input that still waits asked for more.
    pub(crate) answered: bool,
}

impl TurnState {
    pub(crate) fn new() -> Self {
        TurnState {
            pending: Vec::new(),
            phase: Phase::CurrentTurn,
            in_flight: Vec::new(),
            fenced: false,
            open_request: None,
            answered: false,
        }
    }

    /// Under the lock of a turn that nobody else knows yet.
    pub(crate) fn locked(self) -> Arc<TurnLock> {
        Arc::new(Mutex::new("turn_state", self))
    }

    /// Appends without deciding a phase.
    pub(crate) fn append(&mut self, env: &dyn Env, input: Input, place: Place) {
        env.observe(Event::Accepted { input: input.id, kind: input.kind, place });
        self.pending.push(input);
    }

    /// Appends what was sent to a turn that goes on, and reopens the turn for it.
    pub(crate) fn push(&mut self, env: &dyn Env, input: Input, turn: TurnId, because: PhaseCause) {
        self.append(env, input, Place::Pending(turn));
        self.reopen(env, turn, because);
    }

    pub(crate) fn reopen(&mut self, env: &dyn Env, turn: TurnId, because: PhaseCause) {
        self.phase = Phase::CurrentTurn;
        match because {
            PhaseCause::ToolCall | PhaseCause::FollowUp => self.answered = false,
            PhaseCause::FinalAnswer | PhaseCause::Steer | PhaseCause::Injection => {}
        }
        env.observe(Event::Phase { turn, to: self.phase, because });
    }

    /// A final answer was shown: what waits is for the next turn, unless something waits that
    /// asked for this one.
    pub(crate) fn defer(&mut self, env: &dyn Env, turn: TurnId, faults: Faults) {
        let wanted_now = self.pending.iter().any(|input| !input.kind.is_queue_only_mail());
        self.answered = !faults.has(Fault::AnswerIsForgotten);
        if !wanted_now || faults.has(Fault::DeferDespitePending) {
            self.phase = Phase::NextTurn;
        }
        env.observe(Event::Phase { turn, to: self.phase, because: PhaseCause::FinalAnswer });
    }

    /// Whether something waits for somebody who waits for activity; passive items do not count.
    pub(crate) fn holds_explicit(&self) -> bool {
        self.pending.iter().any(|input| match input.kind {
            InputKind::User | InputKind::ToolOutput => true,
            InputKind::Response | InputKind::Mail { .. } => false,
        })
    }

    /// What waits on the turn, in the order in which it will be taken.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = InputId> {
        self.in_flight.iter().chain(&self.pending).map(|input| input.id)
    }
}

pub(crate) fn ids(inputs: &[Input]) -> Vec<InputId> {
    inputs.iter().map(|input| input.id).collect()
}
