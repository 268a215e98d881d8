//! What is predicted.

use std::collections::BTreeSet;

use midturn_protocol::{InputId, Phase, Reason, Reply, SlotShape, TaskKind, TurnId, Verdict};
use proptest::prelude::*;
use proptest_state_machine::ReferenceStateMachine;

use crate::transition::{Expects, Said, Text, Transition, all};

/// What can be compared once all are at rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// `None` for what the model says, and for a call that goes on.
    pub reply: Option<Reply>,
    pub slot: SlotShape,
    pub phase: Option<Phase>,
    pub pending: Vec<InputId>,
    pub mailbox: Vec<InputId>,
    /// The requests that began, each with what was new in it.
    pub requests: Vec<(TurnId, Vec<InputId>)>,
}

/// The turn that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    pub id: TurnId,
    kind: TaskKind,
    phase: Phase,
    /// It will ask the model again, whatever waits.
    follow_up: bool,
    /// It has shown its answer.
    answered: bool,
    /// The model has failed.
    fails: bool,
    /// History has to be compacted before the model is asked again.
    full: bool,
    /// The open request compacts history; whether the turn was to be followed up by itself.
    compacts: Option<bool>,
    /// A tool asks, and nobody has answered.
    pub asks: bool,
    /// The response is not over.
    pub sampling: bool,
}

/// The session, as one who looks from outside at rest would draw it.
#[derive(Clone, Debug)]
pub struct Model {
    /// The name of the last command.
    pub id: u32,
    /// The turn that the last command meant.
    pub expected: Option<TurnId>,
    pub turn: Option<Turn>,
    pending: Vec<InputId>,
    mailbox: Vec<(InputId, bool)>,
    /// In history, and in no request yet.
    unread: Vec<InputId>,
    passive: BTreeSet<InputId>,
    blocked: BTreeSet<InputId>,
    /// The next turn begins with a compaction.
    full: bool,
    plan: bool,
    draining: bool,
    closed: bool,
    pub seen: Seen,
}

fn refused(reason: Reason) -> Reply {
    Reply::Verdict(Verdict::NotSubmitted(reason))
}

/// A turn that never was.
pub fn nobody() -> TurnId {
    TurnId::of(InputId(9_999))
}

impl Model {
    fn new() -> Self {
        let seen = Seen {
            reply: None,
            slot: SlotShape::Idle,
            phase: None,
            pending: Vec::new(),
            mailbox: Vec::new(),
            requests: Vec::new(),
        };
        Model {
            id: 0,
            expected: None,
            turn: None,
            pending: Vec::new(),
            mailbox: Vec::new(),
            unread: Vec::new(),
            passive: BTreeSet::new(),
            blocked: BTreeSet::new(),
            full: false,
            plan: false,
            draining: false,
            closed: false,
            seen,
        }
    }

    fn input(&self) -> InputId {
        InputId(self.id)
    }

    /// The turn that `expects` means.
    pub fn meant(&self, expects: Expects) -> Option<TurnId> {
        match expects {
            Expects::Any => None,
            Expects::Running => Some(self.turn.as_ref().map_or_else(nobody, |turn| turn.id)),
            Expects::Another => Some(nobody()),
        }
    }

    /// Somebody asked for this turn to read something.
    fn explicit_waits(&self) -> bool {
        self.pending.iter().any(|id| !self.passive.contains(id))
    }

    fn begin(&mut self, id: TurnId, kind: TaskKind) {
        let (phase, follow_up) = (Phase::CurrentTurn, false);
        self.turn = Some(Turn {
            id,
            kind,
            phase,
            follow_up,
            answered: false,
            fails: false,
            full: self.full,
            compacts: None,
            asks: false,
            sampling: true,
        });
    }

