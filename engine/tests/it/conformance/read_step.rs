//! One step of a row: at most one thing that is done, and what is seen then.

use midturn_protocol::{
    Answer, Command, ContextEntry, Decision, Forbidden, Injection, Input, InputKind, Mail, Mode,
    SettingsChange, SpecialTask, Submission, TurnId, WaiterTable,
};

use crate::conformance::keys::Keys;
use crate::conformance::names::Names;
use crate::conformance::read::read_gate;
use crate::conformance::row::{Act, Check, Expected, Part, Step, What};

/// What a step can do, by the key that says so; the value of the key is a name, or a gate.
#[derive(Clone, Copy)]
enum Verb {
    StartOrSteer,
    StartIfIdle,
    Recover,
    Steer,
    Mail,
    Interrupt,
    Inject,
    AwaitActivity,
    Answer,
    Change,
    Forbid,
    Review,
    Compact,
    ToolInterrupts,
    Leave,
    Hold,
    Open,
    Push,
    Drain,
}

const VERBS: [(&str, Verb); 21] = [
    ("start_or_steer", Verb::StartOrSteer),
    ("start_if_idle", Verb::StartIfIdle),
    ("recover", Verb::Recover),
    ("steer", Verb::Steer),
    ("mail", Verb::Mail),
    ("trigger_mail", Verb::Mail),
    ("interrupt", Verb::Interrupt),
    ("inject", Verb::Inject),
    ("await_activity", Verb::AwaitActivity),
    ("answer", Verb::Answer),
    ("change", Verb::Change),
    ("forbid", Verb::Forbid),
    ("review", Verb::Review),
    ("compact", Verb::Compact),
    ("tool_interrupts", Verb::ToolInterrupts),
    ("leave", Verb::Leave),
    ("hold", Verb::Hold),
    ("open", Verb::Open),
    ("push", Verb::Push),
    ("push_trigger", Verb::Push),
    ("drain", Verb::Drain),
];

pub fn read_step(mut keys: Keys, names: &mut Names) -> Result<Step, String> {
    let mut checks = Vec::new();
    let (text, act) = match keys.verb(&VERBS)? {
        None => ("look".to_owned(), None),
        Some((key, Verb::Drain)) => {
            let mail = Expected::Lines(keys.texts(&key)?.unwrap_or_default());
            let start = Expected::Table(keys.pairs("start")?.unwrap_or_default());
            for (what, expected) in [(What::Drained, mail), (What::DrainedStart, start)] {
                checks.push(Check { what, expected, written: true });
            }
            (key, Some(Act::Drain))
        }
        Some((key, verb)) => {
            let name = keys.needed(&key)?;
            let act = read_act(&mut keys, names, verb, &key, &name)?;
            (format!("{key} {name}"), Some(act))
        }
    };
    if let Some(Act::Call(command)) = &act {
        checks.push(read_reply(&mut keys, command)?);
    }
    checks.extend(read_checks(&mut keys, names)?);
    keys.done()?;
    Ok(Step { text, act, checks })
}

/// What a call is told. Some calls are always told the same.
fn read_reply(keys: &mut Keys, command: &Command) -> Result<Check, String> {
    let usual = match command {
        Command::Deliver(_) => Some("delivered"),
        Command::ChangeSettings { .. } => Some("applied"),
        Command::Submit(_)
        | Command::Interrupt { .. }
        | Command::Inject { .. }
        | Command::AwaitActivity { .. }
        | Command::Answer(_)
        | Command::Begin { .. }
        | Command::Drain { .. }
        | Command::Suspend { .. }
        | Command::ShutDown { .. } => None,
    };
    let reply = keys.text("reply")?;
    let written = reply.is_some();
    let reply = reply.or(usual.map(str::to_owned)).ok_or("`reply` is missing")?;
    Ok(Check { what: What::Reply(command.id()), expected: Expected::Text(reply), written })
}

fn read_act(
    keys: &mut Keys,
    names: &mut Names,
    verb: Verb,
    key: &str,
    name: &str,
) -> Result<Act, String> {
    Ok(match verb {
        Verb::StartOrSteer => Act::Call(submit(keys, names, name, Mode::StartOrSteer)?),
        Verb::StartIfIdle => Act::Call(submit(keys, names, name, Mode::StartIfIdle)?),
        Verb::Recover => {
            let turn = names.turn(&keys.needed("turn")?)?;
            Act::Call(submit(keys, names, name, Mode::Recover { turn })?)
        }
        Verb::Steer => {
            let expected = optional_turn(keys, names, "expected")?;
            Act::Call(submit(keys, names, name, Mode::Steer { expected })?)
        }
        Verb::Mail => Act::Call(Command::Deliver(mail(keys, names, key, name)?)),
        Verb::Push => Act::Push(mail(keys, names, key, name)?),
        Verb::Interrupt => Act::Call(interrupt(keys, names, name)?),
        Verb::ToolInterrupts => Act::ToolCalls(interrupt(keys, names, name)?),
        Verb::Inject => {
            let form = match keys.needed("form")?.as_str() {
                "if_running" => Injection::IfRunning,
                "no_new_turn" => Injection::NoNewTurn,
                other => return Err(format!("no form `{other}`")),
            };
            let input = Input::new(names.give(name)?, InputKind::Response, name);
            Act::Call(Command::Inject { input, form })
        }
        Verb::AwaitActivity => Act::Call(Command::AwaitActivity { id: names.give(name)? }),
        Verb::Answer => {
            let id = names.give(name)?;
            let (table, key) = (WaiterTable::Approval, "shell".into());
            let decision = Decision::Reply(name.into());
            Act::Call(Command::Answer(Answer { id, table, key, decision }))
        }
        Verb::Change => {
            let change = SettingsChange::Edit(keys.edit("settings")?);
            Act::Call(Command::ChangeSettings { id: names.give(name)?, change })
        }
        Verb::Forbid => {
            let value = keys.edit("value")?.values.pop_first();
            let (name_of, value) = value.ok_or("`value` is missing")?;
            let change = SettingsChange::Forbid(Forbidden { name: name_of, value });
            Act::Call(Command::ChangeSettings { id: names.give(name)?, change })
        }
        Verb::Review => begin(names, name, SpecialTask::Review(name.into()))?,
        Verb::Compact => begin(names, name, SpecialTask::Compact)?,
        Verb::Leave => Act::Leave(names.mention(name)),
        Verb::Hold => Act::Hold(read_gate(name)?),
        Verb::Open => Act::Open(read_gate(name)?),
        Verb::Drain => Act::Drain,
    })
}

