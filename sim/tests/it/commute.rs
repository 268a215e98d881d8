//! Moves two actors in both orders from random states, and compares all that can be seen.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use midturn::search::{Budget, Flow, Move, sample};
use midturn::world::{
    Decider, Decision, Execution, Mode, Moment, Options, Relation, StepReport, Suspension, execute,
};

use crate::acts::{Acts, draw, program};
use crate::found::{Outcome, outcome};

/// One use of an object, as a table sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Use {
    /// Its place.
    pub name: &'static str,
    /// The object's identity.
    object: u64,
    /// How it is used.
    pub mode: Mode,
}

/// Whether the order of two uses of one object matters.
pub type Table = fn(&Use, &Use) -> bool;

/// What two steps and all that followed looked like.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    steps: BTreeMap<u64, Step>,
    /// Who may move after both.
    enabled: BTreeSet<u64>,
    outcome: Outcome,
    values: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Step {
    uses: Vec<Use>,
    choices: Vec<(u8, u8)>,
    created: Vec<u64>,
    cut_short: bool,
    waits_for_several: bool,
}

/// Makes these moves, then lets whoever has the smallest path move.
struct Script<'a> {
    moves: &'a [(u64, Vec<u8>)],
    reports: Vec<StepReport>,
    enabled: Option<u32>,
    impossible: bool,
    made: usize,
}

impl Decider for Script<'_> {
    fn decide(&mut self, moment: &Moment<'_>) -> Decision {
        if let Some((path, values)) = self.moves.get(self.made) {
            self.made += 1;
            match moment.enabled_by_path(*path) {
                Some(actor) => return Decision::Step(actor, values.clone()),
                None => self.impossible = true,
            }
        }
        if self.impossible {
            return Decision::Abandon;
        }
        self.enabled.get_or_insert(moment.enabled);
        let all = (0..32).filter(|actor| moment.may_move(*actor));
        let first = all.min_by_key(|actor| moment.path(*actor)).expect("someone may move");
        Decision::Step(first, Vec::new())
    }

    fn stepped(&mut self, report: &StepReport) {
        if self.reports.len() < self.moves.len() {
            self.reports.push(report.clone());
        }
    }
}

struct State<'a> {
    acts: &'a Acts,
    options: &'a Options,
    prefix: Vec<(u64, Vec<u8>)>,
}

impl State<'_> {
    /// Runs the prefix and then these moves. The flag says whether all of them were possible.
    fn run(&self, moves: &[(u64, Vec<u8>)]) -> (Seen, bool) {
        let all: Vec<_> = self.prefix.iter().chain(moves).cloned().collect();
        let mut script =
            Script { moves: &all, reports: Vec::new(), enabled: None, impossible: false, made: 0 };
        let shared = RefCell::new(None);
        let run = execute(self.options, &program(self.acts, &shared), &mut script);
        assert_eq!(run.failure, None, "{:?}", self.acts);
        let values = shared.borrow().as_ref().map_or_else(Vec::new, |shared| shared.values());
        let of = |report: &StepReport| (run.actor_paths[report.actor], step(&run, report));
        let steps = script.reports.iter().skip(self.prefix.len()).map(of).collect();
        let mask = script.enabled.unwrap_or(0);
        let enabled = (0..run.actors.len().min(32)).filter(|actor| mask >> actor & 1 == 1);
        let enabled = enabled.map(|actor| run.actor_paths[actor]).collect();
        (Seen { steps, enabled, outcome: outcome(&run), values }, !script.impossible)
    }
}

fn step(run: &Execution, report: &StepReport) -> Step {
    let performed = run.performed.iter().filter(|operation| operation.step == report.step);
    let uses = performed.map(|operation| Use {
        name: operation.site.name,
        object: run.objects[operation.access.object.0 as usize].path,
        mode: operation.access.mode,
    });
    let uses: Vec<Use> = uses.collect();
    Step {
        waits_for_several: report.is_wait && uses.len() > 1,
        uses,
        choices: report.choices.clone(),
        created: report.created.iter().map(|actor| run.actor_paths[*actor]).collect(),
        cut_short: !report.attempts.is_empty(),
    }
}

/// An entry: two kinds of operation on one object, in alphabetical order.
pub type Entry = (String, String);

fn kind(step: &Step, usage: &Use) -> String {
    let several = if step.waits_for_several { " among others" } else { "" };
    format!("{} {:?}{several}", usage.name, usage.mode)
}

