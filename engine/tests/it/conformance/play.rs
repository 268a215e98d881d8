//! Plays a case, step by step.
//!
//! Promises: every check of every step is made, in order, and the first that disagrees ends the
//! case with its step and both values. Whatever the model is asked beyond what is scripted, and
//! whatever is scripted and not asked for, disagrees too.

use std::collections::BTreeMap;
use std::fmt;

use midturn_engine::codex::{DrainedMail, Mailbox, Policy};
use midturn_protocol::{InputId, QueueEngine, SessionMode, Settings, StartOptions};

use crate::conformance::names::Names;
use crate::conformance::row::{Act, Case, Check, Expected, Part, Step, What};
use crate::conformance::text::{self, word};
use crate::script::Script;
use crate::world::{Call, World};

/// What disagreed.
#[derive(Debug)]
pub struct Failure {
    /// Counted from 0; the number of steps if it is only known at the end.
    pub step: usize,
    /// Which check of that step.
    pub check: Option<usize>,
    doing: String,
    what: String,
    expected: String,
    seen: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { step, doing, what, expected, seen, .. } = self;
        write!(
            out,
            "step {} ({doing}): {what}\n  expected: {expected}\n  was:      {seen}",
            step + 1
        )
    }
}

/// What was seen where something is expected.
enum Seen {
    Text(String),
    Lines(Vec<String>),
    Table(BTreeMap<String, String>),
}

struct Stage<'a> {
    names: &'a Names,
    world: World,
    calls: BTreeMap<InputId, Call>,
    mailbox: Mailbox,
    drained: DrainedMail,
}

pub fn play(case: &Case, policy: Policy) -> Result<(), Failure> {
    let mut stage = Stage::new(case, policy);
    stage.world.settle();
    for (at, step) in case.steps.iter().enumerate() {
        stage.carry_out(at, step)?;
    }
    match stage.world.script.responses_left() {
        0 => Ok(()),
        left => Err(Failure {
            step: case.steps.len(),
            check: None,
            doing: "the end".to_owned(),
            what: "what the model was asked".to_owned(),
            expected: format!("{} requests", case.model.len()),
            seen: format!("{left} fewer"),
        }),
    }
}

impl<'a> Stage<'a> {
    fn new(case: &'a Case, policy: Policy) -> Self {
        let script = Script::new(case.model.clone());
        script.note_unscripted();
        script.with_idle_hook();
        for text in &case.blocks {
            script.block(text.as_str());
        }
        for (text, context) in &case.hook_says {
            script.say(text.as_str(), context.as_str());
        }
        let world = World::with(policy, case.front, case.setup.clone(), script);
        let (calls, mailbox, drained) =
            (BTreeMap::new(), Mailbox::default(), DrainedMail::default());
        Stage { names: &case.names, world, calls, mailbox, drained }
    }

    fn carry_out(&mut self, at: usize, step: &Step) -> Result<(), Failure> {
        if let Some(act) = &step.act {
            self.act(act);
        }
        let failure = |check, what, expected, seen| Failure {
            step: at,
            check,
            doing: step.text.clone(),
            what,
            expected,
            seen,
        };
        let unscripted = self.world.script.unscripted();
        if !unscripted.is_empty() {
            let what = "what the model was asked".to_owned();
            return Err(failure(None, what, "nothing more".to_owned(), unscripted.join("; ")));
        }
        for (number, Check { what: about, expected, .. }) in step.checks.iter().enumerate() {
            if let Some((expected, seen)) = disagreement(expected, self.look(*about)) {
                let about = words(*about, self.names);
                return Err(failure(Some(number), about, expected, seen));
            }
        }
        Ok(())
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::Call(command) => {
                let call = self.world.call(self.world.engine.call(command.clone()));
                self.calls.insert(command.id(), call);
            }
            Act::ToolCalls(command) => {
                let call = self.world.engine.call(command.clone());
                self.world.script.inside_next_tool(Box::pin(call));
            }
            Act::Leave(id) => {
                if let Some(call) = self.calls.get(id) {
                    self.world.drop_call(*call);
                }
            }
            Act::Hold(what) => self.world.script.hold(what),
            Act::Open(gate) => self.world.open(gate),
            Act::Push(mail) => self.mailbox.push(mail.clone()),
            Act::Drain => self.drained = self.mailbox.drain(),
        }
    }

    fn look(&self, what: What) -> Seen {
        let names = self.names;
        let seen = self.world.observe();
        let events = || self.world.events();
        match what {
            What::Reply(id) => Seen::Text(match self.calls.get(&id) {
                Some(call) if self.world.is_gone(*call) => "gone".to_owned(),
                Some(call) => text::reply(names, self.world.reply(*call).as_ref()),
                None => "never called".to_owned(),
            }),
            What::Slot => Seen::Text(seen.slot.map_or("none".to_owned(), word)),
            What::Phase => Seen::Text(seen.phase.map_or("none".to_owned(), word)),
            What::Pending => Seen::Lines(names.of_all(&seen.pending)),
            What::Mailbox => Seen::Lines(names.of_all(&seen.mailbox)),
            What::TriggerMail => Seen::Lines(names.of_all(&seen.trigger_mail)),
            What::History => Seen::Lines(names.of_all(&seen.history)),
            What::Requests => {
                Seen::Lines(events().iter().filter_map(|e| text::request(names, e)).collect())
            }
            What::Told => {
                Seen::Lines(events().iter().filter_map(|e| text::told(names, e)).collect())
            }
            What::Order | What::Count => {
                Seen::Lines(events().iter().map(|event| text::event(names, event)).collect())
            }
            What::Hooked => Seen::Lines(self.hooked()),
            What::Request(number, part) => self.look_at_request(number, part),
            What::Holds => Seen::Lines(names.of_all(&self.mailbox.ids())),
            What::HasTrigger => Seen::Text(self.mailbox.has_trigger().to_string()),
            What::Drained => {
                let ids: Vec<InputId> = self.drained.mail.iter().map(|mail| mail.id).collect();
                Seen::Lines(names.of_all(&ids))
            }
            What::DrainedStart => Seen::Table(start(&self.drained.start)),
        }
    }

    fn hooked(&self) -> Vec<String> {
        let inspected = self.world.script.inspected().into_iter();
        let hooked = inspected.map(|input| match input.client_id {
            None => self.names.of(input.id).to_owned(),
            Some(client) => format!("{} of client {client}", self.names.of(input.id)),
        });
        hooked.collect()
    }

    fn look_at_request(&self, number: usize, part: Part) -> Seen {
        self.world.script.requests.peek("look", |requests| {
            let request = number.checked_sub(1).and_then(|at| requests.get(at));
            let Some(request) = request else { return Seen::Text("no such request".to_owned()) };
            match part {
                Part::Reads => {
                    Seen::Lines(request.history.iter().map(text::history_item).collect())
                }
                Part::Settings => Seen::Table(settings(&request.context.settings)),
                Part::Start => Seen::Table(start(&request.context.start)),
            }
        })
    }
}

