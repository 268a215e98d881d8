//! Running a model to its end, and what came out.

use std::collections::BTreeMap;
use std::fmt::{self, Debug, Display, Formatter};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::crew::Crew;
use crate::unseen::Unseen;

/// How one execution ended, with what the model says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End<O> {
    /// All futures ended.
    Ended(O),
    /// Some future waits and nobody will wake it.
    Hung(O),
}

/// How far to look. Counted in executions, never in time, so that a run can be repeated.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many switches away from a thread that could go on; `None`: any number.
    pub preemptions: Option<usize>,
    /// After how many executions to stop.
    pub executions: usize,
}

impl Limits {
    /// Everything. The cap is a safety net that no model of this suite reaches.
    pub const EXHAUSTIVE: Limits = Limits { preemptions: None, executions: 1_000_000 };

    /// Enough for a race of three, which is too large to be exhausted.
    pub const BOUNDED: Limits = Limits { preemptions: Some(3), executions: 100_000 };
}

/// All ends of a model, each with its number of executions.
#[derive(Debug)]
pub struct Report<O> {
    limits: Limits,
    executions: usize,
    ends: BTreeMap<End<O>, usize>,
}

impl<O: Debug> Display for Report<O> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let all = if self.is_complete() { "all" } else { "the first" };
        write!(out, "{all} {} executions", self.executions)?;
        if let Some(bound) = self.limits.preemptions {
            write!(out, " with at most {bound} preemptions")?;
        }
        self.ends.iter().try_for_each(|(end, count)| write!(out, "\n  {count:>6} {end:?}"))
    }
}

impl<O> Report<O> {
    /// How many executions there were.
    pub fn executions(&self) -> usize {
        self.executions
    }

    /// All ends.
    pub fn ends(&self) -> impl Iterator<Item = &End<O>> {
        self.ends.keys()
    }

    /// Whether everything within the bound of preemptions was seen.
    pub fn is_complete(&self) -> bool {
        self.executions < self.limits.executions
    }
}

impl<O: Ord + Clone + Debug> Report<O> {
    /// These are the ends, each of them reached, and there are no others.
    #[track_caller]
    pub fn ends_are(&self, expected: impl IntoIterator<Item = End<O>>) {
        let ends: Vec<_> = self.ends.keys().cloned().collect();
        let mut expected: Vec<_> = expected.into_iter().collect();
        expected.sort();
        assert_eq!(ends, expected);
        assert!(self.is_complete(), "stopped at the cap: {self}");
    }

    /// The outcomes are these, and nothing ever hangs.
    #[track_caller]
    pub fn outcomes_are(&self, expected: impl IntoIterator<Item = O>) {
        self.ends_are(expected.into_iter().map(End::Ended));
    }
}

/// Explores all of `model`, see [`explore`].
pub fn exhaust<O, J>(name: &str, model: impl Fn(&Crew) -> J + Send + Sync + 'static) -> Report<O>
where
    O: Ord + Send + 'static + Debug,
    J: FnOnce() -> O + Send + 'static,
{
    explore(name, Limits::EXHAUSTIVE, model)
}

/// Runs `model` once for each interleaving within `limits`. It sets up on a small stack, spawns
/// its threads on the crew and returns what tells the outcome once all of them are done.
pub fn explore<O, J>(
    name: &str,
    limits: Limits,
    model: impl Fn(&Crew) -> J + Send + Sync + 'static,
) -> Report<O>
where
    O: Ord + Send + 'static + Debug,
    J: FnOnce() -> O + Send + 'static,
{
    let begun = Arc::new(AtomicUsize::new(0));
    let ends = Arc::new(Unseen::new(BTreeMap::new()));
    let (count, collected) = (begun.clone(), ends.clone());
    builder(limits).check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        let crew = Crew::new();
        let tell = model(&crew);
        let collected = collected.clone();
        crew.at_the_end(move |hung| {
            let outcome = tell();
            let end = if hung { End::Hung(outcome) } else { End::Ended(outcome) };
            collected.with(|ends| *ends.entry(end).or_insert(0) += 1);
        });
        crew.leave();
    });
    let executions = begun.load(Ordering::Relaxed);
    let ends = ends.with(std::mem::take);
    let ended: usize = ends.values().sum();
    assert_eq!(executions, ended, "every execution of {name} has an outcome");
    let report = Report { limits, executions, ends };
    println!("{name}: {report}");
    report
}

/// Settings that no environment variable changes.
fn builder(limits: Limits) -> loom::model::Builder {
    let mut builder = loom::model::Builder::new();
    builder.max_threads = loom::MAX_THREADS;
    builder.max_branches = 5_000;
    builder.max_duration = None;
    builder.checkpoint_file = None;
    builder.preemption_bound = limits.preemptions;
    // Loom looks at the cap every so many executions, before it begins one.
    builder.checkpoint_interval = 1;
    builder.max_permutations = Some(limits.executions + 1);
    builder
}
