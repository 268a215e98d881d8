//! One schedule, drawn as a table: a row a step, a column an actor.
//!
//! Promises: at most [`MAX_LINES`] lines (twice as many with places) of at most [`WIDTH`] columns; the same run is always
//! drawn alike. Steps that neither say nor change anything are left out, and if rows are left
//! out beyond that, a row says how many.

mod table;

use std::collections::BTreeMap;

use midturn_properties::history::{History, Record};
use midturn_properties::property::Violation;
use midturn_properties::scenario::{Names, Scenario, Word};
use midturn_protocol::{Event, InputId, Phase, Place, Purpose, SlotShape, TurnId};

use crate::world::Execution;

/// Lines of a story at most, its last words included.
pub const MAX_LINES: usize = 40;

/// Columns of a story at most.
pub const WIDTH: usize = 100;

/// How many lines a violation may say.
const MAX_WORDS: usize = 12;

/// One step as it is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) step: u32,
    pub(crate) actor: usize,
    /// The operations, by name.
    pub(crate) sites: Vec<String>,
    /// Where the first of them stands.
    pub(crate) place: String,
    /// What it says.
    pub(crate) says: Vec<String>,
    pub(crate) slot: &'static str,
    pub(crate) phase: &'static str,
    /// What waits: on the turn, then in the mailbox.
    pub(crate) waits: String,
    /// Said or changed something that a reader cannot do without.
    pub(crate) is_loud: bool,
    /// The property that breaks here.
    pub(crate) breaks: Option<&'static str>,
}

/// Slot, phase and queues of the first session, as events tell them.
struct Queues {
    slot: SlotShape,
    phase: Phase,
    pending: Vec<InputId>,
    mailbox: Vec<InputId>,
    active: Option<TurnId>,
}

impl Queues {
    fn follow(&mut self, record: &Record) {
        if record.session == 0 {
            self.apply(&record.event);
        }
    }

    fn apply(&mut self, event: &Event) {
        match event {
            Event::Slot { to, turn, .. } => {
                self.slot = *to;
                if *to == SlotShape::Idle {
                    self.active = None;
                } else if *turn != self.active {
                    self.active = *turn;
                    self.phase = Phase::CurrentTurn;
                }
            }
            Event::Phase { to, .. } => self.phase = *to,
            Event::Accepted { input, place, .. } => {
                self.remove(*input);
                match place {
                    Place::Pending(_) | Place::Initial(_) => self.pending.push(*input),
                    Place::Mailbox => self.mailbox.push(*input),
                }
            }
            Event::Drained { inputs, .. } => inputs.iter().for_each(|input| self.remove(*input)),
            Event::Recorded { input, .. }
            | Event::Cleared { input, .. }
            | Event::GivenBack { input }
            | Event::Refused { input, .. } => self.remove(*input),
            Event::PendingCleared { .. } => self.pending.clear(),
            _ => {}
        }
    }

    fn remove(&mut self, input: InputId) {
        self.pending.retain(|other| *other != input);
        self.mailbox.retain(|other| *other != input);
    }

    fn waits(&self, names: &Names) -> String {
        let list = |inputs: &[InputId]| {
            inputs.iter().map(|input| names.input(*input)).collect::<Vec<_>>().join(" ")
        };
        match (self.pending.is_empty(), self.mailbox.is_empty()) {
            (true, true) => "-".to_owned(),
            (false, true) => list(&self.pending),
            (true, false) => format!("[{}]", list(&self.mailbox)),
            (false, false) => format!("{} [{}]", list(&self.pending), list(&self.mailbox)),
        }
    }
}

/// What a row says of an event, if it is not already seen in the state.
fn says(names: &Names, event: &Event) -> Option<String> {
    let said = match event {
        Event::Looked { found: true, .. } => "finds something".to_owned(),
        Event::Looked { found: false, .. } => "finds nothing".to_owned(),
        Event::Drained { inputs, .. } if inputs.is_empty() => return None,
        Event::Drained { inputs, .. } => format!("takes {}", names.list(inputs)),
        Event::Returned { reply, .. } => format!("returns {}", names.reply(reply)),
        Event::RequestBegan { request, purpose: Purpose::Compaction, .. } => {
            format!("request {request} begins, to compact history")
        }
        Event::RequestBegan { request, purpose: Purpose::Review, .. } => {
            format!("request {request} begins, to review")
        }
        Event::RequestBegan { request, new, purpose: Purpose::Turn, .. } if new.is_empty() => {
            format!("request {request} begins, nothing new")
        }
        Event::RequestBegan { request, new, .. } => {
            format!("request {request} begins with {}", names.list(new))
        }
        Event::ModelItem { item, .. } => format!("model: {}", names.model_item(item)),
        Event::Recorded { input, .. } => format!("records {}", names.input(*input)),
        Event::Refused { .. }
        | Event::GivenBack { .. }
        | Event::Cleared { .. }
        | Event::Hooked { accepted: false, .. }
        | Event::TurnStarted { .. }
        | Event::TurnEnded { .. }
        | Event::CancelRequested { .. }
        | Event::CancelSeen { .. }
        | Event::GraceEnded { .. }
        | Event::Marker { .. }
        | Event::PendingCleared { .. }
        | Event::Woken { .. }
        | Event::TaskDone { .. }
        | Event::ToolWoken { .. }
        | Event::Waiter { .. }
        | Event::AnswerDropped { .. }
        | Event::SettingsApplied { .. }
        | Event::ConstraintAdded { .. }
        | Event::ErrorSent { .. }
        | Event::Compacted { .. }
        | Event::StopBlocked { .. }
        | Event::ReviewLeft { .. }
        | Event::ThreadIdle
        | Event::StartUpCancelled { .. }
        | Event::DrainingBegan { .. }
        | Event::Closed { .. }
        | Event::TurnSuspended { .. } => names.event(event),
        Event::Called { .. }
        | Event::Accepted { .. }
        | Event::Slot { .. }
        | Event::Phase { .. }
        | Event::Hooked { accepted: true, .. }
        | Event::RequestEnded { .. }
        | Event::Flushed { .. }
        | Event::Sent { .. }
        | Event::ContextBuilt { .. }
        | Event::MetadataSet { .. }
        | Event::GraceBegan { .. }
        | Event::Awaits { .. } => return None,
    };
    Some(said)
}

