//! Scenario files from seeds: three actors, all that they can ask of a queue, any script.
//!
//! Promises: the same seed is always the same text, every text is a valid scenario that covers
//! every request, and whoever may wait for ever by design is declared as parked.

use std::fmt::Write as _;

/// Scripts of the model: more than a turn for every input could ask for.
const REQUESTS: usize = 24;

/// The first so many scripts may ask for another request.
const RESTLESS: usize = 3;

const ACTORS: [&str; 3] = ["a", "b", "c"];

struct Generator {
    random: fastrand::Rng,
    slot: &'static str,
    /// Inputs that a hook may look at.
    submits: Vec<String>,
    /// Commands that are certain to be called.
    certain: Vec<String>,
    parked: Vec<&'static str>,
    /// Tools that ask somebody outside; some command answers each of them, late.
    asks: bool,
    /// Somebody takes the preset turn up again, once it was interrupted.
    recovers: bool,
}

/// The scenario of a seed.
pub fn program(seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let slot =
        ["idle", "reserved", "running", "running", "running", "finishing", "review", "compact"]
            [random.usize(..8)];
    let asks = random.u32(..6) == 0;
    let (submits, certain, parked) = (Vec::new(), Vec::new(), Vec::new());
    let mut generator = Generator { random, slot, submits, certain, parked, asks, recovers: false };
    let actors = generator.actors();
    let (session, model) = (generator.session(), generator.model());
    let parked: Vec<String> = generator.parked.iter().map(|name| format!("{name:?}")).collect();
    format!(
        "schema  = 1\npromise = \"All properties hold of program {seed}.\"\nparked  = [{}]\n\n\
         {session}\n{model}\n{actors}\n[expect.codex.hardened]\nholds = \"all\"\n",
        parked.join(", ")
    )
}

