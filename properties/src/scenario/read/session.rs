//! Reads sessions.

use midturn_protocol::{InputId, Mail, Preset, Settings, StopVerdict};
use toml::de::DeValue;

use super::{Fields, Keys, Reader, Value};
use crate::scenario::mistake::{Mistake, What};
use crate::scenario::script::Model;
use crate::scenario::session::{HookScript, Mailed, Session, Time};

pub(super) const SESSION: Keys = Keys {
    place: "[session]",
    words: &[
        "name",
        "mode",
        "settings",
        "forbid",
        "context_full",
        "front",
        "time",
        "slot",
        "mailbox",
        "requests",
        "hooks",
        "start_hooks",
        "stop_hooks",
        "parent",
        "reports",
    ],
};
pub(super) const MAILED: Keys =
    Keys { place: "a mail of the mailbox", words: &["id", "from", "trigger", "text", "start"] };
pub(super) const HOOK: Keys =
    Keys { place: "a hook", words: &["input", "verdict", "context", "when"] };
pub(super) const START_HOOK: Keys = Keys { place: "a start hook", words: &["stop", "pass"] };
pub(super) const STOP_HOOK: Keys = Keys { place: "a stop hook", words: &["go_on", "stop", "pass"] };

impl Reader<'_> {
    /// `[session]`, `[[session]]`, or nothing at all.
    pub(crate) fn sessions(&mut self, top: Fields<'_>) -> Vec<Session> {
        let Some(value) = top.get("session") else { return vec![Session::main()] };
        match value.get_ref() {
            DeValue::Table(table) => {
                let fields = self.table(table, value.span(), &SESSION);
                vec![self.session(fields, 0)]
            }
            DeValue::Array(array) if array.is_empty() => {
                self.wrong("session", "a table or several", value);
                Vec::new()
            }
            DeValue::Array(array) => {
                let several = array.len() > 1;
                let sessions = array.iter().enumerate();
                sessions.filter_map(|(index, value)| self.one_of(value, index, several)).collect()
            }
            _ => {
                self.wrong("session", "a table or several", value);
                Vec::new()
            }
        }
    }

    fn one_of(&mut self, value: &Value<'_>, index: usize, several: bool) -> Option<Session> {
        let fields = self.fields("session", value, &SESSION)?;
        if several {
            self.need(fields, "name");
        }
        Some(self.session(fields, index))
    }

    fn session(&mut self, fields: Fields<'_>, index: usize) -> Session {
        let mode = self.choice(fields, "mode").unwrap_or_default();
        let slot = self.choice(fields, "slot").unwrap_or_default();
        Session {
            name: self.text_at(fields, "name").unwrap_or("main").to_owned(),
            settings: Settings { version: 0, mode, values: self.values(fields) },
            forbidden: self.forbidden(fields),
            context_full: self.boolean(fields, "context_full").unwrap_or(false),
            front: self.choice(fields, "front").unwrap_or_default(),
            time: self.time(fields, index),
            slot,
            mailbox: self.mailbox(fields, slot),
            model: self.own_model(fields, index),
            hooks: self.hooks(fields),
            start_hooks: self.start_hooks(fields),
            stop_hooks: self.stop_hooks(fields),
            parent: self.other_session(fields, "parent", index),
            reports: self.reports(fields),
            span: fields.span(),
            keys: fields.key_spans(),
        }
    }

    /// Time passes for all sessions alike, so only the first one says how.
    fn time(&mut self, fields: Fields<'_>, index: usize) -> Time {
        if index > 0 {
            let why = "time is the same for all sessions, and is said in the first one";
            for (_, span) in fields.among(&["time"]) {
                self.fail(span, Mistake::NotHere { key: "time", why });
            }
        }
        self.choice(fields, "time").unwrap_or_default()
    }

    /// The script of a session that is not the first.
    fn own_model(&mut self, fields: Fields<'_>, index: usize) -> Model {
        let Some(requests) = fields.get("requests") else {
            return Model { requests: Vec::new(), span: fields.span() };
        };
        if index == 0 {
            let why = "the first session has its script in [model]";
            for (_, span) in fields.among(&["requests"]) {
                self.fail(span, Mistake::NotHere { key: "requests", why });
            }
        }
        self.scripts(requests, index)
    }

    fn mailbox(&mut self, fields: Fields<'_>, slot: Preset) -> Vec<Mailed> {
        let mails = self.list(fields, "mailbox");
        mails.iter().filter_map(|mail| self.mailed(mail, slot)).collect()
    }

    fn mailed(&mut self, value: &Value<'_>, slot: Preset) -> Option<Mailed> {
        let fields = self.fields("mailbox", value, &MAILED)?;
        let id = self.need_text(fields, "id");
        let text = self.need_text(fields, "text");
        let from = self.text_at(fields, "from").unwrap_or("child").to_owned();
        let trigger = self.boolean(fields, "trigger").unwrap_or(false);
        if trigger && slot == Preset::Idle {
            let why = "whoever brought it to an idle session has started its turn; let an actor \
                       send it, or set another slot";
            for (_, span) in fields.among(&["trigger"]) {
                self.fail(span, Mistake::NotHere { key: "trigger", why });
            }
        }
        let start = self.start(fields);
        let mail = Mail { id: self.names.find(id?)?, trigger, text: text?.into(), start };
        Some(Mailed { from, mail })
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
        let context = self.content(fields, "context");
        let when = self.event(fields, "when");
        let input = input.and_then(|input| self.id("input", input));
        let verdict = verdict.and_then(|verdict| self.choice_of("verdict", verdict));
        Some(HookScript { input: input?, verdict: verdict?, context, when })
    }

    fn start_hooks(&mut self, fields: Fields<'_>) -> Option<Vec<bool>> {
        let value = fields.get("start_hooks")?;
        let hooks = self.elements("start_hooks", value).iter();
        Some(hooks.filter_map(|hook| self.start_hook(hook)).collect())
    }

    fn start_hook(&mut self, value: &Value<'_>) -> Option<bool> {
        let fields = self.fields("start_hooks", value, &START_HOOK)?;
        let said = fields.among(START_HOOK.words);
        match self.only(fields, &said, START_HOOK.words)?.0 {
            "stop" => self.flag(fields, "stop", false),
            _ => self.flag(fields, "pass", true),
        }
    }

    fn stop_hooks(&mut self, fields: Fields<'_>) -> Option<Vec<StopVerdict>> {
        let value = fields.get("stop_hooks")?;
        let hooks = self.elements("stop_hooks", value).iter();
        Some(hooks.filter_map(|hook| self.stop_hook(hook)).collect())
    }

    fn stop_hook(&mut self, value: &Value<'_>) -> Option<StopVerdict> {
        let fields = self.fields("stop_hooks", value, &STOP_HOOK)?;
        let said = fields.among(STOP_HOOK.words);
        match self.only(fields, &said, STOP_HOOK.words)?.0 {
            "go_on" => self.content(fields, "go_on").map(StopVerdict::GoOn),
            "stop" => self.flag(fields, "stop", StopVerdict::Stop),
            _ => self.flag(fields, "pass", StopVerdict::Pass),
        }
    }

    fn reports(&mut self, fields: Fields<'_>) -> Vec<InputId> {
        if fields.get("parent").is_none() {
            for (_, span) in fields.among(&["reports"]) {
                self.fail(span, Mistake::Needs { key: "reports", other: "parent" });
            }
        }
        let reports = self.texts(fields, "reports");
        reports.iter().filter_map(|name| self.names.find(name)).collect()
    }

    /// The number behind a name in the file.
    fn id(&mut self, key: &str, value: &Value<'_>) -> Option<InputId> {
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
