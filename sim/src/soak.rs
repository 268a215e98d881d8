//! Rounds on real threads, judged like runs of the search.
//!
//! Promises: a violation that is reported happened. That none was seen proves nothing, and no
//! verdict says otherwise; what threads did cannot be replayed, so a finding is a story without
//! a token, and names the search that looks for one.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use midturn_properties::history::{History, Record};
use midturn_properties::judge::Judge;
use midturn_threads::{NeverStill, Threads};

use crate::check::Subject;
use crate::design::Design;

/// A round that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Rounds on the same threads.
#[derive(Debug)]
pub struct Soak {
    threads: Threads,
    workers: usize,
    seed: u64,
}

/// What the rounds of one subject showed.
#[derive(Debug)]
pub struct Soaked {
    /// What was played.
    pub subject: Subject,
    /// How many rounds were judged.
    pub rounds: u64,
    /// What was violated, by property.
    pub seen: BTreeMap<&'static str, Seen>,
    /// Which conditions of `sometimes` were reached, in their order.
    pub reached: Vec<bool>,
    judge: Judge,
}

/// A property that was violated.
#[derive(Debug)]
pub struct Seen {
    /// In how many rounds.
    pub rounds: u64,
    /// What was wrong the first time.
    pub what: String,
    /// What happened the first time.
    pub records: Vec<Record>,
    /// Which record shows it, if one does.
    pub at: Option<usize>,
    /// Whether the subject pins it.
    pub expected: bool,
}

impl Soaked {
    /// A subject of which nothing was played yet.
    pub fn new(subject: Subject) -> Self {
        let judge = Judge::new(subject.scenario.clone(), true);
        let reached = vec![false; subject.scenario.reach.len()];
        Soaked { subject, rounds: 0, seen: BTreeMap::new(), reached, judge }
    }

    /// The violations that nothing pins.
    pub fn unexpected(&self) -> impl Iterator<Item = (&'static str, &Seen)> {
        let unexpected = self.seen.iter().filter(|(_, seen)| !seen.expected);
        unexpected.map(|(property, seen)| (*property, seen))
    }

    fn see(&mut self, property: &'static str, what: String, at: Option<usize>, records: &[Record]) {
        let expected = !self.subject.owes(property);
        let first = || Seen { rounds: 0, what, records: records.to_vec(), at, expected };
        self.seen.entry(property).or_insert_with(first).rounds += 1;
    }

    fn reach(&mut self, history: &History) {
        let events = history.records.iter().map(|record| (record.session, &record.event));
        let events = events.collect::<Vec<_>>();
        for (reached, condition) in self.reached.iter_mut().zip(&self.subject.scenario.reach) {
            *reached |= condition.value.holds(&events, &history.landings);
        }
    }
}

/// Why a round was not judged.
#[derive(Debug)]
pub enum Unjudged {
    /// A request began that no script covers: the session, the turn and which request.
    Uncovered(midturn_stage::Uncovered),
    /// New threads could not be had.
    NoThreads(io::Error),
}

impl Soak {
    /// Rounds on `workers` threads; what can be drawn is drawn from `seed`.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub fn new(workers: usize, seed: u64) -> io::Result<Self> {
        Ok(Soak { threads: Threads::new(workers, seed)?, workers, seed })
    }

    /// One round of `soaked`.
    ///
    /// # Errors
    /// If the scenario is at fault, or threads that did not stop could not be replaced.
    pub fn round<D: Design>(&mut self, design: &D, soaked: &mut Soaked) -> Result<(), Unjudged> {
        self.seed = self.seed.wrapping_add(1);
        let subject = soaked.subject.clone();
        let create = |env: Arc<dyn midturn_protocol::Env>,
                      session: &midturn_properties::scenario::Session| {
            design.create(env, &subject.policy, session.front, session.setup())
        };
        let played = self.threads.play(&subject.scenario, self.seed, PATIENCE, create);
        soaked.rounds += 1;
        let played = match played {
            Ok(played) => played,
            Err(NeverStill { records }) => {
                let what = "somebody still moves, or waits for a lock in a cycle".to_owned();
                soaked.see("no_deadlock", what, None, &records);
                let threads = Threads::new(self.workers, self.seed).map_err(Unjudged::NoThreads)?;
                std::mem::replace(&mut self.threads, threads).abandon();
                return Ok(());
            }
        };
        if let Some(uncovered) = played.uncovered {
            return Err(Unjudged::Uncovered(uncovered));
        }
        let (violations, history) = soaked.judge.judge(played.records, played.last);
        soaked.reach(&history);
        for violation in violations {
            soaked.see(violation.property, violation.what, violation.at, &history.records);
        }
        if !played.stuck.is_empty() {
            let what = format!("{} waits for ever", played.stuck.join(", "));
            soaked.see("no_deadlock", what, None, &history.records);
        }
        Ok(())
    }
}
