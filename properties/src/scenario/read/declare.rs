//! The first pass: who and what there is, so that the second may refer to it.

use std::collections::BTreeMap;

use midturn_protocol::Preset;
use toml::de::{DeTable, DeValue};

use super::{Reader, Value};
use crate::scenario::Span;
use crate::scenario::grammar::RESERVED;
use crate::scenario::mistake::{Mistake, What};
use crate::scenario::names::context_name;
use crate::scenario::word::Word;

/// Where each name was first taken.
type Taken = BTreeMap<String, Span>;

impl Reader<'_> {
    /// Names sessions, actors, mails, commands and their context: sessions first, then the
    /// model, then actors. What has the wrong type or is missing is left to the second pass.
    pub(crate) fn declare(&mut self, top: &DeTable<'_>) {
        let mut ids = Taken::new();
        self.declare_sessions(top, &mut ids);
        for model in tables(top.get("model")) {
            self.declare_sent(model.get("requests"), &mut ids);
        }
        self.declare_actors(top, &mut ids);
    }

    fn declare_sessions(&mut self, top: &DeTable<'_>, ids: &mut Taken) {
        let mut taken = Taken::new();
        let mut presets = 0;
        for session in tables(top.get("session")) {
            let name = text(session, "name");
            self.sessions.push(name.as_ref().map_or("main", |(name, _)| name).to_owned());
            if let Some(name) = name {
                self.take(What::Session, name, &mut taken);
            }
            if let Some((word, span)) = text(session, "slot")
                && let Some(slot) = Preset::from_word(word)
                && slot != Preset::Idle
            {
                presets += 1;
                if self.sessions.len() == 1 {
                    self.slot = slot;
                }
                self.names.add_preset();
                if presets == 2 {
                    self.fail(span, Mistake::SeveralPresets);
                }
            }
            for mail in tables(session.get("mailbox")) {
                self.declare_id(mail, ids);
            }
            self.declare_sent(session.get("requests"), ids);
            for report in elements(session.get("reports")) {
                if let Some(name) = report.get_ref().as_str() {
                    self.take(What::Id, (name, report.span()), ids);
                    self.names.add(name);
                }
            }
        }
        if self.sessions.is_empty() {
            self.sessions.push("main".to_owned());
        }
    }

    fn declare_actors(&mut self, top: &DeTable<'_>, ids: &mut Taken) {
        let mut taken = Taken::new();
        for actor in tables(top.get("actor")) {
            let name = text(actor, "name");
            self.actors.push(name.as_ref().map_or("", |(name, _)| name).to_owned());
            if let Some(name) = name {
                self.take(What::Actor, name, &mut taken);
            }
            for command in tables(actor.get("does")) {
                self.declare_id(command, ids);
                self.declare_context(command);
            }
        }
    }

    /// The mails that tools of these scripts send.
    fn declare_sent(&mut self, requests: Option<&Value<'_>>, ids: &mut Taken) {
        for script in elements(requests) {
            for item in tables(Some(script)) {
                for sent in tables(item.get("sends")) {
                    self.declare_id(sent, ids);
                }
            }
        }
    }

    /// The context that a command brings. Its names cannot be taken: no other has a dot.
    fn declare_context(&mut self, command: &DeTable<'_>) {
        let Some((name, _)) = text(command, "id") else { return };
        let context = command.get("context").and_then(|value| value.get_ref().as_table());
        for key in context.into_iter().flat_map(DeTable::keys) {
            let entry: &str = key.get_ref();
            if let Some(why) = unfit(entry) {
                let (what, name) = (What::Context, entry.to_owned());
                self.fail(key.span(), Mistake::BadName { what, name, why });
            }
            self.names.add(&context_name(name, entry));
        }
    }

    fn declare_id(&mut self, table: &DeTable<'_>, ids: &mut Taken) {
        if let Some((name, span)) = text(table, "id") {
            self.take(What::Id, (name, span), ids);
            self.names.add(name);
        }
    }

    fn take(&mut self, what: What, (name, span): (&str, Span), taken: &mut Taken) {
        let reserved = what == What::Id && RESERVED.contains(&name);
        let why = unfit(name).or(reserved.then_some("the word has a meaning in events"));
        if let Some(why) = why {
            self.fail(span.clone(), Mistake::BadName { what, name: name.to_owned(), why });
        }
        if let Some(first) = taken.get(name) {
            let first = first.clone();
            self.fail(span, Mistake::Duplicate { what, name: name.to_owned(), first });
        } else {
            taken.insert(name.to_owned(), span);
        }
    }
}

/// Why a word cannot be a name, if it cannot.
fn unfit(name: &str) -> Option<&'static str> {
    let letters = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !name.bytes().all(letters) {
        Some("only letters, digits, `_` and `-`")
    } else if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        Some("it must begin with a letter")
    } else {
        None
    }
}

/// The elements of a list; none of anything else.
fn elements<'t>(value: Option<&'t Value<'t>>) -> &'t [Value<'t>] {
    value.and_then(|value| value.get_ref().as_array()).map_or(&[], |array| array.as_ref())
}

/// The tables of a list, or the table itself.
fn tables<'t>(value: Option<&'t Value<'t>>) -> Vec<&'t DeTable<'t>> {
    match value.map(|value| value.get_ref()) {
        Some(DeValue::Table(table)) => vec![table],
        Some(DeValue::Array(array)) => {
            array.iter().filter_map(|value| value.get_ref().as_table()).collect()
        }
        _ => Vec::new(),
    }
}

fn text<'t>(table: &'t DeTable<'t>, key: &str) -> Option<(&'t str, Span)> {
    let value = table.get(key)?;
    Some((value.get_ref().as_str()?, value.span()))
}
