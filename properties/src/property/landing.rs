//! Properties about where inputs end.

use std::collections::BTreeSet;

use midturn_protocol::{
    Event, InputId, InputKind, Landing, Mode, Place, Reply, SlotShape, TurnEnd, TurnId, Verdict,
};

use super::Found;
use crate::history::History;
use crate::scenario::Names;

pub(super) fn no_silent_loss(history: &History, names: &Names, found: &mut Found<'_>) {
    for (input, landing) in &history.landings {
        if *landing == Landing::Lost {
            let at = last_trace(history, *input);
            found.report(format!("{} is in no place at all", names.input(*input)), at);
        }
        // A compaction puts its summary in the place of what was read, and of nothing else.
        let taken_out = |event: &Event| matches!(event, Event::Compacted { .. });
        if *landing == Landing::Recorded
            && !history.last.history.contains(input)
            && let Some(at) = history.first(taken_out)
        {
            let what = format!("{} was taken out of history unread", names.input(*input));
            found.report(what, Some(at));
        }
    }
}

/// The last event that names an input.
fn last_trace(history: &History, input: InputId) -> Option<usize> {
    history.records.iter().rposition(|record| match &record.event {
        Event::Accepted { input: id, .. } | Event::Recorded { input: id, .. } => *id == input,
        Event::Drained { inputs, .. } => inputs.contains(&input),
        Event::Returned { command, .. } => *command == input,
        _ => false,
    })
}

pub(super) fn accepted_is_sampled(history: &History, names: &Names, found: &mut Found<'_>) {
    for (input, asked) in &history.asked {
        if matches!(asked.kind, InputKind::Mail { .. }) {
            continue;
        }
        let mut owed: Option<(TurnId, usize)> = None;
        for (at, record) in history.records.iter().enumerate() {
            match &record.event {
                Event::Accepted { input: id, place, .. } if id == input => {
                    owed = match place {
                        Place::Pending(turn) | Place::Initial(turn) => Some((*turn, at)),
                        Place::Mailbox => None,
                    };
                }
                Event::Cleared { input: id, .. }
                | Event::GivenBack { input: id }
                | Event::Refused { input: id, .. }
                | Event::Hooked { input: id, accepted: false }
                    if id == input =>
                {
                    owed = None;
                }
                Event::RequestBegan { turn, new, .. }
                    if new.contains(input) && owed.is_some_and(|(owner, _)| owner == *turn) =>
                {
                    owed = None;
                }
                _ => {}
            }
        }
        let Some((turn, at)) = owed else { continue };
        if history.last.pending.contains(input) && history.last.slot == Some(SlotShape::Running) {
            continue;
        }
        let landing = history.landings.get(input).copied().unwrap_or(Landing::Lost);
        found.report(
            format!(
                "{} was accepted for {} and ended {}",
                names.input(*input),
                names.turn(turn),
                names.landing(landing)
            ),
            Some(at),
        );
    }
}

pub(super) fn rejected_leaves_no_trace(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut refused = BTreeSet::new();
    for (at, record) in history.records.iter().enumerate() {
        let traced: Vec<InputId> = match &record.event {
            Event::Refused { input, .. }
            | Event::GivenBack { input }
            | Event::Cleared { input, .. } => {
                refused.insert(*input);
                continue;
            }
            Event::Accepted { input, .. } | Event::Recorded { input, .. } => vec![*input],
            Event::Drained { inputs, .. } => inputs.clone(),
            Event::RequestBegan { new, .. } => new.clone(),
            _ => continue,
        };
        for input in traced.into_iter().filter(|input| refused.contains(input)) {
            let what = names.event(&record.event);
            found.report(
                format!("{} was turned away, and then: {what}", names.input(input)),
                Some(at),
            );
        }
    }
}

