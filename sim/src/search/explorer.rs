//! Depth-first search over decisions, by running the program again from its start.
//!
//! Every run repeats the decisions of a known prefix, and is checked to meet the same moments
//! there: a program that is not deterministic is found out by the search itself.

use crate::world::{
    Access, ActorId, Decider, Decision, End, Moment, Options, StepReport, dependent, execute,
};

use super::deadline::Deadline;
use super::happens_before::HappensBefore;
use super::{Budget, Diverged, Flow, Move, Program, SearchFault, Strategy, Summary, Visit};

/// Somebody whose next step needs no exploring here: everything behind it is known.
#[derive(Clone)]
struct Sleeper {
    actor: ActorId,
    accesses: Vec<Access>,
}

struct Node {
    digest: u64,
    enabled: u32,
    backtrack: u32,
    done: u32,
    /// Asleep when the node was reached, and those that were explored from here.
    sleep: Vec<Sleeper>,
    asleep_at_first: u32,
    chosen: ActorId,
    plan: Vec<u8>,
    choices: Vec<(u8, u8)>,
    /// All uses of the chosen actor's step, over all values tried so far.
    accesses: Vec<Access>,
}

struct Explorer {
    strategy: Strategy,
    fault: Option<SearchFault>,
    stack: Vec<Node>,
    /// The node of each event of this run; none for a step that nobody decided on.
    nodes: Vec<Option<usize>>,
    decided: usize,
    order: HappensBefore,
    next_sleep: Vec<Sleeper>,
    abandoned: bool,
    diverged: Option<Diverged>,
    /// A step that was not the known one.
    unlike: Option<(u32, ActorId)>,
}

/// Runs schedules of `program` until all classes are covered, the budget is spent, a run
/// diverges, or `visit` says stop. `visit` gets every run that is not abandoned.
pub fn explore(
    options: &Options,
    strategy: Strategy,
    budget: Budget,
    program: &Program<'_>,
    visit: &mut Visit<'_>,
) -> Summary {
    explore_faulty(options, strategy, None, budget, program, visit)
}

/// [`explore`] with a mistake planted in the search.
#[doc(hidden)]
pub fn explore_faulty(
    options: &Options,
    strategy: Strategy,
    fault: Option<SearchFault>,
    budget: Budget,
    program: &Program<'_>,
    visit: &mut Visit<'_>,
) -> Summary {
    let mut explorer = Explorer {
        strategy,
        fault,
        stack: Vec::new(),
        nodes: Vec::new(),
        decided: 0,
        order: HappensBefore::with_fault(fault),
        next_sleep: Vec::new(),
        abandoned: false,
        diverged: None,
        unlike: None,
    };
    let deadline = Deadline::after(budget.time);
    let mut summary = Summary::default();
    let mut hides_classes = false;
    loop {
        explorer.begin_run();
        let execution = execute(options, program, &mut explorer);
        summary.take_note(&execution);
        let missing =
            explorer.stack.get(explorer.decided).map(|node| (execution.steps + 1, node.chosen));
        let unlike = explorer.unlike.take().or(missing).map(|step| Diverged::at(&execution, step));
        if let Some(diverged) = explorer.diverged.take().or(unlike) {
            summary.diverged = Some(diverged);
            return summary;
        }
        if explorer.abandoned && execution.end != End::Failed {
            summary.abandoned += 1;
        } else {
            // Nobody knows what the others would have done after a failure.
            hides_classes |= strategy != Strategy::BruteForce && execution.end == End::Failed;
            summary.executions += 1;
            summary.steps += u64::from(execution.steps);
            if visit(&execution, &explorer.path()) == Flow::Stop {
                return summary;
            }
        }
        if !explorer.backtrack() {
            summary.complete = !hides_classes;
            return summary;
        }
        let runs = summary.executions + summary.abandoned;
        if budget.runs.is_some_and(|limit| runs >= limit) || deadline.has_passed() {
            return summary;
        }
    }
}

/// Whether a step chose from as many values as it did before, and, unless its last value is
/// a new one, the same values.
pub(super) fn repeats_choices(known: &[(u8, u8)], report: &StepReport, is_new: bool) -> bool {
    let last = known.len().saturating_sub(1);
    let same = known.iter().zip(&report.choices).enumerate().all(|(position, (old, new))| {
        let (value, arity) = old;
        *arity == new.1 && (*value == new.0 || is_new && position == last)
    });
    let more = report.choices.len() > known.len();
    same && report.choices.len() >= known.len() && (is_new || !more)
}

impl Explorer {
    fn begin_run(&mut self) {
        self.nodes.clear();
        self.decided = 0;
        self.order.clear();
        self.next_sleep.clear();
        self.abandoned = false;
    }

    /// The decisions of the run that just ended.
    fn path(&self) -> Vec<Move> {
        let values = |node: &Node| node.choices.iter().map(|(value, _)| *value).collect();
        self.stack.iter().map(|node| (node.chosen, values(node))).collect()
    }

