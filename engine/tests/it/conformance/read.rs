//! The rows of the data; the head of the data file says what its words mean.
//!
//! Promises: what is not known, missing or of the wrong kind is a mistake that names its row, and
//! so is a case that expects nothing.

use midturn_engine::codex::{Front, Policy};
use midturn_protocol::{
    Forbidden, ModelItem, Preset, SessionMode, SessionSetup, Settings, ToolUse, ToolWork,
    WaiterTable,
};
use toml::Table;

use crate::conformance::keys::Keys;
use crate::conformance::names::Names;
use crate::conformance::read_step::{read_step, read_waiting_mail};
use crate::conformance::row::{Body, Case, Expected, LeftOut, Row, Step, What};
use crate::conformance::text::VERBS;
use crate::script::Beat;

/// The places at which a test can make something wait.
pub const GATES: [&str; 10] =
    ["a", "b", "c", "never", "hook", "tool", "flush", "prepare", "timer", "idle"];

/// All rows, in the order of the data.
pub fn read(data: &str) -> Result<Vec<Row>, String> {
    let mut keys = Keys::new(&data.parse::<Table>().map_err(|error| error.to_string())?);
    let rows = keys.tables("row")?.ok_or("there are no rows")?;
    keys.done()?;
    rows.into_iter().map(read_row).collect()
}

fn read_row(mut keys: Keys) -> Result<Row, String> {
    let number = keys.number("number")?.ok_or("a row has no number")?;
    let row = read_numbered(number as u32, keys);
    row.map_err(|mistake| format!("row {number}: {mistake}"))
}

fn read_numbered(number: u32, mut keys: Keys) -> Result<Row, String> {
    let words = keys.needed("words")?;
    let policies = keys.policies("policy")?.unwrap_or_default();
    let omits = keys.text("omits")?;
    let body = match (keys.text("left_out")?, keys.tables("case")?) {
        (Some(why), None) => {
            keys.done()?;
            let why = LeftOut::named(&why).ok_or_else(|| format!("no reason: `{why}`"))?;
            Body::LeftOut(why)
        }
        (None, None) => Body::Played(vec![read_case(keys, &policies)?]),
        (None, Some(cases)) => {
            keys.done()?;
            let cases = cases.into_iter().map(|case| read_case(case, &policies));
            Body::Played(cases.collect::<Result<_, _>>()?)
        }
        (Some(_), Some(_)) => return Err("it is left out and has cases".to_owned()),
    };
    Ok(Row { number, words, policies, omits, body })
}

fn read_case(mut keys: Keys, policies: &[Policy]) -> Result<Case, String> {
    let mut names = Names::default();
    let when = keys.text("when")?.unwrap_or_default();
    let policies = keys.policies("only")?.unwrap_or_else(|| policies.to_vec());
    let mut session = Keys::new(&keys.table("session")?.unwrap_or_default());
    let front = match session.text("front")?.as_deref() {
        None | Some("concurrent") => Front::Concurrent,
        Some("serial") => Front::Serial,
        Some("server") => Front::Server,
        Some(other) => return Err(format!("no front `{other}`")),
    };
    let setup = read_setup(&mut session, &mut names)?;
    let blocks = session.texts("blocks")?.unwrap_or_default();
    let hook_says = session.pairs("hook_says")?.unwrap_or_default();
    session.done()?;
    let model = keys.texts("model")?.unwrap_or_default();
    let model = model.iter().map(|beats| read_response(beats)).collect::<Result<_, _>>()?;
    let steps = keys.tables("steps")?.ok_or("nothing is done")?;
    keys.done()?;
    let steps = steps.into_iter().enumerate().map(|(at, keys)| {
        read_step(keys, &mut names).map_err(|mistake| format!("step {}: {mistake}", at + 1))
    });
    let steps = steps.collect::<Result<Vec<Step>, _>>()?;
    let case = Case { when, policies, front, setup, blocks, hook_says, model, steps, names };
    refuse_idle_expectations(&case)?;
    Ok(case)
}

