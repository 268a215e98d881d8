//! A whole scenario, and what it is drawn from.

use std::ops::RangeInclusive;

use proptest::prelude::*;

use crate::act::{Act, Step, acts, steps};
use crate::script::{Item, items};

/// Who and what there is to draw from. Words are those of the scenario format.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// How many actors.
    pub actors: RangeInclusive<usize>,
    /// How many commands each.
    pub commands: RangeInclusive<usize>,
    /// What the session may be at when all begins, the simplest first.
    pub slots: Vec<&'static str>,
    /// How commands may reach it, the simplest first.
    pub fronts: Vec<&'static str>,
    /// When timers may fire.
    pub times: Vec<&'static str>,
    /// Whether there may be hooks, a mode, a full context and mail from before.
    pub extras: bool,
    /// What actors do.
    pub acts: BoxedStrategy<Act>,
    /// What the model says in its first responses.
    pub items: BoxedStrategy<Item>,
}

impl Vocabulary {
    /// All that the queue of Codex knows.
    pub fn codex() -> Self {
        Vocabulary {
            actors: 2..=4,
            commands: 1..=2,
            slots: vec![
                "running",
                "running",
                "running",
                "idle",
                "finishing",
                "reserved",
                "review",
                "compact",
            ],
            fronts: vec!["concurrent", "concurrent", "concurrent", "serial", "server"],
            times: vec!["hostile", "patient"],
            extras: true,
            acts: acts(),
            items: items(),
        }
    }
}

/// What a hook says of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the scenario format")]
pub enum Verdict {
    Accept,
    Block,
    Either,
}

/// The session as all begins.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the scenario format")]
pub struct Session {
    pub slot: &'static str,
    pub front: &'static str,
    pub time: &'static str,
    pub plan: bool,
    pub context_full: bool,
    pub stop_hook: Option<bool>,
    pub start_hook: Option<bool>,
    /// Whether each mail is to start a turn.
    pub mailbox: Vec<bool>,
    /// For the how-many-eth submission, in order, what a hook says.
    pub hooks: Vec<Option<Verdict>>,
}

/// A generated scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What they do it to.
    pub session: Session,
    /// The first responses of the model. All others are final.
    pub scripts: Vec<Vec<Item>>,
    /// Who does what.
    pub actors: Vec<Vec<Step>>,
}

fn sessions(vocabulary: &Vocabulary) -> impl Strategy<Value = Session> + use<> {
    let rarely = |share: f64| if vocabulary.extras { share } else { 0.0 };
    let eighth = || prop::bool::weighted(rarely(1.0 / 8.0));
    let maybe = || prop::option::weighted(rarely(1.0 / 8.0), any::<bool>());
    let verdict = prop_oneof![Just(Verdict::Accept), Just(Verdict::Block), Just(Verdict::Either)];
    let hooks = prop::option::weighted(
        rarely(1.0 / 3.0),
        prop::collection::vec(prop::option::of(verdict), 0..6),
    );
    let mailbox =
        prop::option::weighted(rarely(1.0 / 3.0), prop::collection::vec(any::<bool>(), 0..3));
    (
        prop::sample::select(vocabulary.slots.clone()),
        prop::sample::select(vocabulary.fronts.clone()),
        prop::sample::select(vocabulary.times.clone()),
        (eighth(), eighth(), maybe(), maybe()),
        mailbox,
        hooks,
    )
        .prop_map(
            |(slot, front, time, (plan, context_full, stop_hook, start_hook), mailbox, hooks)| {
                let (mailbox, hooks) = (mailbox.unwrap_or_default(), hooks.unwrap_or_default());
                Session {
                    slot,
                    front,
                    time,
                    plan,
                    context_full,
                    stop_hook,
                    start_hook,
                    mailbox,
                    hooks,
                }
            },
        )
}

/// Scenarios in the words of `vocabulary`.
pub fn programs(vocabulary: &Vocabulary) -> impl Strategy<Value = Program> + use<> {
    let step = steps(vocabulary.acts.clone());
    let actor = prop::collection::vec(step, vocabulary.commands.clone());
    let actors = prop::collection::vec(actor, vocabulary.actors.clone());
    let script = prop::collection::vec(vocabulary.items.clone(), 1..=3);
    let scripts = prop::collection::vec(script, 0..=3);
    (sessions(vocabulary), scripts, actors).prop_map(|(session, scripts, actors)| Program {
        session,
        scripts,
        actors,
    })
}
