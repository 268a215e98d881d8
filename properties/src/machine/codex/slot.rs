//! Who has the slot (`codex.md` 1.6 to 1.8).

use midturn_protocol::{Command, InputId, Mode, SlotShape, Submission, TaskKind, TurnEnd, TurnId};

use super::session::{Session, Slot, Turn};
use super::{Promise, Refusal};

impl Session {
    pub(super) fn reshape(
        &mut self,
        promise: &Promise<'_>,
        shapes: (SlotShape, SlotShape),
        turn: TurnId,
        ends: Option<TurnEnd>,
    ) -> Result<(), Refusal> {
        let slot_is = Err(Refusal::SlotIs(self.slot.clone()));
        if self.slot.shape() != shapes.0 {
            return slot_is;
        }
        match shapes {
            (SlotShape::Idle, SlotShape::Reserved) => self.reserve(promise, turn),
            (SlotShape::Reserved, SlotShape::Idle) => self.release(turn),
            (SlotShape::Idle | SlotShape::Reserved, SlotShape::Running) => {
                self.may_start_unasked(promise, turn)?;
                self.install(turn)
            }
            (SlotShape::Running, SlotShape::Finishing) => self.finish(promise, turn, ends),
            (SlotShape::Running, SlotShape::Idle) => self.stop(turn),
            (SlotShape::Finishing, SlotShape::Idle) => self.free(turn),
            (SlotShape::Finishing, SlotShape::Running) => self.succeed(turn),
            // A preset begins here.
            (SlotShape::Idle, SlotShape::Finishing) if turn.origin == InputId::PRESET => {
                self.install(turn)?;
                self.slot = Slot::Finishing { turn, successor: None };
                Ok(())
            }
            _ => slot_is,
        }
    }

    /// A reservation wants an empty slot and, of a continuation, that no other turn has run since.
    fn reserve(&mut self, promise: &Promise<'_>, turn: TurnId) -> Result<(), Refusal> {
        if self.closed {
            return Err(Refusal::Closed);
        }
        if let Some(Command::Submit(Submission { mode, .. })) = promise.command(turn)
            && let Mode::ContinueIfIdle { expected_previous: Some(previous) } = mode
            && self.last_started != Some(*previous)
        {
            return Err(Refusal::Superseded(self.last_started));
        }
        let first = !self.trigger_mail_waits(promise);
        self.turns.entry(turn).or_insert_with(Turn::new);
        self.slot = Slot::Reserved { turn, first };
        Ok(())
    }

    /// A reservation is given up, with nothing that was queued on it.
    fn release(&mut self, turn: TurnId) -> Result<(), Refusal> {
        match self.slot {
            Slot::Reserved { turn: holder, .. } if holder == turn => self.slot = Slot::Idle,
            _ => return Err(Refusal::SlotIs(self.slot.clone())),
        }
        self.forget(turn)
    }

    fn forget(&mut self, turn: TurnId) -> Result<(), Refusal> {
        let left: Vec<InputId> =
            self.turns.remove(&turn).iter().flat_map(|turn| turn.holds()).collect();
        if left.is_empty() { Ok(()) } else { Err(Refusal::LeavesBehind(left)) }
    }

    /// What no submission asks for is asked for by mail.
    fn may_start_unasked(&self, promise: &Promise<'_>, turn: TurnId) -> Result<(), Refusal> {
        let preset = turn.origin == InputId::PRESET && turn.successor == 0;
        // A caller who went away may have asked for it.
        let asked =
            matches!(promise.command(turn), Some(Command::Submit(_) | Command::Begin { .. }));
        let starts = |mail: InputId| {
            promise.is_trigger_mail(mail) || promise.sleeps && promise.is_mail(mail)
        };
        let held = self.turns.get(&turn).into_iter().flat_map(Turn::holds);
        if preset || asked || held.chain(self.mailbox.iter().copied()).any(starts) {
            Ok(())
        } else {
            Err(Refusal::NoMail)
        }
    }

    /// A turn gets a task. No other may have one, or be about to end (P10).
    pub(super) fn install(&mut self, turn: TurnId) -> Result<(), Refusal> {
        if self.closed {
            return Err(Refusal::Closed);
        }
        if let Some(open) = self.open.first() {
            return Err(Refusal::NotEnded(*open));
        }
        if let Slot::Reserved { turn: holder, .. } = self.slot
            && holder != turn
        {
            self.forget(holder)?;
        }
        self.turns.entry(turn).or_insert_with(Turn::new);
        self.open.insert(turn);
        self.last_started = Some(turn);
        self.slot = Slot::Running(turn);
        Ok(())
    }

    /// The task is taken out: by itself once nothing waits that it may take, or by an abort.
    fn finish(
        &mut self,
        promise: &Promise<'_>,
        turn: TurnId,
        ends: Option<TurnEnd>,
    ) -> Result<(), Refusal> {
        if self.slot != Slot::Running(turn) {
            return Err(Refusal::SlotIs(self.slot.clone()));
        }
        if ends == Some(TurnEnd::Completed) {
            let holds = self.turns.get(&turn).into_iter().flat_map(Turn::holds);
            let left: Vec<InputId> = holds.filter(|input| !promise.is_mail(*input)).collect();
            if !left.is_empty() {
                return Err(Refusal::LeavesBehind(left));
            }
        }
        if !matches!(ends, Some(TurnEnd::Completed | TurnEnd::Failed)) {
            self.stopping.insert(turn);
        }
        self.slot = Slot::Finishing { turn, successor: None };
        Ok(())
    }

    /// An abort takes the turn with the slot; its end is told afterwards.
    fn stop(&mut self, turn: TurnId) -> Result<(), Refusal> {
        if self.slot != Slot::Running(turn) {
            return Err(Refusal::SlotIs(self.slot.clone()));
        }
        self.stopping.insert(turn);
        self.slot = Slot::Idle;
        Ok(())
    }

    /// Whether a turn has a task that may do something.
    pub(super) fn is_at_work(&self, turn: TurnId) -> bool {
        self.slot == Slot::Running(turn) || self.stopping.contains(&turn)
    }

    /// When the slot is free, the end has been told.
    fn free(&mut self, turn: TurnId) -> Result<(), Refusal> {
        if self.slot != (Slot::Finishing { turn, successor: None }) {
            return Err(Refusal::SlotIs(self.slot.clone()));
        }
        if self.open.contains(&turn) {
            return Err(Refusal::NotEnded(turn));
        }
        self.slot = Slot::Idle;
        Ok(())
    }

    fn succeed(&mut self, turn: TurnId) -> Result<(), Refusal> {
        match self.slot {
            Slot::Finishing { successor: Some(next), .. } if next == turn => self.install(turn),
            _ => Err(Refusal::SlotIs(self.slot.clone())),
        }
    }

    /// The end of a turn is told, once it has neither the slot nor anything that was given to it.
    pub(super) fn end(&mut self, turn: TurnId, how: Option<TurnEnd>) -> Result<(), Refusal> {
        if self.slot == Slot::Running(turn) {
            return Err(Refusal::SlotIs(self.slot.clone()));
        }
        if !self.open.remove(&turn) {
            return Err(Refusal::NoSuchTurn(turn));
        }
        self.stopping.remove(&turn);
        self.over.insert(turn, how);
        self.forget(turn)
    }

    /// The turn that a steer would reach, and whether it takes steers.
    pub(super) fn steerable(&self, promise: &Promise<'_>) -> Option<(TurnId, TaskKind)> {
        self.slot.reachable().map(|turn| (turn, promise.task(turn)))
    }
}
