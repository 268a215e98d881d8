//! Each kind of mistake is found at its place, and the nearest valid word is offered.

use crate::documents::{SMALL, command, parse, with_commands};

/// What is asserted of one mistake.
pub struct Row {
    text: String,
    line: usize,
    marked: &'static str,
    says: &'static str,
    offers: Option<&'static str>,
}

pub fn row(
    text: impl Into<String>,
    line: usize,
    marked: &'static str,
    says: &'static str,
    offers: Option<&'static str>,
) -> Row {
    Row { text: text.into(), line, marked, says, offers }
}

pub fn check(rows: Vec<Row>) {
    for Row { text, line, marked, says, offers } in rows {
        let errors = parse(&text).expect_err(&text);
        assert_eq!(errors.errors.len(), 1, "{says}\n{errors}");
        let error = &errors.errors[0];
        assert_eq!(error.mistake.to_string(), says);
        assert_eq!(errors.position(error.span.start).0, line, "{errors}");
        assert_eq!(&errors.source[error.span.clone()], marked, "{errors}");
        assert_eq!(error.mistake.suggestion(), offers, "{errors}");
        let report = errors.to_string();
        assert!(report.contains(&format!("steer_races_turn_end.toml:{line}:")), "{report}");
        let offer = offers.map(|word| format!("did you mean `{word}`?"));
        assert_eq!(report.contains("did you mean"), offer.is_some(), "{report}");
        assert!(report.contains(&offer.unwrap_or_default()), "{report}");
    }
}

#[test]
fn wrong_keys_types_and_choices() {
    let top = |line: &str| format!("{line}\n{SMALL}");
    check(vec![
        row(top("promse = 1"), 1, "promse", "unknown key `promse` in the file", Some("promise")),
        row(top("window = 1"), 1, "1", "`window` must be text, not a whole number", None),
        row(
            with_commands("[session]\nmoode = 'plan'", "{ id = 'a', steer = 'x' }"),
            4,
            "moode",
            "unknown key `moode` in [session]",
            Some("mode"),
        ),
        row(
            with_commands("[session]\nmode = 'plann'", "{ id = 'a', steer = 'x' }"),
            4,
            "plann",
            "unknown mode `plann`",
            Some("plan"),
        ),
        row(
            with_commands("[model]\nrequests = [[{ finl = 'x' , blank = true }]]", ""),
            4,
            "finl",
            "unknown key `finl` in a model item",
            Some("final"),
        ),
        row(
            with_commands("[model]\nrequests = [[{ blank = false }]]", ""),
            4,
            "false",
            "`blank` must be true, not false",
            None,
        ),
    ]);
}

#[test]
fn wrong_values() {
    check(vec![
        row(
            command("{ id = 'a', steer = 3 }"),
            6,
            "3",
            "`steer` must be text, not a whole number",
            None,
        ),
        row(
            command("{ id = 'a', inject = 'x', form = 'if_runing' }"),
            6,
            "if_runing",
            "unknown form `if_runing`",
            Some("if_running"),
        ),
        row(command("{ id = 'a', wait = 'mail' }"), 6, "mail", "unknown wait `mail`", None),
        row(
            command("{ id = 'a', compact = 'yes' }"),
            6,
            "'yes'",
            "`compact` must be true, not text",
            None,
        ),
        row(
            with_commands("bound = { deviations = -1 }", "{ id = 'a', steer = 'x' }"),
            3,
            "-1",
            "`deviations` must be a whole number from 0 to 4294967295, not one out of range",
            None,
        ),
        row("schema = 2\n".to_owned() + &SMALL[11..], 1, "2", SCHEMA_2, None),
        row(
            "schema = '1'\n".to_owned() + &SMALL[11..],
            1,
            "'1'",
            "`schema` must be the whole number 1, not text",
            None,
        ),
    ]);
}

const SCHEMA_2: &str = "this is schema 2, and only schema 1 can be read";

#[test]
fn missing_and_contradictory_parts() {
    check(vec![
        row(
            "schema = 1\npromise = 'p'\n",
            1,
            "",
            "nobody acts: a scenario needs at least one [[actor]]",
            None,
        ),
        row(&SMALL[11..], 1, "", "`schema` is missing in the file", None),
        row(
            "schema = 1\npromise = 'p'\n[actor]\nname = 'user'\n",
            3,
            "[actor]",
            "`actor` must be a list: write [[actor]], not a table",
            None,
        ),
        row(command("{ steer = 'x' }"), 6, "{ steer = 'x' }", "`id` is missing in a command", None),
        row(command("{ id = 'a' }"), 6, "{ id = 'a' }", "a command without a verb", None),
        row(
            command("{ id = 'a', steer = 'x', mail = 'y' }"),
            6,
            "mail",
            "a command with several verbs: steer, mail",
            None,
        ),
    ]);
}

