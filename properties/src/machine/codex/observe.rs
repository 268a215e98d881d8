//! The steps of a finished run, and what is known of their order.
//!
//! Promises: the same for every schedule of a class. An actor makes its own steps in their order. A
//! command is one step somewhere between its call and its reply: behind what its caller did before
//! the call, before what its caller does after the reply, and, where real time is part of a class,
//! behind every command that returned before it was called.

use midturn_protocol::{
    Command, Event, InputId, Mode, ModelItem, Phase, PhaseCause, Place as Where, Purpose, Reply,
    SlotShape, Submission, ToolWork, TurnEnd, TurnId, Verdict,
};

use super::{Promise, Session, Step, Told};
use crate::history::History;
use crate::linearizability::{Observed, Operations, Place};

/// A run as the machine sees it.
#[derive(Clone, Debug)]
pub struct Observation {
    /// The session when somebody could move for the first time.
    pub initial: Session,
    /// What happened.
    pub steps: Operations<Step>,
    /// In which order it was seen to happen, and at which record.
    pub order: Vec<(Place, usize)>,
}

/// What stays the same throughout the session of a run.
pub(super) fn promise_of(history: &History) -> Promise<'_> {
    let sleeps = history.events().any(|event| {
        matches!(event, Event::ModelItem { item: ModelItem::Tool(tool), .. }
            if tool.work == ToolWork::SleepUntilMail)
    });
    let (commands, inputs) = (&*history.commands, &history.asked);
    Promise { commands, inputs, preset: history.setup.preset, sleeps }
}

/// A command that was called.
struct Call {
    actor: usize,
    called: usize,
    /// When it was answered; nothing if its caller went away or still waits.
    returned: Option<usize>,
    /// Where it was seen to take effect.
    seen: usize,
    told: Told,
}

/// A step that nobody was asked for.
struct Own {
    actor: usize,
    at: usize,
    step: Step,
}

/// What is looked up while the records are read, each in the order of the records. A run is short,
/// so lists do.
struct Reader<'a> {
    history: &'a History,
    /// What was put where.
    accepted: Vec<(usize, InputId, Where)>,
    /// How the turns ended.
    ends: Vec<(usize, TurnId, TurnEnd)>,
    /// What was answered to whom.
    returns: Vec<(usize, InputId, &'a Reply)>,
    /// Records that are part of a command's step.
    merged: Vec<usize>,
}

/// The steps of `history`.
pub fn observe(history: &History) -> Observation {
    let promise = promise_of(history);
    let mut reader = Reader::new(history);
    let calls = reader.calls();
    let mut initial = Session::new(&history.setup);
    let mut own: Vec<Own> = Vec::with_capacity(history.records.len());
    for (at, record) in history.records.iter().enumerate() {
        let actor = record.actor;
        reader.steps(at, |step| {
            if record.step > 0 || initial.begin_with(&promise, &step).is_err() {
                own.push(Own { actor, at, step });
            }
        });
    }
    in_order(initial, own, calls, history.real_time)
}

impl<'a> Reader<'a> {
    fn new(history: &'a History) -> Self {
        let (mut accepted, mut ends, mut returns) = (Vec::new(), Vec::new(), Vec::new());
        for (at, event) in history.events().enumerate() {
            match event {
                Event::Accepted { input, place, .. } => accepted.push((at, *input, *place)),
                Event::TurnEnded { turn, how } => ends.push((at, *turn, *how)),
                Event::Returned { command, reply } => returns.push((at, *command, reply)),
                _ => {}
            }
        }
        Reader { history, accepted, ends, returns, merged: Vec::new() }
    }

    /// Where an input was first put.
    fn first(&self, input: InputId) -> Option<(usize, Where)> {
        let first = self.accepted.iter().find(|(_, accepted, _)| *accepted == input);
        first.map(|(at, _, place)| (*at, *place))
    }

