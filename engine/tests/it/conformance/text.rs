//! Replies and events in the words of the data.
//!
//! Promises: two different facts that a row can tell apart have different words; the first word
//! of an event is one of [`VERBS`].

use std::fmt::Debug;

use midturn_protocol::{
    Event, HistoryItem, InputId, ModelItem, Place, Purpose, Reason, Reply, RequestEnd, TurnId,
    Verdict,
};

use crate::conformance::names::Names;

/// The first words of events.
pub const VERBS: [&str; 43] = [
    "called",
    "returned",
    "accepted",
    "refused",
    "given_back",
    "cleared",
    "slot",
    "phase",
    "looked",
    "drained",
    "hooked",
    "recorded",
    "started",
    "context_built",
    "request",
    "item",
    "request_ended",
    "ended",
    "cancel_requested",
    "cancel_seen",
    "task_done",
    "grace_began",
    "grace_ended",
    "marker",
    "pending_cleared",
    "flushed",
    "sent",
    "woken",
    "tool_woken",
    "awaits",
    "waiter",
    "answer_dropped",
    "applied",
    "metadata",
    "error",
    "compacted",
    "stop_blocked",
    "review_left",
    "thread_idle",
    "start_up_cancelled",
    "draining",
    "closed",
    "suspended",
];

/// A word of a closed set, as the data spells it.
pub fn word(value: impl Debug) -> String {
    let mut spelled = String::new();
    for letter in format!("{value:?}").chars() {
        if letter.is_uppercase() && !spelled.is_empty() {
            spelled.push('_');
        }
        spelled.extend(letter.to_lowercase());
    }
    spelled
}

pub fn reason(names: &Names, reason: Reason) -> String {
    match reason {
        Reason::ExpectedTurnMismatch { expected, actual } => {
            let (expected, actual) = (names.of_turn(expected), names.of_turn(actual));
            format!("expected_turn_mismatch {expected} {actual}")
        }
        Reason::ActiveTurnNotSteerable(kind) => format!("not_steerable {}", word(kind)),
        Reason::NoActiveTurn
        | Reason::ActiveTurnOutputSchemaMismatch
        | Reason::EmptyInput
        | Reason::NotIdle
        | Reason::PendingTriggerTurn
        | Reason::PlanMode
        | Reason::InvalidRequest
        | Reason::Superseded
        | Reason::ServerDraining => word(reason),
    }
}

pub fn reply(names: &Names, reply: Option<&Reply>) -> String {
    match reply {
        None => "none".to_owned(),
        Some(Reply::Verdict(Verdict::Started(turn))) => format!("started {}", names.of_turn(*turn)),
        Some(Reply::Verdict(Verdict::Steered(turn))) => format!("steered {}", names.of_turn(*turn)),
        Some(Reply::Verdict(Verdict::NotSubmitted(why))) => {
            format!("not_submitted {}", reason(names, *why))
        }
        Some(Reply::Interrupted(Some(turn))) => format!("interrupted {}", names.of_turn(*turn)),
        Some(Reply::Interrupted(None)) => "interrupted nothing".to_owned(),
        Some(Reply::Woken { found }) => format!("woken {}", found_word(*found)),
        Some(Reply::Answered { found }) => format!("answered {}", found_word(*found)),
        Some(Reply::Began(turn)) => format!("began {}", names.of_turn(*turn)),
        Some(Reply::Refused(why)) => format!("refused {}", reason(names, *why)),
        Some(Reply::ShutDown(turn)) => {
            format!("shut_down {}", turn.map_or("nothing".to_owned(), |turn| names.of_turn(turn)))
        }
        Some(
            other @ (Reply::Delivered
            | Reply::Injected
            | Reply::GivenBack
            | Reply::RecordedOnly
            | Reply::Applied
            | Reply::Draining
            | Reply::Unsupported
            | Reply::Dropped),
        ) => word(other),
    }
}

fn found_word(found: bool) -> &'static str {
    if found { "something" } else { "nothing" }
}

pub fn history_item(item: &HistoryItem) -> String {
    format!("{}: {}", word(item.role), item.text)
}

/// One request with what was new in it.
pub fn request(names: &Names, event: &Event) -> Option<String> {
    let Event::RequestBegan { turn, request, purpose, new, .. } = event else { return None };
    let which = format!("{} {request}", names.of_turn(*turn));
    Some(match purpose {
        Purpose::Turn => format!("{which}: {}", names.listed(new)),
        Purpose::Compaction | Purpose::Review => format!("{which} {}", word(purpose)),
    })
}

/// What a client sees of the session.
pub fn told(names: &Names, event: &Event) -> Option<String> {
    let seen = matches!(
        event,
        Event::TurnStarted { .. }
            | Event::TurnEnded { .. }
            | Event::TurnSuspended { .. }
            | Event::Marker { .. }
            | Event::ReviewLeft { .. }
            | Event::Compacted { .. }
            | Event::ErrorSent { .. }
    );
    seen.then(|| self::event(names, event))
}

