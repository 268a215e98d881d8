//! What a turn does with what waits (`codex.md` 1.2, 2.1 to 2.4).

use std::sync::Arc;

use midturn_protocol::{
    Command, InputId, InputKind, Mode, Phase, PhaseCause, Place, SessionMode, SettingsChange,
    SettingsEdit, Submission, TurnId, WaiterEvent, WaiterTable,
};

use super::session::{Session, Slot, Turn, take_out};
use super::{Promise, Refusal, step};

impl Session {
    /// At the end, or where it was before if it comes back.
    pub(super) fn put(&mut self, mail: InputId) -> Result<(), Refusal> {
        for turn in self.turns.values_mut() {
            turn.remove(mail);
        }
        if !self.came.contains(&mail) {
            self.came.push(mail);
        }
        let came = |mail: &InputId| self.came.iter().position(|other| other == mail);
        let at = self.mailbox.iter().position(|other| came(other) > came(&mail));
        self.mailbox.insert(at.unwrap_or(self.mailbox.len()), mail);
        Ok(())
    }

    pub(super) fn queue(&mut self, input: InputId, place: Place) -> Result<(), Refusal> {
        match place {
            Place::Mailbox => self.put(input),
            Place::Initial(turn) => {
                self.turn(turn)?.initial.push(input);
                Ok(())
            }
            Place::Pending(turn) => {
                let turn = self.turn(turn)?;
                take_out(&mut turn.hand, input);
                // What a start queued on its reservation is there already.
                if !turn.pending.contains(&input) {
                    turn.pending.push(input);
                }
                Ok(())
            }
        }
    }

    /// All of it, in order. A turn that is over may still take mail, to record it.
    pub(super) fn take_pending(
        &mut self,
        promise: &Promise<'_>,
        turn: TurnId,
        inputs: &[InputId],
    ) -> Result<(), Refusal> {
        let (slot, at_work) = (self.slot.clone(), self.is_at_work(turn));
        let holds = self.turn(turn)?;
        let waits: Vec<InputId> = holds.initial.iter().chain(&holds.pending).copied().collect();
        if waits == inputs {
            holds.initial.clear();
        } else if holds.pending != inputs {
            return Err(Refusal::Waits(waits));
        }
        if holds.phase == Phase::NextTurn && at_work {
            return Err(Refusal::NextTurn(turn));
        }
        let finished = matches!(slot, Slot::Finishing { turn: last, .. } if last == turn);
        if finished && !at_work && !inputs.iter().all(|input| promise.is_mail(*input)) {
            return Err(Refusal::SlotIs(slot));
        }
        holds.pending.clear();
        holds.hand.extend(inputs);
        Ok(())
    }

    /// All of it, in order. Who starts a turn may take it before that turn has the slot. A turn that
    /// fails takes what it was begun for, and leaves what came later to the next.
    pub(super) fn take_mail(&mut self, turn: TurnId, inputs: &[InputId]) -> Result<(), Refusal> {
        let runs = self.slot == Slot::Running(turn);
        let fails = matches!(self.slot, Slot::Finishing { turn: last, .. } if last == turn);
        if self.mailbox != inputs && !(fails && self.mailbox.starts_with(inputs)) {
            return Err(Refusal::Waits(self.mailbox.clone()));
        }
        let holds = self.turns.entry(turn).or_insert_with(Turn::new);
        if runs && holds.phase == Phase::NextTurn {
            return Err(Refusal::NextTurn(turn));
        }
        holds.hand.extend(inputs);
        self.mailbox.drain(..inputs.len());
        Ok(())
    }

    pub(super) fn record(&mut self, input: InputId, turn: Option<TurnId>) -> Result<(), Refusal> {
        if let Some(turn) = turn
            && !self.turn(turn)?.remove(input)
            && input != InputId::PRESET
        {
            return Err(Refusal::NotThere(input));
        }
        self.unsampled.push(input);
        Ok(())
    }

    pub(super) fn block(&mut self, input: InputId) -> Result<(), Refusal> {
        let held = self.turns.values_mut().any(|turn| turn.remove(input));
        if held {
            self.cleared.insert(input);
            return Ok(());
        }
        Err(Refusal::NotThere(input))
    }

    /// A final answer defers what waits, unless something waits that asked for this turn (P7).
    pub(super) fn decide_phase(
        &mut self,
        promise: &Promise<'_>,
        turn: TurnId,
        to: Phase,
        because: PhaseCause,
    ) -> Result<(), Refusal> {
        let Ok(turn) = self.turn(turn) else { return Ok(()) };
        let only_waits =
            |input: &InputId| promise.kind(*input).is_some_and(InputKind::is_queue_only_mail);
        match (because, to) {
            (PhaseCause::FinalAnswer, Phase::NextTurn) if !turn.pending.iter().all(only_waits) => {
                Err(Refusal::ExplicitInputWaits)
            }
            _ => {
                turn.phase = to;
                Ok(())
            }
        }
    }

