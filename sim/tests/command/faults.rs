//! The planted faults: each is found by a property, in a scenario that holds without it, and by
//! a schedule that shows nothing without it. And no property is there for nothing.

use std::collections::BTreeSet;

use midturn::check::{Effort, check, replay};
use midturn::design::CodexDesign;
use midturn_engine::codex::Fault;

use midturn::faults::{Place, Row, Unusable, rows};
use midturn_properties::property;

use crate::subjects::{built_in, token, under};

/// The rows of `properties/faults.toml`, each with its fault.
pub fn table() -> Vec<(Fault, Row)> {
    let rows = rows().unwrap_or_else(|Unusable(why)| panic!("{why}"));
    let fault = |row: &Row| Fault::ALL.into_iter().find(|fault| fault.name() == row.name);
    let with_fault =
        |row: Row| (fault(&row).unwrap_or_else(|| panic!("{} is none", row.name)), row);
    rows.into_iter().map(with_fault).collect()
}

/// What a run breaks by itself. That they bite is shown on programs of their own, in `sim/tests/it`.
const OF_THE_HARNESS: [&str; 3] = ["no_panic", "no_lost_wake_up", "ends"];

#[test]
fn every_fault_is_found_and_nothing_without_it() {
    let mut bite = BTreeSet::new();
    for (fault, Row { search: Place { scenario: name, property }, .. }) in table() {
        let scenario = built_in(&name);
        let check = |policy: &str| {
            let finding = check(&CodexDesign, under(&scenario, policy), &Effort::default());
            finding.unwrap_or_else(|errors| panic!("{errors}"))
        };
        let sound = check("hardened");
        assert!(sound.complete && sound.broken.is_empty(), "{name}: {:?}", sound.broken);
        let faulty = check(&format!("hardened+{}", fault.name()));
        bite.extend(faulty.broken.iter().map(|broken| broken.property));
        let broken = faulty.broken.iter().find(|broken| broken.property == property);
        let broken = broken.unwrap_or_else(|| panic!("{} survives {name}", fault.name()));
        println!(
            "{:<26} {name:<36} {property} in {} of {} classes\n    {}",
            fault.name(),
            broken.runs,
            faulty.summary.executions,
            token(&faulty, broken)
        );
        let (suspension, schedule) = (broken.witness.suspension, &broken.witness.schedule);
        let again = replay(&CodexDesign, &faulty.subject, suspension, schedule).expect("it runs");
        assert_eq!(again.unmet, None, "{name}: the witness takes its own way");
        assert!(
            again.violations.iter().any(|violation| violation.property == property),
            "{name}: the witness does not show {property}"
        );
        let without = replay(&CodexDesign, &sound.subject, suspension, schedule).expect("it runs");
        assert!(
            without.violations.is_empty(),
            "{name}: shown without the fault: {:?}",
            without.violations
        );
    }
    let idle: Vec<&str> = property::names()
        .into_iter()
        .filter(|name| !bite.contains(name) && !OF_THE_HARNESS.contains(name))
        .collect();
    assert!(idle.is_empty(), "no fault is caught by {idle:?}");
}
