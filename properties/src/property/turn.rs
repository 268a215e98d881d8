//! Properties about turns.

use std::collections::{BTreeMap, BTreeSet};

use midturn_protocol::{
    Event, InputId, InputKind, Mode, ModelItem, Place, Purpose, Reply, RequestEnd, SlotShape,
    TurnEnd, TurnId, Verdict,
};

use super::Found;
use crate::history::History;
use crate::scenario::Names;

pub(super) fn single_active_turn(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut open: Vec<TurnId> = Vec::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::TurnStarted { turn, .. } => {
                if let Some(other) = open.first() {
                    let (turn, other) = (names.turn(*turn), names.turn(*other));
                    found.report(format!("{turn} started while {other} was active"), Some(at));
                }
                open.push(*turn);
            }
            Event::TurnEnded { turn, .. } | Event::TurnSuspended { turn } => {
                open.retain(|other| other != turn);
            }
            _ => {}
        }
    }
}

/// Whether `turn`, which had been stopped, was taken up again.
pub(super) fn is_recovered(history: &History, turn: TurnId) -> bool {
    let starts = history.turns().into_iter().filter(|started| *started == turn).count();
    starts > 1 && recovery_asked(history, turn)
}

/// Whether a recovery of `turn` was asked for and not refused. Its caller may have gone away.
fn recovery_asked(history: &History, turn: TurnId) -> bool {
    history.asked.iter().any(|(command, asked)| {
        let told = || match history.reply(*command) {
            Some(Reply::Verdict(Verdict::Started(started))) => *started == turn,
            Some(Reply::Dropped) | None => true,
            Some(_) => false,
        };
        asked.mode == Some(Mode::Recover { turn }) && told()
    })
}

/// How often a turn was seen to start and to end.
#[derive(Default)]
struct Seen {
    starts: u32,
    ends: u32,
    /// It was stopped, so that it may be taken up again.
    stopped: bool,
}