#[test]
fn parts_that_do_not_go_together() {
    check(vec![
        row(
            command("{ id = 'a', mail = 'x', expected = 'turn of a' }"),
            6,
            "expected",
            "`expected` only goes with steer",
            None,
        ),
        row(
            with_commands("[model]\nrequests = [[{ final = 'x', asks = 'approval' }]]", ""),
            4,
            "asks",
            "`asks` only goes with tool",
            None,
        ),
        row(
            with_commands("[expect.codex.seed]\nparked = ['user']", ""),
            3,
            "seed",
            "`holds` is missing in an expectation",
            None,
        ),
        row(
            with_commands(
                "[expect.codex.seed]\nholds = ['no_input_is_lost']\n\
                 violates = ['no_input_is_lost']",
                "",
            ),
            3,
            "seed",
            "`no_input_is_lost` cannot both hold and be violated",
            None,
        ),
        row(
            with_commands(
                "[[session]]\nname = 'a'\nslot = 'running'\n\
                 [[session]]\nname = 'b'\nslot = 'reserved'",
                "",
            ),
            8,
            "'reserved'",
            "only one session may preset its slot, or `slot` names several turns",
            None,
        ),
        row(
            "schema = 1\npromise = \n",
            2,
            "",
            "not TOML: string values must be quoted, expected literal string",
            None,
        ),
    ]);
}

#[test]
fn unknown_names() {
    check(vec![
        row(with_commands("parked = ['usr']", ""), 3, "usr", "unknown actor `usr`", Some("user")),
        row(
            command("{ id = 'prompt', steer = 'x', expected = 'turn of promt' }"),
            6,
            "promt",
            "unknown id `promt`",
            Some("prompt"),
        ),
        row(
            command("{ id = 'prompt', steer = 'x', when = 'prompt caled' }"),
            6,
            "caled",
            "unknown event `caled`",
            Some("called"),
        ),
        row(
            with_commands("[reach]\nsometimes = ['a ended']", "{ id = 'a', steer = 'x' }"),
            4,
            "ended",
            "unknown condition `ended`",
            Some("ends"),
        ),
    ]);
}

#[test]
fn unknown_names_of_the_program() {
    check(vec![
        row(
            with_commands("[expect.codx.seed]\nholds = 'all'", ""),
            3,
            "codx",
            "unknown design `codx`",
            Some("codex"),
        ),
        row(
            with_commands("[expect.codex.hardend]\nholds = 'all'", ""),
            3,
            "hardend",
            "unknown policy `hardend`",
            Some("hardened"),
        ),
        row(
            with_commands("[expect.codex.'seed+forget_leftover']\nholds = 'all'", ""),
            3,
            "'seed+forget_leftover'",
            "unknown fault `forget_leftover`",
            Some("forget_leftovers"),
        ),
        row(
            with_commands("[expect.codex.seed]\nviolates = ['accepted_is_smapled']", ""),
            4,
            "accepted_is_smapled",
            "unknown property `accepted_is_smapled`",
            Some("accepted_is_sampled"),
        ),
        row(
            with_commands("[expect.codex.seed]\nholds = 'al'", ""),
            4,
            "al",
            "unknown holds `al`",
            Some("all"),
        ),
        row(
            command("{ id = 'a', mail = 'x', to = 'mian' }"),
            6,
            "mian",
            "unknown session `mian`",
            Some("main"),
        ),
        row(
            with_commands(
                "[session]\nhooks = [{ input = 'aa', verdict = 'block' }]",
                "{ id = 'a', steer = '' }",
            ),
            4,
            "aa",
            "unknown id `aa`",
            Some("a"),
        ),
    ]);
}

#[test]
fn names_that_are_taken_or_cannot_be() {
    check(vec![
        row(
            command("{ id = 'a', steer = 'x' }, { id = 'a', steer = 'y' }"),
            6,
            "'a'",
            "the id `a` is there twice",
            None,
        ),
        row(
            SMALL.to_owned() + "[[actor]]\nname = 'user'\ndoes = []\n",
            7,
            "'user'",
            "the actor `user` is there twice",
            None,
        ),
        row(
            command("{ id = 'slot', steer = 'x' }"),
            6,
            "'slot'",
            "`slot` cannot name an id: the word has a meaning in events",
            None,
        ),
        row(
            command("{ id = 'a b', steer = 'x' }"),
            6,
            "'a b'",
            "`a b` cannot name an id: only letters, digits, `_` and `-`",
            None,
        ),
        row(
            command("{ id = '1st', steer = 'x' }"),
            6,
            "'1st'",
            "`1st` cannot name an id: it must begin with a letter",
            None,
        ),
    ]);
    let twice = parse(&command("{ id = 'a', steer = 'x' },\n{ id = 'a', steer = 'y' }"));
    assert!(twice.unwrap_err().to_string().contains("first on line 6"));
}
