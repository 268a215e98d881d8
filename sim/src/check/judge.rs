//! Judges one run of a scenario.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use midturn_properties::history::{Asked, History, Record, inputs_of};
use midturn_properties::property::{self, Violation};
use midturn_protocol::{InputId, QueueEngine, TurnId};

use super::Subject;
use crate::design::Design;
use crate::stage::{Played, SCRIPTED_EVENT, SUBMISSION_ARRIVED, SUBMISSION_LOOP, set_up};
use crate::world::{Execution, Failure, Observation, Stuck, World};

/// Sets runs of one subject up and judges them.
pub struct Judge<'a, D: Design> {
    design: &'a D,
    pub(crate) subject: &'a Subject,
    inputs: BTreeMap<InputId, Asked>,
    commands: Vec<InputId>,
    played: RefCell<Option<Played<D::Engine>>>,
    uncovered: Cell<Option<(TurnId, u32)>>,
}

/// What one run shows.
pub struct RunVerdict {
    /// What it violates.
    pub violations: Vec<Violation>,
    /// Missing if the run failed by itself.
    pub history: Option<History>,
    /// Why the run could not be seen whole.
    pub blind: Option<String>,
}

impl<'a, D: Design> Judge<'a, D> {
    /// For the runs of `subject`.
    pub fn new(design: &'a D, subject: &'a Subject) -> Self {
        let commands = subject.scenario.actors.iter().flat_map(|actor| &actor.does);
        Judge {
            design,
            subject,
            inputs: inputs_of(&subject.scenario),
            commands: commands.map(|command| command.id).collect(),
            played: RefCell::new(None),
            uncovered: Cell::new(None),
        }
    }

    /// Sets the scenario up in a new world. The run must be judged before the next is set up.
    pub fn set_up(&self, world: &World) {
        let scenario = &self.subject.scenario;
        set_up(world, self.design, &self.subject.policy, scenario, &self.played);
    }

    /// A request that no script covers, if one began.
    pub fn uncovered(&self) -> Option<(TurnId, u32)> {
        self.uncovered.get()
    }

    /// What the run shows; none if the scenario itself is at fault.
    pub fn judge(&self, execution: &Execution) -> Option<RunVerdict> {
        let played = self.played.borrow_mut().take()?;
        if let Some(uncovered) = played.env.uncovered() {
            self.uncovered.set(Some(uncovered));
            return None;
        }
        if let Some(failure) = &execution.failure {
            return Some(of_failure(failure));
        }
        let names = &self.subject.scenario.names;
        let history = self.history(execution, &played);
        let mut violations = property::judge(&history, names);
        violations.extend(self.deadlock(&execution.stuck));
        Some(RunVerdict { violations, history: Some(history), blind: None })
    }

    /// Like [`Judge::judge`], for a story: also the history of a run that failed by itself.
    pub(crate) fn tell(&self, execution: &Execution) -> Option<(Vec<Violation>, History)> {
        let played = self.played.borrow_mut().take()?;
        let history = self.history(execution, &played);
        let violations = match &execution.failure {
            Some(failure) => of_failure(failure).violations,
            None => {
                let mut violations = property::judge(&history, &self.subject.scenario.names);
                violations.extend(self.deadlock(&execution.stuck));
                violations
            }
        };
        Some((violations, history))
    }

    fn history(&self, execution: &Execution, played: &Played<D::Engine>) -> History {
        let records = execution.observed.iter().filter_map(|observed| match &observed.what {
            Observation::Event(event) => {
                Some(Record { step: observed.step, actor: observed.actor, event: event.clone() })
            }
            Observation::Note(_) => None,
        });
        History::new(&self.inputs, &self.commands, records.collect(), played.engine.observe())
    }

    fn deadlock(&self, stuck: &[Stuck]) -> Option<Violation> {
        let parked = |stuck: &Stuck| {
            let actors = &self.subject.scenario.actors;
            let named = self.subject.terms.parked.iter().filter_map(|index| actors.get(*index));
            let waits_for_more = stuck.actor == SUBMISSION_LOOP
                && stuck.waits_for.iter().any(|(object, _)| *object == SUBMISSION_ARRIVED);
            waits_for_more || named.into_iter().any(|actor| actor.name == stuck.actor)
        };
        let by_itself = |stuck: &&Stuck| {
            let scripted = stuck.held_by.is_none()
                && stuck.waits_for.iter().any(|(object, _)| *object == SCRIPTED_EVENT);
            !parked(stuck) && !scripted
        };
        let chain: Vec<String> = stuck.iter().filter(by_itself).map(describe).collect();
        let what = chain.join("; ");
        (!chain.is_empty()).then_some(Violation { property: "no_deadlock", what, at: None })
    }
}

/// One link of a wait-for chain.
fn describe(stuck: &Stuck) -> String {
    let mut waits: Vec<String> = Vec::new();
    for (object, site) in &stuck.waits_for {
        let wait = format!("{object} (at `{}`)", site.name);
        if !waits.contains(&wait) {
            waits.push(wait);
        }
    }
    let holder =
        stuck.held_by.as_ref().map_or_else(String::new, |held| format!(", held by {held}"));
    format!("{} waits for {}{holder}", stuck.actor, waits.join(" or "))
}

fn of_failure(failure: &Failure) -> RunVerdict {
    let violation = |property, what| Violation { property, what, at: None };
    let (violation, blind) = match failure {
        Failure::Panicked { actor, message, place } => {
            (Some(violation("no_panic", format!("{actor} panicked: {message} ({place})"))), None)
        }
        Failure::LostWakeUp { actor, site } => {
            let what = format!("{actor} waits at `{}` for what is there", site.name);
            (Some(violation("no_lost_wake_up", what)), None)
        }
        Failure::StepLimit { steps } => {
            (Some(violation("ends", format!("the run did not end within {steps} steps"))), None)
        }
        Failure::OperationInsideRead { site } => {
            let place = crate::place(*site);
            (
                None,
                Some(format!("`{}` ({place}) stands inside a section that only reads", site.name)),
            )
        }
        Failure::TooManyActors { name } => {
            (None, Some(format!("{name} is one actor more than can be explored")))
        }
    };
    RunVerdict { violations: violation.into_iter().collect(), history: None, blind }
}
