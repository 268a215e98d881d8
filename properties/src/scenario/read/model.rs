//! Reads the scripted model.

use std::sync::Arc;

use midturn_protocol::ModelItem;
use toml::de::DeValue;

use super::{Fields, Keys, Reader, Value};
use crate::scenario::mistake::Mistake;
use crate::scenario::script::{Model, ScriptItem, ScriptKind};

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
        "error",
        "hold",
        "output",
        "asks",
    ],
};
/// The keys that say what the item is; the others go with `tool`.
const KINDS: &[&str] = ITEM.words.split_at(10).0;
const TOOL_ONLY: &[&str] = ITEM.words.split_at(10).1;

impl Reader<'_> {
    /// `[model]`; no request at all unless given.
    pub(crate) fn model(&mut self, top: Fields<'_>) -> Model {
        let Some(value) = top.get("model") else { return Model::default() };
        let Some(fields) = self.fields("model", value, &MODEL) else { return Model::default() };
        let Some(requests) = self.need(fields, "requests") else { return Model::default() };
        let scripts = self.elements("requests", requests);
        let requests_span = requests.span();
        let mut requests = Vec::new();
        for script in scripts {
            let items = self.elements("a request", script);
            requests.push(items.iter().filter_map(|item| self.item(item)).collect());
        }
        Model { requests, span: requests_span }
    }

    fn item(&mut self, value: &Value<'_>) -> Option<ScriptItem> {
        let fields = self.fields("an item", value, &ITEM)?;
        let kinds = fields.among(KINDS);
        let (kind, _) = self.only(fields, &kinds, KINDS)?;
        if kind != "tool" {
            for (key, span) in fields.among(TOOL_ONLY) {
                self.fail(span, Mistake::MisplacedKey { key: key.to_owned(), verbs: &["tool"] });
            }
        }
        let kind = self.item_kind(fields, kind)?;
        Some(ScriptItem { kind, span: value.span() })
    }

    fn item_kind(&mut self, fields: Fields<'_>, kind: &str) -> Option<ScriptKind> {
        let item = match kind {
            "final" => ModelItem::Final(self.shared(fields, kind)?),
            "untagged" => ModelItem::Untagged(self.shared(fields, kind)?),
            "commentary" => ModelItem::Commentary(self.shared(fields, kind)?),
            "refused_tool" => ModelItem::RefusedTool(self.shared(fields, kind)?),
            "error" => ModelItem::Error(self.shared(fields, kind)?),
            "blank" => self.flag(fields, kind, ModelItem::Blank)?,
            "reasoning" => self.flag(fields, kind, ModelItem::Reasoning)?,
            "not_ended" => self.flag(fields, kind, ModelItem::NotEnded)?,
            "hold" => return Some(ScriptKind::Hold(self.event(fields, kind)?)),
            _ => {
                let tool = self.shared(fields, "tool");
                let output = self.text_at(fields, "output").unwrap_or("ok").into();
                let asks = self.choice(fields, "asks");
                return Some(ScriptKind::Tool { tool: tool?, output, asks });
            }
        };
        Some(ScriptKind::Item(item))
    }

    fn shared(&mut self, fields: Fields<'_>, key: &str) -> Option<Arc<str>> {
        self.text_at(fields, key).map(Arc::from)
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
