//! The scenarios that come with the command.

macro_rules! scenario {
    ($name:literal) => {
        ($name, include_str!(concat!("../../properties/scenarios/", $name, ".toml")))
    };
}

/// The name and text of every built-in scenario, in alphabetical order. A test compares the
/// list with the folder.
pub const SCENARIOS: &[(&str, &str)] = &[
    scenario!("automatic_start_races_trigger_mail"),
    scenario!("caller_drop_before_trigger_mail"),
    scenario!("child_mail_after_answer"),
    scenario!("child_mail_before_tool_call"),
    scenario!("hook_block_races_steer"),
    scenario!("injection_races_turn_end"),
    scenario!("interrupt_after_prompt"),
    scenario!("interrupt_during_reservation"),
    scenario!("interrupt_during_tool_call"),
    scenario!("interrupt_during_turn_end"),
    scenario!("interrupt_races_drain"),
    scenario!("interrupt_races_steer"),
    scenario!("mail_after_blocked_steer"),
    scenario!("prompt_after_caller_drop"),
    scenario!("prompt_after_interrupt"),
    scenario!("prompt_overtakes_refused_start"),
    scenario!("prompt_overtakes_reserved_start"),
    scenario!("prompt_races_prompt"),
    scenario!("prompt_races_trigger_mail"),
    scenario!("prompt_races_two_others"),
    scenario!("prompt_twice_at_once"),
    scenario!("stale_steer_races_prompt"),
    scenario!("steer_during_sampling"),
    scenario!("steer_overtakes_child_mail"),
    scenario!("steer_overtakes_steer"),
    scenario!("steer_races_answer"),
    scenario!("steer_races_model_error"),
    scenario!("steer_races_turn_end"),
    scenario!("trigger_mail_during_refused_start"),
    scenario!("wait_races_mail"),
    scenario!("wait_races_steer"),
];

/// The text of a built-in scenario.
pub fn find(name: &str) -> Option<&'static str> {
    SCENARIOS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
