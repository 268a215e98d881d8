//! `midturn check`.

use std::io::Write;
use std::sync::Arc;

use midturn_properties::scenario::{Expectation, Holds, Relation, Scenario};

use super::arguments::{BudgetArgument, CheckArguments, Format, RelationArgument};
use super::load::{Loaded, all, load};
use super::{CliError, Exit, nearest, print};
use crate::check::{Effort, Finding, Subject, check};
use crate::design::{CodexDesign, Design, with_known};
use crate::report::{self, Document, Entry};
use crate::search::Budget;

pub(super) fn run(arguments: &CheckArguments, out: &mut dyn Write) -> Result<Exit, CliError> {
    let design = CodexDesign;
    if arguments.design != design.name() {
        return Err(CliError::new(format!("no design is called `{}`", arguments.design))
            .hint(format!("this build has `{}`", design.name())));
    }
    let policy = arguments.policy.as_deref().map(|name| resolve(&design, name)).transpose()?;
    if arguments.random.is_some() && arguments.budget.is_none() {
        return Err(CliError::new("random schedules never end by themselves")
            .hint("add a budget, for example `--budget 10000runs`"));
    }
    let loaded = match &arguments.scenarios[..] {
        [] => all(design.name())?,
        some => some.iter().map(|word| load(word, design.name())).collect::<Result<_, _>>()?,
    };
    // All of it is read before any of it is checked: bad input has no verdicts beside it.
    let mut wanted = Vec::new();
    for loaded in &loaded {
        for mut subject in subjects(&design, &loaded.scenario, policy.as_deref())? {
            if let Some(relation) = arguments.relation {
                subject.terms.relation = Some(match relation {
                    RelationArgument::A => Relation::A,
                    RelationArgument::R => Relation::R,
                });
            }
            wanted.push((loaded, subject));
        }
    }
    let effort = effort(arguments);
    let mut session =
        Session { out, design, arguments, effort, exit: Exit::Expected, entries: Vec::new() };
    for (loaded, subject) in wanted {
        session.check(loaded, subject)?;
    }
    session.conclude(loaded.len())
}

/// The canonical name of a policy.
pub(super) fn resolve(design: &CodexDesign, name: &str) -> Result<String, CliError> {
    design.policy(name).ok_or_else(|| {
        let error = CliError::new(format!("no policy is called `{name}`"));
        with_known(|known| {
            let design = &known.designs[0];
            let faulty = |fault: &&str| format!("hardened+{fault}");
            let mut names: Vec<String> =
                design.policies.iter().map(|name| (*name).into()).collect();
            names.extend(design.faults.iter().map(faulty));
            match nearest(name, names.iter().map(String::as_str)) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint(format!("the policies are {}", names.join(", "))),
            }
        })
    })
}

fn effort(arguments: &CheckArguments) -> Effort {
    let budget = match arguments.budget {
        Some(BudgetArgument::Time(time)) => Budget { time: Some(time), runs: None },
        Some(BudgetArgument::Runs(runs)) => Budget { runs: Some(runs), time: None },
        None => Budget::default(),
    };
    Effort { budget, bound: arguments.bound, random: arguments.random }
}

fn canonical(design: &CodexDesign, expectation: &Expectation) -> Result<String, CliError> {
    let mut name = expectation.policy.clone();
    for fault in &expectation.faults {
        name.push('+');
        name.push_str(fault);
    }
    resolve(design, &name)
}

/// What is to be checked of a scenario: each of its expectations, or one policy with all
/// properties.
pub(super) fn subjects(
    design: &CodexDesign,
    scenario: &Arc<Scenario>,
    policy: Option<&str>,
) -> Result<Vec<Subject>, CliError> {
    let mut subjects = Vec::new();
    for expectation in &scenario.expectations {
        subjects.push(Subject {
            scenario: scenario.clone(),
            policy: canonical(design, expectation)?,
            terms: expectation.terms.clone(),
            holds: expectation.holds.clone(),
            pinned: expectation.violates.clone(),
        });
    }
    let Some(policy) = policy else {
        if subjects.is_empty() {
            return Err(CliError::new(format!("{} expects nothing", scenario.path.display()))
                .hint("add an `[expect.codex.<policy>]` table, or choose a `--policy`"));
        }
        return Ok(subjects);
    };
    let expected = subjects.into_iter().find(|subject| subject.policy == policy);
    let terms = expected.map_or_else(|| scenario.terms.clone(), |subject| subject.terms);
    let (policy, pinned) = (policy.to_owned(), Vec::new());
    let scenario = scenario.clone();
    Ok(vec![Subject { scenario, policy, terms, holds: Holds::All, pinned }])
}

struct Session<'a> {
    out: &'a mut dyn Write,
    design: CodexDesign,
    arguments: &'a CheckArguments,
    effort: Effort,
    exit: Exit,
    entries: Vec<Entry>,
}

impl Session<'_> {
    fn check(&mut self, loaded: &Loaded, subject: Subject) -> Result<(), CliError> {
        let finding = check(&self.design, subject, &self.effort)
            .map_err(|errors| CliError::new(errors.to_string()))?;
        let accept_bounded = self.arguments.accept_bounded;
        let exit = Exit::of(&finding, accept_bounded);
        self.exit = self.exit.and(exit);
        let json = self.arguments.format == Format::Json;
        let unexpected =
            |property: &str| finding.unexpected().any(|broken| broken.property == property);
        let tells = |broken: &crate::check::Broken| json || unexpected(broken.property);
        let entry = report::entry(&self.design, &finding, exit == Exit::Expected, &tells);
        if !json {
            self.print(loaded, &entry, &finding)?;
        }
        self.entries.push(entry);
        Ok(())
    }

    fn print(&mut self, loaded: &Loaded, entry: &Entry, finding: &Finding) -> Result<(), CliError> {
        let mut text = report::line(entry, finding);
        text.push('\n');
        for shown in entry.violations.iter().filter(|shown| !shown.expected) {
            text.push('\n');
            text.push_str(&report::tell(shown, loaded.file.as_deref()));
            text.push('\n');
        }
        print(self.out, &text)
    }

    fn conclude(self, scenarios: usize) -> Result<Exit, CliError> {
        match self.arguments.format {
            Format::Json => {
                let relation = self.entries.first().map_or('a', |entry| entry.relation);
                let document = Document { schema: 1, relation, scenarios: self.entries };
                let text = serde_json::to_string_pretty(&document).map_err(|error| {
                    CliError::new(format!("findings cannot be written: {error}"))
                })?;
                print(self.out, &format!("{text}\n"))?;
            }
            Format::Text => {
                let unexpected = self.entries.iter().filter(|entry| !entry.expected).count();
                let checks = self.entries.len();
                let plural = |count: usize| if count == 1 { "" } else { "s" };
                let last = match unexpected {
                    0 => "all as expected".to_owned(),
                    some => format!("{some} not as expected"),
                };
                print(
                    self.out,
                    &format!(
                        "\n{checks} check{} of {scenarios} scenario{}: {last}\n",
                        plural(checks),
                        plural(scenarios)
                    ),
                )?;
            }
        }
        Ok(self.exit)
    }
}
