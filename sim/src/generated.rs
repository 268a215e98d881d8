//! Generated scenarios under generated schedules, which shrink together.
//!
//! Promises: what is found is a scenario file and a token that shows the violation in it; the same
//! seed finds the same. That nothing is found proves nothing. Programs whose runs are blind or not
//! covered by their script are a mistake of the strategies and reported as such.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;

use midturn_properties::scenario::{Holds, Scenario, ScenarioErrors, parse};
use midturn_strategies::{Program, Stretch, Vocabulary, programs, schedules};
use proptest::collection::vec;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{
    Config, FailurePersistence, FileFailurePersistence, RngSeed, TestCaseError, TestError,
    TestRunner,
};

use crate::check::{Judge, Subject, options, smallest};
use crate::design::{CodexDesign, Design, with_known};
use crate::search::{Move, follow};
use crate::token::{Token, digest};
use crate::world::Suspension;

/// What every generated scenario is called, in files and tokens.
pub const NAME: &str = "all_races_all";

/// The last lines of every generated scenario.
const EXPECTS: &str = "[expect.codex.hardened]\nholds = \"all\"\n";

/// Of a schedule.
const STRETCHES: usize = 8;

/// Of a program, at most. While a program shrinks, any of them may keep the violation.
const SCHEDULES: usize = 24;

/// How often a case may be tried to be made smaller.
const SHRINKING: u32 = 4_000;

/// A program with the schedules that it is run under.
pub type Case = (Program, Vec<Vec<Stretch>>);

/// A violation, made small.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The scenario file.
    pub text: String,
    /// What is violated.
    pub property: &'static str,
    /// What was wrong.
    pub what: String,
    /// The schedule, in a scenario called [`NAME`].
    pub token: Token,
}

/// What one case came to.
#[derive(Debug)]
enum Tried {
    /// Nothing was violated in so many runs.
    Silent(u64),
    /// A property was, and these decisions led there.
    Violated(&'static str, String, Vec<Move>),
    /// The case shows nothing; why.
    Useless(String),
}

/// Programs in the words of `vocabulary`, each with its schedules.
pub fn cases(vocabulary: &Vocabulary) -> impl Strategy<Value = Case> + use<> {
    (programs(vocabulary), vec(schedules(STRETCHES), 1..=SCHEDULES))
}

/// The case that `seed` stands for; none if the strategies cannot draw one.
pub fn case(seed: u64) -> Option<Case> {
    let config = Config { rng_seed: RngSeed::Fixed(seed), ..Config::default() };
    let tree = cases(&Vocabulary::codex()).new_tree(&mut TestRunner::new(config));
    tree.ok().map(|tree| tree.current())
}

/// The scenario file of a program.
pub fn text(program: &Program) -> String {
    program.to_toml(EXPECTS)
}

/// The scenario in a file's text.
///
/// # Errors
/// If it is none, which no generated program is.
pub fn scenario(text: &str) -> Result<Arc<Scenario>, ScenarioErrors> {
    let path = Path::new(NAME).with_extension("toml");
    with_known(|known| parse(&path, text.as_bytes(), known)).map(Arc::new)
}

/// All properties of a program under `policy`, whose name is canonical.
///
/// # Errors
/// If it is no scenario, which no generated program is.
pub fn subject(program: &Program, policy: &str) -> Result<Subject, ScenarioErrors> {
    let scenario = scenario(&text(program))?;
    let terms = scenario.terms.clone();
    let (policy, pinned) = (policy.to_owned(), Vec::new());
    Ok(Subject { scenario, policy, terms, holds: Holds::All, pinned })
}

fn attempt(policy: &str, (program, schedules): &Case) -> Tried {
    let subject = match subject(program, policy) {
        Ok(subject) => subject,
        Err(errors) => return Tried::Useless(errors.to_string()),
    };
    let design = CodexDesign;
    let judge = Judge::new(&design, &subject);
    let options = options(&subject, Suspension::WhereItMatters);
    for schedule in schedules {
        let (run, moves) = follow(&options, schedule, &|world| judge.set_up(world));
        let Some(verdict) = judge.judge(&run) else {
            let uncovered = judge.uncovered().map(|errors| errors.to_string());
            return Tried::Useless(uncovered.unwrap_or_else(|| "no verdict".to_owned()));
        };
        if let Some(blind) = verdict.blind {
            return Tried::Useless(format!("blind: {blind}"));
        }
        if let Some(violation) = verdict.violations.into_iter().next() {
            return Tried::Violated(violation.property, violation.what, moves);
        }
    }
    Tried::Silent(schedules.len() as u64)
}

/// What was found.
#[derive(Debug)]
pub enum Found {
    /// Nothing is violated in so many runs.
    Nothing(u64),
    /// The first violation, made small.
    Violation(Box<Counterexample>),
    /// A program that shows nothing: why, and its file.
    Useless(String, String),
}

/// Looks at `count` cases under `policy`, whose name is canonical. With `regressions`, a file, the
/// cases that it remembers come first, and a case that violates something is added to it.
pub fn find(policy: &str, count: u32, seed: u64, regressions: Option<&'static str>) -> Found {
    let persistence =
        |path| -> Box<dyn FailurePersistence> { Box::new(FileFailurePersistence::Direct(path)) };
    let config = Config {
        cases: count,
        failure_persistence: regressions.map(persistence),
        rng_seed: RngSeed::Fixed(seed),
        max_shrink_iters: SHRINKING,
        ..Config::default()
    };
    let runs = Cell::new(0);
    let found = TestRunner::new(config).run(&cases(&Vocabulary::codex()), |case| {
        match attempt(policy, &case) {
            Tried::Silent(more) => {
                runs.set(runs.get() + more);
                Ok(())
            }
            Tried::Violated(property, ..) => Err(TestCaseError::fail(property)),
            Tried::Useless(why) => Err(TestCaseError::fail(why)),
        }
    });
    match found {
        Ok(()) => Found::Nothing(runs.get()),
        Err(TestError::Abort(why)) => Found::Useless(why.to_string(), String::new()),
        Err(TestError::Fail(why, case)) => match counterexample(policy, &case) {
            Some(found) => Found::Violation(Box::new(found)),
            None => Found::Useless(why.to_string(), text(&case.0)),
        },
    }
}

/// The file and the token of a case that violates something.
pub fn counterexample(policy: &str, case: &Case) -> Option<Counterexample> {
    let Tried::Violated(property, what, moves) = attempt(policy, case) else { return None };
    let subject = subject(&case.0, policy).ok()?;
    let design = CodexDesign;
    let judge = Judge::new(&design, &subject);
    let options = options(&subject, Suspension::WhereItMatters);
    let (witness, what) = smallest(&judge, &options, property, what, &moves);
    let schedule = witness.schedule;
    let again = crate::check::replay(&design, &subject, witness.suspension, &schedule)?;
    let token = Token {
        scenario: NAME.to_owned(),
        design: design.name().to_owned(),
        policy: subject.policy.clone(),
        relation: options.relation,
        suspension: witness.suspension,
        schedule,
        digest: digest(&again.execution),
    };
    Some(Counterexample { text: text(&case.0), property, what, token })
}
