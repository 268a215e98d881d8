//! The same subject leads to the same findings, to the last token and count.

use midturn::check::{Effort, Subject, check};
use midturn::design::CodexDesign;
use midturn::search::Budget;

use crate::subjects::{all, expected, token};

/// All that is known of a subject, in words.
fn all_of(subject: &Subject, effort: &Effort) -> String {
    let finding = check(&CodexDesign, subject.clone(), effort);
    let finding = finding.unwrap_or_else(|errors| panic!("{errors}"));
    let tokens: Vec<String> =
        finding.broken.iter().map(|broken| token(&finding, broken).to_string()).collect();
    format!("{tokens:?} {finding:?}")
}

#[test]
fn two_complete_checks_find_the_same() {
    let subjects: Vec<Subject> = all().iter().flat_map(expected).collect();
    for subject in subjects {
        let effort = Effort::default();
        let (first, again) = (all_of(&subject, &effort), all_of(&subject, &effort));
        assert!(first == again, "{} under {}", subject.scenario.name, subject.policy);
    }
}

#[test]
fn two_random_checks_of_one_seed_find_the_same() {
    let budget = Budget { runs: Some(50), time: None };
    for seed in [0, 7] {
        let effort = Effort { budget, bound: None, random: Some(seed) };
        for scenario in all() {
            for subject in expected(&scenario).into_iter().take(1) {
                let (first, again) = (all_of(&subject, &effort), all_of(&subject, &effort));
                assert!(first == again, "{} with seed {seed}", scenario.name);
            }
        }
    }
}
