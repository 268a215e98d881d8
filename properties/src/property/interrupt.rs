//! Properties about aborts.

use std::collections::{BTreeMap, BTreeSet};

use midturn_protocol::{Event, TurnEnd, TurnId};

use super::Found;
use crate::history::History;
use crate::scenario::Names;

#[derive(Default)]
struct Abort {
    requested: bool,
    waited: bool,
    marked: bool,
}

/// All but the last rule compare events of one actor, the one that aborts; the last one
/// compares entries of history.
pub(super) fn abort_order(history: &History, names: &Names, found: &mut Found) {
    // A failed request also clears what waits, and nobody aborts anything.
    let aborted: BTreeSet<TurnId> = history
        .events()
        .filter_map(|event| match event {
            Event::CancelRequested { turn } => Some(*turn),
            _ => None,
        })
        .collect();
    let mut aborts: BTreeMap<TurnId, Abort> = BTreeMap::new();
    let mut report = |rule: &str, turn: TurnId, at: usize| {
        found.report(format!("{rule} ({})", names.turn(turn)), Some(at));
    };
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::CancelRequested { turn } => aborts.entry(*turn).or_default().requested = true,
            Event::GraceEnded { turn, .. } => {
                let abort = aborts.entry(*turn).or_default();
                abort.waited = true;
                if !abort.requested {
                    report("the wait for the task came before its cancel", *turn, at);
                }
            }
            Event::PendingCleared { turn }
                if aborted.contains(turn) && !aborts.entry(*turn).or_default().waited =>
            {
                report("pending was cleared before the task saw the cancel", *turn, at);
            }
            Event::Marker { turn } => {
                let abort = aborts.entry(*turn).or_default();
                abort.marked = true;
                if !abort.waited {
                    report("the marker came before the task saw the cancel", *turn, at);
                }
            }
            Event::TurnEnded { turn, how: TurnEnd::Interrupted }
                if !aborts.entry(*turn).or_default().marked =>
            {
                report("the end was told before the marker was recorded", *turn, at);
            }
            Event::Recorded { turn: Some(turn), .. } | Event::ModelItem { turn, .. }
                if aborts.entry(*turn).or_default().marked =>
            {
                report("something entered history after the marker of its turn", *turn, at);
            }
            _ => {}
        }
    }
}
