//! What one turn owns under its own lock: the input that waits on it, its phase, and those who
//! wait for answers.
//!
//! Promises: input and phase change together, so nobody sees a steer that waits in a turn which
//! defers its input. Does not know whether the turn is still in the slot.

use std::sync::Arc;

use midturn_protocol::{
    Env, Event, Input, InputId, Mail, Metadata, Phase, PhaseCause, Place, TurnId,
};
use midturn_sync::Mutex;

use crate::codex::waiters::Waiters;
use crate::codex::{Fault, Faults};

pub(crate) type TurnLock = Mutex<TurnState>;

/// The state of one turn. The fields from `initial` on are the hardened structure's.
#[derive(Debug)]
pub(crate) struct TurnState {
    pub(crate) pending: Vec<Input>,
    pub(crate) phase: Phase,
    pub(crate) waiters: Waiters,
    pub(crate) metadata: Option<Metadata>,
    /// A review mode was left, which happens once.
    pub(crate) review_left: bool,
    /// What the turn was started with.
    pub(crate) initial: Vec<InputId>,
    /// The mail for which the turn was started.
    pub(crate) started_for: Vec<InputId>,
    /// Drained, and neither in history nor anywhere else yet.
    pub(crate) in_flight: Vec<Input>,
    /// The mail among what was drained, as it came, so that it can go back.
    pub(crate) taken_mail: Vec<Mail>,
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
            waiters: Waiters::default(),
            metadata: None,
            review_left: false,
            initial: Vec::new(),
            started_for: Vec::new(),
            in_flight: Vec::new(),
            taken_mail: Vec::new(),
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
        if let Place::Initial(_) = place {
            self.initial.push(input.id);
        }
        self.pending.push(input);
    }

    /// Appends what was sent to a turn that goes on, and reopens the turn for it.
    pub(crate) fn push(
        &mut self,
        env: &dyn Env,
        batch: Vec<Input>,
        turn: TurnId,
        because: PhaseCause,
    ) {
        for input in batch {
            self.append(env, input, Place::Pending(turn));
        }
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
        if faults.has(Fault::AnswerDoesNotDefer) {
            return;
        }
        let wanted_now = self.pending.iter().any(|input| !input.kind.is_queue_only_mail());
        self.answered = !faults.has(Fault::AnswerIsForgotten);
        if !wanted_now || faults.has(Fault::DeferDespitePending) {
            self.phase = Phase::NextTurn;
        }
        env.observe(Event::Phase { turn, to: self.phase, because: PhaseCause::FinalAnswer });
    }

    pub(crate) fn set_metadata(
        &mut self,
        env: &dyn Env,
        metadata: Option<Metadata>,
        command: InputId,
        turn: TurnId,
    ) {
        if metadata.is_some() {
            self.metadata = metadata;
            env.observe(Event::MetadataSet { command, turn });
        }
    }

    /// Whether something waits for somebody who waits for activity; passive items do not count.
    pub(crate) fn holds_explicit(&self) -> bool {
        self.pending.iter().any(|input| input.kind.is_explicit())
    }

    /// What waits on the turn, in the order in which it will be taken.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = InputId> {
        self.in_flight.iter().chain(&self.pending).map(|input| input.id)
    }
}

pub(crate) fn ids(inputs: &[Input]) -> Vec<InputId> {
    inputs.iter().map(|input| input.id).collect()
}
