//! Properties about turns.

use std::collections::BTreeMap;

use midturn_protocol::{Event, InputId, InputKind, ModelItem, RequestEnd, TurnId};

use super::Found;
use crate::history::History;
use crate::scenario::Names;

pub(super) fn single_active_turn(history: &History, names: &Names, found: &mut Found) {
    let mut open: Vec<TurnId> = Vec::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::TurnStarted { turn } => {
                if let Some(other) = open.first() {
                    let (turn, other) = (names.turn(*turn), names.turn(*other));
                    found.report(format!("{turn} started while {other} was active"), Some(at));
                }
                open.push(*turn);
            }
            Event::TurnEnded { turn, .. } => open.retain(|other| other != turn),
            _ => {}
        }
    }
}

pub(super) fn one_terminal_per_turn(history: &History, names: &Names, found: &mut Found) {
    let mut terminals: BTreeMap<TurnId, u32> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::TurnStarted { turn } if terminals.insert(*turn, 0).is_some() => {
                found.report(format!("{} started twice", names.turn(*turn)), Some(at));
            }
            Event::TurnEnded { turn, .. } => match terminals.get_mut(turn) {
                Some(count) => {
                    *count += 1;
                    if *count > 1 {
                        found.report(format!("{} ended twice", names.turn(*turn)), Some(at));
                    }
                }
                None => {
                    found
                        .report(format!("{} ended and never started", names.turn(*turn)), Some(at));
                }
            },
            _ => {}
        }
    }
    let open: Vec<TurnId> =
        terminals.iter().filter(|(_, count)| **count == 0).map(|(turn, _)| *turn).collect();
    let allowed = usize::from(!history.ends_idle());
    if open.len() > allowed {
        for turn in open {
            let at = history
                .first(|event| matches!(event, Event::TurnStarted { turn: t } if *t == turn));
            found.report(format!("{} never ended", names.turn(turn)), at);
        }
    }
}

pub(super) fn answered_stays_answered(history: &History, names: &Names, found: &mut Found) {
    // Turns whose last request showed a final answer, and nothing since that reopens them.
    let mut answered: BTreeMap<TurnId, ()> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::ModelItem { turn, item } => {
                if item.is_final_answer() {
                    answered.insert(*turn, ());
                } else if reopens(item) {
                    answered.remove(turn);
                }
            }
            Event::RequestEnded {
                turn, how: RequestEnd::Completed { follow_up: true }, ..
            } => {
                answered.remove(turn);
            }
            Event::RequestBegan { turn, request, new }
                if answered.remove(turn).is_some()
                    && !new.iter().any(|input| is_explicit(history, *input)) =>
            {
                let new: Vec<_> = new.iter().map(|input| names.input(*input)).collect();
                let turn = names.turn(*turn);
                found.report(
                    format!(
                        "{turn} had shown its answer, and request {request} began for {}",
                        if new.is_empty() { "nothing new".to_owned() } else { new.join(", ") }
                    ),
                    Some(at),
                );
            }
            _ => {}
        }
    }
}

fn reopens(item: &ModelItem) -> bool {
    matches!(item, ModelItem::Tool(_) | ModelItem::RefusedTool(_) | ModelItem::NotEnded)
}

fn is_explicit(history: &History, input: InputId) -> bool {
    history.asked.get(&input).is_some_and(|asked| !matches!(asked.kind, InputKind::Mail { .. }))
}

pub(super) fn no_work_stranded_while_idle(history: &History, names: &Names, found: &mut Found) {
    if history.ends_idle() {
        for mail in &history.last.trigger_mail {
            let at = history
                .first(|event| matches!(event, Event::Accepted { input, .. } if input == mail));
            let mail = names.input(*mail);
            found.report(format!("trigger mail {mail} waits, and the session is idle"), at);
        }
    }
}
