//! Scenarios from text, and what is to be checked of them, as the command builds it.

use std::path::Path;
use std::sync::Arc;

use midturn::catalogue;
use midturn::check::{Broken, Finding, Subject};
use midturn::design::with_known;
use midturn::token::{Token, digest};
use midturn_engine::codex::Policy;
use midturn_properties::driver::refuse_unplayable;
use midturn_properties::scenario::{Expectation, Holds, Scenario, parse};

/// How many programs are generated: 10,000, or what `MIDTURN_PROGRAMS` says, for a longer look
/// after a change of the engine.
pub fn budget() -> u64 {
    let asked = std::env::var("MIDTURN_PROGRAMS").ok();
    asked.and_then(|programs| programs.parse().ok()).unwrap_or(10_000)
}

/// The scenario that `text` is under `name`; panics with the report if it is none.
pub fn scenario(name: &str, text: &str) -> Arc<Scenario> {
    let path = Path::new(name).with_extension("toml");
    let parsed = with_known(|known| parse(&path, text.as_bytes(), known));
    let scenario = parsed.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    refuse_unplayable(&scenario, "codex").unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    Arc::new(scenario)
}

/// Every built-in scenario.
pub fn all() -> Vec<Arc<Scenario>> {
    catalogue::SCENARIOS.iter().map(|(name, text)| scenario(name, text)).collect()
}

/// A built-in scenario.
pub fn built_in(name: &str) -> Arc<Scenario> {
    let text = catalogue::find(name).unwrap_or_else(|| panic!("{name} is not in the catalogue"));
    scenario(name, text)
}

/// The canonical name of the policy of an expectation.
pub fn policy_of(expectation: &Expectation) -> String {
    let mut name = expectation.policy.clone();
    for fault in &expectation.faults {
        name.push('+');
        name.push_str(fault);
    }
    Policy::named(&name).unwrap_or_else(|| panic!("{name} is no policy")).to_string()
}

/// What the file expects.
pub fn expected(scenario: &Arc<Scenario>) -> Vec<Subject> {
    let subject = |expectation: &Expectation| Subject {
        scenario: scenario.clone(),
        policy: policy_of(expectation),
        terms: expectation.terms.clone(),
        holds: expectation.holds.clone(),
        pinned: expectation.violates.clone(),
    };
    scenario.expectations.iter().map(subject).collect()
}

/// All properties under one policy, without pins, under the scenario's own terms.
pub fn under(scenario: &Arc<Scenario>, policy: &str) -> Subject {
    let policy = Policy::named(policy).unwrap_or_else(|| panic!("{policy} is no policy"));
    Subject {
        scenario: scenario.clone(),
        policy: policy.to_string(),
        terms: scenario.terms.clone(),
        holds: Holds::All,
        pinned: Vec::new(),
    }
}

/// The token of a violation, as the command prints it.
pub fn token(finding: &Finding, broken: &Broken) -> Token {
    let (subject, witness) = (&finding.subject, &broken.witness);
    let design = midturn::design::CodexDesign;
    let run = midturn::check::replay(&design, subject, witness.suspension, &witness.schedule);
    Token {
        scenario: subject.scenario.name.clone(),
        design: finding.design.to_owned(),
        policy: subject.policy.clone(),
        relation: finding.relation,
        suspension: witness.suspension,
        schedule: witness.schedule.clone(),
        digest: run.map_or_else(String::new, |run| digest(&run.execution)),
    }
}
