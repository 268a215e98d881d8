//! One finished run of one session, as properties see it: what happened, and where every input
//! landed.
//!
//! Promises: built from events and a last look at the queues alone, so that every backend is
//! judged alike. Knows no engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use midturn_protocol::{
    ClearedBy, Command, Event, InputId, InputKind, Landing, Mode, Observation, Place, Preset,
    Reply, SessionSetup, SlotShape, Submission, TurnId,
};

use crate::scenario::{Scenario, ScriptKind};

/// An event with who emitted it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The session, as an index into the scenario's.
    pub session: usize,
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
    /// How it was to be routed; none for mail, injections and context.
    pub mode: Option<Mode>,
    /// It has no content: it may start a turn, which then has no message, and lands nowhere.
    pub empty: bool,
    /// Its caller may go away before it is answered.
    pub may_drop: bool,
    /// The input with which it travels as context. It lands nowhere if the session knows it.
    pub travels_with: Option<InputId>,
    /// Another session sends it: it is asked for once it has come.
    pub is_sent: bool,
}

impl Asked {
    /// An input of which nothing is known but what it is.
    pub fn plain(kind: InputKind) -> Self {
        Asked {
            kind,
            mode: None,
            empty: false,
            may_drop: false,
            travels_with: None,
            is_sent: false,
        }
    }
}

/// Everything that may be asked of one session.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    /// Inputs.
    pub inputs: BTreeMap<InputId, Asked>,
    /// Commands.
    pub commands: Arc<BTreeMap<InputId, Command>>,
    /// The session before anyone moves.
    pub setup: Arc<SessionSetup>,
    /// Real time orders what is asked for: a class fixes which command returned before which was
    /// called, or there is no class and a run stands for itself.
    pub real_time: bool,
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
    /// Every command of the scenario, called or not.
    pub commands: Arc<BTreeMap<InputId, Command>>,
    /// The session before anyone moved.
    pub setup: Arc<SessionSetup>,
    /// Whether real time orders commands of different callers, see [`Agenda::real_time`].
    pub real_time: bool,
    /// Where each input is.
    pub landings: BTreeMap<InputId, Landing>,
}

/// Everything that `scenario` may ask of its session numbered `session`.
pub fn agenda_of(scenario: &Scenario, session: usize) -> Agenda {
    let mut agenda = Agenda::default();
    if let Some(preset) = scenario.sessions.get(session) {
        agenda.setup = Arc::new(preset.setup());
        for mailed in &preset.mailbox {
            let kind = InputKind::Mail { trigger: mailed.mail.trigger };
            agenda.inputs.insert(mailed.mail.id, Asked::plain(kind));
        }
        agenda.inputs.extend(preset_input(preset.slot).map(|asked| (InputId::PRESET, asked)));
    }
    for (from, sender) in scenario.sessions.iter().enumerate() {
        let sent = |trigger| Asked { is_sent: true, ..Asked::plain(InputKind::Mail { trigger }) };
        for item in sender.model.requests.iter().flatten() {
            if let ScriptKind::Tool(tool) = &item.kind
                && let Some(mail) = tool.sends.as_ref().filter(|sends| sends.to == session)
            {
                agenda.inputs.insert(mail.mail.id, sent(mail.mail.trigger));
            }
        }
        if from != session && sender.parent == Some(session) {
            agenda.inputs.extend(sender.reports.iter().map(|id| (*id, sent(false))));
        }
    }
    let commands = scenario.actors.iter().flat_map(|actor| &actor.does);
    for command in commands.filter(|command| command.session == session) {
        agenda.add(command.call.clone(), command.drop);
    }
    agenda
}

/// The input behind a preset turn.
fn preset_input(preset: Preset) -> Option<Asked> {
    match preset {
        // A review's prompt and a compaction go through no queue.
        Preset::Idle | Preset::Review | Preset::Compact => None,
        Preset::Reserved => {
            let mode = Some(Mode::StartIfIdle);
            Some(Asked { mode, ..Asked::plain(InputKind::Response) })
        }
        Preset::Running | Preset::Finishing => Some(Asked::plain(InputKind::User)),
    }
}