    /// In the order of their names, which is no order of the run.
    fn calls(&mut self) -> Vec<Call> {
        let called =
            self.history.records.iter().enumerate().filter_map(|(at, record)| match record.event {
                Event::Called { command } => Some((command, at, record.actor)),
                _ => None,
            });
        let mut called: Vec<(InputId, usize, usize)> = called.collect();
        called.sort_unstable();
        let read = |(command, at, actor)| self.read_call(command, at, actor);
        called.into_iter().filter_map(read).collect()
    }

    fn read_call(&mut self, command: InputId, called: usize, actor: usize) -> Option<Call> {
        let taken = self.taken(command);
        let returned = self.returns.iter().find(|(_, returned, _)| *returned == command);
        let answered = returned.filter(|(.., reply)| **reply != Reply::Dropped);
        let (returned, reply) = match answered {
            Some((at, _, reply)) => (Some(*at), (*reply).clone()),
            // Its effect was seen, so it had one.
            None => (None, self.effect(command)?),
        };
        let started = match reply {
            Reply::Verdict(Verdict::Started(turn)) | Reply::Began(turn) => Some(turn),
            _ => None,
        };
        let installed = started.and_then(|turn| self.install_of(turn, called));
        self.merged.extend(installed);
        let seen =
            installed.or_else(|| self.seen(command, called, actor)).or(returned).unwrap_or(called);
        let installs = started.filter(|_| installed.is_some());
        Some(Call { actor, called, returned, seen, told: Told { command, reply, taken, installs } })
    }

    /// What was taken of a command: its context and its input.
    fn taken(&self, command: InputId) -> Vec<(InputId, Where)> {
        let of_command = |input: &InputId| {
            *input == command
                || self
                    .history
                    .asked
                    .get(input)
                    .is_some_and(|asked| asked.travels_with == Some(command))
        };
        let first = self.accepted.iter().enumerate().filter(|(nth, (_, input, place))| {
            let before = &self.accepted[..*nth];
            *place != Where::Mailbox
                && of_command(input)
                && !before.iter().any(|(_, accepted, _)| accepted == input)
        });
        first.map(|(_, (_, input, place))| (*input, *place)).collect()
    }

    /// What a command must have been told whose caller went away.
    fn effect(&self, command: InputId) -> Option<Reply> {
        let own = TurnId::of(command);
        // Ran, or was promised the slot until the session was told to end.
        let ran = self.slots_from(0).any(|(_, _, to, of)| to == SlotShape::Running && of == own)
            || self
                .history
                .events()
                .any(|e| matches!(e, Event::PendingCleared { turn } if *turn == own));
        let place = self.first(command).map(|(_, place)| place);
        match (self.history.commands.get(&command)?, place) {
            (Command::Deliver(_), Some(_)) => Some(Reply::Delivered),
            (Command::Inject { .. }, Some(Where::Pending(_))) => Some(Reply::Injected),
            (Command::Submit(_), Some(Where::Pending(turn) | Where::Initial(turn)))
                if turn != own =>
            {
                Some(Reply::Verdict(Verdict::Steered(turn)))
            }
            // Whoever takes a turn up again has none of its own.
            (Command::Submit(Submission { mode, input, .. }), place)
                if ran
                    && (place.is_some() || input.is_empty())
                    && !matches!(mode, Mode::Recover { .. }) =>
            {
                Some(Reply::Verdict(Verdict::Started(own)))
            }
            (Command::Begin { .. }, _) if ran => Some(Reply::Began(own)),
            _ => None,
        }
    }

