//! Properties about where input may go, and what happens to what goes with it.

use std::collections::{BTreeMap, BTreeSet};

use midturn_protocol::{
    Event, InputId, Landing, Mode, Place, Reason, RequestEnd, SlotShape, TaskKind, TurnEnd, TurnId,
};

use super::Found;
use crate::history::History;
use crate::scenario::Names;

pub(super) fn not_steerable_is_safe(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut special: BTreeSet<TurnId> = BTreeSet::new();
    let mut refused: BTreeSet<InputId> = BTreeSet::new();
    for event in history.events() {
        match event {
            Event::TurnStarted { turn, kind: TaskKind::Review | TaskKind::Compact } => {
                special.insert(*turn);
            }
            Event::Refused { input, reason: Reason::ActiveTurnNotSteerable(_) } => {
                refused.insert(*input);
            }
            _ => {}
        }
    }
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Accepted { input, kind, place: Place::Pending(turn) }
                if kind.is_explicit() && special.contains(turn) =>
            {
                let (input, turn) = (names.input(*input), names.turn(*turn));
                found.report(
                    format!("{input} was queued on {turn}, which reads no input"),
                    Some(at),
                );
            }
            Event::TurnStarted { turn, .. }
                if turn.successor == 0 && refused.contains(&turn.origin) =>
            {
                let turn = names.turn(*turn);
                found.report(format!("{turn} started although its input was refused"), Some(at));
            }
            _ => {}
        }
    }
}

pub(super) fn steer_hits_its_turn(history: &History, names: &Names, found: &mut Found<'_>) {
    for (at, record) in history.records.iter().enumerate() {
        let Event::Accepted { input, place, .. } = &record.event else { continue };
        let mode = history.asked.get(input).and_then(|asked| asked.mode);
        let Some(Mode::Steer { expected: Some(expected) }) = mode else { continue };
        if *place != Place::Pending(expected) {
            let (input, expected) = (names.input(*input), names.turn(expected));
            found.report(format!("{input} was meant for {expected} and went elsewhere"), Some(at));
        }
    }
}

/// Compares sections of the slot.
pub(super) fn continue_follows_its_turn(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut last: Option<TurnId> = None;
    // A start that gives up may take the slot again, for mail that it had kept waiting.
    let mut decided: BTreeSet<TurnId> = BTreeSet::new();
    for (at, record) in history.records.iter().enumerate() {
        let (to, turn) = match &record.event {
            // Also a turn that was there before anybody moved.
            Event::TurnStarted { turn, .. } => (&SlotShape::Running, turn),
            Event::Slot { to, turn: Some(turn), .. } => (to, turn),
            _ => continue,
        };
        match to {
            SlotShape::Running => last = Some(*turn),
            SlotShape::Reserved if turn.successor == 0 && decided.insert(*turn) => {
                let mode = history.asked.get(&turn.origin).and_then(|asked| asked.mode);
                let Some(Mode::ContinueIfIdle { expected_previous: Some(expected) }) = mode else {
                    continue;
                };
                if last.is_some() && last != Some(expected) {
                    let (turn, expected) = (names.turn(*turn), names.turn(expected));
                    let what = format!("{turn} was to follow {expected}, and another came between");
                    found.report(what, Some(at));
                }
            }
            SlotShape::Idle | SlotShape::Reserved | SlotShape::Finishing => {}
        }
    }
}

/// Compares events of one turn's task.
pub(super) fn cut_implies_follow_up(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut owed: BTreeMap<TurnId, (usize, usize)> = BTreeMap::new();
    let mut taken: BTreeMap<TurnId, &[InputId]> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::RequestEnded { turn, how: RequestEnd::Preempted, .. } => {
                owed.insert(*turn, (at, record.actor));
            }
            Event::Drained { turn, inputs } if owed.contains_key(turn) => {
                taken.insert(*turn, inputs);
            }
            // A hook may keep out what the request was cut for.
            Event::Hooked { accepted: false, input } => {
                owed.retain(|turn, (_, actor)| {
                    *actor != record.actor
                        || taken.get(turn).is_some_and(|taken| !taken.contains(input))
                });
            }
            Event::RequestBegan { turn, .. }
            | Event::CancelRequested { turn }
            | Event::TurnSuspended { turn }
            | Event::TurnEnded {
                turn,
                how: TurnEnd::Failed | TurnEnd::Interrupted | TurnEnd::Replaced,
            } => {
                owed.remove(turn);
            }
            _ => {}
        }
    }
    for (turn, (at, _)) in owed {
        let turn = names.turn(turn);
        found.report(format!("a request of {turn} was cut, and no other followed"), Some(at));
    }
}

/// What one drain took.
struct Taken<'a> {
    at: usize,
    inputs: &'a [InputId],
    /// The turn is ending: these are leftovers, which it will not sample.
    ending: bool,
}

/// Compares events of one turn's task, and looks where its input is in the end.
pub(super) fn hook_block_releases(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut blocked: BTreeSet<InputId> = BTreeSet::new();
    let mut sampled: BTreeSet<(TurnId, InputId)> = BTreeSet::new();
    for event in history.events() {
        match event {
            Event::Hooked { input, accepted: false } => {
                blocked.insert(*input);
            }
            Event::RequestBegan { turn, new, .. } => {
                sampled.extend(new.iter().map(|input| (*turn, *input)));
            }
            _ => {}
        }
    }
    let mut ending: BTreeSet<TurnId> = BTreeSet::new();
    let mut taken: BTreeMap<TurnId, Vec<Taken<'_>>> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Slot { to: SlotShape::Finishing, turn: Some(turn), .. } => {
                ending.insert(*turn);
            }
            Event::Drained { turn, inputs } => {
                let ending = ending.contains(turn);
                taken.entry(*turn).or_default().push(Taken { at, inputs, ending });
            }
            // A turn that was stopped may be taken up again: that counts for itself.
            Event::TurnSuspended { turn } | Event::TurnEnded { turn, .. } => {
                ending.remove(turn);
                let drains = taken.remove(turn).unwrap_or_default();
                let completed =
                    matches!(record.event, Event::TurnEnded { how: TurnEnd::Completed, .. });
                let hit = |taken: &&Taken<'_>| !taken.inputs.iter().any(|id| blocked.contains(id));
                for taken in drains.iter().skip_while(hit).filter(|_| completed) {
                    let sampled = |input| sampled.contains(&(*turn, input));
                    if let Some(input) = stranded(history, taken, &blocked, &sampled) {
                        let (turn, input) = (names.turn(*turn), names.input(input));
                        let what = format!(
                            "a hook blocked input that {turn} had taken, and {input} got stuck \
                             behind it"
                        );
                        found.report(what, Some(taken.at));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Input of one drain that a block has held up.
fn stranded(
    history: &History,
    taken: &Taken<'_>,
    blocked: &BTreeSet<InputId>,
    sampled: &dyn Fn(InputId) -> bool,
) -> Option<InputId> {
    let together = taken.inputs.iter().any(|input| blocked.contains(input));
    let mut others = taken.inputs.iter().copied().filter(|input| !blocked.contains(input));
    others.find(|input| {
        let Some(asked) = history.asked.get(input).filter(|asked| !asked.empty) else {
            return false;
        };
        let owed = together && !taken.ending && asked.kind.is_explicit();
        owed && !sampled(*input) || history.landings.get(input) == Some(&Landing::Lost)
    })
}
