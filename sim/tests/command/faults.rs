//! The planted faults: each is found by a property, in a scenario that holds without it, and by
//! a schedule that shows nothing without it.

use midturn::check::{Effort, check, replay};
use midturn::design::CodexDesign;
use midturn_engine::codex::Fault;

use crate::subjects::{built_in, token, under};

/// What finds a fault: a scenario of the catalogue, and a property.
fn found_by(fault: Fault) -> (&'static str, &'static str) {
    match fault {
        Fault::DrainReleasesSlotFirst => ("prompt_after_interrupt", "no_silent_loss"),
        Fault::SteerInTwoSections => ("steer_races_turn_end", "no_silent_loss"),
        Fault::NoSecondLook => {
            ("automatic_start_races_trigger_mail", "automatic_start_yields_to_trigger_mail")
        }
        Fault::ClearBeforeCancel => ("interrupt_during_tool_call", "abort_order"),
        Fault::DeferDespitePending => ("steer_races_answer", "accepted_is_sampled"),
        Fault::SignalBeforeData => ("wait_races_mail", "data_before_signal"),
        Fault::ReleaseAnyonesSlot => ("prompt_overtakes_refused_start", "one_terminal_per_turn"),
        Fault::MailBeforeInput => ("steer_overtakes_child_mail", "order_by_acceptance"),
        Fault::RefusedSteerIsQueued => ("stale_steer_races_prompt", "rejected_leaves_no_trace"),
        Fault::AnswerIsForgotten => ("mail_after_blocked_steer", "answered_stays_answered"),
        Fault::InputIsRecordedTwice => ("steer_races_answer", "delivered_once"),
    }
}

#[test]
fn every_fault_is_found_and_nothing_without_it() {
    for fault in Fault::ALL {
        let (name, property) = found_by(fault);
        let scenario = built_in(name);
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
