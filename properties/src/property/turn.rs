//! Properties about turns.

use std::collections::{BTreeMap, BTreeSet};

use midturn_protocol::{Event, InputId, InputKind, ModelItem, RequestEnd, SlotShape, TurnId};

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
    // Only the turn that is in the slot may still be open.
    let occupant = history.events().rev().find_map(|event| match event {
        Event::Slot { turn, .. } => *turn,
        _ => None,
    });
    let occupant = occupant.or_else(|| history.turns().first().copied());
    for turn in open {
        if history.ends_idle() || occupant != Some(turn) {
            let started =
                |event: &Event| matches!(event, Event::TurnStarted { turn: t } if *t == turn);
            found.report(format!("{} never ended", names.turn(turn)), history.first(started));
        }
    }
}

/// What is known of a turn since its last final answer.
#[derive(Default)]
struct Answered {
    shown: bool,
    /// A request that began for nothing that may reopen the turn, until the model answers it: one
    /// that is cancelled before that has sampled nothing.
    suspect: Option<(usize, String)>,
    /// Trigger mail that the turn had taken before its answer; it keeps the turn going.
    taken: BTreeSet<InputId>,
}

pub(super) fn answered_stays_answered(history: &History, names: &Names, found: &mut Found) {
    let mut turns: BTreeMap<TurnId, Answered> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Drained { turn, inputs } => {
                let turn = turns.entry(*turn).or_default();
                let trigger = |input: &&InputId| {
                    history.asked.get(input).is_some_and(|asked| asked.kind.is_trigger_mail())
                };
                if !turn.shown {
                    turn.taken.extend(inputs.iter().filter(trigger));
                }
            }
            Event::ModelItem { turn, item } => {
                let turn = turns.entry(*turn).or_default();
                if let Some((at, what)) = turn.suspect.take() {
                    found.report(what, Some(at));
                }
                turn.shown = item.is_final_answer() || (turn.shown && !reopens(item));
            }
            Event::RequestEnded { turn, how, .. } => {
                let turn = turns.entry(*turn).or_default();
                match (turn.suspect.take(), how) {
                    (Some(_), RequestEnd::Cancelled) | (None, _) => {}
                    (Some((at, what)), _) => found.report(what, Some(at)),
                }
                turn.shown &= *how != RequestEnd::Completed { follow_up: true };
            }
            Event::RequestBegan { turn, request, new } => {
                let known = turns.entry(*turn).or_default();
                let reopened =
                    |input: &InputId| is_explicit(history, *input) || known.taken.contains(input);
                if known.shown && !new.iter().any(reopened) {
                    let new = if new.is_empty() { "nothing new".into() } else { names.list(new) };
                    let turn = names.turn(*turn);
                    let what = format!(
                        "{turn} had shown its answer, and request {request} began for {new}"
                    );
                    known.suspect = Some((at, what));
                }
                known.shown = false;
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

pub(super) fn no_leaked_reservation(history: &History, names: &Names, found: &mut Found) {
    if history.last.slot == Some(SlotShape::Reserved) {
        let reserved = |event: &Event| matches!(event, Event::Slot { to: SlotShape::Reserved, .. });
        let at = history.records.iter().rposition(|record| reserved(&record.event));
        let turn = at.and_then(|at| match history.records[at].event {
            Event::Slot { turn, .. } => turn,
            _ => None,
        });
        let turn = turn.map_or_else(|| "a turn".to_owned(), |turn| names.turn(turn));
        found.report(format!("the slot is reserved for {turn}, and nobody will start it"), at);
    }
}
