//! A program as a scenario file.
//!
//! What does not fit is said in simpler words: an answer that nobody asked for is a prompt, a
//! turn that is not there is the first that may be. So every value means something valid.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::act::{Act, Edit, Extra, Form, Mode, Step};
use crate::program::{Program, Session, Verdict};
use crate::script::Item;

impl Program {
    /// The scenario file. `expects` are its last lines: what is expected of which design.
    pub fn to_toml(&self, expects: &str) -> String {
        let mut facts = Facts::of(self);
        let actors = facts.actors(self);
        let (session, model) = (facts.session(&self.session), facts.model(self));
        let parked: Vec<String> =
            facts.parked.iter().map(|actor| format!("{:?}", name(*actor))).collect();
        format!(
            "schema  = 1\npromise = \"All properties hold of a generated program.\"\n\
             parked  = [{}]\n\n{session}\n{model}\n{actors}{expects}",
            parked.join(", ")
        )
    }

    /// How many commands there are.
    pub fn commands(&self) -> usize {
        self.actors.iter().map(Vec::len).sum()
    }
}

/// `a`, `b` and so on.
fn name(actor: usize) -> String {
    char::from_u32('a' as u32 + actor as u32 % 26).map_or_else(String::new, String::from)
}

/// What a program is known to contain, while it is written down.
struct Facts {
    slot: &'static str,
    /// Inputs that a hook may look at.
    submits: Vec<String>,
    /// Commands that are certain to be called.
    certain: Vec<String>,
    parked: BTreeSet<usize>,
    /// Tools ask somebody outside, and some command answers.
    asks: bool,
    /// Somebody takes the preset turn up again.
    recovers: bool,
}

impl Facts {
    fn of(program: &Program) -> Self {
        let mut items = program.scripts.iter().flatten();
        let asks = items.any(|item| *item == Item::Asks);
        let (submits, certain, parked) = (Vec::new(), Vec::new(), BTreeSet::new());
        Facts { slot: program.session.slot, submits, certain, parked, asks, recovers: false }
    }

    fn session(&self, session: &Session) -> String {
        let Session { slot, front, time, .. } = session;
        let mut text = format!(
            "[session]\nslot    = {slot:?}\nfront   = {front:?}\ntime    = {time:?}\n\
             forbid  = {{ effort = \"max\" }}\nsettings = {{ effort = \"low\" }}\n"
        );
        if session.plan {
            text.push_str("mode    = \"plan\"\n");
        }
        if session.context_full {
            text.push_str("context_full = true\n");
        }
        if let Some(stops) = session.stop_hook {
            let verdict = if stops { "{ stop = true }" } else { "{ go_on = \"check\" }" };
            let _ = writeln!(text, "stop_hooks = [{verdict}]");
        }
        if let Some(late) = session.start_hook {
            let passes = if late { "{ pass = true }, " } else { "" };
            let _ = writeln!(text, "start_hooks = [{passes}{{ stop = true }}]");
        }
        let mails = session.mailbox.iter().enumerate().map(|(nth, trigger)| {
            // Somebody was to start a turn for trigger mail: nothing waits in an idle session.
            let trigger = *trigger && *slot != "idle";
            let n = nth + 1;
            format!("{{ id = \"m{n}\", trigger = {trigger}, text = \"mail {n}\" }}")
        });
        let mails: Vec<String> = mails.collect();
        if !mails.is_empty() {
            let _ = writeln!(text, "mailbox = [{}]", mails.join(", "));
        }
        let hooks = self.submits.iter().zip(&session.hooks).filter_map(|(input, verdict)| {
            let verdict = match (*verdict)? {
                Verdict::Accept => "accept",
                Verdict::Block => "block",
                Verdict::Either => "either",
            };
            Some(format!("{{ input = {input:?}, verdict = {verdict:?} }}"))
        });
        let hooks: Vec<String> = hooks.collect();
        if !hooks.is_empty() {
            let _ = writeln!(text, "hooks   = [{}]", hooks.join(", "));
        }
        text
    }

    /// A response for every request that there can be: what is said first, and then final answers
    /// for each input, to be read and to be followed up.
    fn model(&self, program: &Program) -> String {
        let scripts = &program.scripts;
        let inputs = program.commands() + program.session.mailbox.len();
        let requests = scripts.len() + 2 * inputs + 4;
        let mut text = "[model]\nrequests = [\n".to_owned();
        for nth in 0..requests {
            let items = scripts.get(nth).map_or(&[Item::Final][..], Vec::as_slice);
            let items: Vec<String> = items.iter().filter_map(|item| self.item(*item)).collect();
            let _ = writeln!(text, "  [{}],", items.join(", "));
        }
        text.push_str("]\n");
        text
    }

    fn item(&self, item: Item) -> Option<String> {
        let Item::Hold(at) = item else { return item.word().map(str::to_owned) };
        let command = self.certain.get(usize::from(at) % self.certain.len().max(1))?;
        Some(format!("{{ hold = \"{command} called\" }}"))
    }

