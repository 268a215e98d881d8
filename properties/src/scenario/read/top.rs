//! Reads what stands at the top of a file, and what must be reached.

use super::{Fields, REACH, Reader, Value};
use crate::scenario::SCHEMA;
use crate::scenario::condition::Condition;
use crate::scenario::mistake::Mistake;
use crate::scenario::script::Model;
use crate::scenario::session::{Session, shape_of};
use crate::scenario::{Span, Stated};

impl Reader<'_> {
    pub(crate) fn version(&mut self, top: Fields<'_>) {
        let Some(value) = self.need(top, "schema") else { return };
        let Some(number) = value.get_ref().as_integer() else {
            return self.wrong("schema", "the whole number 1", value);
        };
        if u32::from_str_radix(number.as_str(), number.radix()) != Ok(SCHEMA) {
            self.fail(value.span(), Mistake::SchemaVersion { found: number.to_string() });
        }
    }

    pub(crate) fn promise(&mut self, top: Fields<'_>) -> Option<String> {
        self.need_text(top, "promise").map(str::to_owned)
    }

    pub(crate) fn words(&mut self, top: Fields<'_>, key: &str) -> Option<String> {
        self.text_at(top, key).map(str::to_owned)
    }

    pub(crate) fn sources(&mut self, top: Fields<'_>) -> Vec<String> {
        self.texts(top, "sources")
    }

    pub(crate) fn reach(&mut self, top: Fields<'_>) -> Vec<Stated<Condition>> {
        let Some(value) = top.get("reach") else { return Vec::new() };
        let Some(fields) = self.fields("reach", value, &REACH) else { return Vec::new() };
        self.need(fields, "sometimes");
        let conditions = self.list(fields, "sometimes");
        conditions.iter().filter_map(|value| self.condition(value)).collect()
    }

    fn condition(&mut self, value: &Value<'_>) -> Option<Stated<Condition>> {
        let initial = shape_of(self.slot);
        let condition = self.phrase("sometimes", value, |phrase| phrase.condition(initial))?;
        self.state("sometimes", value, condition)
    }
}

impl Session {
    /// The session of a file that does not mention any.
    pub(super) fn main() -> Session {
        Session {
            name: "main".to_owned(),
            settings: Default::default(),
            forbidden: Vec::new(),
            context_full: false,
            front: Default::default(),
            time: Default::default(),
            slot: Default::default(),
            mailbox: Vec::new(),
            model: Model::default(),
            hooks: Vec::new(),
            start_hooks: None,
            stop_hooks: None,
            parent: None,
            reports: Vec::new(),
            span: Span::default(),
            keys: Default::default(),
        }
    }
}
