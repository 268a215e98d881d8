//! Judges a finished run of a scenario, session by session.
//!
//! Promises: the same for every backend: what happened, and a last look at the queues, are all
//! that a verdict depends on.

use std::sync::Arc;

use midturn_protocol::Observation;

use crate::history::{Agenda, History, Record, agenda_of};
use crate::property::{Memory, Violation};
use crate::scenario::Scenario;

/// Judges the runs of one scenario.
#[derive(Debug)]
pub struct Judge {
    scenario: Arc<Scenario>,
    /// By session, what may be asked of it, and what earlier runs tell about later ones.
    sessions: Vec<(Agenda, Memory)>,
}

impl Judge {
    /// For runs of `scenario`. With `real_time` the order of records is that of time, also between
    /// callers; without, a class fixes less, see [`Agenda::real_time`].
    pub fn new(scenario: Arc<Scenario>, real_time: bool) -> Self {
        let of = |session| {
            let agenda = Agenda { real_time, ..agenda_of(&scenario, session) };
            (agenda, Memory::default())
        };
        let sessions = (0..scenario.sessions.len()).map(of).collect();
        Judge { scenario, sessions }
    }

    /// What a run violates, and one history with everything. `last` are the queues when nobody
    /// moved any more, in the order of the sessions.
    pub fn judge(
        &mut self,
        records: Vec<Record>,
        last: Vec<Observation>,
    ) -> (Vec<Violation>, History) {
        let names = &self.scenario.names;
        if let ([(agenda, memory)], 1) = (self.sessions.as_mut_slice(), last.len()) {
            let last = last.into_iter().next().unwrap_or_default();
            let history = History::new(agenda, records, last);
            return (memory.judge(&history, names), history);
        }
        let mut violations = Vec::new();
        let mut whole = History::new(&Agenda::default(), Vec::new(), Observation::default());
        for (index, ((agenda, memory), last)) in self.sessions.iter_mut().zip(last).enumerate() {
            let places = (0..records.len()).filter(|at| records[*at].session == index);
            let places = places.collect::<Vec<usize>>();
            let own = places.iter().map(|at| records[*at].clone()).collect();
            let history = History::new(agenda, own, last);
            let name = &self.scenario.sessions[index].name;
            let found = memory.judge(&history, names).into_iter();
            violations.extend(found.map(|Violation { property, what, at }| Violation {
                property,
                what: format!("session {name}: {what}"),
                at: at.and_then(|at| places.get(at).copied()),
            }));
            whole.asked.extend(history.asked);
            Arc::make_mut(&mut whole.commands).extend((*history.commands).clone());
            whole.landings.extend(history.landings);
        }
        whole.records = records;
        (violations, whole)
    }

    /// How many histories were judged, and of how many the explanation was remembered.
    pub fn remembered(&self) -> (u64, u64) {
        let counts = self.sessions.iter().map(|(_, memory)| memory.counts());
        counts.fold((0, 0), |sum, of| (sum.0 + of.0, sum.1 + of.1))
    }
}