impl Generator {
    fn one_in(&mut self, times: u32) -> bool {
        self.random.u32(..times) == 0
    }

    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        words[self.random.usize(..words.len())]
    }

    fn session(&mut self) -> String {
        let front = self.pick(&["concurrent", "concurrent", "concurrent", "serial", "server"]);
        let time = self.pick(&["hostile", "patient"]);
        let mut text = format!(
            "[session]\nslot    = {:?}\nfront   = {front:?}\ntime    = {time:?}\n\
             forbid  = {{ effort = \"max\" }}\n",
            self.slot
        );
        // Edits of two settings; one value of the one may never be set.
        text.push_str("settings = { effort = \"low\" }\n");
        if self.one_in(8) {
            text.push_str("mode    = \"plan\"\n");
        }
        if self.one_in(8) {
            text.push_str("context_full = true\n");
        }
        if self.one_in(8) {
            let verdict = self.pick(&["{ go_on = \"check\" }", "{ stop = true }"]);
            let _ = writeln!(text, "stop_hooks = [{verdict}]");
        }
        if self.one_in(8) {
            let verdict = self.pick(&["{ stop = true }", "{ pass = true }, { stop = true }"]);
            let _ = writeln!(text, "start_hooks = [{verdict}]");
        }
        let mails: Vec<String> = (1..=self.random.u32(..6).saturating_sub(3))
            .map(|n| {
                // Somebody was to start a turn for trigger mail: nothing waits in an idle session.
                let trigger = self.random.bool() && self.slot != "idle";
                format!("{{ id = \"m{n}\", trigger = {trigger}, text = \"mail {n}\" }}")
            })
            .collect();
        if !mails.is_empty() {
            let _ = writeln!(text, "mailbox = [{}]", mails.join(", "));
        }
        if self.one_in(3) {
            let hooks = self.hooks();
            if !hooks.is_empty() {
                let _ = writeln!(text, "hooks   = [{}]", hooks.join(", "));
            }
        }
        text
    }

    fn hooks(&mut self) -> Vec<String> {
        let submits = self.submits.clone();
        let mut hooks = Vec::new();
        for input in submits {
            if self.one_in(2) {
                let verdict = self.pick(&["accept", "block", "either"]);
                hooks.push(format!("{{ input = {input:?}, verdict = {verdict:?} }}"));
            }
        }
        hooks
    }

    fn model(&mut self) -> String {
        let mut text = "[model]\nrequests = [\n".to_owned();
        for nth in 0..REQUESTS {
            let script =
                if nth < RESTLESS { self.script(nth == 0) } else { "{ final = \"done\" }".into() };
            let _ = writeln!(text, "  [{script}],");
        }
        text.push_str("]\n");
        text
    }

    fn script(&mut self, first: bool) -> String {
        let mut items: Vec<String> = Vec::new();
        if first && self.asks {
            items.push("{ tool = \"edit\", asks = \"approval\" }".to_owned());
        }
        for _ in 0..=self.random.usize(..2) {
            items.push(
                match self.random.u32(..18) {
                    0..=5 => "{ final = \"done\" }",
                    6 => "{ untagged = \"so\" }",
                    7 => "{ commentary = \"looking\" }",
                    8 => "{ reasoning = true }",
                    9 | 10 => "{ tool = \"shell\" }",
                    11 => "{ refused_tool = \"rm\" }",
                    12 => "{ not_ended = true }",
                    13 => "{ full = true }",
                    14 => "{ tool = \"wait\", waits = true }",
                    15 => "{ tool = \"sleep\", sleeps = true }",
                    16 if self.asks => "{ tool = \"edit\", asks = \"approval\" }",
                    _ => "{ error = \"overloaded\" }",
                }
                .to_owned(),
            );
        }
        if self.one_in(4) && !self.certain.is_empty() {
            let command = self.random.usize(..self.certain.len());
            let hold = format!("{{ hold = \"{} called\" }}", self.certain[command]);
            items.insert(self.random.usize(..=items.len()), hold);
        }
        items.join(", ")
    }

    fn actors(&mut self) -> String {
        let mut text = String::new();
        for actor in ACTORS {
            let mut commands = Vec::new();
            let mut sure = true;
            for nth in 1..=1 + self.random.u32(..2) {
                let id = format!("{actor}{nth}");
                let verb = self.verb(actor, &id);
                let when = match verb.starts_with("recover") {
                    true => ", when = \"turn of slot ended interrupted\"".to_owned(),
                    false => self.when(),
                };
                // What comes after a wait or an event may never be called.
                sure &= when.is_empty();
                if sure {
                    self.certain.push(id.clone());
                }
                sure &= !verb.starts_with("wait");
                let drop = if self.one_in(6) { ", drop = true" } else { "" };
                commands.push(format!("  {{ id = {id:?}, {verb}{when}{drop} }},\n"));
            }
            let commands = commands.concat();
            let _ = writeln!(text, "[[actor]]\nname = {actor:?}\ndoes = [\n{commands}]\n");
        }
        text
    }

    fn when(&mut self) -> String {
        if !self.one_in(8) {
            return String::new();
        }
        let mut events = vec!["answer shown", "request 1 began", "slot finishing", "slot idle"];
        if self.slot != "idle" {
            events.extend(["turn of slot looked", "turn of slot ended"]);
        }
        format!(", when = {:?}", self.pick(&events))
    }

    fn verb(&mut self, actor: &'static str, id: &str) -> String {
        match self.random.u32(..42) {
            0..=3 => self.submit("start_or_steer", id),
            4..=6 => self.submit("steer", id),
            7 | 8 => {
                let submit = self.submit("steer", id);
                let turn = self.some_turn();
                format!("{submit}, expected = \"turn of {turn}\"")
            }
            9 => self.submit("start_if_idle", id),
            10 => format!("start_if_idle = \"go on ({id})\", automatic = true"),
            11 => format!("mail = \"news ({id})\""),
            12 | 13 => format!("mail = \"news ({id})\", trigger = true"),
            14 | 15 => {
                let form = self.pick(&["if_running", "hook_context", "no_new_turn", "client"]);
                format!("inject = \"context ({id})\", form = {form:?}")
            }
            16 | 17 => "interrupt = true".to_owned(),
            18 => format!("interrupt = \"turn of {}\"", self.some_turn()),
            19 => {
                if !self.parked.contains(&actor) {
                    self.parked.push(actor);
                }
                "wait = \"activity\"".to_owned()
            }
            20..=24 => self.submit_with_settings(id),
            25 | 26 => {
                let verb = self.pick(&["start_or_steer", "steer"]);
                let submit = self.submit(verb, id);
                let directory = self.pick(&["/a", "/b"]);
                format!("{submit}, context = {{ cwd = {directory:?}, date = \"today\" }}")
            }
            27 => format!("tool_output = \"output ({id})\""),
            28 => {
                let turn = self.some_turn();
                format!(
                    "continue_if_idle = \"go on ({id})\", expected_previous = \"turn of {turn}\""
                )
            }
            29 => "settings = { effort = \"high\" }".to_owned(),
            30 => format!("settings = {{ mode = {:?} }}", self.pick(&["plan", "default"])),
            31 => "forbid = { effort = \"high\" }".to_owned(),
            32 | 33 => format!("review = \"look ({id})\""),
            34 | 35 => "compact = true".to_owned(),
            36 if self.asks => "answer = \"yes\"".to_owned(),
            37 if self.asks => "abort = true".to_owned(),
            38 => "drain = true".to_owned(),
            39 => self.pick(&["suspend = true", "shutdown = true"]).to_owned(),
            40 | 41 if self.slot == "running" && !self.recovers => {
                self.recovers = true;
                "recover = \"turn of slot\"".to_owned()
            }
            _ => self.submit("start_or_steer", id),
        }
    }

    /// One that may be allowed, refused at once, or forbidden by somebody meanwhile.
    fn submit_with_settings(&mut self, id: &str) -> String {
        let verb = self.pick(&["start_or_steer", "steer", "start_if_idle"]);
        let submit = self.submit(verb, id);
        let edit = self.pick(&["effort = \"high\"", "effort = \"max\"", "mode = \"plan\""]);
        format!("{submit}, overrides = {{ {edit} }}")
    }

    fn submit(&mut self, verb: &str, id: &str) -> String {
        self.submits.push(id.to_owned());
        if self.one_in(16) { format!("{verb} = \"\"") } else { format!("{verb} = \"say {id}\"") }
    }

    fn some_turn(&mut self) -> String {
        if self.slot != "idle" && self.random.bool() {
            return "slot".to_owned();
        }
        let first = self.submits.first();
        first.cloned().unwrap_or_else(|| "a1".to_owned())
    }
}
