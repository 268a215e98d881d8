//! What a scenario asks of an engine beyond the operations that every engine has.

use super::word::{Word, words};
use super::{
    Assumption, CommandKind, Front, InjectionForm, Scenario, ScriptKind, SessionMode, Slot, Span,
    command::Command,
};

/// Something that a design may not do yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// The verb `continue_if_idle`.
    ContinueIfIdle,
    /// The verb `recover`.
    Recover,
    /// The verb `answer`.
    Answer,
    /// A tool that asks.
    Asks,
    /// The verb `settings`.
    Settings,
    /// The verb `review`.
    Review,
    /// The verb `compact`.
    Compact,
    /// The verb `tool_output`.
    ToolOutput,
    /// The verb `shutdown`.
    Shutdown,
    /// An interrupt of one particular turn.
    InterruptTurn,
    /// An injection by the client.
    InjectClient,
    /// A session in Plan mode.
    PlanMode,
    /// The server front.
    ServerFront,
    /// A review in the slot.
    ReviewSlot,
    /// A compaction in the slot.
    CompactSlot,
    /// More than one session.
    Sessions,
    /// A scripted prompt hook.
    Hooks,
    /// Additional context.
    Context,
    /// A client's own id.
    ClientId,
    /// A client's metadata.
    Metadata,
    /// Locks that are granted in the order in which they were asked for.
    FifoLocks,
}
words!(Feature {
    ContinueIfIdle = "continue_if_idle",
    Recover = "recover",
    Answer = "answer",
    Asks = "asks",
    Settings = "settings",
    Review = "review",
    Compact = "compact",
    ToolOutput = "tool_output",
    Shutdown = "shutdown",
    InterruptTurn = "interrupt of one turn",
    InjectClient = "client injection",
    PlanMode = "plan mode",
    ServerFront = "server front",
    ReviewSlot = "review slot",
    CompactSlot = "compact slot",
    Sessions = "several sessions",
    Hooks = "hooks",
    Context = "context",
    ClientId = "client_id",
    Metadata = "metadata",
    FifoLocks = "fifo_locks",
});

impl Feature {
    /// Its word, for people.
    pub fn name(self) -> &'static str {
        self.word()
    }
}

impl Scenario {
    /// Every use of a feature with its place, in file order.
    pub fn needs(&self) -> Vec<(Feature, Span)> {
        let mut needs = Vec::new();
        for (index, session) in self.sessions.iter().enumerate() {
            let mut need = |feature, key: &str| {
                needs.push((feature, session.keys.get(key).unwrap_or(&session.span).clone()));
            };
            if index > 0 {
                need(Feature::Sessions, "name");
            }
            if session.mode == SessionMode::Plan {
                need(Feature::PlanMode, "mode");
            }
            if session.front == Front::Server {
                need(Feature::ServerFront, "front");
            }
            match session.slot {
                Slot::Review => need(Feature::ReviewSlot, "slot"),
                Slot::Compact => need(Feature::CompactSlot, "slot"),
                Slot::Idle | Slot::Reserved | Slot::Running | Slot::Finishing => {}
            }
            if !session.hooks.is_empty() {
                need(Feature::Hooks, "hooks");
            }
        }
        for item in self.model.requests.iter().flatten() {
            if matches!(item.kind, ScriptKind::Tool { asks: Some(_), .. }) {
                needs.push((Feature::Asks, item.span.clone()));
            }
        }
        for command in self.actors.iter().flat_map(|actor| &actor.does) {
            needs.extend(verb(&command.kind).map(|feature| (feature, command.span.clone())));
            needs.extend(options(command));
        }
        let all = self.expectations.iter().map(|expected| &expected.terms).chain([&self.terms]);
        if all.into_iter().any(|terms| terms.assume.contains(&Assumption::FifoLocks)) {
            // Terms are merged and have no place of their own: the word is.
            let word = Feature::FifoLocks.name();
            let span = self.source.find(word).map_or(0..0, |start| start..start + word.len());
            needs.push((Feature::FifoLocks, span));
        }
        needs.sort_by_key(|(feature, span)| (span.start, *feature));
        needs
    }
}

fn options(command: &Command) -> impl Iterator<Item = (Feature, Span)> {
    let features = [
        ("context", Feature::Context),
        ("client_id", Feature::ClientId),
        ("metadata", Feature::Metadata),
    ];
    let span = |key| command.keys.get(key).cloned();
    features.into_iter().filter_map(move |(key, feature)| Some((feature, span(key)?)))
}

fn verb(kind: &CommandKind) -> Option<Feature> {
    match kind {
        CommandKind::Submit { .. }
        | CommandKind::Mail { .. }
        | CommandKind::Interrupt { turn: None }
        | CommandKind::Wait => None,
        CommandKind::Inject { form, .. } => match form {
            InjectionForm::Client => Some(Feature::InjectClient),
            InjectionForm::IfRunning | InjectionForm::HookContext | InjectionForm::NoNewTurn => {
                None
            }
        },
        CommandKind::Interrupt { turn: Some(_) } => Some(Feature::InterruptTurn),
        CommandKind::ContinueIfIdle { .. } => Some(Feature::ContinueIfIdle),
        CommandKind::Recover { .. } => Some(Feature::Recover),
        CommandKind::Answer { .. } => Some(Feature::Answer),
        CommandKind::Settings { .. } => Some(Feature::Settings),
        CommandKind::Review { .. } => Some(Feature::Review),
        CommandKind::Compact => Some(Feature::Compact),
        CommandKind::ToolOutput { .. } => Some(Feature::ToolOutput),
        CommandKind::Shutdown => Some(Feature::Shutdown),
    }
}
