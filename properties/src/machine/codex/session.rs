//! The state of a session.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use midturn_protocol::{
    Forbidden, InputId, Phase, SessionSetup, Settings, SlotShape, TurnEnd, TurnId, WaiterTable,
};

use super::{Promise, Refusal, Step};

/// The slot (`codex.md` 1.1), with a place for the turn that starts as soon as it is free.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Slot {
    /// Empty.
    #[default]
    Idle,
    /// Taken, no task yet.
    Reserved {
        /// Who will start.
        turn: TurnId,
        /// No trigger mail waited when it was reserved.
        first: bool,
    },
    /// A task runs.
    Running(TurnId),
    /// The task was taken out.
    Finishing {
        /// Whose it was.
        turn: TurnId,
        /// Who starts next.
        successor: Option<TurnId>,
    },
}

impl Slot {
    pub(super) fn shape(&self) -> SlotShape {
        match self {
            Slot::Idle => SlotShape::Idle,
            Slot::Reserved { .. } => SlotShape::Reserved,
            Slot::Running(_) => SlotShape::Running,
            Slot::Finishing { .. } => SlotShape::Finishing,
        }
    }

    /// The turn that input would reach.
    pub(super) fn reachable(&self) -> Option<TurnId> {
        match self {
            Slot::Running(turn) | Slot::Finishing { successor: Some(turn), .. } => Some(*turn),
            Slot::Idle | Slot::Reserved { .. } | Slot::Finishing { successor: None, .. } => None,
        }
    }
}

/// What a turn holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    /// What it starts with.
    pub initial: Vec<InputId>,
    /// What waits on it.
    pub pending: Vec<InputId>,
    /// What it took out of the queues and has not yet recorded.
    pub hand: Vec<InputId>,
    /// Whether what waits may enter it.
    pub phase: Phase,
}

impl Turn {
    pub(super) fn new() -> Self {
        Turn {
            initial: Vec::new(),
            pending: Vec::new(),
            hand: Vec::new(),
            phase: Phase::CurrentTurn,
        }
    }

    /// Everything that it has and that is in no history.
    pub(super) fn holds(&self) -> impl Iterator<Item = InputId> {
        self.initial.iter().chain(&self.hand).chain(&self.pending).copied()
    }

    /// Takes an input out, wherever it is. Whether it was there.
    pub(super) fn remove(&mut self, input: InputId) -> bool {
        let lists = [&mut self.initial, &mut self.hand, &mut self.pending];
        lists.into_iter().any(|list| take_out(list, input))
    }
}

/// Whether `input` was in the list.
pub(super) fn take_out(list: &mut Vec<InputId>, input: InputId) -> bool {
    match list.iter().position(|held| *held == input) {
        Some(at) => {
            list.remove(at);
            true
        }
        None => false,
    }
}

/// A session at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Session {
    /// The slot.
    pub slot: Slot,
    /// What the turns hold: those that start or run, and those whose end has not been told.
    pub turns: BTreeMap<TurnId, Turn>,
    /// Turns that had the slot and whose end has not been told.
    pub open: BTreeSet<TurnId>,
    /// Of these, who was told to stop and may not have heard of it: its task goes on for a while.
    pub stopping: BTreeSet<TurnId>,
    /// How the others ended; nothing for one that was suspended.
    pub over: BTreeMap<TurnId, Option<TurnEnd>>,
    /// The mailbox, oldest first.
    pub mailbox: Vec<InputId>,
    /// Mail in the order in which it first came.
    pub came: Vec<InputId>,
    /// What is in history and in no request.
    pub unsampled: Vec<InputId>,
    /// What was dropped unnamed when the pending list of its turn was cleared.
    pub cleared: BTreeSet<InputId>,
    /// The settings.
    pub settings: Settings,
    /// What they must not be.
    pub forbidden: BTreeSet<Forbidden>,
    /// The turn that started last.
    pub last_started: Option<TurnId>,
    /// Who waits for an answer from outside, or has waited (false).
    pub waiters: BTreeMap<(WaiterTable, Arc<str>), bool>,
    /// The host takes no new starts.
    pub draining: bool,
    /// No turn starts any more.
    pub closed: bool,
}

impl Session {
    /// A session before anything happened.
    pub fn new(setup: &SessionSetup) -> Self {
        Session {
            settings: setup.settings.clone(),
            forbidden: setup.forbidden.iter().cloned().collect(),
            last_started: setup.last_started,
            ..Session::default()
        }
    }

    pub(super) fn take(&mut self, promise: &Promise<'_>, step: &Step) -> Result<(), Refusal> {
        match step {
            Step::Slot { from, to, turn, ends } => {
                self.reshape(promise, (*from, *to), *turn, *ends)
            }
            Step::Put(mail) => self.put(*mail),
            Step::Queue(input, place) => self.queue(*input, *place),
            Step::TakePending(turn, inputs) => self.take_pending(promise, *turn, inputs),
            Step::TakeMail(turn, inputs) => self.take_mail(*turn, inputs),
            Step::Record(input, turn) => self.record(*input, *turn),
            Step::Block(input) => self.block(*input),
            Step::Phase(turn, to, because) => self.decide_phase(promise, *turn, *to, *because),
            Step::Look(turn, found) => self.look(*turn, *found),
            Step::Sample(turn, new) => self.sample(*turn, new),
            Step::ClearPending(turn) => self.clear_pending(promise, *turn),
            Step::Clear(input) => self.clear(*input),
            Step::End(turn, how) => self.end(*turn, Some(*how)),
            Step::Suspend(turn) => self.end(*turn, None),
            Step::Context(turn, version) => self.give_context(promise, *turn, *version),
            Step::Edit(change, version) => self.edit(promise, *change, *version),
            Step::Forbid(constraint) => self.forbid(promise, *constraint),
            Step::Waiter(table, key, what) => self.wait(*table, key, *what),
            Step::Drain => {
                self.draining = true;
                Ok(())
            }
            Step::Close => {
                self.closed = true;
                // Who would have come next does not; what it holds is cleared by name.
                if let Slot::Finishing { successor, .. } = &mut self.slot {
                    *successor = None;
                }
                Ok(())
            }
            Step::Call(told) => self.call(promise, told),
        }
    }

    /// What happened before anyone moved: a preset tells its history before it has the slot.
    pub(super) fn begin_with(&mut self, promise: &Promise<'_>, step: &Step) -> Result<(), Refusal> {
        match step {
            Step::Record(input, _) => self.unsampled.push(*input),
            Step::Sample(..) => self.unsampled.clear(),
            step => return self.take(promise, step),
        }
        Ok(())
    }

    /// Whether trigger mail waits in the mailbox.
    pub(super) fn trigger_mail_waits(&self, promise: &Promise<'_>) -> bool {
        self.mailbox.iter().any(|mail| promise.is_trigger_mail(*mail))
    }

    /// What a turn holds, if it is not over.
    pub(super) fn turn(&mut self, turn: TurnId) -> Result<&mut Turn, Refusal> {
        self.turns.get_mut(&turn).ok_or(Refusal::NoSuchTurn(turn))
    }
}
