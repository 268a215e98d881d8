//! Properties about order.

use std::collections::{BTreeMap, BTreeSet};

use midturn_protocol::{
    Event, InputId, InputKind, Landing, Mode, Place, Reply, SlotShape, TurnId, Verdict,
};

use super::Found;
use crate::history::History;
use crate::scenario::Names;

fn is_mail(history: &History, input: InputId) -> bool {
    history.asked.get(&input).is_some_and(|asked| matches!(asked.kind, InputKind::Mail { .. }))
}

/// Compares what went into one queue, where its lock orders it: two turns are two queues.
pub(super) fn order_by_acceptance(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut accepted: Vec<(InputId, Option<TurnId>)> = Vec::new();
    let mut recorded: Vec<InputId> = Vec::new();
    let mut folded: BTreeSet<InputId> = BTreeSet::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            // Mail that is put back keeps its place.
            Event::Accepted { input, place, .. }
                if !accepted.iter().any(|(known, _)| known == input) =>
            {
                let queue = match place {
                    Place::Pending(turn) | Place::Initial(turn) => Some(*turn),
                    Place::Mailbox => None,
                };
                accepted.push((*input, queue));
            }
            Event::Drained { inputs, .. } => {
                check_drain(history, names, inputs, &folded, at, found);
                folded.extend(inputs.iter().filter(|input| is_mail(history, **input)));
            }
            Event::Recorded { input, .. } => {
                let Some(position) = accepted.iter().position(|(known, _)| known == input) else {
                    continue;
                };
                let later = &accepted[position + 1..];
                let overtaken = recorded.iter().find(|earlier| {
                    is_mail(history, **earlier) == is_mail(history, *input)
                        && later.contains(&(**earlier, accepted[position].1))
                });
                if let Some(earlier) = overtaken {
                    let (late, early) = (names.input(*input), names.input(*earlier));
                    let what = format!("{late} was accepted before {early} and recorded after it");
                    found.report(what, Some(at));
                }
                recorded.push(*input);
            }
            _ => {}
        }
    }
}

/// `folded` is the mail that some turn had taken out of the mailbox before.
fn check_drain(
    history: &History,
    names: &Names,
    inputs: &[InputId],
    folded: &BTreeSet<InputId>,
    at: usize,
    found: &mut Found<'_>,
) {
    let mut mail_before = None;
    for input in inputs {
        if is_mail(history, *input) {
            if !folded.contains(input) {
                mail_before = Some(*input);
            }
        } else if let Some(mail) = mail_before {
            let (mail, input) = (names.input(mail), names.input(*input));
            found.report(format!("one drain gave mail {mail} before {input}"), Some(at));
        }
    }
}

/// Compares commands of one actor, and requests of one turn.
pub(super) fn callers_order_is_kept(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut steers: Vec<(usize, InputId)> = Vec::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Returned { command, reply: Reply::Verdict(Verdict::Steered(_)) } => {
                steers.push((record.actor, *command));
            }
            Event::Called { command: mail } if is_mail(history, *mail) => {
                let before = steers.iter().filter(|(actor, _)| *actor == record.actor);
                for (_, steer) in before {
                    if let Some((late, early)) = overtaken(history, *steer, *mail) {
                        let (mail, steer) = (names.input(*mail), names.input(*steer));
                        let what = format!(
                            "mail {mail} is in request {early}, and {steer}, which its caller \
                             steered before, in request {late}"
                        );
                        found.report(what, Some(at));
                    }
                }
            }
            _ => {}
        }
    }
}

/// The requests of `steer` and of `mail`, if one turn samples both, and the mail earlier.
fn overtaken(history: &History, steer: InputId, mail: InputId) -> Option<(u32, u32)> {
    let sampled = |input: InputId| match history.landings.get(&input) {
        Some(Landing::Sampled { turn, request }) => Some((*turn, *request)),
        _ => None,
    };
    let ((of, late), (turn, early)) = (sampled(steer)?, sampled(mail)?);
    (turn == of && early < late).then_some((late, early))
}

/// A reservation also reads the mailbox, so that its order with a mail is part of a class.
pub(super) fn automatic_start_yields_to_trigger_mail(
    history: &History,
    names: &Names,
    found: &mut Found<'_>,
) {
    let mut waiting: BTreeSet<InputId> = BTreeSet::new();
    let mut reserved: BTreeMap<InputId, (BTreeSet<InputId>, usize)> = BTreeMap::new();
    let mut decided: BTreeSet<InputId> = BTreeSet::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Accepted { input, kind, place: Place::Mailbox } if kind.is_trigger_mail() => {
                waiting.insert(*input);
            }
            Event::Slot { to: SlotShape::Reserved, turn: Some(turn), .. } => {
                let automatic = history.asked.get(&turn.origin).is_some_and(|asked| {
                    asked.mode == Some(Mode::StartIfIdle)
                        && (asked.kind != InputKind::User || asked.empty)
                });
                // A start that lost its reservation makes the slot again, without a look at mail.
                let decides = turn.successor == 0 && decided.insert(turn.origin);
                if automatic && decides && !waiting.is_empty() {
                    reserved.insert(turn.origin, (waiting.clone(), at));
                }
            }
            Event::Drained { turn, inputs } => {
                for input in inputs {
                    waiting.remove(input);
                }
                for (start, (mails, _)) in &mut reserved {
                    if turn.origin != *start {
                        mails.retain(|mail| !inputs.contains(mail));
                    }
                }
            }
            _ => {}
        }
    }
    for (start, (mails, at)) in reserved {
        let started = match history.reply(start) {
            Some(Reply::Verdict(Verdict::Started(_))) => true,
            Some(_) => false,
            // Nobody asked for a preset start. If it is refused, a turn for the mail has its name.
            None => history
                .first(|event| matches!(event, Event::Accepted { input, .. } if *input == start))
                .is_some(),
        };
        if let Some(mail) = mails.first().filter(|_| started) {
            let (start, mail) = (names.input(start), names.input(*mail));
            found.report(format!("{start} started although trigger mail {mail} waited"), Some(at));
        }
    }
}

/// Compares events of one actor: whoever puts an input also tells of it.
pub(super) fn data_before_signal(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut put: BTreeSet<(usize, InputId)> = BTreeSet::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Accepted { input, .. } => {
                put.insert((record.actor, *input));
            }
            Event::Sent { input, .. } if !put.contains(&(record.actor, *input)) => {
                let input = names.input(*input);
                found.report(format!("activity was told before {input} could be found"), Some(at));
            }
            _ => {}
        }
    }
}