impl Agenda {
    /// Adds a command with the inputs that it hands over.
    pub fn add(&mut self, command: Command, may_drop: bool) {
        let asked = match &command {
            Command::Submit(submission) => {
                self.add_context(submission, may_drop);
                let Submission { mode, input, .. } = submission;
                let empty = input.is_empty();
                Asked { mode: Some(*mode), empty, may_drop, ..Asked::plain(input.kind) }
            }
            Command::Deliver(mail) => {
                let kind = InputKind::Mail { trigger: mail.trigger };
                Asked { may_drop, ..Asked::plain(kind) }
            }
            Command::Inject { input, .. } => Asked { may_drop, ..Asked::plain(input.kind) },
            Command::Interrupt { .. }
            | Command::AwaitActivity { .. }
            | Command::Answer(_)
            | Command::ChangeSettings { .. }
            | Command::Begin { .. }
            | Command::Drain { .. }
            | Command::Suspend { .. }
            | Command::ShutDown { .. } => {
                Arc::make_mut(&mut self.commands).insert(command.id(), command);
                return;
            }
        };
        self.inputs.insert(command.id(), asked);
        Arc::make_mut(&mut self.commands).insert(command.id(), command);
    }

    fn add_context(&mut self, submission: &Submission, may_drop: bool) {
        for entry in &submission.context {
            let travels_with = Some(submission.input.id);
            let asked = Asked { may_drop, travels_with, ..Asked::plain(InputKind::Response) };
            self.inputs.insert(entry.id, asked);
        }
    }
}

impl History {
    /// The history of a run in which `records` happened.
    pub fn new(agenda: &Agenda, records: Vec<Record>, last: Observation) -> Self {
        let called = |id: InputId| {
            records.iter().any(|r| matches!(r.event, Event::Called { command } if command == id))
        };
        let accepted = |id: InputId| {
            records.iter().any(|r| matches!(r.event, Event::Accepted { input, .. } if input == id))
        };
        let refused = |id: InputId| {
            records.iter().any(|r| matches!(r.event, Event::Refused { input, .. } if input == id))
        };
        let handed_over = |(id, asked): &(&InputId, &Asked)| match asked.travels_with {
            Some(_) => accepted(**id),
            None if asked.is_sent => accepted(**id) || refused(**id),
            None => !agenda.commands.contains_key(*id) || called(**id),
        };
        let asked: BTreeMap<InputId, Asked> =
            agenda.inputs.iter().filter(handed_over).map(|(id, asked)| (*id, *asked)).collect();
        let (commands, setup) = (agenda.commands.clone(), agenda.setup.clone());
        let (real_time, landings) = (agenda.real_time, BTreeMap::new());
        let mut history = History { records, last, asked, commands, setup, real_time, landings };
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
            Event::TurnStarted { turn, .. } => Some(*turn),
            _ => None,
        });
        started.collect()
    }

    fn landing(&self, id: InputId) -> Landing {
        let sampled = self.events().find_map(|event| match event {
            Event::RequestBegan { turn, request, new, .. } if new.contains(&id) => {
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
                Event::PendingCleared { turn } if waits_on == Some(*turn) && !self.is_mail(id) => {
                    landing = Landing::Cleared(ClearedBy::Interrupt);
                }
                _ => {}
            }
        }
        let unheard = landing == Landing::Lost
            && !self
                .events()
                .any(|event| matches!(event, Event::Accepted { input, .. } if *input == id));
        match self.reply(id) {
            // The caller went away before anything took it.
            Some(Reply::Dropped) if unheard && self.may_drop(id) => Landing::Returned,
            // A design that does not have the command leaves everything with its caller.
            Some(Reply::Unsupported) if unheard => Landing::Returned,
            // A loop that has ended its session looks at no command any more.
            Some(Reply::Refused(reason)) if unheard => Landing::Refused(*reason),
            // Its caller still waits for the answer, and is reported as stuck if nobody comes.
            None if unheard && id != InputId::PRESET => Landing::Queued,
            _ => landing,
        }
    }

    fn is_mail(&self, id: InputId) -> bool {
        self.asked.get(&id).is_some_and(|asked| matches!(asked.kind, InputKind::Mail { .. }))
    }

    fn may_drop(&self, id: InputId) -> bool {
        self.asked.get(&id).is_some_and(|asked| asked.may_drop)
    }

    /// Whether the slot is empty at the end.
    pub fn ends_idle(&self) -> bool {
        self.last.slot.is_none_or(|slot| slot == SlotShape::Idle)
    }
}
