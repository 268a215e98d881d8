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
        Fault::DrainInTwoSections => ("mail_overtakes_steer", "callers_order_is_kept"),
        Fault::RefusedSteerIsQueued => ("stale_steer_races_prompt", "rejected_leaves_no_trace"),
        Fault::AnswerIsForgotten => ("mail_after_blocked_steer", "answered_stays_answered"),
        Fault::InputIsRecordedTwice => ("steer_races_answer", "delivered_once"),
        Fault::VerdictWaitsForTheLog => ("prompt_races_prompt", "verdict_needs_no_one_else"),
        Fault::RefusedEditIsApplied => ("constraint_races_start", "settings_follow_the_verdict"),
        Fault::SteerChangesTheTurn => ("settings_edit_during_turn", "settings_follow_the_verdict"),
        Fault::ContextApart => ("context_races_drain", "a_steer_is_one_batch"),
        Fault::WaitersAreForgotten => ("interrupt_during_approval", "every_request_answered"),
        Fault::ViewKeepsTheTurn => ("interrupt_twice", "every_request_answered"),
        Fault::BlockStrandsTheBatch => ("hook_block_before_prompt", "hook_block_releases"),
        Fault::ReviewTakesSteers => ("steer_during_review", "not_steerable_is_safe"),
        Fault::CutForgetsFollowUp => ("mail_during_reasoning", "cut_implies_follow_up"),
        Fault::InterruptHitsAnyone => {
            ("stale_interrupt_races_prompt", "interrupt_hits_what_it_names")
        }
        Fault::ExpectedIsIgnored => ("stale_steer_races_prompt", "steer_hits_its_turn"),
        Fault::StartsWithoutLooking => ("prompt_races_trigger_mail", "no_turn_for_nothing"),
        Fault::CloseIsForgotten => ("shutdown_races_trigger_mail", "no_turn_after_close"),
        Fault::DoneIsNotRemembered => ("interrupt_races_task_end", "done_is_heard"),
        Fault::WaitDoesNotLook => ("steer_before_wait", "waits_end_on_input"),
        Fault::SteerGoesBeforeTheResume => {
            ("steer_during_tool_compaction", "compaction_resumes_first")
        }
        Fault::PlanIsDecidedEarly => ("mode_edit_races_start", "plan_refuses_automatic_starts"),
        Fault::BlockedStartIsForgotten => ("hook_stop_before_prompt", "no_silent_loss"),
        Fault::LooksBeforeSubscribing => ("wait_races_mail", "no_deadlock"),
        Fault::StartIgnoresReservation => ("prompt_races_trigger_mail", "single_active_turn"),
        Fault::FinishTakesAnyone => ("interrupt_during_tool_call", "one_terminal_per_turn"),
        Fault::StartInTwoSections => ("prompt_races_prompt", "one_terminal_per_turn"),
        Fault::LastLookInTwoSections => ("steer_races_turn_end", "accepted_is_sampled"),
        Fault::EndIsToldFirst => ("interrupt_during_tool_call", "abort_order"),
        Fault::PreviousIsNotChecked => ("continue_races_prompt", "continue_follows_its_turn"),
        Fault::MailIsNotPutBack => ("interrupt_during_turn_end", "no_silent_loss"),
        Fault::SuspendTakesAnyone => ("suspend_races_turn_end", "interrupt_hits_what_it_names"),
        Fault::InjectionNeedsNoTask => ("injection_races_turn_end", "no_silent_loss"),
        Fault::SuccessorStartsAtOnce => ("prompt_races_prompt", "single_active_turn"),
        Fault::FreedSlotIsNotLookedAt => {
            ("prompt_races_trigger_mail", "no_work_stranded_while_idle")
        }
        Fault::RefusedStartForgetsMail => {
            ("trigger_mail_during_refused_start", "no_work_stranded_while_idle")
        }
        Fault::DrainedIsForgotten => ("interrupt_races_drain", "no_silent_loss"),
        Fault::FenceIsLeftOpen => ("interrupt_after_prompt", "abort_order"),
        Fault::SettingsAfterTheSteer => ("constraint_races_steer", "verdict_tells_the_truth"),
        Fault::DrainIsForgotten => ("drain_races_prompt", "no_start_while_draining"),
        Fault::ClearedContextStaysKnown => ("context_after_interrupt", "known_context_was_told"),
        Fault::StoppedStartTakesItsContext => {
            ("context_before_stopped_start", "known_context_was_told")
        }
        Fault::PublishedAfterTheTask => ("prompt_races_prompt", "one_terminal_per_turn"),
        Fault::FailedTurnForgetsMail => ("compaction_error_races_trigger_mail", "no_silent_loss"),
        Fault::ConstraintsAreAskedEarly => ("constraint_races_start", "constraints_are_kept"),
        Fault::MarkerIsNotFlushed => ("interrupt_during_tool_call", "abort_order"),
        Fault::CompactionTakesTheUnread => ("injection_races_compaction", "no_silent_loss"),
        Fault::NamesAreUsedTwice => ("mail_after_recovery", "one_terminal_per_turn"),
        Fault::AnswerDoesNotDefer => ("child_end_races_answer", "answered_stays_answered"),
        Fault::ClearedIsNotTold => ("interrupt_races_steer", "accepted_is_sampled"),
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
