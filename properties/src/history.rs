//! One finished run, as properties see it: what happened, and where every input landed.
//!
//! Promises: built from events and a last look at the queues alone, so that every backend is
//! judged alike. Knows no engine.

use std::collections::BTreeMap;

use midturn_protocol::{
    ClearedBy, Event, InputId, InputKind, Landing, Mode, Observation, Place, Preset, Reply,
    SlotShape, TurnId,
};

use crate::scenario::{CommandKind, Scenario, Slot};

/// An event with who emitted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The step, counted from 1; 0 before anyone moved.
    pub step: u32,
    /// Who, by a number that is the same throughout one run.
    pub actor: usize,
    /// What.
    pub event: Event,
}

/// An input of the scenario, as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// What it is.
    pub kind: InputKind,
    /// How it was to be routed; none for mail and injections.
    pub mode: Option<Mode>,
    /// It has no content: it may start a turn, which then has no message, and lands nowhere.
    pub empty: bool,
    /// Its caller may go away before it is answered.
    pub may_drop: bool,
}

/// A finished run.
#[derive(Clone, Debug)]
pub struct History {
    /// What happened, in order.
    pub records: Vec<Record>,
    /// The queues when nobody moved any more.
    pub last: Observation,
    /// Every input that somebody really handed over.
    pub asked: BTreeMap<InputId, Asked>,
    /// Where each of them is.
    pub landings: BTreeMap<InputId, Landing>,
}

/// Every input that a scenario may hand over.
pub fn inputs_of(scenario: &Scenario) -> BTreeMap<InputId, Asked> {
    let mut inputs = BTreeMap::new();
    for session in &scenario.sessions {
        for mail in &session.mailbox {
            let kind = InputKind::Mail { trigger: mail.trigger };
            inputs.insert(mail.id, Asked { kind, mode: None, empty: false, may_drop: false });
        }
        let (kind, mode) = match session.slot {
            Slot::Idle => continue,
            Slot::Reserved => (InputKind::Response, Some(Mode::StartIfIdle)),
            Slot::Running | Slot::Finishing | Slot::Review | Slot::Compact => {
                (InputKind::User, None)
            }
        };
        let preset = Asked { kind, mode, empty: false, may_drop: false };
        inputs.insert(InputId::PRESET, preset);
    }
    for command in scenario.actors.iter().flat_map(|actor| &actor.does) {
        let may_drop = command.drop;
        let asked = match &command.kind {
            CommandKind::Submit { mode, kind, text, .. } => {
                let empty = *kind == InputKind::User && text.is_empty();
                Asked { kind: *kind, mode: Some(*mode), empty, may_drop }
            }
            CommandKind::Mail { trigger, .. } => {
                let kind = InputKind::Mail { trigger: *trigger };
                Asked { kind, mode: None, empty: false, may_drop }
            }
            CommandKind::Inject { .. } => {
                Asked { kind: InputKind::Response, mode: None, empty: false, may_drop }
            }
            CommandKind::ContinueIfIdle { .. }
            | CommandKind::Recover { .. }
            | CommandKind::Interrupt { .. }
            | CommandKind::Wait
            | CommandKind::Answer { .. }
            | CommandKind::Settings { .. }
            | CommandKind::Review { .. }
            | CommandKind::Compact
            | CommandKind::ToolOutput { .. }
            | CommandKind::Shutdown => continue,
        };
        inputs.insert(command.id, asked);
    }
    inputs
}

/// The preset of the scenario's first session.
pub fn preset_of(scenario: &Scenario) -> Preset {
    scenario.sessions.first().and_then(|session| session.slot.preset()).unwrap_or_default()
}

