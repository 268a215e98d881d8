//! Properties about aborts.

use std::collections::{BTreeMap, BTreeSet};

use midturn_protocol::{
    Command, Decision, Event, GraceEnd, InputId, Reply, TurnEnd, TurnId, WaiterEvent,
};

use super::Found;
use super::turn::is_recovered;
use crate::history::History;
use crate::scenario::Names;

/// What one actor has done so far to end a turn.
#[derive(Default)]
struct Abort {
    requested: bool,
    waited: bool,
    marked: bool,
    /// The log holds the marker.
    flushed: bool,
}

/// By turn and by who ends it.
#[derive(Default)]
struct Aborts(BTreeMap<(TurnId, usize), Abort>);

impl Aborts {
    fn of(&mut self, turn: TurnId, actor: usize) -> &mut Abort {
        self.0.entry((turn, actor)).or_default()
    }
}

pub(super) fn abort_order(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut report = |rule: &str, turn: TurnId, at: usize| {
        found.report(format!("{rule} ({})", names.turn(turn)), Some(at));
    };
    steps_of_an_abort(history, &mut report);
    nothing_after_the_marker(history, &mut report);
}

/// Compares events of one actor, the one that aborts.
fn steps_of_an_abort(history: &History, report: &mut dyn FnMut(&str, TurnId, usize)) {
    // A failed request also clears what waits, and a task that leaves may close its own waiters:
    // nobody aborts anything there.
    let aborters: BTreeSet<(TurnId, usize)> = history
        .records
        .iter()
        .filter_map(|record| match &record.event {
            Event::CancelRequested { turn } => Some((*turn, record.actor)),
            _ => None,
        })
        .collect();
    let mut aborts = Aborts::default();
    for (at, record) in history.records.iter().enumerate() {
        let actor = record.actor;
        match &record.event {
            // A turn that was taken up again may be aborted again.
            Event::CancelRequested { turn } => {
                *aborts.of(*turn, actor) = Abort { requested: true, ..Abort::default() };
            }
            Event::GraceEnded { turn, .. } => {
                let abort = aborts.of(*turn, actor);
                abort.waited = true;
                if !abort.requested {
                    report("the wait for the task came before its cancel", *turn, at);
                }
            }
            Event::PendingCleared { turn }
                if aborters.contains(&(*turn, actor)) && !aborts.of(*turn, actor).waited =>
            {
                report("pending was cleared before the task saw the cancel", *turn, at);
            }
            Event::Waiter { turn, what: WaiterEvent::Closed, .. }
                if aborters.contains(&(*turn, actor)) && !aborts.of(*turn, actor).waited =>
            {
                report("an answer was given up before the task saw the cancel", *turn, at);
            }
            Event::Marker { turn } => {
                let abort = aborts.of(*turn, actor);
                abort.marked = true;
                if !abort.waited {
                    report("the marker came before the task saw the cancel", *turn, at);
                }
            }
            Event::Flushed { turn } => {
                let abort = aborts.of(*turn, actor);
                abort.flushed = abort.marked;
            }
            Event::TurnEnded { turn, how: TurnEnd::Interrupted } => match aborts.of(*turn, actor) {
                Abort { marked: false, .. } => {
                    report("the end was told before the marker was recorded", *turn, at);
                }
                Abort { flushed: false, .. } => {
                    report("the end was told before the marker was in the log", *turn, at);
                }
                Abort { .. } => {}
            },
            _ => {}
        }
    }
}

/// Compares entries of history. Of a turn that is taken up again, only who wrote before the
/// marker may not go on after it: the new task is somebody else.
fn nothing_after_the_marker(history: &History, report: &mut dyn FnMut(&str, TurnId, usize)) {
    let mut writers: BTreeMap<TurnId, BTreeSet<usize>> = BTreeMap::new();
    let mut stopped: BTreeMap<TurnId, BTreeSet<usize>> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Marker { turn } => {
                stopped.insert(*turn, writers.get(turn).cloned().unwrap_or_default());
            }
            Event::RequestBegan { turn, .. } => {
                writers.entry(*turn).or_default().insert(record.actor);
            }
            Event::Recorded { turn: Some(turn), .. } | Event::ModelItem { turn, .. } => {
                writers.entry(*turn).or_default().insert(record.actor);
                let Some(stopped) = stopped.get(turn) else { continue };
                if stopped.contains(&record.actor) || !is_recovered(history, *turn) {
                    report("something entered history after the marker of its turn", *turn, at);
                }
            }
            _ => {}
        }
    }
}

