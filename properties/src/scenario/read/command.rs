//! Reads actors and their commands.

use std::sync::Arc;

use midturn_protocol::{
    Answer, Command as Call, Decision, Injection, Input, InputId, InputKind, Mail, SettingsChange,
    SpecialTask, TurnId, WaiterTable,
};
use toml::de::DeValue;

use super::{Fields, Keys, Reader, Value};
use crate::scenario::command::{Actor, Command};
use crate::scenario::mistake::{Mistake, What};
use crate::scenario::word::Word;

pub(super) const ACTOR: Keys = Keys { place: "[[actor]]", words: &["name", "session", "does"] };
pub(super) const COMMAND: Keys = Keys {
    place: "a command",
    words: &[
        "start_or_steer",
        "start_if_idle",
        "continue_if_idle",
        "steer",
        "recover",
        "mail",
        "inject",
        "interrupt",
        "wait",
        "answer",
        "abort",
        "settings",
        "forbid",
        "review",
        "compact",
        "tool_output",
        "drain",
        "suspend",
        "shutdown",
        "id",
        "when",
        "drop",
        "context",
        "client_id",
        "metadata",
        "overrides",
        "start",
        "automatic",
        "expected",
        "expected_previous",
        "from",
        "to",
        "trigger",
        "form",
        "table",
    ],
};
const VERBS: &[&str] = COMMAND.words.split_at(19).0;

/// The verbs that submit input.
const SUBMITS: &[&str] =
    &["start_or_steer", "start_if_idle", "continue_if_idle", "steer", "tool_output"];

/// The keys that go only with some verbs.
const BELONGS: &[(&str, &[&str])] = &[
    ("context", SUBMITS),
    ("metadata", SUBMITS),
    ("overrides", SUBMITS),
    (
        "client_id",
        &["start_or_steer", "start_if_idle", "continue_if_idle", "steer", "tool_output", "inject"],
    ),
    (
        "start",
        &["start_or_steer", "start_if_idle", "continue_if_idle", "steer", "tool_output", "mail"],
    ),
    ("automatic", &["start_if_idle"]),
    ("expected", &["steer"]),
    ("expected_previous", &["continue_if_idle"]),
    ("from", &["mail"]),
    ("to", &["mail", "answer", "abort"]),
    ("trigger", &["mail"]),
    ("form", &["inject"]),
    ("table", &["answer", "abort"]),
];