    /// Changes of the slot at or behind a position.
    fn slots_from(
        &self,
        begin: usize,
    ) -> impl Iterator<Item = (usize, SlotShape, SlotShape, TurnId)> + use<'a> {
        self.history.events().enumerate().skip(begin).filter_map(|(at, event)| match event {
            Event::Slot { from, to, turn: Some(turn) } => Some((at, *from, *to, *turn)),
            _ => None,
        })
    }

    /// Where a turn was given an empty or reserved slot after `called`.
    fn install_of(&self, turn: TurnId, called: usize) -> Option<usize> {
        self.slots_from(called).find_map(|(at, from, to, of)| {
            let free = matches!(from, SlotShape::Idle | SlotShape::Reserved);
            (free && to == SlotShape::Running && of == turn).then_some(at)
        })
    }

    /// Where a command that starts nothing was seen to be decided.
    fn seen(&self, command: InputId, called: usize, actor: usize) -> Option<usize> {
        let begins = matches!(self.history.commands.get(&command), Some(Command::Begin { .. }));
        let decided = |at: &usize| {
            let record = &self.history.records[*at];
            match &record.event {
                Event::Accepted { input, .. } | Event::Refused { input, .. } => *input == command,
                Event::StartUpCancelled { command: of } => *of == command,
                Event::Slot { to, .. } => {
                    record.actor == actor && (begins || *to == SlotShape::Idle)
                }
                _ => false,
            }
        };
        let returned = |at: &usize| {
            matches!(&self.history.records[*at].event,
                Event::Returned { command: of, .. } if *of == command)
        };
        (called..self.history.records.len()).take_while(|at| !returned(at)).find(decided)
    }

    /// Gives the steps that a record stands for, besides those of commands.
    fn steps(&self, at: usize, mut give: impl FnMut(Step)) {
        if self.merged.contains(&at) {
            return;
        }
        let step = match &self.history.records[at].event {
            Event::Slot { from, to, turn: Some(turn) } => {
                let (from, to, turn) = (*from, *to, *turn);
                Some(Step::Slot { from, to, turn, ends: self.end_of(turn, at) })
            }
            Event::Accepted { input, place, .. } => self.queued(*input, *place, at),
            Event::Drained { turn, inputs } => {
                return self.drained(*turn, inputs, at).into_iter().flatten().for_each(give);
            }
            Event::Recorded { input, turn } => Some(Step::Record(*input, *turn)),
            Event::Hooked { input, accepted: false } => Some(Step::Block(*input)),
            Event::Phase { turn, to, because } => said(*turn, *to, *because),
            Event::Looked { turn, found } => Some(Step::Look(*turn, *found)),
            Event::RequestBegan { turn, new, purpose: Purpose::Turn, .. } => {
                Some(Step::Sample(*turn, new.clone()))
            }
            Event::PendingCleared { turn } => Some(Step::ClearPending(*turn)),
            Event::Cleared { input, .. } => Some(Step::Clear(*input)),
            Event::GivenBack { input } => self.first(*input).map(|_| Step::Clear(*input)),
            Event::TurnEnded { turn, how } => Some(Step::End(*turn, *how)),
            Event::TurnSuspended { turn } => Some(Step::Suspend(*turn)),
            Event::ContextBuilt { turn, settings, .. } => Some(Step::Context(*turn, *settings)),
            Event::SettingsApplied { command, version, .. } => Some(Step::Edit(*command, *version)),
            Event::ConstraintAdded { command } => Some(Step::Forbid(*command)),
            Event::Waiter { table, key, what, .. } => {
                Some(Step::Waiter(*table, key.clone(), *what))
            }
            Event::DrainingBegan { .. } => Some(Step::Drain),
            Event::Closed { .. } => Some(Step::Close),
            _ => None,
        };
        if let Some(step) = step {
            give(step);
        }
    }

    /// How the turn ends that leaves the slot here.
    fn end_of(&self, turn: TurnId, at: usize) -> Option<TurnEnd> {
        let end = self.ends.iter().find(|(ended, of, _)| *ended >= at && *of == turn);
        end.map(|(.., how)| *how)
    }

    /// What an acceptance is, unless it is a command's own.
    fn queued(&self, input: InputId, place: Where, at: usize) -> Option<Step> {
        let first = self.first(input).is_some_and(|(first, _)| first == at);
        let asked = self.history.asked.get(&input);
        let command = asked.and_then(|asked| asked.travels_with).unwrap_or(input);
        let commanded = self.history.commands.contains_key(&command);
        match place {
            Where::Mailbox if first && commanded => None,
            Where::Mailbox => Some(Step::Put(input)),
            // Queued on a reservation, before it is known whether the start succeeds.
            Where::Pending(turn) if first && turn.origin == command => {
                Some(Step::Queue(input, place))
            }
            Where::Pending(_) | Where::Initial(_) if first && commanded => None,
            Where::Pending(_) | Where::Initial(_) => Some(Step::Queue(input, place)),
        }
    }

    /// Two steps: first what waited on the turn, then the mailbox.
    fn drained(&self, turn: TurnId, inputs: &[InputId], at: usize) -> [Option<Step>; 2] {
        let in_mailbox = |input: &InputId| {
            let mut before = self.accepted.iter().rev().skip_while(|(accepted, ..)| *accepted > at);
            let last = before.find(|(_, accepted, _)| accepted == input);
            last.is_some_and(|(.., place)| *place == Where::Mailbox)
        };
        let (mail, pending): (Vec<InputId>, Vec<InputId>) =
            inputs.iter().partition(|i| in_mailbox(i));
        [
            (!pending.is_empty()).then_some(Step::TakePending(turn, pending)),
            (!mail.is_empty()).then_some(Step::TakeMail(turn, mail)),
        ]
    }
}

