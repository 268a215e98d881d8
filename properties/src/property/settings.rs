//! Properties about what travels with a submission: settings and context.

use std::collections::{BTreeMap, BTreeSet};

use midturn_protocol::{
    ClearedBy, Command, ContextEntry, Event, Forbidden, InputId, InputKind, Landing, Mode, Place,
    Purpose, Reply, RequestEnd, SessionMode, SettingsChange, SettingsEdit, TurnId, Verdict,
};

use super::Found;
use crate::history::History;
use crate::scenario::Names;

/// Compares a reply with what happened at any time, and a turn with itself.
pub(super) fn settings_follow_the_verdict(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut contexts: BTreeMap<TurnId, u32> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::Returned { command, reply } => {
                if let Some(what) = misapplied(history, *command, reply) {
                    let what = format!(
                        "{} was told `{}`: {what}",
                        names.input(*command),
                        names.reply(reply)
                    );
                    found.report(what, Some(at));
                }
            }
            Event::ContextBuilt { turn, settings, .. } => {
                contexts.insert(*turn, *settings);
            }
            Event::RequestBegan { turn, settings, .. }
                if *contexts.entry(*turn).or_insert(*settings) != *settings =>
            {
                let turn = names.turn(*turn);
                found.report(format!("the settings of {turn} changed while it ran"), Some(at));
            }
            _ => {}
        }
    }
}

/// What is wrong with the settings of a command that got this reply.
fn misapplied(history: &History, command: InputId, reply: &Reply) -> Option<&'static str> {
    if edit_of(history, command)?.is_empty() {
        return None;
    }
    let applications = || {
        history.events().filter_map(|event| match event {
            Event::SettingsApplied { command: by, turn, version } if *by == command => {
                Some((*turn, *version))
            }
            _ => None,
        })
    };
    let applied: Vec<Option<TurnId>> = applications().map(|(turn, _)| turn).collect();
    // An edit has an effect on a turn only if the context of that turn is built after it.
    let is_in_force = |turn: TurnId| {
        let built = history.events().find_map(|event| match event {
            Event::ContextBuilt { turn: of, settings, .. } if *of == turn => Some(*settings),
            _ => None,
        });
        built.is_none_or(|built| applications().all(|(_, version)| built >= version))
    };
    match reply {
        Reply::Verdict(Verdict::NotSubmitted(_)) | Reply::Refused(_) => {
            (!applied.is_empty()).then_some("its settings were applied")
        }
        Reply::Verdict(Verdict::Steered(_)) | Reply::Applied => {
            (applied != [None]).then_some("its settings were not applied once, for later turns")
        }
        Reply::Verdict(Verdict::Started(turn)) => (applied != [Some(*turn)] || !is_in_force(*turn))
            .then_some("its settings were not applied once, with the context of its turn"),
        _ => None,
    }
}

/// Compares versions, which the lock of the settings orders.
pub(super) fn plan_refuses_automatic_starts(
    history: &History,
    names: &Names,
    found: &mut Found<'_>,
) {
    let mut modes: BTreeMap<u32, SessionMode> = BTreeMap::new();
    for event in history.events() {
        if let Event::SettingsApplied { command, version, .. } = event
            && let Some(mode) = mode_of(history, *command)
        {
            modes.insert(*version, mode);
        }
    }
    let mut built: BTreeSet<TurnId> = BTreeSet::new();
    for (at, record) in history.records.iter().enumerate() {
        let Event::ContextBuilt { turn, settings, .. } = &record.event else { continue };
        // A turn that is built again is recovered.
        if !built.insert(*turn) {
            continue;
        }
        let automatic = history.asked.get(&turn.origin).is_some_and(|asked| {
            let says_nothing = asked.kind != InputKind::User || asked.empty;
            turn.successor == 0 && asked.mode == Some(Mode::StartIfIdle) && says_nothing
        }) && took_its_input(history, *turn);
        let mode = modes.range(..=*settings).next_back().map(|(_, mode)| *mode);
        if automatic && mode == Some(SessionMode::Plan) {
            let turn = names.turn(*turn);
            found.report(format!("{turn} started by itself in Plan mode"), Some(at));
        }
    }
}

