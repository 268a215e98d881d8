//! Histories written by hand: what happened to one session, event by event, and what it breaks.
//!
//! `"prompt"` stands for the turn of `prompt` too, and `"prompt+1"` for the turn after it.

use std::sync::LazyLock;

use midturn_properties::history::{Agenda, History, Record, agenda_of};
use midturn_properties::property::judge;
use midturn_properties::scenario::Scenario;
use midturn_protocol::{
    ClearedBy, Event, InputId, InputKind, ModelItem, Observation, Place, Purpose, Reason, Reply,
    RequestEnd, SlotShape, TaskKind, TurnEnd, TurnId, Verdict, WaiterEvent, WaiterTable,
};

use crate::documents::{parse, with_commands};

/// A turn runs, and anything may be asked of its session.
static SCENARIO: LazyLock<Scenario> = LazyLock::new(|| {
    let text = with_commands(
        "[session]\nslot = 'running'\n\
         [model]\nrequests = [[{ tool = 'shell', asks = 'approval' }]]",
        r#"{ id = "prompt", start_or_steer = "a" }, { id = "other", start_or_steer = "b" },
           { id = "gone", start_or_steer = "c", drop = true },
           { id = "nothing", start_or_steer = "" },
           { id = "yaml", steer = "d" }, { id = "json", steer = "e" },
           { id = "aimed", steer = "f", expected = "turn of slot" },
           { id = "told", steer = "g", context = { cwd = "/tmp", day = "Monday" } },
           { id = "edited", start_or_steer = "h", overrides = { effort = "high" } },
           { id = "lost", start_or_steer = "i", overrides = { effort = "high" }, drop = true },
           { id = "go", start_if_idle = "j", automatic = true },
           { id = "more", continue_if_idle = "k", expected_previous = "turn of slot" },
           { id = "again", recover = "turn of slot" },
           { id = "unseen", recover = "turn of slot", drop = true },
           { id = "output", tool_output = "42" },
           { id = "mail", mail = "l", trigger = true }, { id = "note", mail = "m" },
           { id = "extra", inject = "n" },
           { id = "stop", interrupt = true }, { id = "stop_it", interrupt = "turn of slot" },
           { id = "yes", answer = "o", table = "approval" },
           { id = "leave", answer = "p", table = "approval", drop = true },
           { id = "no", abort = true, table = "approval" },
           { id = "plan", settings = { mode = "plan" } },
           { id = "low", settings = { effort = "low" } },
           { id = "cap", forbid = { effort = "max" } }, { id = "calm", forbid = { effort = "high" } },
           { id = "check", review = "q" }, { id = "squeeze", compact = true },
           { id = "look", wait = "activity" },
           { id = "close", drain = true }, { id = "rest", suspend = true },
           { id = "bye", shutdown = true }"#,
    );
    parse(&text).unwrap_or_else(|errors| panic!("{errors}"))
});

static AGENDA: LazyLock<Agenda> = LazyLock::new(|| agenda_of(&SCENARIO, 0));

/// Who acts. A task is what runs a turn; a second one may run the same turn again.
pub const USER: usize = 1;
pub const OTHER: usize = 2;
pub const TASK: usize = 3;
pub const SECOND_TASK: usize = 4;

/// A history under way.
pub struct Run {
    records: Vec<Record>,
    last: Observation,
}

/// What `actor` does first. At the end the slot is idle, unless something else is said.
pub fn by<const N: usize>(actor: usize, events: [Event; N]) -> Run {
    let last = Observation { slot: Some(SlotShape::Idle), ..Observation::default() };
    Run { records: Vec::new(), last }.by(actor, events)
}

impl Run {
    /// What `actor` does next.
    pub fn by<const N: usize>(mut self, actor: usize, events: [Event; N]) -> Self {
        let step = u32::try_from(self.records.len()).unwrap() + 1;
        self.records.extend(events.map(|event| Record { session: 0, step, actor, event }));
        self
    }

    /// What is left when nobody moves.
    pub fn leaves(mut self, change: impl FnOnce(&mut Observation)) -> Self {
        change(&mut self.last);
        self
    }

    pub fn history(self) -> History {
        History::new(&AGENDA, self.records, self.last)
    }

