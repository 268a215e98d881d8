//! Reads actors and their commands.

use std::sync::Arc;

use midturn_protocol::{InputKind, Mode, TurnId};
use toml::de::DeValue;

use super::{Fields, Keys, Reader, Value};
use crate::scenario::command::{Actor, Command, CommandKind, InjectionForm, Scalar, Table};
use crate::scenario::mistake::{Mistake, What};
use crate::scenario::script::WaiterTable;

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
        "settings",
        "review",
        "compact",
        "tool_output",
        "shutdown",
        "id",
        "when",
        "drop",
        "context",
        "client_id",
        "metadata",
        "automatic",
        "settings_refused",
        "expected",
        "expected_previous",
        "from",
        "to",
        "trigger",
        "form",
        "table",
    ],
};
const VERBS: &[&str] = COMMAND.words.split_at(15).0;

/// The keys that go only with some verbs.
const BELONGS: &[(&str, &[&str])] = &[
    ("automatic", &["start_if_idle"]),
    ("settings_refused", &["start_if_idle"]),
    ("expected", &["steer"]),
    ("expected_previous", &["continue_if_idle"]),
    ("from", &["mail"]),
    ("to", &["mail", "answer"]),
    ("trigger", &["mail"]),
    ("form", &["inject"]),
    ("table", &["answer"]),
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

    fn session_at(&mut self, fields: Fields<'_>, key: &str) -> Option<usize> {
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
        let id = self.need_text(fields, "id");
        let verbs = fields.among(VERBS);
        let verb = self.only(fields, &verbs, VERBS);
        let kind = verb.and_then(|(verb, _)| {
            self.belong(fields, verb);
            self.kind(fields, verb, session)
        });
        let when = self.event(fields, "when");
        let drop = self.boolean(fields, "drop").unwrap_or(false);
        let context = self.scalars(fields, "context").unwrap_or_default();
        let client_id = self.text_at(fields, "client_id").map(str::to_owned);
        let metadata = self.scalars(fields, "metadata").unwrap_or_default();
        Some(Command {
            id: self.names.find(id?)?,
            kind: kind?,
            when,
            drop,
            context,
            client_id,
            metadata,
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

    fn kind(&mut self, fields: Fields<'_>, verb: &str, session: usize) -> Option<CommandKind> {
        let kind = match verb {
            "start_or_steer" | "start_if_idle" | "steer" => self.submit(fields, verb)?,
            "continue_if_idle" => {
                let expected_previous = self.turn(fields, "expected_previous");
                CommandKind::ContinueIfIdle { text: self.content(fields, verb)?, expected_previous }
            }
            "recover" => CommandKind::Recover { turn: self.turn(fields, verb)? },
            "mail" => self.mail(fields, session)?,
            "inject" => {
                let form = self.choice(fields, "form").unwrap_or(InjectionForm::IfRunning);
                CommandKind::Inject { form, text: self.content(fields, verb)? }
            }
            "interrupt" => self.interrupt(fields)?,
            "wait" => {
                let value = fields.get(verb)?;
                let word = self.text(verb, value)?;
                if word != "activity" {
                    self.unknown(self.inside(value), What::Value("wait"), word, ["activity"]);
                }
                CommandKind::Wait
            }
            "answer" => {
                let table = self.choice(fields, "table").unwrap_or(WaiterTable::Approval);
                let to = self.text_at(fields, "to").map(str::to_owned);
                CommandKind::Answer { text: self.content(fields, verb)?, table, to }
            }
            "settings" => CommandKind::Settings { values: self.scalars(fields, verb)? },
            "review" => CommandKind::Review { text: self.content(fields, verb)? },
            "compact" => self.flag(fields, verb, CommandKind::Compact)?,
            "tool_output" => CommandKind::ToolOutput { text: self.content(fields, verb)? },
            _ => self.flag(fields, "shutdown", CommandKind::Shutdown)?,
        };
        Some(kind)
    }

    fn submit(&mut self, fields: Fields<'_>, verb: &str) -> Option<CommandKind> {
        let expected = self.turn(fields, "expected");
        let automatic = self.boolean(fields, "automatic").unwrap_or(false);
        let settings_refused = self.boolean(fields, "settings_refused").unwrap_or(false);
        let text = self.content(fields, verb)?;
        let mode = match verb {
            "start_or_steer" => Mode::StartOrSteer,
            "start_if_idle" => Mode::StartIfIdle,
            _ => Mode::Steer { expected },
        };
        let kind = if automatic { InputKind::Response } else { InputKind::User };
        Some(CommandKind::Submit { mode, kind, text, settings_refused })
    }

    fn mail(&mut self, fields: Fields<'_>, session: usize) -> Option<CommandKind> {
        let from = self.text_at(fields, "from").unwrap_or("child").to_owned();
        let to = self.session_at(fields, "to").unwrap_or(session);
        let trigger = self.boolean(fields, "trigger").unwrap_or(false);
        Some(CommandKind::Mail { from, to, trigger, text: self.content(fields, "mail")? })
    }

    fn interrupt(&mut self, fields: Fields<'_>) -> Option<CommandKind> {
        let value = fields.get("interrupt")?;
        match value.get_ref() {
            DeValue::Boolean(true) => Some(CommandKind::Interrupt { turn: None }),
            DeValue::String(_) => self
                .turn(fields, "interrupt")
                .map(|turn| CommandKind::Interrupt { turn: Some(turn) }),
            _ => {
                self.wrong("interrupt", "true or a turn", value);
                None
            }
        }
    }

    fn turn(&mut self, fields: Fields<'_>, key: &str) -> Option<TurnId> {
        let value = fields.get(key)?;
        self.phrase(key, value, |phrase| phrase.turn())
    }

    fn content(&mut self, fields: Fields<'_>, key: &str) -> Option<Arc<str>> {
        self.text_at(fields, key).map(Arc::from)
    }

    fn scalars(&mut self, fields: Fields<'_>, key: &str) -> Option<Table> {
        let value = fields.get(key)?;
        let DeValue::Table(table) = value.get_ref() else {
            self.wrong(key, "a table", value);
            return None;
        };
        let mut scalars = Table::new();
        for (name, value) in table.iter() {
            let scalar = match value.get_ref() {
                DeValue::String(text) => Scalar::Text(text.to_string()),
                DeValue::Boolean(boolean) => Scalar::Boolean(*boolean),
                DeValue::Integer(number) => {
                    match i64::from_str_radix(number.as_str(), number.radix()) {
                        Ok(number) => Scalar::Integer(number),
                        Err(_) => {
                            self.wrong(name.get_ref(), "a whole number of 64 bits", value);
                            continue;
                        }
                    }
                }
                _ => {
                    self.wrong(name.get_ref(), "text, a whole number, true or false", value);
                    continue;
                }
            };
            scalars.insert(name.get_ref().to_string(), scalar);
        }
        Some(scalars)
    }
}
