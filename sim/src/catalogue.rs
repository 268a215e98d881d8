//! The scenarios that come with the command.

macro_rules! scenario {
    ($name:literal) => {
        ($name, include_str!(concat!("../../properties/scenarios/", $name, ".toml")))
    };
}

/// The name and text of every built-in scenario, in alphabetical order. A test compares the
/// list with the folder.
pub const SCENARIOS: &[(&str, &str)] = &[
    scenario!("steer_races_turn_end"),
];

/// The text of a built-in scenario.
pub fn find(name: &str) -> Option<&'static str> {
    SCENARIOS.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
