//! The planted faults: each is found by a property, in a scenario that holds without it, and by
//! a schedule that shows nothing without it.

use midturn::check::{Effort, check, replay};
use midturn::design::CodexDesign;
use midturn_engine::codex::Fault;
use toml::Table;

use crate::subjects::{built_in, token, under};

/// What finds a fault.
pub struct Row {
    pub fault: Fault,
    /// Of the catalogue.
    pub scenario: String,
    pub property: String,
    /// Why generated programs are not asked for it, if they are not.
    pub blind_to_programs: Option<String>,
}

/// The rows of `properties/faults.toml`, one a fault.
pub fn table() -> Vec<Row> {
    let file: Table = include_str!("../../../properties/faults.toml").parse().expect("it is TOML");
    let rows = file["fault"].as_array().expect("a list");
    let found = Fault::ALL.into_iter().map(|fault| {
        let row = rows.iter().find(|row| row["name"].as_str() == Some(fault.name()));
        let row = row.unwrap_or_else(|| panic!("{} has no row", fault.name()));
        let word = |key: &str| row["search"][key].as_str().expect("a word").to_owned();
        let blind = row.get("proptest").and_then(|said| said["blind"].as_str());
        let blind_to_programs = blind.map(str::to_owned);
        Row { fault, scenario: word("scenario"), property: word("property"), blind_to_programs }
    });
    assert_eq!(found.len(), rows.len(), "a row of no fault");
    found.collect()
}

#[test]
fn every_fault_is_found_and_nothing_without_it() {
    for Row { fault, scenario: name, property, .. } in table() {
        let scenario = built_in(&name);
        let check = |policy: &str| {
            let finding = check(&CodexDesign, under(&scenario, policy), &Effort::default());
            finding.unwrap_or_else(|errors| panic!("{errors}"))
        };
        let sound = check("hardened");
        assert!(sound.complete && sound.broken.is_empty(), "{name}: {:?}", sound.broken);
        let faulty = check(&format!("hardened+{}", fault.name()));
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
}
