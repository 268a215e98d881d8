//! What people see of the card's three races. One question a file; a change of behaviour shows
//! as lines that came and lines that went.
//!
//! Class counts are left out of outcomes, since any new section moves them all.

mod windows;

use midturn::cli::{self, Exit};

/// The card's races, each with a policy that breaks it.
const RACES: [(&str, &str); 3] = [
    ("steer_races_turn_end", "upstream"),
    ("automatic_start_races_trigger_mail", "hardened+no_second_look"),
    ("interrupt_races_steer", "upstream"),
];

fn midturn(arguments: &[&str]) -> (Exit, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = std::iter::once("midturn").chain(arguments.iter().copied());
    let exit = cli::run(arguments.map(Into::into), &mut out, &mut err);
    assert!(err.is_empty(), "{}", String::from_utf8_lossy(&err));
    (exit, String::from_utf8(out).expect("output is text"))
}

fn review(race: &str, question: &str, description: String, text: &str) {
    assert!(text.lines().count() <= 80, "{race}/{question} is too long to be reviewed");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(format!("races/{race}"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(description);
    settings.bind(|| insta::assert_snapshot!(question, text));
}

/// Landings and witnesses, without the counts.
fn outcomes(race: &str) -> String {
    let (_, shown) = midturn(&["show", race]);
    let kept = shown.lines().filter_map(|line| {
        let trimmed = line.trim_start();
        if line.starts_with("under ") {
            return Some(line.to_owned());
        }
        let (count, landings) = trimmed.split_once("  ")?;
        count.parse::<u64>().is_ok().then(|| format!("  {landings}"))
    });
    kept.collect::<Vec<_>>().join("\n")
}

#[test]
fn outcomes_of_the_races() {
    for (race, _) in RACES {
        let description = format!("Where do the inputs of {race} land, under each policy?");
        review(race, "outcomes", description, &outcomes(race));
    }
}

#[test]
fn stories_of_the_races() {
    for (race, policy) in RACES {
        let (exit, text) = midturn(&["check", race, "--policy", policy]);
        assert_eq!(exit, Exit::Violated, "{text}");
        // The first line has the count; every story ends with an empty line.
        let story: Vec<&str> = text.lines().skip(2).take_while(|line| !line.is_empty()).collect();
        assert!(story.len() <= 40, "{race}: a story of {} lines", story.len());
        let description = format!("How does {race} go wrong under {policy}?");
        review(race, "story", description, &story.join("\n"));
    }
}

/// The README shows what the program prints, and the example that it names.
#[test]
fn readme_is_true() {
    let readme = include_str!("../README.md");
    let (exit, text) = midturn(&["check", "steer_races_turn_end", "--policy", "upstream"]);
    assert_eq!(exit, Exit::Violated);
    let shown = text.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    assert!(readme.contains(&shown), "README.md does not show this output:\n{shown}");
    let example = include_str!("../docs/examples/mail_races_interrupt.toml");
    assert!(readme.contains(example.trim_end()), "README.md does not show the example");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/mail_races_interrupt.toml");
    let (exit, text) = midturn(&["check", path]);
    assert_eq!(exit, Exit::Expected, "{text}");
}
