//! A scenario file under loom: every execution is judged as the search judges a run.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use midturn_engine_loom::codex::{Codex, Front, Policy};
use midturn_properties::judge::Judge;
use midturn_properties::scenario::{self, HookChoice, Scenario, Session, Time};
use midturn_protocol::{Env, QueueEngine};
use midturn_stage_loom::{Production, is_submission_loop};

use super::backend::{Log, Outside, Threads, shared};
use crate::crew::Crew;
use crate::engine::env::Timers;
use crate::explore::{End, Limits, explore};
use crate::unseen::{Notes, Unseen};

/// Why loom cannot run a scenario as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unplayable {
    /// A caller may go away.
    Drops,
    /// A timer fires once nothing else can move.
    Patience,
    /// More tasks than threads.
    Threads,
    /// A request began that no script covers.
    Uncovered,
}

impl Display for Unplayable {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Unplayable::Drops => "a caller may go away, which loom cannot choose",
            Unplayable::Patience => {
                "its timers wait for everybody, and loom's end at once or never"
            }
            Unplayable::Threads => "it needs more than loom's five threads",
            Unplayable::Uncovered => "a request began that no script covers",
        })
    }
}

/// How one execution ended.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Final {
    outcome: String,
    violated: BTreeSet<&'static str>,
    stuck: Vec<String>,
    timed: bool,
    unplayable: Option<Unplayable>,
}

/// What all executions show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    pub violated: BTreeSet<String>,
    pub outcomes: BTreeSet<String>,
    pub executions: usize,
    /// Nothing was cut off by the cap.
    pub complete: bool,
}

/// Plays `scenario` under `policy`: a model for each kind of timer that it needs, and for all that
/// its hooks may say.
pub fn play(scenario: &Arc<Scenario>, policy: Policy, limits: Limits) -> Result<Shown, Unplayable> {
    let may_drop = |actor: &scenario::Actor| actor.does.iter().any(|command| command.drop);
    if scenario.actors.iter().any(may_drop) {
        return Err(Unplayable::Drops);
    }
    let hooks = scenario.sessions.iter().flat_map(|session| &session.hooks);
    let open = hooks.filter(|hook| hook.verdict == HookChoice::Either).count();
    let hostile = scenario.sessions.iter().all(|session| session.time == Time::Hostile);
    let mut shown = Shown { complete: true, ..Shown::default() };
    for hooks in 0..1 << open {
        let mut once =
            |timers| once(scenario, policy, limits, Outside { timers, hooks }, &mut shown);
        let timed = once(Timers::Never)?;
        if timed && !hostile {
            return Err(Unplayable::Patience);
        }
        if timed {
            once(Timers::AtOnce)?;
        }
    }
    Ok(shown)
}

/// Whether anybody waited for a timer.
fn once(
    scenario: &Arc<Scenario>,
    policy: Policy,
    limits: Limits,
    outside: Outside,
    shown: &mut Shown,
) -> Result<bool, Unplayable> {
    let name = format!("{} under {policy}, {outside:?}", scenario.name);
    let judge = Arc::new(Unseen::new(Judge::new(scenario.clone(), false)));
    let played = scenario.clone();
    let report = explore(&name, limits, move |crew| {
        let run = Run::new(crew, &played, policy, outside);
        let tell = run.teller(judge.clone());
        // The engine is built here and not by the caller, whose stack is too small for it.
        crew.spawn(async move { run.begin().await });
        tell
    });
    shown.executions += report.executions();
    shown.complete &= report.is_complete();
    let mut any_timed = false;
    for end in report.ends() {
        let (End::Ended(last) | End::Hung(last)) = end;
        if let Some(unplayable) = last.unplayable {
            return Err(unplayable);
        }
        any_timed |= last.timed;
        let by_itself = |name: &&String| {
            let parked = scenario.terms.parked.iter().filter_map(|at| scenario.actors.get(*at));
            !is_submission_loop(name) && !parked.clone().any(|actor| actor.name == **name)
        };
        let hung = matches!(end, End::Hung(_)) && last.stuck.iter().any(|name| by_itself(&name));
        if hung && last.timed && outside.timers == Timers::Never {
            // A timer would go on.
            continue;
        }
        shown.violated.extend(last.violated.iter().map(|name| (*name).to_owned()));
        shown.violated.extend(hung.then(|| "no_deadlock".to_owned()));
        shown.outcomes.insert(last.outcome.clone());
    }
    Ok(any_timed)
}

/// One execution.
struct Run {
    scenario: Arc<Scenario>,
    policy: Policy,
    threads: Threads,
    production: Notes<Option<Production<Codex>>>,
}

impl Run {
    fn new(crew: &Crew, scenario: &Arc<Scenario>, policy: Policy, outside: Outside) -> Self {
        let threads = Threads::new(crew, outside);
        Run { scenario: scenario.clone(), policy, threads, production: Notes::default() }
    }

    /// Builds the engines, lets everybody begin, and is the first actor.
    async fn begin(self) {
        let threads = self.threads.clone();
        let policy = self.policy;
        let create = |env: Arc<dyn Env>, session: &Session| {
            let front = match session.front {
                scenario::Front::Serial => Front::Serial,
                scenario::Front::Concurrent => Front::Concurrent,
                scenario::Front::Server => Front::Server,
            };
            Codex::new(env, policy, front, session.setup())
        };
        let production = Production::new(&self.scenario, || shared(&threads), create);
        let mut actors = production.actors();
        let first = actors.next();
        let others: Vec<_> = actors.collect();
        self.production.note(|kept| *kept = Some(production));
        let first = first.map(|(name, actor)| threads.here(&name, actor));
        threads.release();
        for (name, actor) in others {
            midturn_stage_loom::Backend::spawn(&threads, &name, actor);
        }
        if let Some(first) = first {
            first.await;
        }
    }

    fn teller(&self, judge: Arc<Unseen<Judge>>) -> impl FnOnce() -> Final + Send + use<> {
        let (log, production) = (self.threads.log.teller(), self.production.teller());
        let scenario = self.scenario.clone();
        move || {
            let log: Log = log();
            let (stuck, timed, crowded) = (log.stuck(), log.timed, log.crowded);
            let production = production();
            let Some(production) = production else {
                return Final {
                    outcome: "nothing was set up".to_owned(),
                    violated: BTreeSet::new(),
                    stuck,
                    timed,
                    unplayable: None,
                };
            };
            let last = production.engines.iter().map(QueueEngine::observe).collect();
            let uncovered = production.uncovered().map(|_| Unplayable::Uncovered);
            drop(production.disconnect());
            drop(production);
            let (violations, history) = judge.with(|judge| judge.judge(log.records, last));
            let outcome = scenario.names.landings(&history.landings);
            Final {
                outcome,
                violated: violations.into_iter().map(|found| found.property).collect(),
                stuck,
                timed,
                unplayable: if crowded { Some(Unplayable::Threads) } else { uncovered },
            }
        }
    }
}