/// What a model decided; what steers and injections decide is theirs.
fn said(turn: TurnId, to: Phase, because: PhaseCause) -> Option<Step> {
    match because {
        PhaseCause::FinalAnswer | PhaseCause::ToolCall | PhaseCause::FollowUp => {
            Some(Step::Phase(turn, to, because))
        }
        PhaseCause::Steer | PhaseCause::Injection => None,
    }
}

/// Lays the steps out in chains: first an actor each, then a command each, each in an order that
/// does not depend on the run.
fn in_order(initial: Session, mut own: Vec<Own>, calls: Vec<Call>, real_time: bool) -> Observation {
    // Stable: an actor's own order stays.
    own.sort_by_key(|own| own.actor);
    let mut actors: Vec<&[Own]> = own.chunk_by(|one, next| one.actor == next.actor).collect();
    actors.sort_by(|one, other| one[0].step.cmp(&other[0].step));
    let chains: Vec<usize> = actors.iter().map(|steps| steps[0].actor).collect();
    let before_call = calls.iter().map(|call| {
        let mut after = returned_before(&calls, chains.len(), call.called, |other| {
            real_time || other.actor == call.actor
        });
        if let Some(chain) = chains.iter().position(|actor| *actor == call.actor) {
            let made = actors[chain].partition_point(|step| step.at < call.called);
            after.resize(after.len().max(chain + 1), 0);
            after[chain] = u16::try_from(made).unwrap_or(u16::MAX);
        }
        after
    });
    let before_call: Vec<Vec<u16>> = before_call.collect();
    let mut steps = Operations::default();
    let mut seen: Vec<(usize, usize, Place)> = Vec::with_capacity(own.len() + calls.len());
    for (nth, Own { actor, at, step }) in own.into_iter().enumerate() {
        let Some(chain) = chains.iter().position(|chain| *chain == actor) else { continue };
        // Its own chain says the rest.
        let after = returned_before(&calls, chains.len(), at, |other| other.actor == actor);
        let observed = Observed { operation: step, after, optional: false };
        seen.push((at, nth, steps.push(chain, observed)));
    }
    for ((nth, call), after) in calls.into_iter().enumerate().zip(before_call) {
        let observed = Observed { operation: Step::Call(call.told), after, optional: false };
        seen.push((call.seen, usize::MAX, steps.push(chains.len() + nth, observed)));
    }
    seen.sort_unstable();
    let order = seen.into_iter().map(|(at, _, place)| (place, at)).collect();
    Observation { initial, steps, order }
}

/// Which of the calls that matter returned before a record; the chains of calls are behind `chains`
/// others.
fn returned_before(
    calls: &[Call],
    chains: usize,
    at: usize,
    matters: impl Fn(&Call) -> bool,
) -> Vec<u16> {
    let before = |call: &Call| matters(call) && call.returned.is_some_and(|returned| returned < at);
    let Some(last) = calls.iter().rposition(before) else { return Vec::new() };
    let mut after = vec![0; chains + last + 1];
    for (after, call) in after[chains..].iter_mut().zip(calls) {
        *after = u16::from(before(call));
    }
    after
}