fn begin(names: &mut Names, name: &str, task: SpecialTask) -> Result<Act, String> {
    Ok(Act::Call(Command::Begin { id: names.give(name)?, task }))
}

fn interrupt(keys: &mut Keys, names: &mut Names, name: &str) -> Result<Command, String> {
    let turn = optional_turn(keys, names, "turn")?;
    Ok(Command::Interrupt { id: names.give(name)?, turn })
}

fn optional_turn(keys: &mut Keys, names: &mut Names, key: &str) -> Result<Option<TurnId>, String> {
    keys.text(key)?.map(|turn| names.turn(&turn)).transpose()
}

fn mail(keys: &mut Keys, names: &mut Names, key: &str, name: &str) -> Result<Mail, String> {
    let mut mail = Mail::new(names.give(name)?, key.contains("trigger"), name);
    mail.start = keys.start()?;
    Ok(mail)
}

/// Mail that is there before anybody moves.
pub fn read_waiting_mail(mut keys: Keys, names: &mut Names) -> Result<Mail, String> {
    let Some((key, Verb::Mail)) = keys.verb(&VERBS)? else {
        return Err("that is no mail".to_owned());
    };
    let name = keys.needed(&key)?;
    let mail = mail(&mut keys, names, &key, &name)?;
    keys.done()?;
    Ok(mail)
}

fn submit(keys: &mut Keys, names: &mut Names, name: &str, mode: Mode) -> Result<Command, String> {
    let kind = match keys.text("kind")?.as_deref() {
        None | Some("user") => InputKind::User,
        Some("response") => InputKind::Response,
        Some("tool_output") => InputKind::ToolOutput,
        Some(other) => return Err(format!("no kind `{other}`")),
    };
    let empty = keys.bool("empty")?.unwrap_or(matches!(mode, Mode::Recover { .. }));
    let mut input = Input::new(names.give(name)?, kind, if empty { "" } else { name });
    input.client_id = keys.text("client_id")?.map(Into::into);
    let mut submission = Submission::new(mode, input);
    submission.settings = keys.edit("settings")?;
    submission.start = keys.start()?;
    for (key, text) in keys.pairs("context")?.unwrap_or_default() {
        let id = names.give(&format!("{name}.{key}"))?;
        submission.context.push(ContextEntry { id, name: key.into(), text: text.into() });
    }
    Ok(Command::Submit(submission))
}

fn read_checks(keys: &mut Keys, names: &mut Names) -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    let mut add = |what, expected: Option<Expected>| {
        checks.extend(expected.map(|expected| Check { what, expected, written: true }));
    };
    if let Some(name) = keys.text("replied")? {
        let told = keys.needed("reply")?;
        add(What::Reply(names.mention(&name)), Some(Expected::Text(told)));
    }
    add(What::Slot, keys.text("slot")?.map(Expected::Text));
    add(What::Phase, keys.text("phase")?.map(Expected::Text));
    for (key, what) in [
        ("pending", What::Pending),
        ("mailbox", What::Mailbox),
        ("waiting_trigger_mail", What::TriggerMail),
        ("history", What::History),
        ("requests", What::Requests),
        ("told", What::Told),
        ("hooked", What::Hooked),
        ("holds", What::Holds),
    ] {
        add(what, keys.texts(key)?.map(Expected::Lines));
    }
    add(What::Order, keys.texts("order")?.map(Expected::Order));
    add(What::Count, keys.counts("count")?.map(Expected::Counts));
    let has_trigger = keys.bool("has_trigger")?;
    add(What::HasTrigger, has_trigger.map(|has| Expected::Text(has.to_string())));
    if let Some(request) = keys.number("request")? {
        let part = |part| What::Request(request, part);
        add(part(Part::Reads), keys.texts("reads")?.map(Expected::Lines));
        add(part(Part::Settings), keys.pairs("settings")?.map(Expected::Table));
        add(part(Part::Start), keys.pairs("start")?.map(Expected::Table));
    }
    Ok(checks)
}
