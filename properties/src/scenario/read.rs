//! Walks a parsed TOML document, and notes every mistake with its place.

mod command;
mod declare;
mod expectation;
mod model;
mod phrase;
mod session;
mod settings;
mod submission;
mod top;

use std::path::Path;
use std::sync::Arc;

use midturn_protocol::{Preset, WaiterTable};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::errors::{ScenarioErrors, snap};
use super::known::Known;
use super::mistake::{Mistake, ScenarioError, What};
use super::names::Names;
use super::word::Word;
use super::{KeySpans, Span};

/// So many mistakes are listed.
const MOST: usize = 20;

pub(super) type Value<'t> = Spanned<DeValue<'t>>;

/// A table of the format: what people call it, and its keys.
pub(super) struct Keys {
    pub(super) place: &'static str,
    pub(super) words: &'static [&'static str],
}

pub(super) const TOP: Keys = Keys {
    place: "the file",
    words: &[
        "schema", "promise", "window", "harm", "sources", "session", "model", "actor", "reach",
        "expect", "parked", "assume", "bound", "waive", "relation",
    ],
};
const REACH: Keys = Keys { place: "[reach]", words: &["sometimes"] };

/// Every table of the format with its keys, for tests of the published schema.
pub(super) const TABLES: &[(&str, &[&str])] = &[
    ("scenario", TOP.words),
    ("reach", REACH.words),
    ("session", session::SESSION.words),
    ("mailed", session::MAILED.words),
    ("hook", session::HOOK.words),
    ("start_hook", session::START_HOOK.words),
    ("stop_hook", session::STOP_HOOK.words),
    ("start", settings::START.words),
    ("model", model::MODEL.words),
    ("item", model::ITEM.words),
    ("sent", model::SENT.words),
    ("actor", command::ACTOR.words),
    ("command", command::COMMAND.words),
    ("expectation", expectation::EXPECTATION.words),
    ("bound", expectation::BOUND.words),
    ("waiver", expectation::WAIVER.words),
];

/// A table whose keys are known to be words of the format.
#[derive(Clone, Copy)]
pub(super) struct Fields<'t> {
    table: &'t DeTable<'t>,
    keys: &'static Keys,
    span: (usize, usize),
}

impl<'t> Fields<'t> {
    pub(super) fn get(&self, key: &str) -> Option<&'t Value<'t>> {
        debug_assert!(self.keys.words.contains(&key), "{key} is not declared");
        self.table.get(key)
    }

    pub(super) fn span(&self) -> Span {
        self.span.0..self.span.1
    }

    /// Where the keys stand that are given.
    fn key_spans(&self) -> KeySpans {
        let words = self.keys.words.iter();
        words.filter_map(|key| Some((*key, self.table.get(*key)?.span()))).collect()
    }

    /// The keys of the file that are among these, in file order.
    fn among(&self, words: &[&str]) -> Vec<(&'t str, Span)> {
        let mut found: Vec<_> = self
            .table
            .keys()
            .filter(|key| words.contains(&key.get_ref().as_ref()))
            .map(|key| (key.get_ref().as_ref(), key.span()))
            .collect();
        found.sort_by_key(|(_, span)| span.start);
        found
    }
}