impl Reader<'_> {
    pub(crate) fn actors(&mut self, top: Fields<'_>) -> Vec<Actor> {
        let actors = match top.get("actor").map(|value| (value, value.get_ref())) {
            Some((_, DeValue::Array(actors))) if !actors.is_empty() => actors.iter(),
            Some((value, found)) if !matches!(found, DeValue::Array(_)) => {
                self.wrong("actor", "a list: write [[actor]]", value);
                return Vec::new();
            }
            _ => {
                self.fail(top.span(), Mistake::NoActors);
                return Vec::new();
            }
        };
        actors.filter_map(|actor| self.actor(actor)).collect()
    }

    fn actor(&mut self, value: &Value<'_>) -> Option<Actor> {
        let fields = self.fields("actor", value, &ACTOR)?;
        let name = self.need(fields, "name");
        let span = name.map_or(value.span(), |name| name.span());
        let name = name.and_then(|name| self.text("name", name));
        let session = self.session_at(fields, "session").unwrap_or(0);
        self.need(fields, "does");
        let does = self.list(fields, "does");
        let does = does.iter().filter_map(|command| self.command(command, session)).collect();
        Some(Actor { name: name?.to_owned(), session, does, span })
    }

    /// The session that a key names.
    pub(super) fn session_at(&mut self, fields: Fields<'_>, key: &str) -> Option<usize> {
        let value = fields.get(key)?;
        let name = self.text(key, value)?;
        let found = self.sessions.iter().position(|session| session == name);
        if found.is_none() && !self.is_full() {
            let valid = self.sessions.clone();
            let mistake = Mistake::Unknown { what: What::Session, word: name.to_owned(), valid };
            self.fail(self.inside(value), mistake);
        }
        found
    }

    fn command(&mut self, value: &Value<'_>, session: usize) -> Option<Command> {
        let fields = self.fields("does", value, &COMMAND)?;
        let name = self.need_text(fields, "id");
        // Read on without a good name, so that all mistakes are found.
        let id = name.and_then(|name| self.names.find(name));
        let verbs = fields.among(VERBS);
        let verb = self.only(fields, &verbs, VERBS);
        let call = verb.clone().and_then(|(verb, _)| {
            self.belong(fields, verb);
            self.call(
                fields,
                verb,
                (id.unwrap_or(InputId::PRESET), name.unwrap_or_default()),
                session,
            )
        });
        let is_mail = verb.is_some_and(|(verb, _)| verb == "mail");
        let from = self.text_at(fields, "from").unwrap_or("child");
        let to = if is_mail { self.session_at(fields, "to") } else { None };
        let when = self.event(fields, "when");
        let drop = self.boolean(fields, "drop").unwrap_or(false);
        Some(Command {
            id: id?,
            session: to.unwrap_or(session),
            call: call?,
            from: is_mail.then(|| from.to_owned()),
            when,
            drop,
            span: value.span(),
            keys: fields.key_spans(),
        })
    }

    /// Notes the keys that do not go with the verb.
    fn belong(&mut self, fields: Fields<'_>, verb: &str) {
        for (key, verbs) in BELONGS.iter().copied() {
            if !verbs.contains(&verb) {
                for (key, span) in fields.among(&[key]) {
                    self.fail(span, Mistake::MisplacedKey { key: key.to_owned(), verbs });
                }
            }
        }
    }

    fn call(
        &mut self,
        fields: Fields<'_>,
        verb: &str,
        (id, name): (InputId, &str),
        session: usize,
    ) -> Option<Call> {
        let call = match verb {
            "mail" => self.mail(fields, id)?,
            "inject" => self.injection(fields, id)?,
            "interrupt" => Call::Interrupt { id, turn: self.interrupt(fields)? },
            "wait" => {
                let value = fields.get(verb)?;
                let word = self.text(verb, value)?;
                if word != "activity" {
                    self.unknown(self.inside(value), What::Value("wait"), word, ["activity"]);
                }
                Call::AwaitActivity { id }
            }
            "answer" => {
                let decision = self.content(fields, verb).map(Decision::Reply);
                let (table, key) = self.asker(fields, verb, session)?;
                Call::Answer(Answer { id, table, key, decision: decision? })
            }
            "abort" => {
                let decision = self.flag(fields, verb, Decision::Abort);
                let (table, key) = self.asker(fields, verb, session)?;
                Call::Answer(Answer { id, table, key, decision: decision? })
            }
            "settings" => {
                let change = SettingsChange::Edit(self.edit(fields, verb)?);
                Call::ChangeSettings { id, change }
            }
            "forbid" => {
                let change = SettingsChange::Forbid(self.forbid_one(fields)?);
                Call::ChangeSettings { id, change }
            }
            "review" => Call::Begin { id, task: SpecialTask::Review(self.content(fields, verb)?) },
            "compact" => self.flag(fields, verb, Call::Begin { id, task: SpecialTask::Compact })?,
            "drain" => self.flag(fields, verb, Call::Drain { id })?,
            "suspend" => self.flag(fields, verb, Call::Suspend { id })?,
            "shutdown" => self.flag(fields, verb, Call::ShutDown { id })?,
            _ => Call::Submit(self.submission(fields, verb, id, name)?),
        };
        Some(call)
    }

    fn mail(&mut self, fields: Fields<'_>, id: InputId) -> Option<Call> {
        let trigger = self.boolean(fields, "trigger").unwrap_or(false);
        let start = self.start(fields);
        let text = self.content(fields, "mail")?;
        Some(Call::Deliver(Mail { id, trigger, text, start }))
    }

    fn injection(&mut self, fields: Fields<'_>, id: InputId) -> Option<Call> {
        let form = self.choice(fields, "form").unwrap_or(Injection::IfRunning);
        let client_id = self.content(fields, "client_id");
        let text = self.content(fields, "inject")?;
        let input = Input { client_id, ..Input::new(id, InputKind::Response, text) };
        Some(Call::Inject { input, form })
    }

    /// The turn that is meant; inside, none if any is.
    #[expect(clippy::option_option, reason = "the outer one is a mistake that was noted")]
    fn interrupt(&mut self, fields: Fields<'_>) -> Option<Option<TurnId>> {
        let value = fields.get("interrupt")?;
        match value.get_ref() {
            DeValue::Boolean(true) => Some(None),
            DeValue::String(_) => self.turn(fields, "interrupt").map(Some),
            _ => {
                self.wrong("interrupt", "true or a turn", value);
                None
            }
        }
    }

    /// Who is answered: the tool that `to` names, else the first one of the session's scripts
    /// that asks in the table.
    fn asker(
        &mut self,
        fields: Fields<'_>,
        verb: &str,
        session: usize,
    ) -> Option<(WaiterTable, Arc<str>)> {
        let table = match fields.get("table") {
            Some(value) => self.choice_of("table", value)?,
            None => WaiterTable::Approval,
        };
        if fields.get("to").is_some() {
            return Some((table, self.content(fields, "to")?));
        }
        let askers = self.askers.get(session);
        let first = askers.and_then(|all| all.iter().find(|(asked, _)| *asked == table)).cloned();
        if first.is_none() {
            let key = if fields.get("table").is_some() { "table" } else { verb };
            let span = fields.among(&[key]).pop().map_or(fields.span(), |(_, span)| span);
            self.fail(span, Mistake::NobodyAsks { table: table.word() });
        }
        first
    }

    pub(super) fn turn(&mut self, fields: Fields<'_>, key: &str) -> Option<TurnId> {
        let value = fields.get(key)?;
        self.phrase(key, value, |phrase| phrase.turn())
    }

    /// A text that is shared with whatever is played.
    pub(super) fn content(&mut self, fields: Fields<'_>, key: &str) -> Option<Arc<str>> {
        self.text_at(fields, key).map(Arc::from)
    }
}
