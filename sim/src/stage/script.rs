//! What all sessions of a run share: the scenario, the events that somebody waits for, and the
//! way by which mail goes from one session to another.
//!
//! None of it is an object of the world: what is noted here is noted inside the steps of others.

use std::sync::Arc;

use midturn_lock::Lock;
use midturn_properties::scenario::{EventPattern, Matcher, Scenario, ScriptKind, Stated};
use midturn_protocol::{BoxFuture, Event, Mail, Reply, TurnId};
use midturn_sync::Latch;

use super::SCRIPTED_EVENT;
use crate::world::World;

/// Delivers mail to one session.
pub(super) type Deliver = Arc<dyn Fn(Mail) -> BoxFuture<'static, Reply> + Send + Sync>;

/// A request that began although no script covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Uncovered {
    /// The session, as an index.
    pub(crate) session: usize,
    /// The turn that asked.
    pub(crate) turn: TurnId,
    /// The how-many-eth request of the session, from 1.
    pub(crate) nth: u32,
}

pub(super) struct Script {
    pub(super) scenario: Arc<Scenario>,
    awaited: Lock<Vec<(Matcher, Latch)>>,
    uncovered: Lock<Option<Uncovered>>,
    /// By session; empty before all engines are there, and after the run.
    mail: Lock<Vec<Deliver>>,
}

impl Script {
    pub(super) fn new(scenario: Arc<Scenario>) -> Self {
        let awaited = patterns(&scenario)
            .into_iter()
            .map(|pattern| (Matcher::new(pattern), Latch::new(SCRIPTED_EVENT)))
            .collect();
        Script {
            scenario,
            awaited: Lock::new(awaited),
            uncovered: Lock::new(None),
            mail: Lock::new(Vec::new()),
        }
    }

    pub(super) fn connect(&self, sessions: Vec<Deliver>) {
        self.mail.with(|mail| *mail = sessions);
    }

    /// The ways that there were, to be dropped by the caller: outside of the lock.
    #[must_use]
    pub(super) fn disconnect(&self) -> Vec<Deliver> {
        self.mail.with(std::mem::take)
    }

    /// Delivers mail to a session.
    pub(super) fn send(&self, to: usize, mail: Mail) -> BoxFuture<'static, ()> {
        let deliver = self.mail.with(|all| all.get(to).cloned());
        Box::pin(async move {
            if let Some(deliver) = deliver {
                deliver(mail).await;
            }
        })
    }

    pub(super) fn uncovered(&self) -> Option<Uncovered> {
        self.uncovered.with(|uncovered| *uncovered)
    }

    pub(super) fn note_uncovered(&self, found: Uncovered) {
        self.uncovered.with(|uncovered| {
            uncovered.get_or_insert(found);
        });
    }

    /// The latch that is set once `pattern` has occurred.
    pub(super) fn until(&self, pattern: EventPattern) -> Option<Latch> {
        self.awaited.with(|awaited| {
            let found = awaited.iter().find(|(matcher, _)| matcher.pattern() == pattern);
            found.map(|(_, latch)| latch.clone())
        })
    }

    /// Takes note of an event of a session.
    pub(super) fn take_note(&self, session: usize, event: Event) {
        let Some(world) = World::current() else { return };
        let happened: Vec<Latch> = self.awaited.with(|awaited| {
            let mut happened = Vec::new();
            for (matcher, latch) in awaited.iter_mut() {
                if matcher.feed(session, &event) {
                    happened.push(latch.clone());
                }
            }
            happened
        });
        world.observe(session, event);
        for latch in happened {
            world.also_set(&latch);
        }
    }
}

/// Every event that somebody waits for, once.
fn patterns(scenario: &Scenario) -> Vec<EventPattern> {
    let mut patterns: Vec<EventPattern> = Vec::new();
    let mut add = |stated: &Stated<EventPattern>| {
        if !patterns.contains(&stated.value) {
            patterns.push(stated.value);
        }
    };
    let commands = scenario.actors.iter().flat_map(|actor| &actor.does);
    commands.filter_map(|command| command.when.as_ref()).for_each(&mut add);
    let hooks = scenario.sessions.iter().flat_map(|session| &session.hooks);
    hooks.filter_map(|hook| hook.when.as_ref()).for_each(&mut add);
    let models = scenario.sessions.iter().flat_map(|session| &session.model.requests);
    for item in models.flatten() {
        match &item.kind {
            ScriptKind::Hold(until) => add(until),
            ScriptKind::Item(_) | ScriptKind::Tool(_) => {}
        }
    }
    patterns
}