/// What a row says of a step that no engine speaks of.
fn of_the_world(site: &str) -> Option<&'static str> {
    match site {
        "task aborted" => Some("the task is dropped at this await"),
        "caller is gone" => Some("the call is dropped at this await"),
        "timer fires" => Some("the time is over"),
        _ => None,
    }
}

/// What a violation says, as lines. What is left out of many is in the JSON.
pub fn last_words(what: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for line in what.lines() {
        let said = line.trim_start();
        let indent = " ".repeat(2 + line.len() - said.len());
        table::wrap(said, WIDTH, &indent, &mut lines);
    }
    if lines.len() > MAX_WORDS {
        let more = lines.len() - MAX_WORDS + 1;
        lines.truncate(MAX_WORDS - 1);
        lines.push(format!("  ... ({more} lines are left out here)"));
    }
    lines
}

/// A story as lines.
pub fn tell(
    scenario: &Scenario,
    execution: &Execution,
    history: &History,
    violations: &[Violation],
    with_places: bool,
) -> Vec<String> {
    let rows = rows(scenario, execution, history, violations);
    let said: usize = violations.iter().map(|said| last_words(&said.what).len()).sum();
    let rest = said.clamp(1, MAX_LINES / 2) + 4;
    // A place is a line more for each row, and who asks for places looks for one.
    let lines = if with_places { 2 * MAX_LINES } else { MAX_LINES };
    table::draw(&rows, &execution.actors, lines.saturating_sub(rest), with_places)
}

fn rows(
    scenario: &Scenario,
    execution: &Execution,
    history: &History,
    violations: &[Violation],
) -> Vec<Row> {
    let names = &scenario.names;
    let initial = scenario.sessions.first().map(|session| session.shape());
    let mut queues = Queues {
        slot: initial.unwrap_or(SlotShape::Idle),
        phase: Phase::CurrentTurn,
        pending: Vec::new(),
        mailbox: Vec::new(),
        active: None,
    };
    let breaks: BTreeMap<usize, &'static str> =
        violations.iter().filter_map(|found| Some((found.at?, found.property))).collect();
    let mut records = history.records.iter().enumerate().peekable();
    while let Some((_, record)) = records.next_if(|(_, record)| record.step == 0) {
        queues.follow(record);
    }
    let mut operations = execution.performed.iter().peekable();
    let mut rows = Vec::new();
    for step in 1..=execution.steps {
        let mut sites: Vec<&'static str> = Vec::new();
        let (mut actor, mut place) = (None, String::new());
        let mut last_ordinal = None;
        while let Some(operation) = operations.next_if(|operation| operation.step == step) {
            actor.get_or_insert(operation.actor);
            if place.is_empty() {
                place = crate::place(operation.site);
            }
            if last_ordinal != Some(operation.ordinal) {
                sites.push(operation.site.name);
            }
            last_ordinal = Some(operation.ordinal);
        }
        let before = (queues.slot, queues.phase, queues.waits(names));
        let (mut said, mut broken) = (Vec::new(), None);
        while let Some((at, record)) = records.next_if(|(_, record)| record.step == step) {
            queues.follow(record);
            actor.get_or_insert(record.actor);
            said.extend(says(names, &record.event));
            broken = broken.or_else(|| breaks.get(&at).copied());
        }
        said.extend(sites.iter().filter_map(|site| of_the_world(site)).map(str::to_owned));
        // A refusal that is returned at once is said once.
        if said.iter().any(|said| said.starts_with("returns refused")) {
            said.retain(|said| said.starts_with("returns ") || !said.contains(" refused "));
        }
        let waits = queues.waits(names);
        let changed = before != (queues.slot, queues.phase, waits.clone());
        let Some(actor) = actor else { continue };
        let is_loud = changed || !said.is_empty() || broken.is_some();
        rows.push(Row {
            step,
            actor,
            sites: sites.into_iter().map(str::to_owned).collect(),
            place,
            says: said,
            slot: queues.slot.word(),
            phase: if queues.slot == SlotShape::Idle { "-" } else { queues.phase.word() },
            waits,
            is_loud,
            breaks: broken,
        });
    }
    rows
}