pub(super) fn left_mail_is_sampled_next_turn(
    history: &History,
    names: &Names,
    found: &mut Found<'_>,
) {
    for (mail, asked) in &history.asked {
        if !matches!(asked.kind, InputKind::Mail { .. }) {
            continue;
        }
        // The turn that took it last, as long as it has neither sampled it nor put it back.
        let mut taken: Option<(TurnId, usize)> = None;
        for (at, record) in history.records.iter().enumerate() {
            match &record.event {
                Event::Drained { turn, inputs } if inputs.contains(mail) => {
                    let known = taken.is_some_and(|(owner, _)| owner == *turn);
                    if !known {
                        taken = Some((*turn, at));
                    }
                }
                Event::Accepted { input, place, .. }
                    if input == mail && *place == Place::Mailbox =>
                {
                    taken = None;
                }
                Event::RequestBegan { turn, new, .. }
                    if new.contains(mail) && taken.is_some_and(|(owner, _)| owner == *turn) =>
                {
                    taken = None;
                }
                _ => {}
            }
        }
        let Some((turn, at)) = taken else { continue };
        let completed = history.events().any(|event| {
            matches!(event, Event::TurnEnded { turn: ended, how: TurnEnd::Completed } if *ended == turn)
        });
        if completed {
            let (mail, turn) = (names.input(*mail), names.turn(turn));
            found.report(format!("{turn} took {mail} and completed without sampling it"), Some(at));
        }
    }
}

pub(super) fn delivered_once(history: &History, names: &Names, found: &mut Found<'_>) {
    let (mut recorded, mut sampled) = (BTreeSet::new(), BTreeSet::new());
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Recorded { input, .. } if !recorded.insert(*input) => {
                found.report(format!("{} enters history twice", names.input(*input)), Some(at));
            }
            Event::RequestBegan { new, .. } => {
                for input in new.iter().filter(|input| !sampled.insert(**input)) {
                    let what = format!("{} is new to the model twice", names.input(*input));
                    found.report(what, Some(at));
                }
            }
            _ => {}
        }
    }
}

/// Compares a reply with what happened to its input, at any time.
pub(super) fn verdict_tells_the_truth(history: &History, names: &Names, found: &mut Found<'_>) {
    for (at, record) in history.records.iter().enumerate() {
        let Event::Returned { command, reply } = &record.event else { continue };
        let Some(asked) = history.asked.get(command) else { continue };
        let accepted = |wanted: &dyn Fn(Place) -> bool| {
            history.events().any(|event| {
                matches!(event, Event::Accepted { input, place, .. } if input == command && wanted(*place))
            })
        };
        let for_turn = |turn: TurnId| {
            accepted(&|place| place == Place::Pending(turn) || place == Place::Initial(turn))
        };
        let given_back = history
            .events()
            .any(|event| matches!(event, Event::GivenBack { input } if input == command));
        let is_true = match reply {
            // A recovery brings no input, and means one turn.
            Reply::Verdict(Verdict::Started(turn)) if asked.empty => match asked.mode {
                Some(Mode::Recover { turn: meant }) => *turn == meant,
                _ => true,
            },
            _ if asked.empty => true,
            Reply::Verdict(Verdict::Started(turn) | Verdict::Steered(turn)) => for_turn(*turn),
            Reply::Delivered => accepted(&|place| place == Place::Mailbox),
            Reply::Injected => accepted(&|place| matches!(place, Place::Pending(_))),
            Reply::Verdict(Verdict::NotSubmitted(_))
            | Reply::Refused(_)
            | Reply::Unsupported
            | Reply::GivenBack => given_back || !accepted(&|_| true),
            Reply::Dropped => asked.may_drop,
            // Not of an input that goes through a queue.
            Reply::RecordedOnly
            | Reply::Interrupted(_)
            | Reply::Woken { .. }
            | Reply::Answered { .. }
            | Reply::Applied
            | Reply::Began(_)
            | Reply::Draining
            | Reply::ShutDown(_) => true,
        };
        if !is_true {
            let (command, reply) = (names.input(*command), names.reply(reply));
            found.report(
                format!("{command} was told `{reply}`, which is not what happened"),
                Some(at),
            );
        }
    }
}