    fn violations(self, property: &str) -> Vec<String> {
        let known = midturn_properties::property::names().contains(&property);
        assert!(known, "no property {property}");
        let found = judge(&self.history(), &SCENARIO.names).into_iter();
        found.filter(|found| found.property == property).map(|found| found.what).collect()
    }

    /// `property` does not hold, and says exactly this.
    #[track_caller]
    pub fn breaks(self, property: &str, what: &str) {
        assert_eq!(self.violations(property), [what]);
    }

    /// `property` holds.
    #[track_caller]
    pub fn keeps(self, property: &str) {
        assert_eq!(self.violations(property), [] as [String; 0]);
    }
}

pub fn id(name: &str) -> InputId {
    SCENARIO.names.find(name).unwrap_or_else(|| panic!("no input {name}"))
}

fn ids(names: &[&str]) -> Vec<InputId> {
    names.iter().map(|name| id(name)).collect()
}

pub fn turn(name: &str) -> TurnId {
    let (origin, successor) = name.split_once('+').unwrap_or((name, "0"));
    TurnId { origin: id(origin), successor: successor.parse().unwrap() }
}

pub fn called(name: &str) -> Event {
    Event::Called { command: id(name) }
}

pub fn returned(name: &str, reply: Reply) -> Event {
    Event::Returned { command: id(name), reply }
}

pub fn told_started(name: &str, of: &str) -> Event {
    returned(name, Reply::Verdict(Verdict::Started(turn(of))))
}

pub fn told_steered(name: &str, of: &str) -> Event {
    returned(name, Reply::Verdict(Verdict::Steered(turn(of))))
}

pub fn told_refused(name: &str, reason: Reason) -> Event {
    returned(name, Reply::Verdict(Verdict::NotSubmitted(reason)))
}

fn accepted(name: &str, place: Place) -> Event {
    let kind = AGENDA.inputs.get(&id(name)).map_or(InputKind::User, |asked| asked.kind);
    Event::Accepted { input: id(name), kind, place }
}

pub fn pending(name: &str, of: &str) -> Event {
    accepted(name, Place::Pending(turn(of)))
}

pub fn initial(name: &str, of: &str) -> Event {
    accepted(name, Place::Initial(turn(of)))
}

pub fn mailed(name: &str) -> Event {
    accepted(name, Place::Mailbox)
}

pub fn refused(name: &str, reason: Reason) -> Event {
    Event::Refused { input: id(name), reason }
}

pub fn cleared(name: &str, by: ClearedBy) -> Event {
    Event::Cleared { input: id(name), by }
}

pub fn drained(of: &str, names: &[&str]) -> Event {
    Event::Drained { turn: turn(of), inputs: ids(names) }
}

pub fn hooked(name: &str, accepted: bool) -> Event {
    Event::Hooked { input: id(name), accepted }
}

pub fn recorded(name: &str, of: &str) -> Event {
    Event::Recorded { input: id(name), turn: Some(turn(of)) }
}

pub fn started(of: &str) -> Event {
    started_as(of, TaskKind::Regular)
}

pub fn started_as(of: &str, kind: TaskKind) -> Event {
    Event::TurnStarted { turn: turn(of), kind }
}

pub fn ended(of: &str, how: TurnEnd) -> Event {
    Event::TurnEnded { turn: turn(of), how }
}

pub fn slot(to: SlotShape, of: &str) -> Event {
    Event::Slot { from: SlotShape::Idle, to, turn: Some(turn(of)) }
}

pub fn began(of: &str, request: u32, names: &[&str]) -> Event {
    began_for(Purpose::Turn, of, request, names)
}

pub fn began_for(purpose: Purpose, of: &str, request: u32, names: &[&str]) -> Event {
    Event::RequestBegan { turn: turn(of), request, purpose, settings: 0, new: ids(names) }
}

pub fn said(of: &str, item: ModelItem) -> Event {
    Event::ModelItem { turn: turn(of), item }
}

pub fn answer(of: &str) -> Event {
    said(of, ModelItem::Final("done".into()))
}

pub fn request_ended(of: &str, request: u32, how: RequestEnd) -> Event {
    Event::RequestEnded { turn: turn(of), request, how }
}

/// Somebody in turn `of` who waits for the answer of the shell.
pub fn waiter(of: &str, what: WaiterEvent) -> Event {
    Event::Waiter { turn: turn(of), table: WaiterTable::Approval, key: "shell".into(), what }
}