    fn new_node(&mut self, moment: &Moment<'_>) -> Option<()> {
        let mut asleep = 0u32;
        for sleeper in &self.next_sleep {
            asleep |= 1 << sleeper.actor;
        }
        let available = moment.enabled & !asleep;
        if available == 0 {
            return None;
        }
        let goes_on = moment.last.filter(|last| available >> last & 1 == 1);
        let chosen = goes_on.unwrap_or(available.trailing_zeros() as ActorId);
        let backtrack = match self.strategy {
            Strategy::BruteForce | Strategy::SleepSets => moment.enabled,
            Strategy::SourceDpor => 1 << chosen,
        };
        self.stack.push(Node {
            digest: moment.digest(),
            enabled: moment.enabled,
            backtrack,
            done: 0,
            sleep: std::mem::take(&mut self.next_sleep),
            asleep_at_first: asleep,
            chosen,
            plan: Vec::new(),
            choices: Vec::new(),
            accesses: Vec::new(),
        });
        Some(())
    }

    /// Makes sure that some schedule is explored in which `actor` moves before `event`.
    fn reverse(&mut self, event: usize, actor: ActorId, accesses: &[Access]) {
        let Some(node) = self.nodes[event] else { return };
        let initials = self.order.initials(event, actor, accesses);
        let node = &mut self.stack[node];
        if initials & (node.backtrack | node.asleep_at_first) != 0 {
            return;
        }
        let candidates = initials & node.enabled;
        if candidates == 0 {
            node.backtrack |= node.enabled;
        } else {
            node.backtrack |= 1 << candidates.trailing_zeros();
        }
    }

    /// Goes to the next decision that was not tried yet; false if there is none.
    fn backtrack(&mut self) -> bool {
        while let Some(node) = self.stack.last_mut() {
            let untried = node.choices.iter().rposition(|(value, arity)| value + 1 < *arity);
            if let Some(position) = untried {
                node.plan = node.choices[..=position].iter().map(|(value, _)| *value).collect();
                node.plan[position] += 1;
                return true;
            }
            node.done |= 1 << node.chosen;
            let accesses = std::mem::take(&mut node.accesses);
            if self.strategy != Strategy::BruteForce {
                node.sleep.push(Sleeper { actor: node.chosen, accesses });
            }
            let next = node.backtrack & !node.done & !node.asleep_at_first;
            if next != 0 {
                node.chosen = next.trailing_zeros() as ActorId;
                node.plan.clear();
                node.choices.clear();
                return true;
            }
            self.stack.pop();
        }
        false
    }
}

impl Decider for Explorer {
    fn decide(&mut self, moment: &Moment<'_>) -> Decision {
        if self.decided == self.stack.len() {
            if self.new_node(moment).is_none() {
                self.abandoned = true;
                return Decision::Abandon;
            }
        } else if self.diverged.is_none() && self.stack[self.decided].digest != moment.digest() {
            self.diverged = Some(Diverged::before(moment, self.stack[self.decided].chosen));
        }
        if self.diverged.is_some() || self.unlike.is_some() {
            self.abandoned = true;
            return Decision::Abandon;
        }
        let node = &self.stack[self.decided];
        Decision::Step(node.chosen, node.plan.clone())
    }

    fn stepped(&mut self, report: &StepReport) {
        if report.is_barrier {
            self.order.push(report);
            self.nodes.push(None);
            return;
        }
        let index = self.decided;
        let is_new = index + 1 == self.stack.len();
        if is_new && self.strategy == Strategy::SourceDpor {
            let mut uses = report.accesses.clone();
            if self.fault != Some(SearchFault::AttemptsIgnored) {
                uses.extend(&report.attempts);
            }
            for event in self.order.races(report.actor, &uses) {
                let reversible = !report.is_wait
                    || self.fault != Some(SearchFault::WaitsNeverReversed)
                        && self.order.wait_can_precede(event, &report.ready_since);
                if reversible {
                    self.reverse(event, report.actor, &uses);
                }
            }
        }
        self.order.push(report);
        self.nodes.push(Some(index));
        self.decided += 1;
        let node = &mut self.stack[index];
        let known = if is_new { node.plan.len() } else { node.choices.len() };
        if !repeats_choices(&node.choices[..known], report, is_new) {
            self.unlike.get_or_insert((report.step, report.actor));
        }
        if is_new {
            node.choices.clone_from(&report.choices);
            for access in &report.accesses {
                if !node.accesses.contains(access) {
                    node.accesses.push(*access);
                }
            }
            let ignored = self.fault == Some(SearchFault::SleepersNeverWake);
            let sleeps_on = |sleeper: &&Sleeper| {
                sleeper.actor != report.actor
                    && (ignored || !dependent(&sleeper.accesses, &report.accesses))
            };
            self.next_sleep = node.sleep.iter().filter(sleeps_on).cloned().collect();
        }
    }

    fn ended(&mut self, moment: &Moment<'_>) {
        let ignored = self.fault == Some(SearchFault::BlockedOperationsIgnored);
        if self.strategy != Strategy::SourceDpor || ignored {
            return;
        }
        // A blocked operation has not happened, yet it races with what keeps it from happening.
        for (actor, access) in moment.blocked_on_locks() {
            for event in self.order.races(actor, &[access]) {
                self.reverse(event, actor, &[access]);
            }
        }
    }
}