    fn actors(&mut self, program: &Program) -> String {
        let mut text = String::new();
        for (actor, steps) in program.actors.iter().enumerate() {
            let mut commands = String::new();
            let mut sure = true;
            for (nth, step) in steps.iter().enumerate() {
                let id = format!("{}{}", name(actor), nth + 1);
                let verb = self.verb(actor, &id, step.act);
                let when = match verb.starts_with("recover") {
                    true => ", when = \"turn of slot ended interrupted\"".to_owned(),
                    false => self.when(step),
                };
                // What comes after a wait or an event may never be called.
                sure &= when.is_empty();
                if sure {
                    self.certain.push(id.clone());
                }
                sure &= !verb.starts_with("wait");
                let drop = if step.drop { ", drop = true" } else { "" };
                let _ = writeln!(commands, "  {{ id = {id:?}, {verb}{when}{drop} }},");
            }
            let actor = name(actor);
            let _ = writeln!(text, "[[actor]]\nname = {actor:?}\ndoes = [\n{commands}]\n");
        }
        text
    }

    fn when(&self, step: &Step) -> String {
        let Some(at) = step.when else { return String::new() };
        let mut events = vec!["answer shown", "request 1 began", "slot finishing", "slot idle"];
        if self.slot != "idle" {
            events.extend(["turn of slot looked", "turn of slot ended"]);
        }
        format!(", when = {:?}", events[usize::from(at) % events.len()])
    }

    fn verb(&mut self, actor: usize, id: &str, act: Act) -> String {
        match act {
            Act::Submit { mode, extra, empty } => self.submit(id, mode, extra, empty),
            Act::Mail { trigger: false } => format!("mail = \"news ({id})\""),
            Act::Mail { trigger: true } => format!("mail = \"news ({id})\", trigger = true"),
            Act::Inject(form) => {
                let form = match form {
                    Form::IfRunning => "if_running",
                    Form::HookContext => "hook_context",
                    Form::NoNewTurn => "no_new_turn",
                    Form::Client => "client",
                };
                format!("inject = \"context ({id})\", form = {form:?}")
            }
            Act::Interrupt { named: None } => "interrupt = true".to_owned(),
            Act::Interrupt { named: Some(turn) } => {
                format!("interrupt = \"turn of {}\"", self.turn(turn))
            }
            Act::Wait => {
                self.parked.insert(actor);
                "wait = \"activity\"".to_owned()
            }
            Act::ToolOutput => format!("tool_output = \"output ({id})\""),
            Act::Continue { previous } => {
                let turn = self.turn(previous);
                format!(
                    "continue_if_idle = \"go on ({id})\", expected_previous = \"turn of {turn}\""
                )
            }
            Act::Settings(edit) => format!("settings = {{ {} }}", word(edit)),
            Act::Forbid => "forbid = { effort = \"high\" }".to_owned(),
            Act::Review => format!("review = \"look ({id})\""),
            Act::Compact => "compact = true".to_owned(),
            Act::Answer { aborts: false } if self.asks => "answer = \"yes\"".to_owned(),
            Act::Answer { aborts: true } if self.asks => "abort = true".to_owned(),
            Act::Drain => "drain = true".to_owned(),
            Act::Suspend => "suspend = true".to_owned(),
            Act::ShutDown => "shutdown = true".to_owned(),
            Act::Recover if self.slot == "running" && !self.recovers => {
                self.recovers = true;
                "recover = \"turn of slot\"".to_owned()
            }
            Act::Answer { .. } | Act::Recover => {
                self.submit(id, Mode::StartOrSteer, Extra::Nothing, false)
            }
        }
    }

    fn submit(&mut self, id: &str, mode: Mode, extra: Extra, empty: bool) -> String {
        if mode == Mode::AutomaticStart {
            return format!("start_if_idle = \"go on ({id})\", automatic = true");
        }
        self.submits.push(id.to_owned());
        let verb = match mode {
            Mode::StartOrSteer => "start_or_steer",
            Mode::Steer => "steer",
            Mode::StartIfIdle | Mode::AutomaticStart => "start_if_idle",
        };
        let said = if empty { String::new() } else { format!("say {id}") };
        let extra = match extra {
            Extra::Expected(turn) if mode == Mode::Steer => {
                format!(", expected = \"turn of {}\"", self.turn(turn))
            }
            Extra::Overrides(edit) => format!(", overrides = {{ {} }}", word(edit)),
            Extra::Context(one) if mode != Mode::StartIfIdle => {
                let directory = if one { "/a" } else { "/b" };
                format!(", context = {{ cwd = {directory:?}, date = \"today\" }}")
            }
            Extra::Nothing | Extra::Expected(_) | Extra::Context(_) => String::new(),
        };
        format!("{verb} = {said:?}{extra}")
    }

    /// A turn that there may be.
    fn turn(&self, pick: u8) -> &str {
        if self.slot != "idle" && pick.is_multiple_of(2) {
            return "slot";
        }
        let submits = self.submits.len().max(1);
        self.submits.get(usize::from(pick / 2) % submits).map_or("a1", String::as_str)
    }
}

fn word(edit: Edit) -> &'static str {
    match edit {
        Edit::Effort => "effort = \"high\"",
        Edit::Forbidden => "effort = \"max\"",
        Edit::Plan => "mode = \"plan\"",
        Edit::Default => "mode = \"default\"",
    }
}