pub(super) fn one_terminal_per_turn(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut turns: BTreeMap<TurnId, Seen> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::TurnStarted { turn, .. } => {
                let seen = turns.entry(*turn).or_default();
                seen.starts += 1;
                let again = seen.stopped && is_recovered(history, *turn);
                if seen.starts > 1 && !again {
                    found.report(format!("{} started twice", names.turn(*turn)), Some(at));
                }
                if again {
                    (seen.ends, seen.stopped) = (0, false);
                }
            }
            // Counts as an end, and nobody has to be told of it.
            Event::TurnSuspended { turn } => {
                let seen = turns.entry(*turn).or_default();
                seen.ends += 1;
                seen.stopped = true;
                if seen.ends > 1 {
                    found
                        .report(format!("{} ended and was suspended", names.turn(*turn)), Some(at));
                }
            }
            Event::TurnEnded { turn, how } => {
                let seen = turns.entry(*turn).or_default();
                seen.ends += 1;
                seen.stopped = *how == TurnEnd::Interrupted;
                let what = match (seen.starts, seen.ends) {
                    (0, _) => "ended and never started",
                    (_, 1) => continue,
                    _ => "ended twice",
                };
                found.report(format!("{} {what}", names.turn(*turn)), Some(at));
            }
            _ => {}
        }
    }
    let open = turns.iter().filter(|(_, seen)| seen.starts > 0 && seen.ends == 0);
    // Only the turn that is in the slot may still be open.
    let occupant = history.events().rev().find_map(|event| match event {
        Event::Slot { turn, .. } => *turn,
        _ => None,
    });
    let occupant = occupant.or_else(|| history.turns().first().copied());
    for (turn, _) in open {
        if history.ends_idle() || occupant != Some(*turn) {
            let started =
                |event: &Event| matches!(event, Event::TurnStarted { turn: t, .. } if t == turn);
            found.report(format!("{} never ended", names.turn(*turn)), history.first(started));
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
    /// Whose the last request was.
    task: Option<usize>,
}

pub(super) fn answered_stays_answered(history: &History, names: &Names, found: &mut Found<'_>) {
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
            Event::StopBlocked { turn } => turns.entry(*turn).or_default().shown = false,
            Event::RequestBegan { turn, request, new, purpose: Purpose::Turn, .. } => {
                let known = turns.entry(*turn).or_default();
                let same_task = known.task.replace(record.actor) == Some(record.actor);
                if !same_task && is_recovered(history, *turn) {
                    known.shown = false;
                }
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

pub(super) fn no_work_stranded_while_idle(history: &History, names: &Names, found: &mut Found<'_>) {
    if history.ends_idle() && !history.last.closed {
        for mail in &history.last.trigger_mail {
            let at = history
                .first(|event| matches!(event, Event::Accepted { input, .. } if input == mail));
            let mail = names.input(*mail);
            found.report(format!("trigger mail {mail} waits, and the session is idle"), at);
        }
    }
}

pub(super) fn no_leaked_reservation(history: &History, names: &Names, found: &mut Found<'_>) {
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

/// Compares events of one turn: what it takes, and its first request of its own.
pub(super) fn no_turn_for_nothing(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut took: BTreeSet<TurnId> = BTreeSet::new();
    let mut sampled: BTreeSet<TurnId> = BTreeSet::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Drained { turn, inputs } if !inputs.is_empty() => {
                took.insert(*turn);
            }
            Event::Recorded { turn: Some(turn), .. } => {
                took.insert(*turn);
            }
            Event::RequestBegan { turn, purpose: Purpose::Turn, .. }
                if sampled.insert(*turn)
                    && !took.contains(turn)
                    && !is_asked_for(history, *turn) =>
            {
                let turn = names.turn(*turn);
                found.report(format!("{turn} was asked for by nobody and takes nothing"), Some(at));
            }
            _ => {}
        }
    }
}

fn is_asked_for(history: &History, turn: TurnId) -> bool {
    turn.origin == InputId::PRESET && turn.successor == 0
        || history.events().any(|event| match event {
            Event::Returned { reply: Reply::Verdict(Verdict::Started(told)), .. } => *told == turn,
            // Its caller may have gone away, or the answer may be still on its way.
            Event::Accepted { input, place, .. } => {
                *input == turn.origin
                    && matches!(place, Place::Initial(to) | Place::Pending(to) if *to == turn)
            }
            _ => false,
        })
        || is_empty_start(history, turn)
        || recovery_asked(history, turn)
}

/// Whether `turn` is that of an empty submission that may have been told so.
fn is_empty_start(history: &History, turn: TurnId) -> bool {
    let told = match history.reply(turn.origin) {
        Some(Reply::Verdict(Verdict::Started(_)) | Reply::Dropped) | None => true,
        Some(_) => false,
    };
    turn.successor == 0 && told && history.asked.get(&turn.origin).is_some_and(|asked| asked.empty)
}

/// Compares sections of the slot.
pub(super) fn no_turn_after_close(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut closed = false;
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Closed { .. } => closed = true,
            Event::Slot { to: SlotShape::Running, turn: Some(turn), .. } if closed => {
                let turn = names.turn(*turn);
                found.report(format!("{turn} started after the session was ended"), Some(at));
            }
            _ => {}
        }
    }
}

/// Whose task an actor is shows in the requests that it makes.
pub(super) fn turns_end_themselves(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut tasks: BTreeMap<usize, TurnId> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        if let Event::RequestBegan { turn, .. } = &record.event {
            tasks.insert(record.actor, *turn);
        }
        let Event::Slot { to: SlotShape::Finishing, turn: Some(turn), .. } = &record.event else {
            continue;
        };
        if let Some(own) = tasks.get(&record.actor).filter(|own| *own != turn) {
            let (own, turn) = (names.turn(*own), names.turn(*turn));
            found.report(format!("the task of {own} takes {turn} out of the slot"), Some(at));
        }
    }
}

/// Looks at what is left when nobody moves.
pub(super) fn no_turn_abandoned(history: &History, names: &Names, found: &mut Found<'_>) {
    if history.ends_idle() || history.last.slot == Some(SlotShape::Reserved) {
        return;
    }
    let occupant = history.events().rev().find_map(|event| match event {
        Event::Slot { turn, .. } => *turn,
        _ => None,
    });
    let Some(turn) = occupant else { return };
    let count = |wanted: &dyn Fn(&Event) -> bool| history.events().filter(|e| wanted(e)).count();
    let done = |event: &Event| matches!(event, Event::TaskDone { turn: of } if *of == turn);
    // A turn that is taken up again has a task each time; the first may end after the second began.
    let given = |event: &Event| {
        matches!(event, Event::Slot { to, turn: of, .. }
            if *of == Some(turn) && *to == SlotShape::Running)
    };
    if count(&done) > 0 && count(&done) >= count(&given) {
        let turn = names.turn(turn);
        found.report(
            format!("{turn} has the slot for ever, and its task has ended"),
            history.first(done),
        );
    }
}
