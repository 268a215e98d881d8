//! What is answered to whom (`codex.md` 1.5 to 1.11).

use midturn_protocol::{
    Command, Decision, Input, InputId, InputKind, Mode, Phase, Place, Reason, Reply, SessionMode,
    Submission, TaskKind, TurnEnd, TurnId, Verdict,
};

use super::session::{Session, Slot, Turn};
use super::turn::edit_of;
use super::{Promise, Refusal, Told, step};

impl Session {
    pub(super) fn call(&mut self, promise: &Promise<'_>, told: &Told) -> Result<(), Refusal> {
        let Some(command) = promise.commands.get(&told.command) else {
            return Err(Refusal::NotPromised);
        };
        match (&told.reply, command) {
            (Reply::Unsupported, _) => Ok(()),
            (Reply::Verdict(verdict), Command::Submit(submission)) => {
                self.submit(promise, submission, *verdict, told)
            }
            (Reply::Delivered, Command::Deliver(mail)) => self.put(mail.id),
            (Reply::Interrupted(stopped), Command::Interrupt { turn, .. }) => {
                self.interrupt(*stopped, *turn)
            }
            (Reply::Injected, Command::Inject { input, .. }) => self.inject(input, &told.taken),
            (Reply::GivenBack | Reply::RecordedOnly, Command::Inject { .. }) => {
                match self.steerable(promise) {
                    Some((turn, TaskKind::Regular)) if self.slot == Slot::Running(turn) => {
                        Err(Refusal::Answers(Reply::Injected))
                    }
                    _ => Ok(()),
                }
            }
            (Reply::Woken { found }, Command::AwaitActivity { .. }) => self.wake(promise, *found),
            (Reply::Answered { found }, Command::Answer(answer)) => {
                let waits = self.waiters.get(&(answer.table, answer.key.clone()));
                let agrees = match answer.decision {
                    Decision::Reply(_) => waits.is_some_and(|waits| !waits) || !found,
                    Decision::Abort => !found,
                };
                if agrees {
                    Ok(())
                } else {
                    Err(Refusal::Answers(Reply::Answered { found: !found }))
                }
            }
            (Reply::Interrupted(stopped), Command::Answer(_)) => self.interrupt(*stopped, None),
            (Reply::Applied, Command::ChangeSettings { .. }) => Ok(()),
            (Reply::Began(turn), Command::Begin { .. }) => {
                self.begin(*turn, told.installs.is_some())
            }
            (Reply::Draining, Command::Drain { .. }) => self.is(self.draining),
            (Reply::ShutDown(suspended), Command::Suspend { .. }) => {
                self.is(self.closed && suspended.is_none_or(|turn| self.over.contains_key(&turn)))
            }
            (Reply::ShutDown(_), Command::ShutDown { .. }) => self.is(self.closed),
            (Reply::Refused(reason), command) => self.refuse(promise, *reason, command),
            _ => Err(Refusal::NotPromised),
        }
    }

    fn is(&self, holds: bool) -> Result<(), Refusal> {
        if holds { Ok(()) } else { Err(Refusal::NotPromised) }
    }

    fn submit(
        &mut self,
        promise: &Promise<'_>,
        submission: &Submission,
        verdict: Verdict,
        told: &Told,
    ) -> Result<(), Refusal> {
        let own = told.taken.iter().any(|(input, _)| *input == submission.input.id);
        match verdict {
            Verdict::Steered(turn) => {
                let expected = match submission.mode {
                    Mode::Steer { expected } => expected,
                    Mode::StartOrSteer => None,
                    Mode::StartIfIdle | Mode::ContinueIfIdle { .. } | Mode::Recover { .. } => {
                        return Err(Refusal::NotPromised);
                    }
                };
                self.would_steer(promise, submission, expected, turn)?;
                if !own {
                    return Err(Refusal::Taken(false));
                }
                self.give(&told.taken)?;
                self.turn(turn)?.phase = Phase::CurrentTurn;
                Ok(())
            }
            Verdict::Started(turn) => {
                self.may_start(promise, submission, turn)?;
                if !own && !submission.input.is_empty() {
                    return Err(Refusal::Taken(false));
                }
                self.promise(turn, told.installs.is_some())?;
                self.give(&told.taken)
            }
            Verdict::NotSubmitted(_) if !told.taken.is_empty() => Err(Refusal::Taken(true)),
            Verdict::NotSubmitted(reason) => {
                let holds = self.holds(promise, submission, reason);
                if holds { Ok(()) } else { Err(self.instead(promise, submission, reason)) }
            }
        }
    }

    fn give(&mut self, taken: &[(InputId, Place)]) -> Result<(), Refusal> {
        taken.iter().try_for_each(|(input, place)| self.queue(*input, *place))
    }

