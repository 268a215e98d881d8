//! What all sessions of a run share: the scenario, the events that somebody waits for, and the
//! way by which mail goes from one session to another.
//!
//! None of it is an object of the program that is explored: what is noted here is noted inside the steps of others.

use std::sync::Arc;

use midturn_properties::scenario::{EventPattern, Matcher, Scenario, ScriptKind, Stated};
use midturn_protocol::{BoxFuture, Event, Mail, Reply, TurnId};
use midturn_sync::Latch;

use crate::SCRIPTED_EVENT;
use crate::notes::Notes;

/// Delivers mail to one session.
pub(crate) type Deliver = Arc<dyn Fn(Mail) -> BoxFuture<'static, Reply> + Send + Sync>;

/// A request that began although no script covers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncovered {
    /// The session, as an index.
    pub session: usize,
    /// The turn that asked.
    pub turn: TurnId,
    /// The how-many-eth request of the session, from 1.
    pub nth: u32,
}

pub(crate) struct Script {
    pub(crate) scenario: Arc<Scenario>,
    awaited: Notes<Vec<(Matcher, Latch)>>,
    uncovered: Notes<Option<Uncovered>>,
    /// By session; empty before all engines are there, and after the run.
    mail: Notes<Vec<Deliver>>,
}

impl Script {
    pub(crate) fn new(scenario: Arc<Scenario>) -> Self {
        let awaited = patterns(&scenario)
            .into_iter()
            .map(|pattern| (Matcher::new(pattern), Latch::new(SCRIPTED_EVENT)))
            .collect();
        Script {
            scenario,
            awaited: Notes::new(awaited),
            uncovered: Notes::new(None),
            mail: Notes::new(Vec::new()),
        }
    }

    pub(crate) fn connect(&self, sessions: Vec<Deliver>) {
        self.mail.with(|mail| *mail = sessions);
    }

    /// The ways that there were, to be dropped by the caller: outside of the lock.
    #[must_use]
    pub(crate) fn disconnect(&self) -> Vec<Deliver> {
        self.mail.with(std::mem::take)
    }

    /// Delivers mail to a session.
    pub(crate) fn send(&self, to: usize, mail: Mail) -> BoxFuture<'static, ()> {
        let deliver = self.mail.with(|all| all.get(to).cloned());
        Box::pin(async move {
            if let Some(deliver) = deliver {
                deliver(mail).await;
            }
        })
    }

    pub(crate) fn uncovered(&self) -> Option<Uncovered> {
        self.uncovered.with(|uncovered| *uncovered)
    }

    pub(crate) fn note_uncovered(&self, found: Uncovered) {
        self.uncovered.with(|uncovered| {
            uncovered.get_or_insert(found);
        });
    }

    /// The latch that is set once `pattern` has occurred.
    pub(crate) fn until(&self, pattern: EventPattern) -> Option<Latch> {
        self.awaited.with(|awaited| {
            let found = awaited.iter().find(|(matcher, _)| matcher.pattern() == pattern);
            found.map(|(_, latch)| latch.clone())
        })
    }

    /// What is waited for and has happened with this event of a session.
    pub(crate) fn happened(&self, session: usize, event: &Event) -> Vec<Latch> {
        self.awaited.with(|awaited| {
            let now = awaited
                .iter_mut()
                .filter_map(|(matcher, latch)| matcher.feed(session, event).then(|| latch.clone()));
            now.collect()
        })
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