    /// The turn takes what waits, and asks the model; or it is over. It also leaves off if a hook
    /// blocked all that it took beside mail.
    fn go_on(&mut self, mut begins: bool) {
        while let Some(turn) = &mut self.turn {
            let follows = std::mem::take(&mut turn.follow_up);
            if follows {
                (turn.phase, turn.answered) = (Phase::CurrentTurn, false);
            }
            let mail = turn.phase == Phase::CurrentTurn && !self.mailbox.is_empty();
            if !std::mem::take(&mut begins) && !follows && self.pending.is_empty() && !mail {
                return self.end();
            }
            if std::mem::take(&mut turn.full) {
                (turn.sampling, turn.compacts) = (true, Some(follows));
                self.seen.requests.push((turn.id, Vec::new()));
                return;
            }
            let own = std::mem::take(&mut self.pending);
            let blocked = own.iter().any(|id| self.blocked.contains(id));
            self.unread.extend(own.iter().filter(|id| !self.blocked.contains(id)));
            let passes = own.iter().any(|id| !self.blocked.contains(id));
            if blocked && !passes && (!mail || turn.answered) {
                // A turn that has answered does not go on for mail alone.
                turn.phase = if turn.answered { Phase::NextTurn } else { turn.phase };
                continue;
            }
            if mail {
                let mail = std::mem::take(&mut self.mailbox);
                self.unread.extend(mail.into_iter().map(|(id, _)| id));
            }
            (turn.sampling, turn.answered) = (true, false);
            self.seen.requests.push((turn.id, std::mem::take(&mut self.unread)));
            return;
        }
    }

    /// The slot is free: mail may start a turn.
    fn end(&mut self) {
        let after = self.turn.take().map(|turn| turn.id);
        let trigger = self.mailbox.iter().any(|(_, trigger)| *trigger);
        if trigger && !self.closed {
            let next = |id: TurnId| TurnId { successor: id.successor + 1, ..id };
            self.begin(after.map_or(TurnId::of(self.input()), next), TaskKind::Regular);
            self.go_on(true);
        }
    }

    /// An empty prompt starts a turn that asks the model all the same.
    fn start(&mut self, text: Text, passive: bool) -> Reply {
        let (input, id) = (self.input(), TurnId::of(self.input()));
        self.begin(id, TaskKind::Regular);
        if passive {
            self.passive.insert(input);
        }
        if passive || text != Text::Empty {
            self.pending = vec![input];
        }
        self.go_on(true);
        Reply::Verdict(Verdict::Started(id))
    }

    fn steer(&mut self, expected: Option<TurnId>, text: Text) -> Result<Reply, Reason> {
        let input = self.input();
        let Some(turn) = &mut self.turn else { return Err(Reason::NoActiveTurn) };
        if let Some(expected) = expected.filter(|expected| *expected != turn.id) {
            return Err(Reason::ExpectedTurnMismatch { expected, actual: turn.id });
        }
        if turn.kind != TaskKind::Regular {
            return Err(Reason::ActiveTurnNotSteerable(turn.kind));
        }
        if text == Text::Empty {
            return Err(Reason::EmptyInput);
        }
        turn.phase = Phase::CurrentTurn;
        self.pending.push(input);
        Ok(Reply::Verdict(Verdict::Steered(turn.id)))
    }

    fn submit(&mut self, transition: &Transition) -> Reply {
        match *transition {
            Transition::StartOrSteer(text) => match self.steer(None, text) {
                Ok(reply) => reply,
                Err(Reason::NoActiveTurn) if self.draining || self.closed => {
                    refused(Reason::ServerDraining)
                }
                Err(Reason::NoActiveTurn) => self.start(text, false),
                Err(reason) => refused(reason),
            },
            Transition::Steer { text, .. } => {
                self.steer(self.expected, text).unwrap_or_else(refused)
            }
            Transition::StartIfIdle { automatic, text } => {
                if self.mailbox.iter().any(|(_, trigger)| *trigger) {
                    return refused(Reason::PendingTriggerTurn);
                }
                if (automatic || text == Text::Empty) && self.plan {
                    return refused(Reason::PlanMode);
                }
                if self.draining {
                    return refused(Reason::ServerDraining);
                }
                if self.turn.is_some() {
                    refused(Reason::NotIdle)
                } else {
                    self.start(text, automatic)
                }
            }
            _ => unreachable!("no submission"),
        }
    }