/// Whether `turn` is the one that its submission started, and not one for mail which that
/// submission had kept waiting and which has its name.
fn took_its_input(history: &History, turn: TurnId) -> bool {
    history.events().any(|event| match event {
        Event::Accepted { input, place, .. } => {
            *input == turn.origin
                && (*place == Place::Pending(turn) || *place == Place::Initial(turn))
        }
        Event::Returned { command, reply: Reply::Verdict(Verdict::Started(started)) } => {
            *command == turn.origin && *started == turn
        }
        // Nobody was told, and nothing was there to be accepted.
        Event::Returned { command, reply: Reply::Dropped } => {
            *command == turn.origin && history.asked.get(command).is_some_and(|asked| asked.empty)
        }
        _ => false,
    })
}

fn mode_of(history: &History, command: InputId) -> Option<SessionMode> {
    edit_of(history, command)?.mode
}

fn edit_of(history: &History, command: InputId) -> Option<&SettingsEdit> {
    match history.commands.get(&command)? {
        Command::Submit(submission) => Some(&submission.settings),
        Command::ChangeSettings { change: SettingsChange::Edit(edit), .. } => Some(edit),
        _ => None,
    }
}

/// Compares what went into one turn, what it drained, and what entered history.
pub(super) fn a_steer_is_one_batch(history: &History, names: &Names, found: &mut Found<'_>) {
    let entries: Vec<InputId> = history
        .events()
        .filter_map(|event| match event {
            Event::Recorded { input, .. } => Some(*input),
            _ => None,
        })
        .collect();
    for (input, context) in batches(history) {
        let tell = |what: &str| {
            format!("{} and its context {} {what}", names.input(input), names.list(&context))
        };
        let mut batch = context.clone();
        batch.push(input);
        for (at, record) in history.records.iter().enumerate() {
            match &record.event {
                // A hook that keeps the input out may leave its context.
                Event::Cleared { input: cleared, by: ClearedBy::Hook } if *cleared == input => {
                    batch.truncate(context.len());
                }
                Event::Accepted { input: first, place, .. }
                    if *first == batch[0]
                        && accepted_from(history, at, turn_of(*place), batch.len()) != batch =>
                {
                    found.report(tell("were not accepted in one piece"), Some(at));
                }
                Event::Drained { inputs, .. }
                    if inputs.iter().any(|id| batch.contains(id))
                        && !inputs.windows(batch.len()).any(|window| window == batch) =>
                {
                    found.report(tell("were not taken in one piece"), Some(at));
                }
                _ => {}
            }
        }
        let recorded: Vec<usize> =
            (0..entries.len()).filter(|at| batch.contains(&entries[*at])).collect();
        let order: Vec<InputId> = recorded.iter().map(|at| entries[*at]).collect();
        let apart = recorded.windows(2).any(|pair| pair[1] != pair[0] + 1);
        if apart || !batch.starts_with(&order) {
            found.report(tell("did not enter history in one piece"), None);
        }
    }
}

/// Every input that was accepted with context, and that context.
fn batches(history: &History) -> BTreeMap<InputId, Vec<InputId>> {
    let mut batches: BTreeMap<InputId, Vec<InputId>> = BTreeMap::new();
    for (id, asked) in &history.asked {
        if let Some(input) = asked.travels_with
            && history.asked.get(&input).is_some_and(|asked| !asked.empty)
        {
            batches.entry(input).or_default().push(*id);
        }
    }
    batches
}

/// The first `count` inputs that were accepted for `turn` from the record `at` on.
fn accepted_from(history: &History, at: usize, turn: Option<TurnId>, count: usize) -> Vec<InputId> {
    let accepted = history.records[at..].iter().filter_map(|record| match &record.event {
        Event::Accepted { input, place, .. } if turn_of(*place) == turn => Some(*input),
        _ => None,
    });
    accepted.take(count).collect()
}

fn turn_of(place: Place) -> Option<TurnId> {
    match place {
        Place::Pending(turn) | Place::Initial(turn) => Some(turn),
        Place::Mailbox => None,
    }
}

