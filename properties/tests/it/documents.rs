//! Documents and names that several tests use.

use std::path::Path;

use midturn_properties::scenario::{
    Known, KnownDesign, Scenario, ScenarioErrors, parse as parse_scenario,
};

/// The names that the tests' scenarios may use.
pub const KNOWN: Known<'static> = Known {
    designs: &[
        KnownDesign {
            name: "codex",
            policies: &["codex_0_149", "upstream", "codex_0_171", "seed", "hardened"],
            faults: &["steer_in_two_sections", "forget_leftovers"],
        },
        KnownDesign { name: "dsh", policies: &["dsh"], faults: &[] },
    ],
    properties: &["accepted_is_sampled", "no_input_is_lost", "one_turn_at_a_time"],
};

/// The example that follows the design.
pub const EXAMPLE: &str = include_str!("../data/steer_races_turn_end.toml");

/// A document in which every key occurs.
pub const FULL: &str = include_str!("../data/everything_during_everything.toml");

/// The smallest document.
pub const SMALL: &str = r#"schema = 1
promise = "p"
[[actor]]
name = "user"
does = [{ id = "prompt", start_or_steer = "hello" }]
"#;

/// Parses `text` under a good name.
pub fn parse(text: &str) -> Result<Scenario, ScenarioErrors> {
    parse_scenario(Path::new("steer_races_turn_end.toml"), text.as_bytes(), &KNOWN)
}

/// A document with these commands of one actor `user`, after `before` (tables but no actor).
pub fn with_commands(before: &str, commands: &str) -> String {
    format!(
        "schema = 1\npromise = \"p\"\n{before}\n[[actor]]\nname = \"user\"\ndoes = [{commands}]\n"
    )
}

/// A document that only asks for one condition; `prompt`, `yaml` and `mail` are ids.
pub fn with_condition(slot: &str, condition: &str) -> String {
    with_commands(
        &format!("[session]\nslot = \"{slot}\"\n[reach]\nsometimes = ['{condition}']"),
        r#"{ id = "prompt", start_or_steer = "a" }, { id = "yaml", steer = "b" },
           { id = "mail", mail = "c" }, { id = "look", wait = "activity" }"#,
    )
}

/// A document with nothing but these commands.
pub fn command(commands: &str) -> String {
    with_commands("", commands)
}