    /// What waits in the current phase is found; mail is looked for afterwards.
    pub(super) fn look(&mut self, turn: TurnId, found: bool) -> Result<(), Refusal> {
        let mail = self.mailbox.clone();
        let Ok(turn) = self.turn(turn) else { return Ok(()) };
        let waits: Vec<InputId> = turn.pending.clone();
        match (found, turn.phase) {
            (false, Phase::CurrentTurn) if !waits.is_empty() => Err(Refusal::Waits(waits)),
            (true, Phase::CurrentTurn) if waits.is_empty() && mail.is_empty() => {
                Err(Refusal::Waits(waits))
            }
            _ => Ok(()),
        }
    }

    /// A request holds what history holds: all that no request has held, in order.
    pub(super) fn sample(&mut self, turn: TurnId, new: &[InputId]) -> Result<(), Refusal> {
        if !self.is_at_work(turn) {
            return Err(Refusal::SlotIs(self.slot.clone()));
        }
        if self.unsampled != new {
            return Err(Refusal::Unsampled(self.unsampled.clone()));
        }
        self.unsampled.clear();
        Ok(())
    }

    /// Mail is not part of what an interrupt may drop.
    pub(super) fn clear_pending(
        &mut self,
        promise: &Promise<'_>,
        turn: TurnId,
    ) -> Result<(), Refusal> {
        // The fence: from now on the task can do nothing any more.
        self.stopping.remove(&turn);
        let Ok(holds) = self.turn(turn) else { return Ok(()) };
        let dropped: Vec<InputId> =
            holds.pending.extract_if(.., |input| !promise.is_mail(*input)).collect();
        self.cleared.extend(dropped);
        Ok(())
    }

    pub(super) fn clear(&mut self, input: InputId) -> Result<(), Refusal> {
        let held = self.turns.values_mut().any(|turn| turn.remove(input))
            || take_out(&mut self.mailbox, input)
            || self.cleared.contains(&input);
        if held { Ok(()) } else { Err(Refusal::NotThere(input)) }
    }

    /// The settings of a turn are those of the moment. An automatic start is decided here (P5).
    pub(super) fn give_context(
        &mut self,
        promise: &Promise<'_>,
        turn: TurnId,
        version: u32,
    ) -> Result<(), Refusal> {
        if version != self.settings.version {
            return Err(Refusal::Version(self.settings.version));
        }
        let automatic = match promise.command(turn) {
            Some(Command::Submit(Submission { mode: Mode::StartIfIdle, input, .. })) => {
                (input.kind != InputKind::User || input.is_empty())
                    && !self.is_for_mail(promise, turn)
            }
            _ => false,
        };
        if automatic && self.settings.mode == SessionMode::Plan {
            return Err(Refusal::PlanMode);
        }
        Ok(())
    }

    /// A turn for mail may have the name of the start that mail has outranked.
    fn is_for_mail(&self, promise: &Promise<'_>, turn: TurnId) -> bool {
        let held = self.turns.get(&turn).into_iter().flat_map(Turn::holds);
        held.chain(self.mailbox.iter().copied()).any(|input| promise.is_trigger_mail(input))
    }

    pub(super) fn edit(
        &mut self,
        promise: &Promise<'_>,
        change: InputId,
        version: u32,
    ) -> Result<(), Refusal> {
        let Some(edit) = edit_of(promise.commands.get(&change)) else {
            return Err(Refusal::NotPromised);
        };
        if step::sets(edit, self.forbidden.iter()) {
            return Err(Refusal::Forbidden);
        }
        self.settings.version += 1;
        self.settings.mode = edit.mode.unwrap_or(self.settings.mode);
        self.settings.values.extend(edit.values.clone());
        if version != self.settings.version {
            return Err(Refusal::Version(self.settings.version - 1));
        }
        Ok(())
    }

    pub(super) fn forbid(
        &mut self,
        promise: &Promise<'_>,
        constraint: InputId,
    ) -> Result<(), Refusal> {
        match promise.commands.get(&constraint) {
            Some(Command::ChangeSettings { change: SettingsChange::Forbid(value), .. }) => {
                self.forbidden.insert(value.clone());
                Ok(())
            }
            _ => Err(Refusal::NotPromised),
        }
    }

    pub(super) fn wait(
        &mut self,
        table: WaiterTable,
        key: &Arc<str>,
        what: WaiterEvent,
    ) -> Result<(), Refusal> {
        let waits = match what {
            WaiterEvent::Opened => true,
            WaiterEvent::Answered | WaiterEvent::Closed => false,
        };
        self.waiters.insert((table, key.clone()), waits);
        Ok(())
    }
}

/// What a command changes of the settings.
pub(super) fn edit_of(command: Option<&Command>) -> Option<&SettingsEdit> {
    match command? {
        Command::Submit(submission) => Some(&submission.settings),
        Command::ChangeSettings { change: SettingsChange::Edit(edit), .. } => Some(edit),
        _ => None,
    }
}
