//! What the model reads, in order.
//!
//! Promises: an entry never moves, and only a compaction takes entries out, never input that no
//! request has held. The `new` of a request is exactly what was appended since the request before it. A
//! tool call whose output never came is answered in its place before the model reads it.

use std::sync::Arc;

use midturn_protocol::{
    Env, Event, HistoryItem, Input, InputId, InputKind, ModelItem, Purpose, Request, Role,
    TurnContext, TurnId,
};

#[derive(Debug)]
struct Entry {
    item: HistoryItem,
    input: Option<InputId>,
}

/// The history of a session.
#[derive(Debug, Default)]
pub(crate) struct History {
    entries: Vec<Entry>,
    /// How many entries some request has held.
    sampled: usize,
    /// How many entries the last compaction has held.
    compacting: usize,
}

/// A request of a turn that is about to begin.
pub(crate) struct Asking<'a> {
    pub(crate) turn: TurnId,
    pub(crate) request: u32,
    pub(crate) context: &'a Arc<TurnContext>,
}

impl History {
    /// A history that holds `items` already.
    pub(crate) fn holding(items: Vec<HistoryItem>) -> Self {
        let entries = items.into_iter().map(|item| Entry { item, input: None }).collect();
        History { entries, sampled: 0, compacting: 0 }
    }

    pub(crate) fn record_input(&mut self, env: &dyn Env, input: &Input, turn: Option<TurnId>) {
        let role = match input.kind {
            InputKind::User | InputKind::Response => Role::User,
            InputKind::ToolOutput => Role::ToolOutput,
            InputKind::Mail { .. } => Role::Mail,
        };
        let item = HistoryItem { role, text: input.text.clone() };
        self.entries.push(Entry { item, input: Some(input.id) });
        env.observe(Event::Recorded { input: input.id, turn });
    }

    /// Takes in a completed item of the model, and the answer to a call that is not run.
    pub(crate) fn record_item(&mut self, env: &dyn Env, item: &ModelItem, turn: TurnId) {
        match item {
            ModelItem::Final(text) | ModelItem::Untagged(text) | ModelItem::Commentary(text) => {
                self.record_text(Role::Assistant, text.clone());
            }
            ModelItem::Tool(call) => self.record_text(Role::ToolCall, call.tool.clone()),
            ModelItem::RefusedTool(tool) => {
                self.record_text(Role::ToolCall, tool.clone());
                self.record_text(Role::ToolOutput, "refused".into());
            }
            ModelItem::Blank => self.record_text(Role::Assistant, "".into()),
            ModelItem::Reasoning => self.record_text(Role::Reasoning, "".into()),
            ModelItem::NotEnded | ModelItem::Full | ModelItem::Error(_) => {}
        }
        env.observe(Event::ModelItem { turn, item: item.clone() });
    }

    pub(crate) fn record_text(&mut self, role: Role, text: Arc<str>) {
        self.entries.push(Entry { item: HistoryItem { role, text }, input: None });
    }

    pub(crate) fn record_marker(&mut self, env: &dyn Env, turn: TurnId) {
        self.record_text(Role::User, "<turn_aborted>".into());
        env.observe(Event::Marker { turn });
    }

    /// Everything so far is what this request of a turn holds.
    pub(crate) fn begin_request(&mut self, env: &dyn Env, asking: &Asking<'_>) -> Request {
        self.answer_open_calls();
        let new = self.entries.iter().skip(self.sampled).filter_map(|entry| entry.input).collect();
        self.sampled = self.entries.len();
        let history = self.entries.iter().map(|entry| entry.item.clone()).collect();
        asking.begin(env, Purpose::Turn, new, history)
    }

    /// A request that samples nothing: a compaction holds all of history and what to do with it,
    /// a review only its prompt.
    pub(crate) fn begin_other(
        &mut self,
        env: &dyn Env,
        asking: &Asking<'_>,
        purpose: Purpose,
        prompt: Option<Arc<str>>,
    ) -> Request {
        let text = prompt.unwrap_or_else(|| COMPACTION_PROMPT.into());
        let mut history = match purpose {
            Purpose::Review => Vec::new(),
            Purpose::Turn | Purpose::Compaction => {
                self.answer_open_calls();
                self.compacting = self.entries.len();
                self.entries.iter().map(|entry| entry.item.clone()).collect()
            }
        };
        history.push(HistoryItem { role: Role::User, text });
        asking.begin(env, purpose, Vec::new(), history)
    }

    /// Puts `summary` in the place of everything that the compaction held, except input that no
    /// request has held yet.
    pub(crate) fn compact(&mut self, env: &dyn Env, summary: Arc<str>, turn: TurnId) {
        let item = HistoryItem { role: Role::Context, text: summary };
        let old = std::mem::replace(&mut self.entries, vec![Entry { item, input: None }]);
        let kept = old.into_iter().enumerate().filter(|(at, entry)| {
            *at >= self.compacting || *at >= self.sampled && entry.input.is_some()
        });
        self.entries.extend(kept.map(|(_, entry)| entry));
        self.sampled = 1;
        env.observe(Event::Compacted { turn });
    }

    /// The place of a planted fault: what nobody has read is as old as the rest.
    pub(crate) fn forget_unread(&mut self) {
        self.sampled = self.entries.len();
    }

    pub(crate) fn inputs(&self) -> Vec<InputId> {
        self.entries.iter().filter_map(|entry| entry.input).collect()
    }

    pub(crate) fn has(&self, input: InputId) -> bool {
        self.entries.iter().any(|entry| entry.input == Some(input))
    }

    /// The model may not read a call without an output.
    fn answer_open_calls(&mut self) {
        let mut open = Vec::new();
        for (at, entry) in self.entries.iter().enumerate() {
            match entry.item.role {
                Role::ToolCall => open.push(at),
                Role::ToolOutput if entry.input.is_none() && !open.is_empty() => {
                    open.remove(0);
                }
                Role::ToolOutput
                | Role::User
                | Role::Assistant
                | Role::Reasoning
                | Role::Mail
                | Role::Context => {}
            }
        }
        for at in open.into_iter().rev() {
            let item = HistoryItem { role: Role::ToolOutput, text: "aborted".into() };
            self.entries.insert(at + 1, Entry { item, input: None });
            if at < self.sampled {
                self.sampled += 1;
            }
        }
    }
}

const COMPACTION_PROMPT: &str =
    "You are performing a CONTEXT CHECKPOINT COMPACTION. Create a summary of the work so far.";

impl Asking<'_> {
    fn begin(
        &self,
        env: &dyn Env,
        purpose: Purpose,
        new: Vec<InputId>,
        history: Vec<HistoryItem>,
    ) -> Request {
        let Asking { turn, request, context } = *self;
        let settings = context.settings.version;
        env.observe(Event::RequestBegan { turn, request, purpose, settings, new });
        Request { turn, request, purpose, history, context: context.clone() }
    }
}
