//! Reads sessions.

use toml::de::DeValue;

use super::{Fields, Keys, Reader, Value};
use crate::scenario::mistake::{Mistake, What};
use crate::scenario::session::{HookScript, Mailed, Session};

pub(super) const SESSION: Keys = Keys {
    place: "[session]",
    words: &["name", "mode", "front", "time", "slot", "mailbox", "hooks"],
};
pub(super) const MAILED: Keys =
    Keys { place: "a mail of the mailbox", words: &["id", "from", "trigger", "text"] };
pub(super) const HOOK: Keys = Keys { place: "a hook", words: &["input", "verdict", "when"] };

impl Reader<'_> {
    /// `[session]`, `[[session]]`, or nothing at all.
    pub(crate) fn sessions(&mut self, top: Fields<'_>) -> Vec<Session> {
        let Some(value) = top.get("session") else { return vec![Session::main()] };
        match value.get_ref() {
            DeValue::Table(table) => {
                let fields = self.table(table, value.span(), &SESSION);
                vec![self.session(fields, "main")]
            }
            DeValue::Array(array) if array.is_empty() => {
                self.wrong("session", "a table or several", value);
                Vec::new()
            }
            DeValue::Array(array) => {
                let several = array.len() > 1;
                array.iter().filter_map(|value| self.one_of(value, several)).collect()
            }
            _ => {
                self.wrong("session", "a table or several", value);
                Vec::new()
            }
        }
    }

    fn one_of(&mut self, value: &Value<'_>, several: bool) -> Option<Session> {
        let fields = self.fields("session", value, &SESSION)?;
        if several {
            self.need(fields, "name");
        }
        Some(self.session(fields, "main"))
    }

    fn session(&mut self, fields: Fields<'_>, name: &str) -> Session {
        Session {
            name: self.text_at(fields, "name").unwrap_or(name).to_owned(),
            mode: self.choice(fields, "mode").unwrap_or_default(),
            front: self.choice(fields, "front").unwrap_or_default(),
            time: self.choice(fields, "time").unwrap_or_default(),
            slot: self.choice(fields, "slot").unwrap_or_default(),
            mailbox: self.mailbox(fields),
            hooks: self.hooks(fields),
            span: fields.span(),
            keys: fields.key_spans(),
        }
    }

    fn mailbox(&mut self, fields: Fields<'_>) -> Vec<Mailed> {
        let mails = self.list(fields, "mailbox");
        mails.iter().filter_map(|mail| self.mailed(mail)).collect()
    }

    fn mailed(&mut self, value: &Value<'_>) -> Option<Mailed> {
        let fields = self.fields("mailbox", value, &MAILED)?;
        let id = self.need_text(fields, "id");
        let text = self.need_text(fields, "text");
        let from = self.text_at(fields, "from").unwrap_or("child").to_owned();
        let trigger = self.boolean(fields, "trigger").unwrap_or(false);
        Some(Mailed { id: self.names.find(id?)?, from, trigger, text: text?.into() })
    }

    fn hooks(&mut self, fields: Fields<'_>) -> Vec<HookScript> {
        let hooks = self.list(fields, "hooks");
        let mut read: Vec<HookScript> = Vec::new();
        for value in hooks {
            let Some(hook) = self.hook(value) else { continue };
            if let Some(first) = read.iter().position(|other| other.input == hook.input) {
                let name = self.names.input(hook.input).to_owned();
                let first = hooks[first].span();
                self.fail(
                    value.span(),
                    Mistake::Duplicate { what: What::Value("hook of"), name, first },
                );
            }
            read.push(hook);
        }
        read
    }

    fn hook(&mut self, value: &Value<'_>) -> Option<HookScript> {
        let fields = self.fields("hooks", value, &HOOK)?;
        let input = self.need(fields, "input");
        let verdict = self.need(fields, "verdict");
        let when = self.event(fields, "when");
        let input = input.and_then(|input| self.id("input", input));
        let verdict = verdict.and_then(|verdict| self.choice_of("verdict", verdict));
        Some(HookScript { input: input?, verdict: verdict?, when })
    }

    /// The number behind a name in the file.
    fn id(&mut self, key: &str, value: &Value<'_>) -> Option<midturn_protocol::InputId> {
        let name = self.text(key, value)?;
        let found = self.names.find(name);
        if found.is_none() && !self.is_full() {
            let valid = self.names.all().map(str::to_owned).collect();
            let mistake = Mistake::Unknown { what: What::Id, word: name.to_owned(), valid };
            self.fail(self.inside(value), mistake);
        }
        found
    }
}