    /// The checks of a steer, in their order.
    fn steer(
        &self,
        promise: &Promise<'_>,
        submission: &Submission,
        expected: Option<TurnId>,
    ) -> Result<TurnId, Reason> {
        let (turn, kind) = self.steerable(promise).ok_or(Reason::NoActiveTurn)?;
        if let Some(expected) = expected.filter(|expected| *expected != turn) {
            return Err(Reason::ExpectedTurnMismatch { expected, actual: turn });
        }
        if kind != TaskKind::Regular {
            return Err(Reason::ActiveTurnNotSteerable(kind));
        }
        if submission.input.is_empty() {
            return Err(Reason::EmptyInput);
        }
        // The schema of a turn that mail has started is not known here.
        let wanted = submission.start.schema.as_ref();
        match promise.command(turn) {
            Some(Command::Submit(start))
                if wanted.is_some() && wanted != start.start.schema.as_ref() =>
            {
                Err(Reason::ActiveTurnOutputSchemaMismatch)
            }
            _ => Ok(turn),
        }
    }

    fn would_steer(
        &self,
        promise: &Promise<'_>,
        submission: &Submission,
        expected: Option<TurnId>,
        told: TurnId,
    ) -> Result<(), Refusal> {
        match self.steer(promise, submission, expected) {
            Ok(turn) if turn == told => Ok(()),
            Ok(turn) => Err(Refusal::Answers(Reply::Verdict(Verdict::Steered(turn)))),
            Err(reason) => Err(Refusal::Answers(Reply::Verdict(Verdict::NotSubmitted(reason)))),
        }
    }

    /// Explicit input starts a turn if it cannot steer, and outranks a reservation. Everything else
    /// has made its own, before which no trigger mail waited.
    fn may_start(
        &self,
        promise: &Promise<'_>,
        submission: &Submission,
        turn: TurnId,
    ) -> Result<(), Refusal> {
        if self.closed {
            return Err(Refusal::Closed);
        }
        if self.draining && submission.start.parent.is_none() {
            return Err(Refusal::Draining);
        }
        let own = match submission.mode {
            Mode::Recover { turn } => turn,
            _ => TurnId::of(submission.input.id),
        };
        if turn != own {
            return Err(Refusal::NotPromised);
        }
        match submission.mode {
            Mode::Steer { .. } => Err(Refusal::NotPromised),
            Mode::StartOrSteer => match self.steer(promise, submission, None) {
                Err(Reason::NoActiveTurn) => Ok(()),
                Err(reason) => Err(Refusal::Answers(Reply::Verdict(Verdict::NotSubmitted(reason)))),
                Ok(turn) => Err(Refusal::Answers(Reply::Verdict(Verdict::Steered(turn)))),
            },
            Mode::StartIfIdle | Mode::ContinueIfIdle { .. } | Mode::Recover { .. } => {
                match self.slot {
                    Slot::Reserved { turn: holder, first: true } if holder == turn => Ok(()),
                    Slot::Reserved { turn: holder, first: false } if holder == turn => {
                        Err(Refusal::TriggerMailWaits)
                    }
                    _ => Err(Refusal::SlotIs(self.slot.clone())),
                }
            }
        }
    }

    /// A turn gets the slot, or is promised it.
    fn promise(&mut self, turn: TurnId, installs: bool) -> Result<(), Refusal> {
        match &mut self.slot {
            Slot::Idle | Slot::Reserved { .. } if installs => self.install(turn),
            Slot::Finishing { successor, .. } if successor.is_none() && !installs => {
                *successor = Some(turn);
                self.turns.entry(turn).or_insert_with(Turn::new);
                Ok(())
            }
            _ => Err(Refusal::SlotIs(self.slot.clone())),
        }
    }

    fn begin(&mut self, turn: TurnId, installs: bool) -> Result<(), Refusal> {
        if self.closed {
            return Err(Refusal::Closed);
        }
        self.promise(turn, installs)
    }

    /// What is queued on a turn, running or about to start, is taken by it.
    fn inject(&mut self, input: &Input, taken: &[(InputId, Place)]) -> Result<(), Refusal> {
        let Some((_, Place::Pending(turn))) = taken.iter().find(|(taken, _)| *taken == input.id)
        else {
            return Err(Refusal::Taken(false));
        };
        let holder = match self.slot {
            Slot::Reserved { turn, .. } => Some(turn),
            Slot::Idle | Slot::Running(_) | Slot::Finishing { .. } => self.slot.reachable(),
        };
        if holder != Some(*turn) {
            return Err(Refusal::SlotIs(self.slot.clone()));
        }
        self.give(taken)?;
        self.turn(*turn)?.phase = Phase::CurrentTurn;
        Ok(())
    }

    /// Who named no turn means any. Whoever named one may be told that it is over only once it is,
    /// by itself perhaps: the server holds the reply until then.
    fn interrupt(&self, stopped: Option<TurnId>, named: Option<TurnId>) -> Result<(), Refusal> {
        let meant = |turn: TurnId| named.is_none_or(|named| named == turn);
        match (stopped, self.slot.reachable()) {
            (Some(turn), _) => {
                let how = self.over.get(&turn).copied().flatten();
                let owed = match named {
                    Some(_) => how.is_some(),
                    None => how == Some(TurnEnd::Interrupted),
                };
                self.is(owed && meant(turn))
            }
            (None, Some(turn)) if meant(turn) => {
                Err(Refusal::Answers(Reply::Interrupted(Some(turn))))
            }
            (None, _) => Ok(()),
        }
    }

