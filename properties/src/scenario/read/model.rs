//! Reads the scripted models.

use std::sync::Arc;

use midturn_protocol::{Mail, ModelItem, StartOptions, ToolUse, ToolWork, WaiterTable};
use toml::de::DeValue;

use super::{Fields, Keys, Reader, Value};
use crate::scenario::mistake::Mistake;
use crate::scenario::script::{Model, ScriptItem, ScriptKind, ScriptTool, SentMail};

pub(super) const MODEL: Keys = Keys { place: "[model]", words: &["requests"] };
pub(super) const ITEM: Keys = Keys {
    place: "a model item",
    words: &[
        "final",
        "untagged",
        "commentary",
        "blank",
        "reasoning",
        "tool",
        "refused_tool",
        "not_ended",
        "full",
        "error",
        "hold",
        "output",
        "asks",
        "waits",
        "sleeps",
        "sends",
    ],
};
/// The keys that say what the item is; the others go with `tool`.
const KINDS: &[&str] = ITEM.words.split_at(11).0;
const TOOL_ONLY: &[&str] = ITEM.words.split_at(11).1;
pub(super) const SENT: Keys =
    Keys { place: "a mail that a tool sends", words: &["id", "to", "trigger", "text"] };

/// Keys of a tool of which one excludes the other.
const EXCLUDE: &[[&str; 2]] = &[
    ["asks", "waits"],
    ["asks", "sleeps"],
    ["asks", "sends"],
    ["waits", "sleeps"],
    ["waits", "sends"],
    ["sleeps", "sends"],
    // The queue itself says what such a tool returns.
    ["output", "waits"],
    ["output", "sleeps"],
];

impl Reader<'_> {
    /// `[model]`; no request at all unless given.
    pub(crate) fn model(&mut self, top: Fields<'_>) -> Model {
        let Some(value) = top.get("model") else { return Model::default() };
        let Some(fields) = self.fields("model", value, &MODEL) else { return Model::default() };
        match self.need(fields, "requests") {
            Some(requests) => self.scripts(requests, 0),
            None => Model::default(),
        }
    }

    /// What the model of a session says.
    pub(super) fn scripts(&mut self, requests: &Value<'_>, session: usize) -> Model {
        let span = requests.span();
        let scripts = self.elements("requests", requests).iter();
        let requests = scripts.map(|script| {
            let items = self.elements("a request", script);
            items.iter().filter_map(|item| self.item(item, session)).collect()
        });
        Model { requests: requests.collect(), span }
    }

    fn item(&mut self, value: &Value<'_>, session: usize) -> Option<ScriptItem> {
        let fields = self.fields("an item", value, &ITEM)?;
        let kinds = fields.among(KINDS);
        let (kind, _) = self.only(fields, &kinds, KINDS)?;
        if kind != "tool" {
            for (key, span) in fields.among(TOOL_ONLY) {
                self.fail(span, Mistake::MisplacedKey { key: key.to_owned(), verbs: &["tool"] });
            }
        }
        let kind = self.item_kind(fields, kind, session)?;
        Some(ScriptItem { kind, span: value.span() })
    }

    fn item_kind(&mut self, fields: Fields<'_>, kind: &str, session: usize) -> Option<ScriptKind> {
        let item = match kind {
            "final" => ModelItem::Final(self.content(fields, kind)?),
            "untagged" => ModelItem::Untagged(self.content(fields, kind)?),
            "commentary" => ModelItem::Commentary(self.content(fields, kind)?),
            "refused_tool" => ModelItem::RefusedTool(self.content(fields, kind)?),
            "error" => ModelItem::Error(self.content(fields, kind)?),
            "blank" => self.flag(fields, kind, ModelItem::Blank)?,
            "reasoning" => self.flag(fields, kind, ModelItem::Reasoning)?,
            "not_ended" => self.flag(fields, kind, ModelItem::NotEnded)?,
            "full" => self.flag(fields, kind, ModelItem::Full)?,
            "hold" => return Some(ScriptKind::Hold(self.event(fields, kind)?)),
            _ => return Some(ScriptKind::Tool(self.tool(fields, session)?)),
        };
        Some(ScriptKind::Item(item))
    }

    fn tool(&mut self, fields: Fields<'_>, session: usize) -> Option<ScriptTool> {
        for pair in EXCLUDE {
            if let [(first, _), (second, span)] = fields.among(pair).as_slice() {
                let (first, second) = ((*first).to_owned(), (*second).to_owned());
                self.fail(span.clone(), Mistake::Together { first, second });
            }
        }
        let tool = self.content(fields, "tool");
        let output = self.content(fields, "output");
        let asks = self.choice::<WaiterTable>(fields, "asks").map(ToolWork::Ask);
        let waits = self.flag(fields, "waits", ToolWork::AwaitActivity);
        let sleeps = self.flag(fields, "sleeps", ToolWork::SleepUntilMail);
        let sends = self.sends(fields, session);
        let (tool, work) = (tool?, asks.or(waits).or(sleeps).unwrap_or(ToolWork::Run));
        if let ToolWork::Ask(table) = work {
            self.ask(session, table, tool.clone());
        }
        Some(ScriptTool { call: ToolUse { tool, work }, output, sends })
    }

    /// Notes who asks, so that an answer need not say whom it is for.
    fn ask(&mut self, session: usize, table: WaiterTable, tool: Arc<str>) {
        if self.askers.len() <= session {
            self.askers.resize(session + 1, Vec::new());
        }
        self.askers[session].push((table, tool));
    }

    fn sends(&mut self, fields: Fields<'_>, session: usize) -> Option<SentMail> {
        let fields = self.fields("sends", fields.get("sends")?, &SENT)?;
        let id = self.need_text(fields, "id");
        self.need(fields, "to");
        let to = self.other_session(fields, "to", session);
        let trigger = self.boolean(fields, "trigger").unwrap_or(false);
        self.need(fields, "text");
        let text = self.content(fields, "text");
        let (id, start) = (self.names.find(id?)?, StartOptions::default());
        Some(SentMail { to: to?, mail: Mail { id, trigger, text: text?, start } })
    }

    /// The session that a key names, which must not be this one.
    pub(super) fn other_session(
        &mut self,
        fields: Fields<'_>,
        key: &'static str,
        session: usize,
    ) -> Option<usize> {
        let found = self.session_at(fields, key)?;
        if found == session {
            let span = fields.get(key).map_or(fields.span(), |value| self.inside(value));
            self.fail(span, Mistake::NotHere { key, why: "it must name another session" });
        }
        Some(found)
    }

    /// `meaning`, if the key is `true`. There is nothing that `false` could mean.
    pub(super) fn flag<T>(&mut self, fields: Fields<'_>, key: &str, meaning: T) -> Option<T> {
        let value = fields.get(key)?;
        if matches!(value.get_ref(), DeValue::Boolean(true)) {
            return Some(meaning);
        }
        self.wrong(key, "true", value);
        None
    }

    /// The one key that says what a table is.
    pub(super) fn only<'t>(
        &mut self,
        fields: Fields<'_>,
        found: &[(&'t str, std::ops::Range<usize>)],
        valid: &'static [&'static str],
    ) -> Option<(&'t str, std::ops::Range<usize>)> {
        let place = fields.keys.place;
        match found {
            [] => self.fail(fields.span(), Mistake::NoVerb { place, valid }),
            [only] => return Some(only.clone()),
            [_, second, ..] => {
                let verbs = found.iter().map(|(verb, _)| (*verb).to_owned()).collect();
                self.fail(second.1.clone(), Mistake::SeveralVerbs { place, verbs });
            }
        }
        None
    }
}
