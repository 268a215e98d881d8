//! Whole histories, written by hand, each of a small scenario of its own.
//!
//! What a correct engine may do breaks no property at all; one step beside it breaks exactly the
//! property that is meant. The rules of one property at a time are in the files `judged_*`.

mod agenda;
mod answers;
mod explained;
mod recovery;
mod routes;
mod settings;
mod starts;
mod stories;
mod turns;

use midturn_properties::history::{Agenda, History, Record, agenda_of};
use midturn_properties::property::{judge, names};
use midturn_properties::scenario::Scenario;
use midturn_protocol::{
    ClearedBy, Event, InputId, InputKind, ModelItem, Observation, Place, Purpose, Reason, Reply,
    RequestEnd, SlotShape, StartOptions, TaskKind, TurnEnd, TurnId, Verdict, WaiterEvent,
    WaiterTable,
};

use crate::documents::{parse, with_commands};

/// Who acts: two callers, the task of a turn, the task of the next one, and an abort.
const USER: usize = 1;
const OTHER: usize = 2;
const TASK: usize = 3;
const NEXT: usize = 4;
const ABORT: usize = 5;

const DONE: RequestEnd = RequestEnd::Completed { follow_up: false };
const MORE: RequestEnd = RequestEnd::Completed { follow_up: true };

/// A scenario, whose names are the words of a history. `"go"` as a turn is the turn of `go`,
/// `"go+1"` the one after it.
struct Words {
    scenario: Scenario,
    agenda: Agenda,
}

/// The first session of the scenario with these tables and commands.
fn words(tables: &str, commands: &str) -> Words {
    words_of(0, &with_commands(tables, commands))
}

fn words_of(session: usize, text: &str) -> Words {
    let scenario = parse(text).unwrap_or_else(|errors| panic!("{errors}"));
    let agenda = agenda_of(&scenario, session);
    Words { scenario, agenda }
}

/// A history under way. The slot is empty in the end, unless something else is said.
struct Run<'a> {
    words: &'a Words,
    records: Vec<Record>,
    last: Observation,
}

impl Words {
    fn by<const N: usize>(&self, actor: usize, events: [Event; N]) -> Run<'_> {
        let last = Observation { slot: Some(SlotShape::Idle), ..Observation::default() };
        Run { words: self, records: Vec::new(), last }.by(actor, events)
    }

    /// What there is before anybody moves.
    fn before<const N: usize>(&self, events: [Event; N]) -> Run<'_> {
        self.by(USER, []).before(events)
    }

    fn id(&self, name: &str) -> InputId {
        match name {
            "slot" => InputId::PRESET,
            _ => self.scenario.names.find(name).unwrap_or_else(|| panic!("no input {name}")),
        }
    }

    fn ids(&self, names: &[&str]) -> Vec<InputId> {
        names.iter().map(|name| self.id(name)).collect()
    }

    fn turn(&self, name: &str) -> TurnId {
        let (origin, successor) = name.split_once('+').unwrap_or((name, "0"));
        TurnId { origin: self.id(origin), successor: successor.parse().unwrap() }
    }

    fn called(&self, name: &str) -> Event {
        Event::Called { command: self.id(name) }
    }

    fn returned(&self, name: &str, reply: Reply) -> Event {
        Event::Returned { command: self.id(name), reply }
    }

    fn told_started(&self, name: &str, of: &str) -> Event {
        self.returned(name, Reply::Verdict(Verdict::Started(self.turn(of))))
    }

    fn told_steered(&self, name: &str, of: &str) -> Event {
        self.returned(name, Reply::Verdict(Verdict::Steered(self.turn(of))))
    }

    fn told_refused(&self, name: &str, reason: Reason) -> Event {
        self.returned(name, Reply::Verdict(Verdict::NotSubmitted(reason)))
    }

    fn accepted(&self, name: &str, place: Place) -> Event {
        let known = self.agenda.inputs.get(&self.id(name)).map(|asked| asked.kind);
        let kind = known.unwrap_or(InputKind::User);
        Event::Accepted { input: self.id(name), kind, place }
    }

    fn pending(&self, name: &str, of: &str) -> Event {
        self.accepted(name, Place::Pending(self.turn(of)))
    }

    fn initial(&self, name: &str, of: &str) -> Event {
        self.accepted(name, Place::Initial(self.turn(of)))
    }

    fn mailed(&self, name: &str) -> Event {
        self.accepted(name, Place::Mailbox)
    }

    fn refused(&self, name: &str, reason: Reason) -> Event {
        Event::Refused { input: self.id(name), reason }
    }

    fn cleared(&self, name: &str, by: ClearedBy) -> Event {
        Event::Cleared { input: self.id(name), by }
    }

    fn drained(&self, of: &str, names: &[&str]) -> Event {
        Event::Drained { turn: self.turn(of), inputs: self.ids(names) }
    }

    fn hooked(&self, name: &str, accepted: bool) -> Event {
        Event::Hooked { input: self.id(name), accepted }
    }

    fn recorded(&self, name: &str, of: &str) -> Event {
        Event::Recorded { input: self.id(name), turn: Some(self.turn(of)) }
    }

    fn slot(&self, from: SlotShape, to: SlotShape, of: &str) -> Event {
        Event::Slot { from, to, turn: Some(self.turn(of)) }
    }

    fn reserves(&self, of: &str) -> Event {
        self.slot(SlotShape::Idle, SlotShape::Reserved, of)
    }

    fn runs(&self, of: &str) -> Event {
        self.slot(SlotShape::Idle, SlotShape::Running, of)
    }

    fn installs(&self, of: &str) -> Event {
        self.slot(SlotShape::Reserved, SlotShape::Running, of)
    }

    fn finishes(&self, of: &str) -> Event {
        self.slot(SlotShape::Running, SlotShape::Finishing, of)
    }

    fn frees(&self, of: &str) -> Event {
        self.slot(SlotShape::Finishing, SlotShape::Idle, of)
    }

    fn built(&self, of: &str, settings: u32) -> Event {
        let start = Box::new(StartOptions::default());
        Event::ContextBuilt { turn: self.turn(of), settings, start }
    }

    fn applied(&self, command: &str, version: u32, of: Option<&str>) -> Event {
        let turn = of.map(|of| self.turn(of));
        Event::SettingsApplied { command: self.id(command), version, turn }
    }

    fn started(&self, of: &str) -> Event {
        self.started_as(of, TaskKind::Regular)
    }

    fn started_as(&self, of: &str, kind: TaskKind) -> Event {
        Event::TurnStarted { turn: self.turn(of), kind }
    }

    fn ended(&self, of: &str, how: TurnEnd) -> Event {
        Event::TurnEnded { turn: self.turn(of), how }
    }

    fn suspended(&self, of: &str) -> Event {
        Event::TurnSuspended { turn: self.turn(of) }
    }

    fn closed(&self, command: &str) -> Event {
        Event::Closed { command: self.id(command) }
    }

    fn begins(&self, of: &str, request: u32, new: &[&str]) -> Event {
        self.begins_for(Purpose::Turn, of, request, new)
    }

    fn begins_for(&self, purpose: Purpose, of: &str, request: u32, new: &[&str]) -> Event {
        let (turn, new) = (self.turn(of), self.ids(new));
        Event::RequestBegan { turn, request, purpose, settings: 0, new }
    }

    fn ends(&self, of: &str, request: u32, how: RequestEnd) -> Event {
        Event::RequestEnded { turn: self.turn(of), request, how }
    }

    fn answers(&self, of: &str) -> Event {
        Event::ModelItem { turn: self.turn(of), item: ModelItem::Final("done".into()) }
    }

    fn calls_tool(&self, of: &str) -> Event {
        Event::ModelItem { turn: self.turn(of), item: ModelItem::tool("ls") }
    }

    fn waiter(&self, of: &str, key: &str, what: WaiterEvent) -> Event {
        let (turn, key) = (self.turn(of), key.into());
        Event::Waiter { turn, table: WaiterTable::Approval, key, what }
    }
}

