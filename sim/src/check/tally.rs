//! Adds up what all runs of a subject show, and finds the word for it.

use std::collections::BTreeMap;

use midturn_properties::scenario::Scenario;
use midturn_protocol::{InputId, Landing};

use super::{Broken, Finding, Judge, Outcome, Word, witness};
use crate::design::Design;
use crate::search::{Flow, Move, Summary};
use crate::world::{Execution, Options};

/// What all runs together show.
pub(super) struct Tally {
    broken: BTreeMap<&'static str, (u64, String, Vec<Move>)>,
    outcomes: BTreeMap<Vec<(InputId, Landing)>, Outcome>,
    reached: Vec<bool>,
    blind: Option<String>,
}

impl Tally {
    pub(super) fn new(scenario: &Scenario) -> Self {
        Tally {
            broken: BTreeMap::new(),
            outcomes: BTreeMap::new(),
            reached: vec![false; scenario.reach.len()],
            blind: None,
        }
    }

    pub(super) fn add<D: Design>(
        &mut self,
        judge: &Judge<'_, D>,
        execution: &Execution,
        moves: &[Move],
    ) -> Flow {
        let Some(verdict) = judge.judge(execution) else { return Flow::Stop };
        for violation in verdict.violations {
            let entry = self
                .broken
                .entry(violation.property)
                .or_insert_with(|| (0, violation.what, moves.to_vec()));
            entry.0 += 1;
        }
        if let Some(blind) = verdict.blind {
            self.blind.get_or_insert(blind);
        }
        if let Some(history) = verdict.history {
            let events = history.records.iter().map(|record| (record.session, &record.event));
            let events = events.collect::<Vec<_>>();
            for (reached, condition) in self.reached.iter_mut().zip(&judge.subject.scenario.reach) {
                *reached |= condition.value.holds(&events, &history.landings);
            }
            let key = history.landings.iter().map(|(id, landing)| (*id, *landing)).collect();
            let outcome = self.outcomes.entry(key).or_insert_with(|| Outcome {
                landings: history.landings,
                runs: 0,
                moves: moves.to_vec(),
            });
            outcome.runs += 1;
        }
        Flow::Continue
    }

    pub(super) fn conclude<D: Design>(
        self,
        judge: &Judge<'_, D>,
        options: &Options,
        summary: Summary,
        bound: Option<u32>,
        design: &'static str,
    ) -> Finding {
        let subject = judge.subject.clone();
        let waived = |property: &str| {
            let waiver = subject.terms.waive.iter().find(|waiver| waiver.property == property);
            waiver.map(|waiver| waiver.because.clone())
        };
        let broken: Vec<Broken> = self
            .broken
            .into_iter()
            .map(|(property, (runs, what, moves))| {
                let (witness, what) = witness::smallest(judge, options, property, what, &moves);
                Broken { property, what, runs, witness, waived: waived(property) }
            })
            .collect();
        let names = |wanted: bool| {
            let all = subject.scenario.reach.iter().zip(&self.reached);
            all.filter(|(_, reached)| **reached == wanted)
                .map(|(condition, _)| condition.text.clone())
                .collect::<Vec<_>>()
        };
        let (reached, missing) = (names(true), names(false));
        let unpinned = subject
            .pinned
            .iter()
            .filter(|pinned| !broken.iter().any(|broken| broken.property == **pinned))
            .cloned()
            .collect();
        let blind = self.blind.or_else(|| blind_spot(&summary));
        let complete = summary.complete && bound.is_none() && blind.is_none();
        let agreed = subject.terms.bound.map(|bound| bound.deviations);
        let is_whole =
            summary.complete && (bound.is_none() || (agreed.is_some() && bound >= agreed));
        let word = match (&summary.diverged, blind) {
            (Some(diverged), _) => Word::NotDeterministic(diverged.clone()),
            (None, Some(why)) => Word::Blind(why),
            (None, None) if !broken.is_empty() => Word::Violated,
            (None, None) if !missing.is_empty() && is_whole => Word::Vacuous,
            (None, None) => match bound {
                Some(bound) if summary.complete => Word::HeldToBound(bound),
                None if summary.complete => Word::Held,
                Some(_) | None => Word::NotRefuted(summary.executions),
            },
        };
        let bound = bound.filter(|_| summary.complete);
        let outcomes = self.outcomes.into_values().collect();
        let relation = options.relation;
        Finding {
            subject,
            design,
            word,
            complete,
            bound,
            relation,
            suspension: options.suspension,
            summary,
            broken,
            reached,
            missing,
            unpinned,
            outcomes,
        }
    }
}

fn blind_spot(summary: &Summary) -> Option<String> {
    let (actor, site) = summary.blind.first()?;
    let place = site.map_or_else(
        || "before its first operation".to_owned(),
        |site| format!("after `{}` ({})", site.name, crate::place(site)),
    );
    Some(format!("{actor} waits for something that was never announced, {place}"))
}