/// What could never disagree.
fn refuse_idle_expectations(case: &Case) -> Result<(), String> {
    let checks = || case.steps.iter().flat_map(|step| &step.checks);
    if !checks().any(|check| check.written) {
        return Err("nothing is expected".to_owned());
    }
    if case.policies.is_empty() {
        return Err("it runs under no policy".to_owned());
    }
    for check in checks() {
        let patterns: Vec<&String> = match &check.expected {
            Expected::Order(events) => events.iter().collect(),
            Expected::Counts(counts) => counts.keys().collect(),
            Expected::Text(_) | Expected::Lines(_) | Expected::Table(_) => continue,
        };
        for pattern in patterns {
            let mut words = pattern.split(' ');
            let verb = words.next().unwrap_or_default();
            if !VERBS.contains(&verb) {
                return Err(format!("`{pattern}`: `{verb}` does not happen"));
            }
            if let Some(name) = words.next().filter(|name| !case.names.is_given(name)) {
                return Err(format!("`{pattern}`: nothing is called `{name}`"));
            }
        }
        if check.what == What::Order && matches!(&check.expected, Expected::Order(o) if o.len() < 2)
        {
            return Err("an order has two parts at least".to_owned());
        }
    }
    Ok(())
}

fn read_setup(session: &mut Keys, names: &mut Names) -> Result<SessionSetup, String> {
    let preset = match session.text("preset")?.as_deref() {
        None | Some("idle") => Preset::Idle,
        Some("running") => Preset::Running,
        Some("finishing") => Preset::Finishing,
        Some("reserved") => Preset::Reserved,
        Some("review") => Preset::Review,
        Some("compact") => Preset::Compact,
        Some(other) => return Err(format!("no preset `{other}`")),
    };
    let mailbox = session.tables("mailbox")?.unwrap_or_default();
    let mailbox = mailbox.into_iter().map(|keys| read_waiting_mail(keys, names));
    let mailbox = mailbox.collect::<Result<_, _>>()?;
    let edit = session.edit("settings")?;
    let mode = edit.mode.unwrap_or(SessionMode::Default);
    let settings = Settings { version: 0, mode, values: edit.values };
    let forbidden = session.edit("forbid")?.values.into_iter();
    let forbidden = forbidden.map(|(name, value)| Forbidden { name, value }).collect();
    let context_full = session.bool("context_full")?.unwrap_or(false);
    Ok(SessionSetup {
        preset,
        mailbox,
        settings,
        forbidden,
        context_full,
        ..SessionSetup::default()
    })
}

fn read_response(beats: &str) -> Result<Vec<Beat>, String> {
    beats.split(", ").filter(|beat| !beat.is_empty()).map(read_beat).collect()
}

fn read_beat(beat: &str) -> Result<Beat, String> {
    let uses = |work| ModelItem::Tool(ToolUse { tool: "shell".into(), work });
    let item = match beat {
        "final" => ModelItem::Final("done".into()),
        "untagged" => ModelItem::Untagged("done".into()),
        "commentary" => ModelItem::Commentary("looking".into()),
        "reasoning" => ModelItem::Reasoning,
        "tool" => uses(ToolWork::Run),
        "ask approval" => uses(ToolWork::Ask(WaiterTable::Approval)),
        "wait" => uses(ToolWork::AwaitActivity),
        "sleep" => uses(ToolWork::SleepUntilMail),
        "full" => ModelItem::Full,
        "error" => ModelItem::Error("overloaded".into()),
        other => {
            let gate = other.strip_prefix("hold ").ok_or_else(|| format!("no item `{other}`"))?;
            return read_gate(gate).map(Beat::Hold);
        }
    };
    Ok(Beat::Item(item))
}

pub fn read_gate(name: &str) -> Result<&'static str, String> {
    let gate = GATES.into_iter().find(|gate| *gate == name);
    gate.ok_or_else(|| format!("no gate `{name}`"))
}
