//! Judges one run of a scenario.

use std::cell::{Cell, RefCell};

use midturn_properties::history::{History, Record};
use midturn_properties::judge;
use midturn_properties::property::Violation;
use midturn_properties::scenario::{Relation, ScenarioErrors};
use midturn_protocol::{ANSWER_FROM_OUTSIDE, QueueEngine};
use midturn_stage::{
    Production, SCRIPTED_EVENT, SUBMISSION_ARRIVED, Uncovered, is_submission_loop,
};

use super::Subject;
use crate::design::Design;
use crate::stage::set_up;
use crate::world::{Execution, Failure, Observation, Observed, Stuck, World};

/// Sets runs of one subject up and judges them.
pub struct Judge<'a, D: Design> {
    design: &'a D,
    pub(crate) subject: &'a Subject,
    sessions: RefCell<judge::Judge>,
    played: RefCell<Option<Production<D::Engine>>>,
    uncovered: Cell<Option<Uncovered>>,
}

/// What one run shows.
pub struct RunVerdict {
    /// What it violates.
    pub violations: Vec<Violation>,
    /// The histories of all sessions in one. Missing if the run failed by itself.
    pub history: Option<History>,
    /// Why the run could not be seen whole.
    pub blind: Option<String>,
}

impl<'a, D: Design> Judge<'a, D> {
    /// For the runs of `subject`.
    pub fn new(design: &'a D, subject: &'a Subject) -> Self {
        let real_time = subject.terms.relation == Some(Relation::R);
        Judge {
            design,
            subject,
            sessions: RefCell::new(judge::Judge::new(subject.scenario.clone(), real_time)),
            played: RefCell::new(None),
            uncovered: Cell::new(None),
        }
    }

    /// Sets the scenario up in a new world. The run must be judged before the next is set up.
    pub fn set_up(&self, world: &World) {
        let scenario = &self.subject.scenario;
        set_up(world, self.design, &self.subject.policy, scenario, &self.played);
    }

    /// What is wrong with the scenario, if a request began that no script covers.
    pub fn uncovered(&self) -> Option<ScenarioErrors> {
        let Uncovered { session, turn, nth } = self.uncovered.get()?;
        Some(self.subject.scenario.uncovered_request(session, turn, nth))
    }

    /// What the run shows; none if the scenario itself is at fault.
    pub fn judge(&self, execution: &Execution) -> Option<RunVerdict> {
        let played = self.played.borrow_mut().take()?;
        if let Some(uncovered) = played.uncovered() {
            self.uncovered.set(Some(uncovered));
            return None;
        }
        if let Some(failure) = &execution.failure {
            return Some(of_failure(failure));
        }
        let (mut violations, history) = self.sessions(execution, &played);
        violations.extend(self.deadlock(&execution.stuck));
        Some(RunVerdict { violations, history: Some(history), blind: None })
    }

    /// Like [`Judge::judge`], for a story: also the history of a run that failed by itself.
    pub(crate) fn tell(&self, execution: &Execution) -> Option<(Vec<Violation>, History)> {
        let played = self.played.borrow_mut().take()?;
        let (mut violations, history) = self.sessions(execution, &played);
        match &execution.failure {
            Some(failure) => violations = of_failure(failure).violations,
            None => violations.extend(self.deadlock(&execution.stuck)),
        }
        Some((violations, history))
    }

    fn sessions(
        &self,
        execution: &Execution,
        played: &Production<D::Engine>,
    ) -> (Vec<Violation>, History) {
        let records = execution.observed.iter().filter_map(record).collect::<Vec<Record>>();
        let last = played.engines.iter().map(QueueEngine::observe).collect();
        self.sessions.borrow_mut().judge(records, last)
    }

    /// How many histories were judged, and of how many the explanation was remembered.
    pub fn remembered(&self) -> (u64, u64) {
        self.sessions.borrow().remembered()
    }

    fn deadlock(&self, stuck: &[Stuck]) -> Option<Violation> {
        let parked = |stuck: &Stuck| {
            let actors = &self.subject.scenario.actors;
            let named = self.subject.terms.parked.iter().filter_map(|index| actors.get(*index));
            let waits_for_more = is_submission_loop(&stuck.actor)
                && stuck.waits_for.iter().any(|(object, _)| *object == SUBMISSION_ARRIVED);
            waits_for_more || named.into_iter().any(|actor| actor.name == stuck.actor)
        };
        let by_itself = |stuck: &&Stuck| {
            // An event of the script, or a person outside, may never come.
            let patient = stuck.held_by.is_none()
                && stuck
                    .waits_for
                    .iter()
                    .any(|(object, _)| *object == SCRIPTED_EVENT || *object == ANSWER_FROM_OUTSIDE);
            !parked(stuck) && !patient
        };
        let chain: Vec<String> = stuck.iter().filter(by_itself).map(describe).collect();
        let what = chain.join("; ");
        (!chain.is_empty()).then_some(Violation { property: "no_deadlock", what, at: None })
    }
}

/// An event of an engine, as properties see it.
fn record(observed: &Observed) -> Option<Record> {
    let Observed { step, actor, what } = observed;
    match what {
        Observation::Event { session, event } => {
            let (session, step, actor, event) = (*session, *step, *actor, event.clone());
            Some(Record { session, step, actor, event })
        }
        Observation::Note(_) => None,
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