impl<'a> Run<'a> {
    fn by<const N: usize>(mut self, actor: usize, events: [Event; N]) -> Self {
        let step = u32::try_from(self.records.len()).unwrap() + 1;
        self.records.extend(events.map(|event| Record { session: 0, step, actor, event }));
        self
    }

    fn before<const N: usize>(mut self, events: [Event; N]) -> Self {
        let record = |event| Record { session: 0, step: 0, actor: USER, event };
        self.records.extend(events.map(record));
        self
    }

    /// The turn's task answers and leaves, and nothing is in the slot any more.
    fn completes(self, actor: usize, of: &str) -> Self {
        let words = self.words;
        self.by(actor, [words.finishes(of), words.ended(of, TurnEnd::Completed), words.frees(of)])
    }

    /// What is left when nobody moves.
    fn leaves(mut self, change: impl FnOnce(&mut Observation)) -> Self {
        change(&mut self.last);
        self
    }

    fn history(self) -> History {
        History::new(&self.words.agenda, self.records, self.last)
    }

    /// What is broken, besides `linearizable`: hardly any wrong history can be explained, and what
    /// can is the business of `explained`.
    fn violations(self) -> Vec<(&'static str, String)> {
        self.all_violations().into_iter().filter(|(name, _)| *name != "linearizable").collect()
    }

    fn all_violations(self) -> Vec<(&'static str, String)> {
        let names = &self.words.scenario.names;
        let found = judge(&self.history(), names).into_iter();
        found.map(|found| (found.property, found.what)).collect()
    }

    /// No property at all is broken, and the history can be explained.
    #[track_caller]
    fn breaks_nothing(self) {
        assert_eq!(self.all_violations(), []);
    }

    /// This is broken, and nothing else.
    #[track_caller]
    fn breaks_only(self, property: &'static str, what: &str) {
        assert_eq!(self.violations(), [(property, what.to_owned())]);
    }

    /// `property` is broken, whatever else is.
    #[track_caller]
    fn breaks(self, property: &str, what: &str) {
        assert_eq!(self.of(property), [what]);
    }

    /// `property` is broken in these ways, whatever else is.
    #[track_caller]
    fn breaks_all(self, property: &str, what: &[&str]) {
        assert_eq!(self.of(property), what);
    }

    /// `property` is kept, whatever else is broken.
    #[track_caller]
    fn keeps(self, property: &str) {
        assert_eq!(self.of(property), [] as [&str; 0]);
    }

    fn of(self, property: &str) -> Vec<String> {
        assert!(names().contains(&property), "no property {property}");
        let found = self.all_violations().into_iter();
        found.filter(|(name, _)| *name == property).map(|(_, what)| what).collect()
    }
}