/// Compares events of one turn's task: what a compaction interrupts is resumed before anything
/// else is taken.
pub(super) fn compaction_resumes_first(history: &History, names: &Names, found: &mut Found<'_>) {
    #[derive(Default)]
    struct Turn {
        own: Option<u32>,
        unfinished: bool,
        /// The task that goes on with it.
        resumes: Option<usize>,
    }
    let mut turns: BTreeMap<TurnId, Turn> = BTreeMap::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::RequestBegan { turn, request, purpose: Purpose::Turn, new, .. } => {
                let known = turns.entry(*turn).or_default();
                known.own = Some(*request);
                let taken = new.iter().find(|input| waits_on(history, **input, *turn));
                // A turn that is taken up again has another task, and nothing to go on with.
                let resumes = known.resumes.take() == Some(record.actor);
                if let (true, Some(taken)) = (resumes, taken) {
                    let (turn, taken) = (names.turn(*turn), names.input(*taken));
                    let what = format!(
                        "{turn} was compacted in the middle of a tool exchange, and takes {taken} \
                         before it goes on with it"
                    );
                    found.report(what, Some(at));
                }
            }
            Event::RequestEnded { turn, request, how } => {
                let known = turns.entry(*turn).or_default();
                if known.own == Some(*request) {
                    known.unfinished = *how == RequestEnd::Completed { follow_up: true };
                }
            }
            Event::Compacted { turn } => {
                let known = turns.entry(*turn).or_default();
                known.resumes = known.unfinished.then_some(record.actor);
            }
            _ => {}
        }
    }
}

/// Whether `input` was queued on `turn` by somebody, and is no mail.
fn waits_on(history: &History, input: InputId, turn: TurnId) -> bool {
    let mail =
        history.asked.get(&input).is_none_or(|asked| matches!(asked.kind, InputKind::Mail { .. }));
    !mail
        && history.events().any(|event| {
            matches!(event, Event::Accepted { input: id, place, .. }
                if *id == input && *place == Place::Pending(turn))
        })
}

/// Compares sections of the lock of the settings.
pub(super) fn no_start_while_draining(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut draining = false;
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::DrainingBegan { .. } => draining = true,
            Event::ContextBuilt { turn, start, .. } if draining && start.parent.is_none() => {
                let submitted = history.asked.get(&turn.origin).is_some_and(|a| a.mode.is_some());
                if submitted && turn.successor == 0 && took_its_input(history, *turn) {
                    let turn = names.turn(*turn);
                    let what = format!("{turn} was started although the host drains");
                    found.report(what, Some(at));
                }
            }
            _ => {}
        }
    }
}

/// Compares sections of the lock of the settings.
pub(super) fn constraints_are_kept(history: &History, names: &Names, found: &mut Found<'_>) {
    let mut forbidden: BTreeSet<&Forbidden> = BTreeSet::new();
    for (at, record) in history.records.iter().enumerate() {
        match &record.event {
            Event::ConstraintAdded { command } => {
                if let Some(Command::ChangeSettings {
                    change: SettingsChange::Forbid(new), ..
                }) = history.commands.get(command)
                {
                    forbidden.insert(new);
                }
            }
            Event::SettingsApplied { command, .. } => {
                let Some(edit) = edit_of(history, *command) else { continue };
                let sets = |no: &&&Forbidden| edit.values.get(&no.name) == Some(&no.value);
                if let Some(no) = forbidden.iter().find(sets) {
                    let what = format!(
                        "{} set {} to {}, which is forbidden",
                        names.input(*command),
                        no.name,
                        no.value
                    );
                    found.report(what, Some(at));
                }
            }
            _ => {}
        }
    }
}

/// Compares where the context of a submission is in the end with where its input is.
pub(super) fn known_context_was_told(history: &History, names: &Names, found: &mut Found<'_>) {
    let submissions = || {
        history.commands.values().filter_map(|command| match command {
            Command::Submit(submission) => Some(submission),
            _ => None,
        })
    };
    // An input that was cleared itself needs no context.
    let stays = |input: InputId| {
        matches!(
            history.landings.get(&input),
            Some(Landing::Sampled { .. } | Landing::Recorded | Landing::Queued)
        )
    };
    for submission in submissions().filter(|submission| stays(submission.input.id)) {
        for entry in submission.context.iter().filter(|entry| is_left_out(history, entry)) {
            let told = submissions().flat_map(|other| &other.context).any(|other| {
                other.name == entry.name && other.text == entry.text && stays(other.id)
            });
            if !told {
                let entry = names.input(entry.id);
                found.report(format!("{entry} was left out, and nobody has told it"), None);
            }
        }
    }
}

/// Whether a submission was taken without this entry.
fn is_left_out(history: &History, entry: &ContextEntry) -> bool {
    !history.asked.contains_key(&entry.id)
}
