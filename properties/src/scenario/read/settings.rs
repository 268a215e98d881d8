//! Reads what is said by name: settings, what they must not be, and how a turn is to start.

use std::collections::BTreeMap;
use std::sync::Arc;

use midturn_protocol::{Forbidden, OutputSchema, SessionMode, SettingsEdit, StartOptions};
use serde_json::{Number, Value as Json};
use toml::de::{DeTable, DeValue};

use super::{Fields, Keys, Reader, Value};
use crate::scenario::mistake::Mistake;

pub(super) const START: Keys =
    Keys { place: "start options", words: &["trigger", "schema", "parent", "root", "program"] };

/// Texts by name, in alphabetical order.
type Texts = BTreeMap<Arc<str>, Arc<str>>;

impl Reader<'_> {
    /// Texts by name; numbers and truth values become text.
    pub(super) fn texts_of(&mut self, fields: Fields<'_>, key: &str) -> Option<Texts> {
        let table = self.table_at(fields, key)?;
        let mut texts = Texts::new();
        for (name, value) in table.iter() {
            if let Some(text) = self.scalar(name.get_ref(), value) {
                texts.insert(Arc::from(name.get_ref().as_ref()), text);
            }
        }
        Some(texts)
    }

    fn table_at<'t>(&mut self, fields: Fields<'t>, key: &str) -> Option<&'t DeTable<'t>> {
        let value = fields.get(key)?;
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong(key, "a table", value);
            return None;
        };
        Some(table)
    }

    fn scalar(&mut self, name: &str, value: &Value<'_>) -> Option<Arc<str>> {
        match value.get_ref() {
            DeValue::String(text) => Some(Arc::from(text.as_ref())),
            DeValue::Boolean(true) => Some("true".into()),
            DeValue::Boolean(false) => Some("false".into()),
            DeValue::Integer(_) => Some(self.whole(name, value)?.to_string().into()),
            DeValue::Float(_) | DeValue::Datetime(_) | DeValue::Array(_) | DeValue::Table(_) => {
                self.wrong(name, "text, a whole number, true or false", value);
                None
            }
        }
    }

    fn whole(&mut self, name: &str, value: &Value<'_>) -> Option<i64> {
        let number = value.get_ref().as_integer();
        let number = number.and_then(|n| i64::from_str_radix(n.as_str(), n.radix()).ok());
        if number.is_none() {
            self.wrong(name, "a whole number of 64 bits", value);
        }
        number
    }

    /// An edit: values by name, and the collaboration mode under `mode`.
    pub(super) fn edit(&mut self, fields: Fields<'_>, key: &str) -> Option<SettingsEdit> {
        let mut values = self.texts_of(fields, key)?;
        let mode = values.remove("mode");
        let mode = mode.and_then(|_| self.table_at(fields, key)?.get("mode"));
        let mode = mode.and_then(|value| self.choice_of::<SessionMode>("mode", value));
        Some(SettingsEdit { mode, values })
    }

    /// The settings of a session at the beginning.
    pub(super) fn values(&mut self, fields: Fields<'_>) -> Texts {
        let values = self.texts_of(fields, "settings").unwrap_or_default();
        self.without_mode(fields, "settings", "it is a key of the session itself");
        values
    }

    /// Values that the settings must not have.
    pub(super) fn forbidden(&mut self, fields: Fields<'_>) -> Vec<Forbidden> {
        let values = self.texts_of(fields, "forbid").unwrap_or_default();
        self.without_mode(fields, "forbid", "no mode can be forbidden");
        values.into_iter().map(|(name, value)| Forbidden { name, value }).collect()
    }

    /// The one value that a command forbids.
    pub(super) fn forbid_one(&mut self, fields: Fields<'_>) -> Option<Forbidden> {
        let mut forbidden = self.forbidden(fields);
        let value = fields.get("forbid")?;
        let given = value.get_ref().as_table()?.len();
        if given != 1 {
            let found = if given == 0 { "an empty one" } else { "one with several" };
            let (key, expected) = ("forbid".to_owned(), "a table with one setting");
            self.fail(value.span(), Mistake::WrongType { key, expected, found });
        }
        forbidden.pop()
    }

    /// `mode` is not one of the settings that have values.
    fn without_mode(&mut self, fields: Fields<'_>, key: &str, why: &'static str) {
        let table = fields.get(key).and_then(|value| value.get_ref().as_table());
        for name in table.into_iter().flat_map(DeTable::keys) {
            if name.get_ref() == "mode" {
                self.fail(name.span(), Mistake::NotHere { key: "mode", why });
            }
        }
    }

    /// How a turn is to start.
    pub(super) fn start(&mut self, fields: Fields<'_>) -> StartOptions {
        let start = fields.get("start").and_then(|value| self.fields("start", value, &START));
        let Some(start) = start else { return StartOptions::default() };
        StartOptions {
            trigger: self.content(start, "trigger"),
            schema: start
                .get("schema")
                .and_then(|value| self.json("schema", value))
                .map(OutputSchema),
            parent: self.content(start, "parent"),
            root: self.content(start, "root"),
            program: self.content(start, "program"),
        }
    }

    /// A value as JSON. Dates become text; what JSON cannot say is a mistake.
    fn json(&mut self, key: &str, value: &Value<'_>) -> Option<Json> {
        let json = match value.get_ref() {
            DeValue::String(text) => Json::String(text.to_string()),
            DeValue::Boolean(boolean) => Json::Bool(*boolean),
            DeValue::Datetime(date) => Json::String(date.to_string()),
            DeValue::Integer(_) => Json::Number(self.whole(key, value)?.into()),
            DeValue::Float(float) => {
                let number = float.as_str().parse().ok().and_then(Number::from_f64);
                if number.is_none() {
                    self.wrong(key, "a finite number", value);
                }
                Json::Number(number?)
            }
            DeValue::Array(array) => {
                let elements = array.iter().filter_map(|value| self.json(key, value));
                Json::Array(elements.collect())
            }
            DeValue::Table(table) => {
                let entry = |(name, value): (&toml::Spanned<_>, &Value<'_>)| {
                    let name: &std::borrow::Cow<'_, str> = name.get_ref();
                    Some((name.to_string(), self.json(name, value)?))
                };
                Json::Object(table.iter().filter_map(entry).collect())
            }
        };
        Some(json)
    }
}