pub fn event(names: &Names, event: &Event) -> String {
    let input = |id: &InputId| names.of(*id);
    match event {
        Event::Called { command } => format!("called {}", input(command)),
        Event::Returned { command, reply: told } => {
            format!("returned {} {}", input(command), reply(names, Some(told)))
        }
        Event::Accepted { input: id, place, .. } => {
            format!("accepted {} {}", input(id), place_word(names, *place))
        }
        Event::Refused { input: id, reason: why } => {
            format!("refused {} {}", input(id), reason(names, *why))
        }
        Event::GivenBack { input: id } => format!("given_back {}", input(id)),
        Event::Cleared { input: id, by } => format!("cleared {} {}", input(id), word(by)),
        Event::Hooked { input: id, accepted } => {
            format!("hooked {} {}", input(id), if *accepted { "accepted" } else { "blocked" })
        }
        Event::Recorded { input: id, .. } => format!("recorded {}", input(id)),
        Event::Sent { activity, input: id } => format!("sent {} {}", input(id), word(activity)),
        Event::Woken { command, found } => {
            format!("woken {} {}", input(command), found_word(*found))
        }
        Event::Awaits { .. } => "awaits".to_owned(),
        Event::AnswerDropped { command } => format!("answer_dropped {}", input(command)),
        Event::SettingsApplied { command, .. } => format!("applied {}", input(command)),
        Event::ErrorSent { command } => format!("error {}", input(command)),
        Event::ConstraintAdded { command } => format!("forbidden {}", input(command)),
        Event::ThreadIdle => "thread_idle".to_owned(),
        Event::StartUpCancelled { command } => format!("start_up_cancelled {}", input(command)),
        Event::DrainingBegan { command } => format!("draining {}", input(command)),
        Event::Closed { command } => format!("closed {}", input(command)),
        Event::Slot { turn: None, to, .. } => format!("slot nothing {}", word(to)),
        Event::Slot { turn: Some(turn), .. }
        | Event::Phase { turn, .. }
        | Event::Looked { turn, .. }
        | Event::Drained { turn, .. }
        | Event::TurnStarted { turn, .. }
        | Event::ContextBuilt { turn, .. }
        | Event::RequestBegan { turn, .. }
        | Event::ModelItem { turn, .. }
        | Event::RequestEnded { turn, .. }
        | Event::TurnEnded { turn, .. }
        | Event::CancelRequested { turn }
        | Event::CancelSeen { turn }
        | Event::TaskDone { turn }
        | Event::GraceBegan { turn }
        | Event::GraceEnded { turn, .. }
        | Event::Marker { turn }
        | Event::PendingCleared { turn }
        | Event::Flushed { turn }
        | Event::ToolWoken { turn, .. }
        | Event::Waiter { turn, .. }
        | Event::MetadataSet { turn, .. }
        | Event::Compacted { turn }
        | Event::StopBlocked { turn }
        | Event::ReviewLeft { turn, .. }
        | Event::TurnSuspended { turn } => about_turn(names, event, *turn),
    }
}

fn place_word(names: &Names, place: Place) -> String {
    match place {
        Place::Pending(turn) => format!("pending {}", names.of_turn(turn)),
        Place::Initial(turn) => format!("initial {}", names.of_turn(turn)),
        Place::Mailbox => "mailbox".to_owned(),
    }
}

/// What is told of a turn: its name comes first.
fn about_turn(names: &Names, event: &Event, turn: TurnId) -> String {
    let (verb, more) = match event {
        Event::Slot { to, .. } => ("slot", word(to)),
        Event::Phase { to, because, .. } => ("phase", format!("{} {}", word(to), word(because))),
        Event::Looked { found, .. } => ("looked", found_word(*found).to_owned()),
        Event::Drained { inputs, .. } => ("drained", names.listed(inputs)),
        Event::TurnStarted { kind, .. } => ("started", word(kind)),
        Event::ContextBuilt { .. } => ("context_built", String::new()),
        Event::RequestBegan { request, .. } => ("request", request.to_string()),
        Event::ModelItem { item, .. } => ("item", model_item(item).to_owned()),
        Event::RequestEnded { request, how, .. } => {
            ("request_ended", format!("{request} {}", request_end(*how)))
        }
        Event::TurnEnded { how, .. } => ("ended", word(how)),
        Event::CancelRequested { .. } => ("cancel_requested", String::new()),
        Event::CancelSeen { .. } => ("cancel_seen", String::new()),
        Event::TaskDone { .. } => ("task_done", String::new()),
        Event::GraceBegan { .. } => ("grace_began", String::new()),
        Event::GraceEnded { how, .. } => ("grace_ended", word(how)),
        Event::Marker { .. } => ("marker", String::new()),
        Event::PendingCleared { .. } => ("pending_cleared", String::new()),
        Event::Flushed { .. } => ("flushed", String::new()),
        Event::ToolWoken { how, .. } => ("tool_woken", word(how)),
        Event::Waiter { table, what, .. } => ("waiter", format!("{} {}", word(table), word(what))),
        Event::MetadataSet { .. } => ("metadata", String::new()),
        Event::Compacted { .. } => ("compacted", String::new()),
        Event::StopBlocked { .. } => ("stop_blocked", String::new()),
        Event::ReviewLeft { output, .. } => {
            ("review_left", if *output { "with_output" } else { "silent" }.to_owned())
        }
        Event::TurnSuspended { .. } => ("suspended", String::new()),
        other => unreachable!("{other:?} is not told of a turn"),
    };
    format!("{verb} {} {more}", names.of_turn(turn)).trim_end().to_owned()
}

fn request_end(how: RequestEnd) -> String {
    match how {
        RequestEnd::Completed { follow_up: true } => "follow_up".to_owned(),
        RequestEnd::Completed { follow_up: false } => "completed".to_owned(),
        RequestEnd::Preempted | RequestEnd::Cancelled | RequestEnd::Failed => word(how),
    }
}

fn model_item(item: &ModelItem) -> &'static str {
    match item {
        ModelItem::Final(_) => "final",
        ModelItem::Untagged(_) => "untagged",
        ModelItem::Commentary(_) => "commentary",
        ModelItem::Blank => "blank",
        ModelItem::Reasoning => "reasoning",
        ModelItem::Tool(_) => "tool",
        ModelItem::RefusedTool(_) => "refused_tool",
        ModelItem::NotEnded => "not_ended",
        ModelItem::Full => "full",
        ModelItem::Error(_) => "error",
    }
}
