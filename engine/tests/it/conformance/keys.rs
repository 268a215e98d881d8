//! A table of the data, read key by key.
//!
//! Promises: a key that nobody asked for, or a value of the wrong kind, is a mistake.

use std::collections::BTreeMap;
use std::sync::Arc;

use midturn_engine::codex::Policy;
use midturn_protocol::{SessionMode, SettingsEdit, StartOptions};
use toml::{Table, Value};

use crate::conformance::POLICIES;

pub struct Keys(Table);

impl Keys {
    pub fn new(table: &Table) -> Self {
        Keys(table.clone())
    }

    pub fn value(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key)
    }

    fn read<T>(
        &mut self,
        key: &str,
        what: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, String> {
        let Some(value) = self.0.remove(key) else { return Ok(None) };
        read(&value).map(Some).ok_or_else(|| format!("`{key}` is no {what}: {value}"))
    }

    pub fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        self.read(key, "text", text)
    }

    pub fn needed(&mut self, key: &str) -> Result<String, String> {
        self.text(key)?.ok_or_else(|| format!("`{key}` is missing"))
    }

    pub fn texts(&mut self, key: &str) -> Result<Option<Vec<String>>, String> {
        self.read(key, "list of texts", |value| value.as_array()?.iter().map(text).collect())
    }

    pub fn bool(&mut self, key: &str) -> Result<Option<bool>, String> {
        self.read(key, "true or false", Value::as_bool)
    }

    pub fn number(&mut self, key: &str) -> Result<Option<usize>, String> {
        self.read(key, "number", |value| value.as_integer()?.try_into().ok())
    }

    pub fn table(&mut self, key: &str) -> Result<Option<Table>, String> {
        self.read(key, "table", |value| value.as_table().cloned())
    }

    pub fn tables(&mut self, key: &str) -> Result<Option<Vec<Keys>>, String> {
        self.read(key, "list of tables", |value| {
            value.as_array()?.iter().map(|value| value.as_table().map(Keys::new)).collect()
        })
    }

    pub fn pairs(&mut self, key: &str) -> Result<Option<BTreeMap<String, String>>, String> {
        self.read(key, "table of texts", |value| {
            let pairs = value.as_table()?.iter();
            pairs.map(|(key, value)| Some((key.clone(), text(value)?))).collect()
        })
    }

    pub fn counts(&mut self, key: &str) -> Result<Option<BTreeMap<String, usize>>, String> {
        self.read(key, "table of numbers", |value| {
            let counts = value.as_table()?.iter();
            counts
                .map(|(what, count)| Some((what.clone(), count.as_integer()?.try_into().ok()?)))
                .collect()
        })
    }

    /// `all` is every policy without a fault.
    pub fn policies(&mut self, key: &str) -> Result<Option<Vec<Policy>>, String> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let names = match &value {
            Value::String(all) if all == "all" => return Ok(Some(POLICIES.to_vec())),
            Value::Array(names) => names,
            other => return Err(format!("`{key}` is no list of policies: {other}")),
        };
        let known = |name: &Value| {
            let policy = name.as_str().and_then(Policy::named);
            policy.ok_or_else(|| format!("no policy {name}"))
        };
        names.iter().map(known).collect::<Result<_, _>>().map(Some)
    }

    /// An edit of the settings; `mode` is the collaboration mode.
    pub fn edit(&mut self, key: &str) -> Result<SettingsEdit, String> {
        let mut edit = SettingsEdit::default();
        for (name, value) in self.pairs(key)?.unwrap_or_default() {
            match (name.as_str(), value.as_str()) {
                ("mode", "plan") => edit.mode = Some(SessionMode::Plan),
                ("mode", "default") => edit.mode = Some(SessionMode::Default),
                ("mode", other) => return Err(format!("no mode `{other}`")),
                _ => {
                    edit.values.insert(name.into(), value.into());
                }
            }
        }
        Ok(edit)
    }

    pub fn start(&mut self) -> Result<StartOptions, String> {
        let Some(table) = self.table("start")? else { return Ok(StartOptions::default()) };
        let mut keys = Keys(table);
        let mut text = |key| keys.text(key).map(|text| text.map(Arc::from));
        let [trigger, parent, root, program] =
            [text("trigger")?, text("parent")?, text("root")?, text("program")?];
        keys.done()?;
        Ok(StartOptions { trigger, schema: None, parent, root, program })
    }

    /// Which of `verbs` is there, if one is.
    pub fn verb<T: Copy>(&self, verbs: &[(&str, T)]) -> Result<Option<(String, T)>, String> {
        let mut there = verbs.iter().filter(|(verb, _)| self.0.contains_key(*verb));
        let first = there.next().map(|(verb, act)| ((*verb).to_owned(), *act));
        match there.next() {
            Some((second, _)) => Err(format!("`{second}` is a second thing to do")),
            None => Ok(first),
        }
    }

    pub fn done(self) -> Result<(), String> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("`{key}` is not known here")),
        }
    }
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}
