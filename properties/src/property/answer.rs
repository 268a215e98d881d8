//! Properties about answers: those that callers get, and those that tools wait for.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use midturn_protocol::{
    Command, Event, InputId, Outside, Place, Reply, ToolWake, TurnId, WaiterEvent, WaiterTable,
};

use super::Found;
use crate::history::History;
use crate::scenario::Names;

/// Looks at who carries a submission out: what its own actor awaits between call and return.
pub(super) fn verdict_needs_no_one_else(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut under_way: BTreeMap<usize, InputId> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Called { command } => {
                if let Some(Command::Submit(_)) = history.commands.get(command) {
                    under_way.insert(record.actor, *command);
                }
            }
            Event::Returned { .. } => {
                under_way.remove(&record.actor);
            }
            Event::Awaits { on } => {
                let whom = match on {
                    Outside::Hook => "a hook",
                    Outside::Log => "the log",
                    Outside::Model => "the model",
                    Outside::Tool => "a tool",
                    Outside::Task => "the end of a task",
                    // A start that has reserved its place may be prepared.
                    Outside::Preparation => continue,
                };
                if let Some(command) = under_way.get(&record.actor) {
                    let command = names.input(*command);
                    found.report(format!("the verdict of {command} waits for {whom}"), Some(at));
                }
            }
            _ => {}
        }
    }
}

/// Looks at what is left when nobody moves, and counts answers.
pub(super) fn every_request_answered(history: &History, names: &Names, found: &mut Found<'_>) {
    commands_are_answered(history, names, found);
    waiters_are_told(history, names, found);
    answers_arrive(history, found);
}

fn commands_are_answered(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut open: BTreeMap<InputId, usize> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Called { command } => {
                open.insert(*command, at);
            }
            Event::Returned { command, .. } => {
                open.remove(command);
            }
            _ => {}
        }
    }
    for (command, at) in open {
        let may_wait =
            matches!(history.commands.get(&command), Some(Command::AwaitActivity { .. }));
        if !may_wait {
            found.report(format!("{} was never answered", names.input(command)), Some(at));
        }
    }
}

/// Somebody who waits.
type Waiter = (TurnId, WaiterTable, Arc<str>);

fn waiters_are_told(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut waiting: BTreeMap<Waiter, usize> = BTreeMap::new();
    let mut over: BTreeSet<TurnId> = BTreeSet::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Waiter { turn, table, key, what } => {
                let waiter = (*turn, *table, key.clone());
                match what {
                    WaiterEvent::Opened => waiting.insert(waiter, at),
                    WaiterEvent::Answered | WaiterEvent::Closed => waiting.remove(&waiter),
                };
            }
            // Also once more, if it is taken up again.
            Event::TurnStarted { turn, .. } => {
                over.remove(turn);
            }
            Event::TurnEnded { turn, .. } | Event::TurnSuspended { turn } => {
                over.insert(*turn);
            }
            _ => {}
        }
    }
    for ((turn, _, key), at) in waiting.into_iter().filter(|((turn, ..), _)| over.contains(turn)) {
        let turn = names.turn(turn);
        let what = format!("{key} of {turn} waits for an answer that nobody owes it");
        found.report(what, Some(at));
    }
}

/// How often somebody who waits under one key was answered, and how often the one who answered
/// was told so.
#[derive(Default)]
struct Answers {
    taken: usize,
    told: usize,
    /// Their senders went away, or have not been told yet.
    untold: usize,
}

fn answers_arrive(history: &History, found: &mut Found<'_>) {
    let mut answers: BTreeMap<(WaiterTable, Arc<str>), Answers> = BTreeMap::new();
    for event in history.events() {
        match event {
            Event::Waiter { table, key, what: WaiterEvent::Answered, .. } => {
                answers.entry((*table, key.clone())).or_default().taken += 1;
            }
            Event::Called { command } => {
                let Some(Command::Answer(answer)) = history.commands.get(command) else { continue };
                let known = answers.entry((answer.table, answer.key.clone())).or_default();
                match history.reply(*command) {
                    Some(Reply::Answered { found: true }) => known.told += 1,
                    Some(Reply::Dropped) | None => known.untold += 1,
                    Some(_) => {}
                }
            }
            _ => {}
        }
    }
    for ((_, key), Answers { taken, told, untold }) in answers {
        if taken < told {
            found.report(format!("an answer for {key} was said to be taken, and was not"), None);
        }
        if taken > told + untold {
            found.report(format!("an answer for {key} was taken, and nobody was told so"), None);
        }
    }
}

/// Compares sections of the turn's own lock.
pub(super) fn waits_end_on_input(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut waiting: BTreeMap<InputId, TurnId> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Accepted { input, kind, place: Place::Pending(turn) } if kind.is_explicit() => {
                waiting.insert(*input, *turn);
            }
            Event::Drained { inputs, .. } => waiting.retain(|input, _| !inputs.contains(input)),
            Event::Cleared { input, .. } => {
                waiting.remove(input);
            }
            Event::PendingCleared { turn } => waiting.retain(|_, on| on != turn),
            Event::ToolWoken { turn, how: ToolWake::TimedOut } => {
                if let Some((input, _)) = waiting.iter().find(|(_, on)| *on == turn) {
                    let (turn, input) = (names.turn(*turn), names.input(*input));
                    let what =
                        format!("a tool of {turn} waited its time out while {input} was there");
                    found.report(what, Some(at));
                }
            }
            _ => {}
        }
    }
}