    fn interrupt(&mut self, named: Option<TurnId>) -> Reply {
        let Some(turn) = &self.turn else { return Reply::Interrupted(None) };
        if named.is_some_and(|named| named != turn.id) {
            return Reply::Interrupted(None);
        }
        let id = turn.id;
        self.pending.clear();
        self.end();
        Reply::Interrupted(Some(id))
    }

    /// After a compaction. What the model was doing comes first, and takes nothing.
    fn resume(&mut self, follows: bool) {
        self.full = false;
        match &mut self.turn {
            Some(turn) if follows => {
                (turn.sampling, turn.answered) = (true, false);
                self.seen.requests.push((turn.id, std::mem::take(&mut self.unread)));
            }
            _ => self.go_on(true),
        }
    }

    fn response_ends(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        turn.sampling = false;
        if let Some(follows) = turn.compacts.take() {
            return self.resume(follows);
        }
        if turn.kind != TaskKind::Regular {
            self.full &= turn.kind != TaskKind::Compact;
            self.end();
        } else if turn.fails && !turn.asks {
            self.pending.clear();
            self.end();
        } else if !turn.asks {
            self.go_on(false);
        }
    }

    fn item(&mut self, said: Said) {
        let waits = !self.pending.is_empty();
        let Some(turn) = &mut self.turn else { return };
        match said {
            _ if turn.kind != TaskKind::Regular => {}
            _ if turn.compacts.is_some() => {}
            Said::Full => (turn.full, self.full) = (true, true),
            Said::Final | Said::Untagged => {
                turn.answered = true;
                turn.phase = if waits { turn.phase } else { Phase::NextTurn };
            }
            Said::Tool => {
                (turn.phase, turn.answered) = (Phase::CurrentTurn, false);
                turn.follow_up = true;
            }
            Said::Asks => {
                (turn.phase, turn.answered) = (Phase::CurrentTurn, false);
                turn.follow_up = true;
                turn.asks = true;
            }
            // Mail that the turn may take cuts the request.
            Said::Reasoning
                if turn.phase == Phase::CurrentTurn
                    && !turn.answered
                    && !self.mailbox.is_empty() =>
            {
                turn.follow_up = true;
                self.response_ends();
            }
            Said::NotEnded | Said::RefusedTool => turn.follow_up = true,
            // The tools that were called come to their end first.
            Said::Error => {
                turn.fails = true;
                self.response_ends();
            }
            Said::Reasoning | Said::Blank => {}
        }
    }

