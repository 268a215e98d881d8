//! Calls that race with each other and with a preset turn, each on a thread of its own, and what
//! became of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use midturn_engine_loom::codex::{Codex, Front, Policy};
use midturn_protocol::{
    Event, Input, InputId, InputKind, Mail, Mode, Observation, Preset, QueueEngine, Reply,
    SessionSetup, SlotShape, Submission, Verdict,
};

use crate::crew::Crew;
use crate::engine::env::{LoomEnv, Timers};
use crate::explore::{Limits, Report, explore};
use crate::unseen::Notes;

#[derive(Clone, Copy, Debug)]
pub enum Call {
    Steer(InputId),
    StartOrSteer(InputId),
    Interrupt(InputId),
    Mail { id: InputId, trigger: bool },
    AwaitActivity(InputId),
}

#[derive(Clone, Copy, Debug)]
pub struct Race {
    pub policy: Policy,
    pub front: Front,
    pub preset: Preset,
    pub timers: Timers,
    pub calls: &'static [Call],
}

/// What an execution leaves behind.
#[derive(Clone, Default)]
struct Traces {
    events: Notes<Vec<Event>>,
    replies: Notes<BTreeMap<usize, Reply>>,
    /// Not with a serial front: its loop ends when the last handle is dropped.
    engine: Notes<Option<Codex>>,
}

impl Race {
    /// Ends are told in words, by caller: the answer, and where the input ended.
    pub fn explore(self, limits: Limits) -> Report<String> {
        let Race { policy, front, preset, timers, calls } = self;
        let name = format!("{policy}, {front:?}, timers {timers:?}: {preset:?} x {calls:?}");
        explore(&name, limits, move |crew| {
            let traces = Traces::default();
            let tell = traces.teller(self);
            let first = crew.clone();
            // The engine is built here and not by the caller, whose stack is too small for it.
            crew.spawn(async move { self.begin(&first, &traces).await });
            tell
        })
    }

    /// Builds the engine, lets everybody begin, and makes the first call.
    async fn begin(self, crew: &Crew, traces: &Traces) {
        let (events, held) = (traces.events.clone(), Notes::default());
        held.note(|held| *held = Some(Vec::new()));
        let env = Arc::new(LoomEnv { crew: crew.clone(), timers: self.timers, events, held });
        let setup = SessionSetup { preset: self.preset, ..SessionSetup::default() };
        let engine = Codex::new(env.clone(), self.policy, self.front, setup);
        if self.front == Front::Concurrent {
            traces.engine.note(|kept| *kept = Some(engine.clone()));
        }
        env.release();
        for caller in 1..self.calls.len() {
            let (engine, traces) = (engine.clone(), traces.clone());
            crew.spawn(async move { self.call(caller, &engine, &traces).await });
        }
        self.call(0, &engine, traces).await;
    }

    async fn call(self, caller: usize, engine: &Codex, traces: &Traces) {
        let reply = match self.calls[caller] {
            Call::Steer(id) => engine.submit(submission(Mode::Steer { expected: None }, id)).await,
            Call::StartOrSteer(id) => engine.submit(submission(Mode::StartOrSteer, id)).await,
            Call::Interrupt(id) => engine.interrupt(id).await,
            Call::Mail { id, trigger } => engine.deliver(Mail::new(id, trigger, "mail")).await,
            Call::AwaitActivity(id) => engine.await_activity(id).await,
        };
        traces.replies.note(|replies| {
            replies.insert(caller, reply);
        });
    }
}

impl Traces {
    fn teller(&self, race: Race) -> impl FnOnce() -> String + Send + use<> {
        let (events, replies, engine) =
            (self.events.teller(), self.replies.teller(), self.engine.teller());
        move || {
            let (events, mut replies, seen) = (events(), replies(), engine());
            let seen = seen.map(|engine| engine.observe());
            let mut said: Vec<_> = (race.calls.iter().enumerate())
                .map(|(caller, call)| {
                    let reply = replies.remove(&caller).map_or("unanswered", in_words);
                    match call {
                        Call::Steer(id) | Call::StartOrSteer(id) | Call::Mail { id, .. } => {
                            format!("{reply}, {}", landing(&events, seen.as_ref(), *id))
                        }
                        Call::Interrupt(_) | Call::AwaitActivity(_) => reply.to_owned(),
                    }
                })
                .collect();
            let slot = seen.and_then(|seen| seen.slot).filter(|slot| *slot != SlotShape::Idle);
            said.extend(slot.map(|slot| format!("slot {slot:?}")));
            said.join("; ")
        }
    }
}

fn in_words(reply: Reply) -> &'static str {
    match reply {
        Reply::Verdict(Verdict::Started(_)) => "started",
        Reply::Verdict(Verdict::Steered(_)) => "steered",
        Reply::Verdict(Verdict::NotSubmitted(_)) => "not submitted",
        Reply::Delivered => "delivered",
        Reply::Interrupted(Some(_)) => "interrupted",
        Reply::Interrupted(None) => "nothing to interrupt",
        Reply::Woken { found: true } => "found",
        Reply::Woken { found: false } => "woken for nothing",
        Reply::Injected | Reply::GivenBack | Reply::RecordedOnly => "injected",
        Reply::Refused(_) => "refused",
        Reply::Dropped => "dropped",
        Reply::Answered { .. }
        | Reply::Applied
        | Reply::Began(_)
        | Reply::Draining
        | Reply::ShutDown(_)
        | Reply::Unsupported => "answered something that no race here asks for",
    }
}

fn submission(mode: Mode, id: InputId) -> Submission {
    Submission::new(mode, Input::new(id, InputKind::User, "use YAML"))
}

/// Where `input` ended. The order of events of different objects plays no part in it.
fn landing(events: &[Event], seen: Option<&Observation>, input: InputId) -> &'static str {
    let happened = |matches: &dyn Fn(&Event) -> bool| events.iter().any(matches);
    let waits = |seen: &Observation| seen.pending.contains(&input) || seen.mailbox.contains(&input);
    if happened(&|e| matches!(e, Event::RequestBegan { new, .. } if new.contains(&input))) {
        "sampled"
    } else if happened(&|e| matches!(e, Event::Cleared { input: it, .. } if *it == input)) {
        "cleared"
    } else if happened(&|e| matches!(e, Event::Refused { input: it, .. } if *it == input)) {
        "refused"
    } else if happened(&|e| matches!(e, Event::Recorded { input: it, .. } if *it == input)) {
        "recorded"
    } else if seen.is_some_and(waits) {
        "queued"
    } else {
        "lost"
    }
}
