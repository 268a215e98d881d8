//! File names and bytes that are refused, and how a report looks.

use std::path::Path;

use midturn_properties::scenario::{MAX_BYTES, Mistake, ScenarioErrors, parse as read};

use crate::documents::{EXAMPLE, KNOWN, SMALL, command, parse, with_commands};

fn of_path(path: &str) -> Result<String, ScenarioErrors> {
    read(Path::new(path), SMALL.as_bytes(), &KNOWN).map(|scenario| scenario.name)
}

#[test]
fn a_file_name_names_a_race() {
    assert_eq!(of_path("a/b/steer_races_turn_end.toml").unwrap(), "steer_races_turn_end");
    assert_eq!(of_path("interrupt_twice.toml").unwrap(), "interrupt_twice");
    assert_eq!(of_path("mail_twice_before_start.toml").unwrap(), "mail_twice_before_start");
    let near = of_path("steer_race_turn_end.toml").unwrap_err();
    let report = near.to_string();
    assert!(report.starts_with("error: unknown relation in the file name `race`\n"), "{report}");
    assert!(report.contains("did you mean `races`?"), "{report}");
    for bad in [
        "steer.toml",
        "races_end.toml",
        "steer_races.toml",
        "a__races_b.toml",
        "",
        "..",
        "Steer_races_end.toml",
        "steer_races_30341.toml",
    ] {
        let report = of_path(bad).expect_err(bad).to_string();
        assert!(report.contains("file name") || report.contains("name a race"), "{report}");
    }
}

#[test]
fn bytes_that_are_no_text() {
    let mut bytes = EXAMPLE.as_bytes().to_vec();
    bytes[40] = 0xff;
    let path = Path::new("steer_races_turn_end.toml");
    let errors = read(path, &bytes, &KNOWN).unwrap_err();
    assert_eq!(errors.errors[0].mistake, Mistake::NotUtf8 { offset: 40 });
    assert_eq!(errors.position(errors.errors[0].span.start).0, 2);
    let report = read(path, &vec![b'#'; MAX_BYTES + 1], &KNOWN).unwrap_err().to_string();
    assert!(report.contains("1048577 bytes"), "{report}");
    assert!(read(path, &vec![b'#'; MAX_BYTES], &KNOWN).is_err(), "it is only a comment");
}

#[test]
fn all_mistakes_are_told_up_to_a_limit() {
    let text = with_commands(
        "[session]\nmode = 'plann'\n[reach]\nsometimes = ['b called', 'a caled']",
        "{ id = 'a', steer = 1 }, { id = 'c', stear = 'x' }",
    );
    let errors = parse(&text).unwrap_err();
    let told: Vec<_> = errors.errors.iter().map(|error| error.mistake.to_string()).collect();
    assert_eq!(
        told,
        [
            "unknown mode `plann`",
            "unknown id `b`",
            "unknown condition `caled`",
            "`steer` must be text, not a whole number",
            "a command without a verb",
            "unknown key `stear` in a command",
        ]
    );
    let many: String = (0..100).map(|n| format!("{{ id = 'a{n}', stear = 'x' }},\n")).collect();
    let errors = parse(&command(&many)).unwrap_err();
    assert_eq!((errors.errors.len(), errors.truncated), (20, true));
    assert!(errors.to_string().ends_with("there may be more; only the first 20 are shown\n"));
}

#[test]
fn a_report_is_drawn_to_be_read() {
    let text = with_commands("", "{ id = 'prompt', start_or_steer = 'é\\t', expectd = 'turn' }");
    let report = parse(&text).unwrap_err().to_string();
    let drawn = "\
error: unknown key `expectd` in a command
 --> steer_races_turn_end.toml:6:50
  |
6 | does = [{ id = 'prompt', start_or_steer = 'é\\t', expectd = 'turn' }]
  |                                                  ^^^^^^^
  = did you mean `expected`?
";
    assert!(report.starts_with(drawn), "{report}");
    let long = format!("{{ id = 'a', steer = '{}', expectd = 'x' }}", "y".repeat(500));
    let report = parse(&with_commands("", &long)).unwrap_err().to_string();
    assert!(report.lines().all(|line| line.chars().count() <= 100), "{report}");
    let lines: Vec<_> = report.lines().collect();
    let column = lines[4].find('^').unwrap();
    assert!(lines[3][column..].starts_with("expectd"), "{report}");
    let hidden = parse("schema = 1 # \u{202e}\npromise = '\u{200b}' x\n").unwrap_err().to_string();
    assert!(!hidden.contains(['\u{202e}', '\u{200b}']), "{hidden}");
}