/// For a message.
fn words(what: What, names: &Names) -> String {
    match what {
        What::Reply(id) => format!("the reply to {}", names.of(id)),
        What::Request(number, part) => format!("{} of request {number}", word(part)),
        What::Slot
        | What::Phase
        | What::Pending
        | What::Mailbox
        | What::TriggerMail
        | What::History
        | What::Requests
        | What::Told
        | What::Hooked
        | What::Order
        | What::Count
        | What::Holds
        | What::HasTrigger
        | What::Drained
        | What::DrainedStart => word(what),
    }
}

fn settings(settings: &Settings) -> BTreeMap<String, String> {
    let values = settings.values.iter();
    let mut table: BTreeMap<_, _> = values.map(|(k, v)| (k.to_string(), v.to_string())).collect();
    match settings.mode {
        SessionMode::Default => {}
        SessionMode::Plan => {
            table.insert("mode".to_owned(), "plan".to_owned());
        }
    }
    table
}

fn start(start: &StartOptions) -> BTreeMap<String, String> {
    let StartOptions { trigger, schema: _, parent, root, program } = start;
    [("trigger", trigger), ("parent", parent), ("root", root), ("program", program)]
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value.as_ref()?.to_string())))
        .collect()
}

/// Both values, if they do not agree.
fn disagreement(expected: &Expected, seen: Seen) -> Option<(String, String)> {
    match (expected, seen) {
        (Expected::Text(expected), Seen::Text(seen)) => {
            (*expected != seen).then(|| (expected.clone(), seen))
        }
        (Expected::Lines(expected), Seen::Lines(seen)) => {
            (*expected != seen).then(|| (format!("{expected:?}"), format!("{seen:?}")))
        }
        (Expected::Table(expected), Seen::Table(seen)) => {
            (*expected != seen).then(|| (format!("{expected:?}"), format!("{seen:?}")))
        }
        (Expected::Order(expected), Seen::Lines(seen)) => {
            let mut rest = seen.iter();
            let found = expected.iter().all(|event| rest.any(|seen| seen == event));
            (!found).then(|| (format!("{expected:?}, in this order"), listed(&seen)))
        }
        (Expected::Counts(expected), Seen::Lines(seen)) => {
            let count = |what: &String| seen.iter().filter(|seen| matches(seen, what)).count();
            let counted: BTreeMap<String, usize> =
                expected.keys().map(|what| (what.clone(), count(what))).collect();
            (*expected != counted).then(|| (format!("{expected:?}"), format!("{counted:?}")))
        }
        (expected, Seen::Text(seen)) => Some((format!("{expected:?}"), seen)),
        (expected, Seen::Lines(seen)) => Some((format!("{expected:?}"), listed(&seen))),
        (expected, Seen::Table(seen)) => Some((format!("{expected:?}"), format!("{seen:?}"))),
    }
}

/// Whether an event begins with these words.
fn matches(event: &str, words: &str) -> bool {
    event.strip_prefix(words).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
}

fn listed(events: &[String]) -> String {
    format!("[{}\n  ]", events.iter().map(|event| format!("\n    {event}")).collect::<String>())
}
