//! The scenarios that come with the command.

macro_rules! scenario {
    ($name:literal) => {
        ($name, include_str!(concat!("../../properties/scenarios/", $name, ".toml")))
    };
}

/// The name and text of every built-in scenario, in alphabetical order. A test compares the
/// list with the folder.
pub const SCENARIOS: &[(&str, &str)] = &[
    scenario!("answer_races_abort_decision"),
    scenario!("automatic_start_races_trigger_mail"),
    scenario!("caller_drop_before_trigger_mail"),
    scenario!("child_end_races_answer"),
    scenario!("child_mail_after_answer"),
    scenario!("child_mail_before_tool_call"),
    scenario!("child_task_during_tool"),
    scenario!("compact_overtakes_prompt"),
    scenario!("compaction_error_races_steer"),
    scenario!("constraint_races_start"),
    scenario!("constraint_races_steer"),
    scenario!("context_races_drain"),
    scenario!("continue_races_prompt"),
    scenario!("drain_races_prompt"),
    scenario!("hook_block_before_prompt"),
    scenario!("hook_block_races_steer"),
    scenario!("hook_stop_before_prompt"),
    scenario!("injection_during_reservation"),
    scenario!("injection_races_turn_end"),
    scenario!("interrupt_after_prompt"),
    scenario!("interrupt_after_steer"),
    scenario!("interrupt_during_approval"),
    scenario!("interrupt_during_prompt_hook"),
    scenario!("interrupt_during_reservation"),
    scenario!("interrupt_during_tool_call"),
    scenario!("interrupt_during_turn_end"),
    scenario!("interrupt_races_drain"),
    scenario!("interrupt_races_steer"),
    scenario!("interrupt_races_task_end"),
    scenario!("interrupt_twice"),
    scenario!("mail_after_blocked_steer"),
    scenario!("mail_during_reasoning"),
    scenario!("mode_edit_races_start"),
    scenario!("prompt_after_caller_drop"),
    scenario!("prompt_after_interrupt"),
    scenario!("prompt_during_turn_end"),
    scenario!("prompt_overtakes_refused_start"),
    scenario!("prompt_overtakes_reserved_start"),
    scenario!("prompt_overtakes_steer"),
    scenario!("prompt_overtakes_stopped_turn"),
    scenario!("prompt_races_prompt"),
    scenario!("prompt_races_trigger_mail"),
    scenario!("prompt_races_two_others"),
    scenario!("prompt_twice_at_once"),
    scenario!("recover_races_trigger_mail"),
    scenario!("review_overtakes_turn"),
    scenario!("schema_steer_races_prompt"),
    scenario!("settings_edit_during_turn"),
    scenario!("shutdown_races_trigger_mail"),
    scenario!("sleep_before_mail"),
    scenario!("stale_interrupt_races_prompt"),
    scenario!("stale_steer_races_prompt"),
    scenario!("steer_after_turn_end"),
    scenario!("steer_before_wait"),
    scenario!("steer_during_compaction"),
    scenario!("steer_during_review"),
    scenario!("steer_during_sampling"),
    scenario!("steer_during_tool_compaction"),
    scenario!("steer_during_wait"),
    scenario!("steer_overtakes_child_mail"),
    scenario!("steer_overtakes_steer"),
    scenario!("steer_races_answer"),
    scenario!("steer_races_model_error"),
    scenario!("steer_races_turn_end"),
    scenario!("stop_hook_races_steer"),
    scenario!("suspend_races_turn_end"),
    scenario!("tool_output_races_turn_end"),
    scenario!("trigger_mail_during_refused_start"),
    scenario!("trigger_mail_races_turn_end"),
    scenario!("wait_races_mail"),
    scenario!("wait_races_steer"),
];

/// The text of a built-in scenario.
pub fn find(name: &str) -> Option<&'static str> {
    SCENARIOS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