    /// Looks at the turn, then at the mailbox: `false` says that each was empty when it was looked
    /// at, so that now at least one is.
    fn wake(&self, promise: &Promise<'_>, found: bool) -> Result<(), Refusal> {
        let explicit = |input: &InputId| {
            matches!(promise.kind(*input), Some(InputKind::User | InputKind::ToolOutput))
        };
        let turn = self.slot.reachable().and_then(|turn| self.turns.get(&turn));
        let steered =
            turn.is_some_and(|turn| turn.initial.iter().chain(&turn.pending).any(explicit));
        let mail = !self.mailbox.is_empty();
        let agrees = if found { steered || mail } else { !(steered && mail) };
        if agrees { Ok(()) } else { Err(Refusal::Answers(Reply::Woken { found: !found })) }
    }

    /// Whether the reason of a refusal holds.
    fn holds(&self, promise: &Promise<'_>, submission: &Submission, reason: Reason) -> bool {
        let Submission { mode, input, settings, .. } = submission;
        match reason {
            Reason::InvalidRequest => {
                !accepts(*mode, input) || step::sets(settings, self.forbidden.iter())
            }
            Reason::ServerDraining => self.draining || self.closed,
            Reason::NotIdle => self.slot != Slot::Idle,
            Reason::PendingTriggerTurn => self.trigger_mail_waits(promise),
            Reason::PlanMode => {
                self.settings.mode == SessionMode::Plan || settings.mode == Some(SessionMode::Plan)
            }
            Reason::Superseded => match mode {
                Mode::ContinueIfIdle { expected_previous: Some(previous) }
                    if self.last_started != Some(*previous) =>
                {
                    true
                }
                _ => !matches!(self.slot, Slot::Reserved { turn, .. } if turn.origin == input.id),
            },
            Reason::NoActiveTurn
            | Reason::ExpectedTurnMismatch { .. }
            | Reason::ActiveTurnNotSteerable(_)
            | Reason::ActiveTurnOutputSchemaMismatch
            | Reason::EmptyInput => {
                let expected = match mode {
                    Mode::Steer { expected } => *expected,
                    _ => None,
                };
                let starts = *mode == Mode::StartOrSteer && reason == Reason::NoActiveTurn;
                !starts && self.steer(promise, submission, expected) == Err(reason)
            }
        }
    }

    fn instead(&self, promise: &Promise<'_>, submission: &Submission, reason: Reason) -> Refusal {
        let expected = match submission.mode {
            Mode::Steer { expected } => expected,
            Mode::StartOrSteer => None,
            Mode::StartIfIdle | Mode::ContinueIfIdle { .. } | Mode::Recover { .. } => {
                return Refusal::ReasonDoesNotHold(reason);
            }
        };
        match self.steer(promise, submission, expected) {
            Ok(turn) => Refusal::Answers(Reply::Verdict(Verdict::Steered(turn))),
            Err(_) => Refusal::ReasonDoesNotHold(reason),
        }
    }

    /// What is refused as a command, and not as a submission. Behind the view of a client, which
    /// sees a turn until its end is told.
    fn refuse(
        &self,
        promise: &Promise<'_>,
        reason: Reason,
        command: &Command,
    ) -> Result<(), Refusal> {
        let holds = match (reason, command) {
            (Reason::ServerDraining, _) => self.closed || self.draining,
            (Reason::NoActiveTurn, Command::Interrupt { turn, .. }) => {
                turn.is_none_or(|turn| !self.open.contains(&turn))
            }
            (Reason::NoActiveTurn, _) => !matches!(self.slot, Slot::Running(_)),
            (Reason::ExpectedTurnMismatch { actual, .. }, _) => self.open.contains(&actual),
            (Reason::ActiveTurnNotSteerable(kind), _) => {
                self.steerable(promise).is_some_and(|(_, runs)| runs == kind)
            }
            (Reason::NotIdle, _) => matches!(self.slot, Slot::Finishing { successor: Some(_), .. }),
            (Reason::InvalidRequest, Command::ChangeSettings { .. }) => {
                edit_of(Some(command)).is_some_and(|edit| step::sets(edit, self.forbidden.iter()))
            }
            _ => false,
        };
        if holds { Ok(()) } else { Err(Refusal::ReasonDoesNotHold(reason)) }
    }
}

/// Which input goes with which mode.
fn accepts(mode: Mode, input: &Input) -> bool {
    match mode {
        Mode::StartOrSteer => input.kind.is_explicit(),
        Mode::StartIfIdle => !matches!(input.kind, InputKind::Mail { .. }),
        Mode::ContinueIfIdle { .. } => input.kind == InputKind::Response,
        Mode::Recover { .. } => input.is_empty(),
        Mode::Steer { .. } => input.kind == InputKind::User,
    }
}