fn entry((step, usage): (&Step, &Use), (other_step, other): (&Step, &Use)) -> Entry {
    let (one, other) = (kind(step, usage), kind(other_step, other));
    if one < other { (one, other) } else { (other, one) }
}

#[derive(Debug, Default)]
pub struct Tally {
    /// Pairs that were tried.
    pub trials: u64,
    /// Those that the table calls independent.
    pub independent: u64,
    /// Independent pairs of steps of which one spawned.
    pub spawning: u64,
    /// Steps that a held lock cut short, which are compared in `soundness` as classes.
    cut_short: u64,
    /// For each dependent entry that alone made two steps dependent: trials, and how many of
    /// them did not commute.
    pub dependent: BTreeMap<Entry, (u64, u64)>,
    /// Entries of one object that the table calls independent, with their trials.
    pub harmless: BTreeMap<Entry, u64>,
    /// Steps without a common object, by the kinds of their first uses.
    pub apart: BTreeMap<Entry, u64>,
    /// Independent by the table, and yet they do not commute.
    pub refuted: BTreeMap<Vec<Entry>, String>,
}

impl Tally {
    fn compare(&mut self, table: Table, state: &State<'_>, pair: [(u64, Vec<u8>); 2]) {
        let [one, other] = pair.clone();
        let (forth, possible) = state.run(&[one.clone(), other.clone()]);
        let (back, also_possible) = state.run(&[other.clone(), one.clone()]);
        let (first, second) = (&forth.steps[&one.0], &back.steps[&other.0]);
        if first.cut_short || second.cut_short {
            self.cut_short += 1;
            return;
        }
        self.trials += 1;
        let (mut conflicts, mut harmless) = (BTreeSet::new(), BTreeSet::new());
        for one in &first.uses {
            for other in second.uses.iter().filter(|other| other.object == one.object) {
                let set = if table(one, other) { &mut conflicts } else { &mut harmless };
                set.insert(entry((first, one), (second, other)));
            }
        }
        let commutes = possible && also_possible && forth == back;
        if conflicts.is_empty() {
            self.independent += 1;
            self.spawning += u64::from(!first.created.is_empty() || !second.created.is_empty());
            if let (Some(one), Some(other), true) =
                (first.uses.first(), second.uses.first(), harmless.is_empty())
            {
                *self.apart.entry(entry((first, one), (second, other))).or_default() += 1;
            }
            for entry in &harmless {
                *self.harmless.entry(entry.clone()).or_default() += 1;
            }
            if !commutes {
                let told =
                    || format!("{:?}\n{:?}\n{forth:#?}\n{back:#?}", state.acts, state.prefix);
                self.refuted.entry(harmless.into_iter().collect()).or_insert_with(told);
            }
        } else if conflicts.len() == 1
            && let Some(entry) = conflicts.pop_first()
        {
            let (trials, differ) = self.dependent.entry(entry).or_default();
            *trials += 1;
            *differ += u64::from(!commutes);
        }
    }
}

fn options(random: &mut fastrand::Rng) -> Options {
    let everywhere = random.u8(..4) != 0;
    let suspension = if everywhere { Suspension::Everywhere } else { Suspension::WhereItMatters };
    Options { suspension, relation: Relation::RealTime, ..Options::default() }
}

/// Tries the table on states of this many random programs.
pub fn prove(table: Table, programs: u64) -> Tally {
    let mut random = fastrand::Rng::with_seed(41);
    let mut tally = Tally::default();
    for seed in 0..programs {
        let acts = draw(&mut random);
        let options = options(&mut random);
        let shared = RefCell::new(None);
        let mut walk: Vec<Move> = Vec::new();
        let mut paths = Vec::new();
        let budget = Budget { runs: Some(1), time: None };
        sample(&options, seed, budget, &program(&acts, &shared), &mut |run, moves| {
            walk = moves.to_vec();
            paths = run.actor_paths.clone();
            Flow::Continue
        });
        let walk: Vec<_> = walk.into_iter().map(|(actor, values)| (paths[actor], values)).collect();
        for _ in 0..4 {
            let length = random.usize(..=walk.len());
            let state = State { acts: &acts, options: &options, prefix: walk[..length].to_vec() };
            let enabled: Vec<u64> = state.run(&[]).0.enabled.into_iter().collect();
            if enabled.len() < 2 {
                continue;
            }
            let pair = random.choose_multiple(enabled, 2);
            let mut value = || vec![random.u8(..2), random.u8(..2)];
            let pair = [(pair[0], value()), (pair[1], value())];
            tally.compare(table, &state, pair);
        }
    }
    tally
}