impl History {
    /// The history of a run of `scenario`.
    pub fn new(
        inputs: &BTreeMap<InputId, Asked>,
        commands: &[InputId],
        records: Vec<Record>,
        last: Observation,
    ) -> Self {
        let called = |id: InputId| {
            records.iter().any(|r| matches!(r.event, Event::Called { command } if command == id))
        };
        let asked: BTreeMap<InputId, Asked> = inputs
            .iter()
            .filter(|(id, _)| !commands.contains(id) || called(**id))
            .map(|(id, asked)| (*id, *asked))
            .collect();
        let mut history = History { records, last, asked, landings: BTreeMap::new() };
        let inputs: Vec<_> = history.asked.iter().map(|(id, asked)| (*id, *asked)).collect();
        for (id, asked) in inputs {
            let landing = history.landing(id);
            // What has no content cannot be lost.
            if landing != Landing::Lost || !asked.empty {
                history.landings.insert(id, landing);
            }
        }
        history
    }

    /// All events, in order.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.records.iter().map(|record| &record.event)
    }

    /// The position of the first event that `wanted` accepts.
    pub fn first(&self, wanted: impl Fn(&Event) -> bool) -> Option<usize> {
        self.records.iter().position(|record| wanted(&record.event))
    }

    /// What the caller of `command` was told.
    pub fn reply(&self, command: InputId) -> Option<&Reply> {
        self.events().find_map(|event| match event {
            Event::Returned { command: returned, reply } if *returned == command => Some(reply),
            _ => None,
        })
    }

    /// Turns that the client saw start, in order.
    pub fn turns(&self) -> Vec<TurnId> {
        let started = self.events().filter_map(|event| match event {
            Event::TurnStarted { turn } => Some(*turn),
            _ => None,
        });
        started.collect()
    }

    fn landing(&self, id: InputId) -> Landing {
        let sampled = self.events().find_map(|event| match event {
            Event::RequestBegan { turn, request, new } if new.contains(&id) => {
                Some(Landing::Sampled { turn: *turn, request: *request })
            }
            _ => None,
        });
        if let Some(sampled) = sampled {
            return sampled;
        }
        if self.last.pending.contains(&id) || self.last.mailbox.contains(&id) {
            return Landing::Queued;
        }
        let mut landing = Landing::Lost;
        let mut waits_on: Option<TurnId> = None;
        for event in self.events() {
            match event {
                Event::Recorded { input, .. } if *input == id => return Landing::Recorded,
                Event::Accepted { input, place, .. } if *input == id => {
                    landing = Landing::Lost;
                    waits_on = match place {
                        Place::Pending(turn) => Some(*turn),
                        Place::Initial(_) | Place::Mailbox => None,
                    };
                }
                Event::Drained { inputs, .. } if inputs.contains(&id) => waits_on = None,
                Event::Refused { input, reason } if *input == id => {
                    landing = Landing::Refused(*reason);
                }
                Event::GivenBack { input }
                    if *input == id && !matches!(landing, Landing::Refused(_)) =>
                {
                    landing = Landing::Returned;
                }
                Event::Cleared { input, by } if *input == id => landing = Landing::Cleared(*by),
                Event::Hooked { input, accepted: false } if *input == id => {
                    landing = Landing::Cleared(ClearedBy::Hook);
                }
                // An interrupt that is known by its turn says what became of what waited there.
                Event::PendingCleared { turn } if waits_on == Some(*turn) => {
                    landing = Landing::Cleared(ClearedBy::Interrupt);
                }
                _ => {}
            }
        }
        let was_accepted = self
            .events()
            .any(|event| matches!(event, Event::Accepted { input, .. } if *input == id));
        match self.reply(id) {
            // The caller went away before anything took it.
            Some(Reply::Dropped)
                if !was_accepted && landing == Landing::Lost && self.may_drop(id) =>
            {
                Landing::Returned
            }
            // Its caller still waits for the answer, and is reported as stuck if nobody comes.
            None if !was_accepted && landing == Landing::Lost && id != InputId::PRESET => {
                Landing::Queued
            }
            _ => landing,
        }
    }

    fn may_drop(&self, id: InputId) -> bool {
        self.asked.get(&id).is_some_and(|asked| asked.may_drop)
    }

    /// Whether the slot is empty at the end.
    pub fn ends_idle(&self) -> bool {
        self.last.slot.is_none_or(|slot| slot == SlotShape::Idle)
    }
}