/// Compares sections of the signal of one task: its end, and the beginning of the wait for it. A
/// turn that was taken up again had two tasks, and is left out.
pub(super) fn done_is_heard(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut done: BTreeSet<TurnId> = BTreeSet::new();
    let mut missed: BTreeSet<(TurnId, usize)> = BTreeSet::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::TaskDone { turn } => {
                done.insert(*turn);
            }
            Event::GraceBegan { turn } if done.contains(turn) => {
                missed.insert((*turn, record.actor));
            }
            Event::GraceEnded { turn, how: GraceEnd::TimedOut }
                if missed.contains(&(*turn, record.actor)) && !is_recovered(history, *turn) =>
            {
                let turn = names.turn(*turn);
                let what = format!("the task of {turn} had ended, and was waited for all the same");
                found.report(what, Some(at));
            }
            _ => {}
        }
    }
}

/// Compares a reply with its command, every stopped turn with what was asked before, and what one
/// actor stops with what it was asked to stop.
pub(super) fn interrupt_hits_what_it_names(
    history: &History,
    names: &Names,
    found: &mut Found<'_>,
) {
    stops_what_it_names(history, names, found);
    let mut asked = Asked::default();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Called { command } => asked.note(history, *command),
            Event::Returned { command, reply: Reply::Interrupted(Some(ended)) } => {
                if let Some(Command::Interrupt { turn: Some(named), .. }) =
                    history.commands.get(command)
                    && named != ended
                {
                    let (named, ended) = (names.turn(*named), names.turn(*ended));
                    found.report(format!("an interrupt of {named} ended {ended}"), Some(at));
                }
            }
            Event::Returned { reply: Reply::ShutDown(Some(told)), .. }
                if !history.events().any(
                    |event| matches!(event, Event::TurnSuspended { turn } if turn == told),
                ) =>
            {
                let told = names.turn(*told);
                found.report(format!("{told} was said to be suspended, and was not"), Some(at));
            }
            Event::TurnSuspended { turn } if !asked.may_suspend(history, *turn) => {
                let turn = names.turn(*turn);
                found.report(format!("{turn} was suspended, and nobody was told so"), Some(at));
            }
            Event::TurnEnded { turn, how: TurnEnd::Interrupted } if !asked.names_or_hits(*turn) => {
                let turn = names.turn(*turn);
                found.report(format!("{turn} was interrupted, and nobody meant it"), Some(at));
            }
            _ => {}
        }
    }
}

/// What was asked so far that stops a turn.
#[derive(Default)]
struct Asked {
    named: BTreeSet<TurnId>,
    /// How many stop whatever runs, each one turn; less those whose turn is known.
    unnamed: usize,
    suspensions: Vec<InputId>,
}

impl Asked {
    fn note(&mut self, history: &History, command: InputId) {
        match history.commands.get(&command) {
            Some(Command::Interrupt { turn: Some(turn), .. }) => {
                self.named.insert(*turn);
            }
            Some(Command::Interrupt { turn: None, .. } | Command::ShutDown { .. }) => {
                self.unnamed += 1;
            }
            Some(Command::Answer(answer)) if answer.decision == Decision::Abort => {
                self.unnamed += 1;
            }
            Some(Command::Suspend { .. }) => self.suspensions.push(command),
            _ => {}
        }
    }

    fn names_or_hits(&mut self, turn: TurnId) -> bool {
        if self.named.contains(&turn) {
            return true;
        }
        if self.unnamed == 0 {
            return false;
        }
        self.unnamed -= 1;
        self.named.insert(turn);
        true
    }

    /// Whether somebody who asked for a suspension is told of this one, or of nothing.
    fn may_suspend(&self, history: &History, turn: TurnId) -> bool {
        self.suspensions.iter().any(|command| match history.reply(*command) {
            Some(Reply::ShutDown(told)) => *told == Some(turn),
            Some(Reply::Dropped) | None => true,
            Some(_) => false,
        })
    }
}

/// Behind a loop, and where aborts run in tasks of their own, nothing can be seen of this.
fn stops_what_it_names(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut under_way: BTreeMap<usize, TurnId> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Called { command } => {
                if let Some(Command::Interrupt { turn: Some(named), .. }) =
                    history.commands.get(command)
                {
                    under_way.insert(record.actor, *named);
                }
            }
            Event::Returned { .. } => {
                under_way.remove(&record.actor);
            }
            Event::CancelRequested { turn } => {
                if let Some(named) = under_way.get(&record.actor).filter(|named| *named != turn) {
                    let (named, turn) = (names.turn(*named), names.turn(*turn));
                    found.report(format!("an interrupt of {named} stops {turn}"), Some(at));
                }
            }
            _ => {}
        }
    }
}
