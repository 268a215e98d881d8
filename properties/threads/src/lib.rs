//! A scenario on real threads: tokio's multi-threaded runtime as the [`Backend`] of a stage.
//!
//! Promises: threads pause at random before visible operations of the engine; a round is over
//! when nobody can move any more, which is counted and not guessed from a clock; timers are as
//! the scenario says. Does not judge, and repeats nothing: which thread is faster is not ours to
//! say, so that a seed stands for a round only roughly.
#![forbid(unsafe_code)]

mod backend;
mod pauses;
mod round;
mod task;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use midturn_properties::history::Record;
use midturn_properties::scenario::Scenario;
use midturn_protocol::{Observation, QueueEngine};
use midturn_stage::{Backend, Production, Uncovered};
use tokio::runtime::{Builder, Runtime};

use round::Round;

/// Threads on which scenarios are played.
#[derive(Debug)]
pub struct Threads {
    runtime: Runtime,
}

/// What is left of one round.
#[derive(Debug)]
pub struct Played {
    /// What happened, in the order in which it was noted.
    pub records: Vec<Record>,
    /// The queues, once nobody moved any more.
    pub last: Vec<Observation>,
    /// Who waits for ever, and not for the script, by name.
    pub stuck: Vec<String>,
    /// A request that no script covers.
    pub uncovered: Option<Uncovered>,
}

/// Somebody still moved when the patience was over; the threads cannot be used again. A lock
/// that is waited for in a cycle looks so, and so does a task that spins.
#[derive(Debug)]
pub struct NeverStill {
    /// What happened until then.
    pub records: Vec<Record>,
}

impl Threads {
    /// `workers` threads, whose pauses are drawn from `seed`.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub fn new(workers: usize, seed: u64) -> io::Result<Self> {
        let next = AtomicU64::new(seed);
        let runtime = Builder::new_multi_thread()
            .worker_threads(workers)
            .on_thread_start(move || pauses::install(next.fetch_add(1, Ordering::Relaxed)))
            .build()?;
        Ok(Threads { runtime })
    }

    /// Plays `scenario` once. `create` makes the engine of a session; `seed` is for what the
    /// outside decides. Waits at most `patience` for the round to end.
    ///
    /// # Errors
    /// See [`NeverStill`].
    pub fn play<E: QueueEngine>(
        &self,
        scenario: &Arc<Scenario>,
        seed: u64,
        patience: Duration,
        create: impl Fn(Arc<dyn midturn_protocol::Env>, &midturn_properties::scenario::Session) -> E,
    ) -> Result<Played, NeverStill> {
        let (round, still) = Round::new(self.runtime.handle().clone(), scenario, seed);
        let backend = || Arc::new(round.clone()) as Arc<dyn Backend>;
        let production = Production::new(scenario, backend, create);
        round.begin(production.actors());
        if still.recv_timeout(patience).is_err() {
            return Err(NeverStill { records: round.take_records() });
        }
        let last = production.engines.iter().map(QueueEngine::observe).collect();
        let uncovered = production.uncovered();
        let stuck = round.stuck();
        let records = round.take_records();
        round.abort();
        drop(production.disconnect());
        Ok(Played { records, last, stuck, uncovered })
    }

    /// Leaves threads behind that do not stop.
    pub fn abandon(self) {
        self.runtime.shutdown_background();
    }
}