/// What is known while a file is read.
pub(super) struct Reader<'a> {
    source: &'a str,
    known: &'a Known<'a>,
    names: Names,
    /// What is preset in the first session.
    slot: Preset,
    sessions: Vec<String>,
    /// By session, the tools that ask, in the order of the scripts.
    askers: Vec<Vec<(WaiterTable, Arc<str>)>>,
    actors: Vec<String>,
    errors: Vec<ScenarioError>,
    truncated: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a str, known: &'a Known<'a>) -> Self {
        Reader {
            source,
            known,
            names: Names::default(),
            slot: Preset::Idle,
            sessions: Vec::new(),
            askers: Vec::new(),
            actors: Vec::new(),
            errors: Vec::new(),
            truncated: false,
        }
    }

    /// The names, if there was no mistake.
    pub(super) fn finish(self, path: &Path, source: Arc<str>) -> Result<Names, ScenarioErrors> {
        if self.errors.is_empty() {
            return Ok(self.names);
        }
        let mut errors = self.errors;
        errors.sort_by_key(|error| error.span.start);
        Err(ScenarioErrors { path: path.to_owned(), source, errors, truncated: self.truncated })
    }

    pub(super) fn fail(&mut self, span: Span, mistake: Mistake) {
        if self.is_full() {
            return;
        }
        self.errors.push(ScenarioError { span: snap(self.source, span), mistake });
    }

    /// Whether no more mistakes are listed. Asked before anything costly is said about one.
    fn is_full(&mut self) -> bool {
        let full = self.errors.len() >= MOST;
        self.truncated |= full;
        full
    }

    fn unknown<'v>(
        &mut self,
        span: Span,
        what: What,
        word: &str,
        valid: impl IntoIterator<Item = &'v str>,
    ) {
        if !self.is_full() {
            let valid = valid.into_iter().map(str::to_owned).collect();
            self.fail(span, Mistake::Unknown { what, word: word.to_owned(), valid });
        }
    }

    fn wrong(&mut self, key: &str, expected: &'static str, value: &Value<'_>) {
        let found = match value.get_ref() {
            DeValue::Integer(_) if expected.contains("whole number") => "one out of range",
            other => type_of(other),
        };
        let mistake = Mistake::WrongType { key: key.to_owned(), expected, found };
        self.fail(value.span(), mistake);
    }

    /// The value as a table; unknown keys are noted.
    fn fields<'t>(
        &mut self,
        key: &str,
        value: &'t Value<'t>,
        keys: &'static Keys,
    ) -> Option<Fields<'t>> {
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong(key, "a table", value);
            return None;
        };
        Some(self.table(table, value.span(), keys))
    }

    pub(super) fn table<'t>(
        &mut self,
        table: &'t DeTable<'t>,
        span: Span,
        keys: &'static Keys,
    ) -> Fields<'t> {
        for key in table.keys() {
            if !keys.words.contains(&key.get_ref().as_ref()) {
                let mistake = Mistake::UnknownKey {
                    key: key.get_ref().to_string(),
                    place: keys.place,
                    valid: keys.words,
                };
                self.fail(key.span(), mistake);
            }
        }
        Fields { table, keys, span: (span.start, span.end) }
    }

    fn need<'t>(&mut self, fields: Fields<'t>, key: &'static str) -> Option<&'t Value<'t>> {
        let value = fields.get(key);
        if value.is_none() {
            self.fail(fields.span(), Mistake::MissingKey { key, place: fields.keys.place });
        }
        value
    }

    fn text<'t>(&mut self, key: &str, value: &'t Value<'t>) -> Option<&'t str> {
        let DeValue::String(text) = value.get_ref() else {
            self.wrong(key, "text", value);
            return None;
        };
        Some(text.as_ref())
    }

    fn text_at<'t>(&mut self, fields: Fields<'t>, key: &str) -> Option<&'t str> {
        fields.get(key).and_then(|value| self.text(key, value))
    }

    fn need_text<'t>(&mut self, fields: Fields<'t>, key: &'static str) -> Option<&'t str> {
        self.need(fields, key).and_then(|value| self.text(key, value))
    }

    fn boolean(&mut self, fields: Fields<'_>, key: &str) -> Option<bool> {
        let value = fields.get(key)?;
        let DeValue::Boolean(boolean) = value.get_ref() else {
            self.wrong(key, "true or false", value);
            return None;
        };
        Some(*boolean)
    }

    /// The elements of a list; none if the key is missing.
    fn list<'t>(&mut self, fields: Fields<'t>, key: &str) -> &'t [Value<'t>] {
        let Some(value) = fields.get(key) else { return &[] };
        self.elements(key, value)
    }

    fn elements<'t>(&mut self, key: &str, value: &'t Value<'t>) -> &'t [Value<'t>] {
        let DeValue::Array(array) = value.get_ref() else {
            self.wrong(key, "a list", value);
            return &[];
        };
        array
    }

    fn texts(&mut self, fields: Fields<'_>, key: &str) -> Vec<String> {
        let elements = self.list(fields, key);
        elements.iter().filter_map(|value| self.text(key, value)).map(str::to_owned).collect()
    }

    fn choice<T: Word>(&mut self, fields: Fields<'_>, key: &'static str) -> Option<T> {
        let value = fields.get(key)?;
        self.choice_of(key, value)
    }

    fn choice_of<T: Word>(&mut self, key: &'static str, value: &Value<'_>) -> Option<T> {
        let word = self.text(key, value)?;
        let found = T::from_word(word);
        if found.is_none() {
            let valid = T::ALL.iter().map(|value| value.word());
            self.unknown(self.inside(value), What::Value(key), word, valid);
        }
        found
    }
}

fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a whole number",
        DeValue::Float(_) => "a fraction",
        DeValue::Boolean(true) => "true",
        DeValue::Boolean(false) => "false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
