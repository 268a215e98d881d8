//! What the model reads, in order.
//!
//! Promises: an entry never moves and never goes, and the `new` of a request is exactly what
//! was appended since the request before it. Compaction is not here.

use std::sync::Arc;

use midturn_protocol::{Env, Event, Input, InputId, ModelItem, Request, TurnId};

#[derive(Debug)]
struct Entry {
    text: Arc<str>,
    input: Option<InputId>,
}

/// The history of a session.
#[derive(Debug, Default)]
pub(crate) struct History {
    entries: Vec<Entry>,
    /// How many entries some request has held.
    sampled: usize,
}

impl History {
    pub(crate) fn record_input(&mut self, env: &dyn Env, input: &Input, turn: Option<TurnId>) {
        self.entries.push(Entry { text: input.text.clone(), input: Some(input.id) });
        env.observe(Event::Recorded { input: input.id, turn });
    }

    /// Takes in a completed item of the model, and the answer to a call that is not run.
    pub(crate) fn record_item(&mut self, env: &dyn Env, item: &ModelItem, turn: TurnId) {
        match item {
            ModelItem::Final(text) | ModelItem::Untagged(text) | ModelItem::Commentary(text) => {
                self.record_text(text.clone());
            }
            ModelItem::Tool(tool) => self.record_text(format!("call {tool}").into()),
            ModelItem::RefusedTool(tool) => {
                self.record_text(format!("call {tool}").into());
                self.record_text(format!("{tool} refused").into());
            }
            ModelItem::Blank | ModelItem::Reasoning => self.record_text("".into()),
            ModelItem::NotEnded | ModelItem::Error(_) => {}
        }
        env.observe(Event::ModelItem { turn, item: item.clone() });
    }

    pub(crate) fn record_text(&mut self, text: Arc<str>) {
        self.entries.push(Entry { text, input: None });
    }

    pub(crate) fn record_marker(&mut self, env: &dyn Env, turn: TurnId) {
        self.record_text("<turn_aborted>".into());
        env.observe(Event::Marker { turn });
    }

    /// Everything so far is what this request holds.
    pub(crate) fn begin_request(&mut self, env: &dyn Env, turn: TurnId, request: u32) -> Request {
        let new = self.entries.iter().skip(self.sampled).filter_map(|entry| entry.input).collect();
        self.sampled = self.entries.len();
        env.observe(Event::RequestBegan { turn, request, new });
        let history = self.entries.iter().map(|entry| entry.text.clone()).collect();
        Request { turn, request, history }
    }

    pub(crate) fn inputs(&self) -> Vec<InputId> {
        self.entries.iter().filter_map(|entry| entry.input).collect()
    }
}