    fn reply(&mut self, transition: &Transition) -> Option<Reply> {
        Some(match *transition {
            Transition::StartOrSteer(_)
            | Transition::Steer { .. }
            | Transition::StartIfIdle { .. } => self.submit(transition),
            Transition::Mail { trigger } => {
                self.mailbox.push((self.input(), trigger));
                if self.turn.is_none() {
                    self.end();
                }
                Reply::Delivered
            }
            Transition::Inject { else_recorded } => match (&mut self.turn, else_recorded) {
                (Some(turn), _) => {
                    turn.phase = Phase::CurrentTurn;
                    let id = InputId(self.id);
                    self.pending.push(id);
                    self.passive.insert(id);
                    Reply::Injected
                }
                (None, true) => {
                    self.unread.push(self.input());
                    Reply::RecordedOnly
                }
                (None, false) => Reply::GivenBack,
            },
            Transition::Interrupt { .. } => self.interrupt(self.expected),
            Transition::AwaitActivity => Reply::Woken { found: true },
            Transition::Review | Transition::Compact => {
                let kind = match transition {
                    Transition::Review => TaskKind::Review,
                    _ => TaskKind::Compact,
                };
                let id = TurnId::of(self.input());
                self.pending.clear();
                self.begin(id, kind);
                self.seen.requests.push((id, Vec::new()));
                Reply::Began(id)
            }
            Transition::Plan(plan) => {
                self.plan = plan;
                Reply::Applied
            }
            Transition::Effort { forbidden: false } => Reply::Applied,
            Transition::Effort { forbidden: true } => Reply::Refused(Reason::InvalidRequest),
            Transition::Drain => {
                self.draining = true;
                Reply::Draining
            }
            Transition::ShutDown => {
                self.closed = true;
                self.pending.clear();
                self.turn = None;
                Reply::ShutDown(None)
            }
            Transition::Answer => {
                let asked = self.turn.as_mut().is_some_and(|turn| std::mem::take(&mut turn.asks));
                if asked && self.turn.as_ref().is_some_and(|turn| !turn.sampling) {
                    self.response_ends();
                }
                Reply::Answered { found: asked }
            }
            Transition::Item(said) => {
                self.item(said);
                return None;
            }
            Transition::EndOfResponse => {
                self.response_ends();
                return None;
            }
        })
    }
}

/// Sequences of transitions, each possible where it stands.
pub struct Sequences;

impl ReferenceStateMachine for Sequences {
    type State = Model;
    type Transition = Transition;

    fn init_state() -> BoxedStrategy<Model> {
        Just(Model::new()).boxed()
    }

    fn transitions(model: &Model) -> BoxedStrategy<Transition> {
        // After its end a session is asked for a start and for nothing else.
        if model.closed { Just(Transition::StartOrSteer(Text::Plain)).boxed() } else { all() }
    }

    fn preconditions(model: &Model, transition: &Transition) -> bool {
        let sampling = model.turn.as_ref().filter(|turn| turn.sampling);
        if model.closed {
            return *transition == Transition::StartOrSteer(Text::Plain);
        }
        match transition {
            Transition::Item(said) => sampling.is_some_and(|turn| match turn.kind {
                TaskKind::Regular if turn.compacts.is_some() => {
                    // What a failed compaction leaves behind is told in scenarios.
                    *said == Said::Final
                }
                TaskKind::Regular => *said != Said::Asks || !turn.asks,
                TaskKind::Review | TaskKind::Compact => *said == Said::Final,
            }),
            Transition::EndOfResponse => sampling.is_some(),
            // 0.149 queues it where nobody will read it.
            Transition::Inject { .. } => {
                let turn = model.turn.as_ref();
                turn.is_none_or(|turn| turn.kind == TaskKind::Regular)
            }
            Transition::AwaitActivity => model.explicit_waits() || !model.mailbox.is_empty(),
            _ => true,
        }
    }

    fn apply(mut model: Model, transition: &Transition) -> Model {
        model.id += 1;
        model.seen.requests.clear();
        let text = match transition {
            Transition::StartOrSteer(text)
            | Transition::Steer { text, .. }
            | Transition::StartIfIdle { automatic: false, text } => Some(*text),
            // An item is an item, and no hook is asked about it.
            _ => None,
        };
        match text {
            Some(Text::Blocked) => {
                model.blocked.insert(model.input());
            }
            Some(Text::Plain | Text::Empty) | None => {}
        }
        model.expected = match *transition {
            Transition::Steer { expects, .. } => model.meant(expects),
            Transition::Interrupt { named } => model.meant(named),
            _ => None,
        };
        model.seen.reply = model.reply(transition);
        model.seen.slot = if model.turn.is_some() { SlotShape::Running } else { SlotShape::Idle };
        model.seen.phase = model.turn.as_ref().map(|turn| turn.phase);
        model.seen.pending = model.pending.clone();
        model.seen.mailbox = model.mailbox.iter().map(|(id, _)| *id).collect();
        model
    }
}
