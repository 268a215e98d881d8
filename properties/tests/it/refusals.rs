//! Mistakes in what travels with a command, in settings, answers and hooks: each at its place.

use crate::documents::{command, parse, with_commands};
use crate::mistakes::{check, row};

fn session(keys: &str) -> String {
    with_commands(&format!("[session]\n{keys}"), "")
}

#[test]
fn keys_of_a_submission_and_their_verbs() {
    check(vec![
        row(
            command("{ id = 'a', mail = 'x', overrides = { effort = 'low' } }"),
            6,
            "overrides",
            "`overrides` only goes with some verbs, and this is none of them",
            None,
        ),
        row(
            command("{ id = 'a', interrupt = true, client_id = 'x' }"),
            6,
            "client_id",
            "`client_id` only goes with some verbs, and this is none of them",
            None,
        ),
        row(
            command("{ id = 'a', steer = 'x', overides = {} }"),
            6,
            "overides",
            "unknown key `overides` in a command",
            Some("overrides"),
        ),
        row(
            command("{ id = 'a', start_if_idle = 'x', settings_refused = true }"),
            6,
            "settings_refused",
            "unknown key `settings_refused` in a command",
            Some("settings"),
        ),
        row(
            command("{ id = 'a', steer = 'x', start = { triger = 'x' } }"),
            6,
            "triger",
            "unknown key `triger` in start options",
            Some("trigger"),
        ),
        row(
            command("{ id = 'a', steer = 'x', start = { schema = [1, inf] } }"),
            6,
            "inf",
            "`schema` must be a finite number, not a fraction",
            None,
        ),
        row(
            command("{ id = 'a', steer = 'x', context = { 'c w d' = '/' } }"),
            6,
            "'c w d'",
            "`c w d` cannot name a context: only letters, digits, `_` and `-`",
            None,
        ),
        row(
            command(
                "{ id = 'yaml', steer = 'x', context = { cwd = '/' }, when = 'yaml.cdw drained' }",
            ),
            6,
            "yaml.cdw",
            "unknown id `yaml.cdw`",
            Some("yaml.cwd"),
        ),
    ]);
}

#[test]
fn the_verbs_of_a_key_are_listed_if_they_are_many() {
    let report = parse(&command("{ id = 'a', mail = 'x', context = {} }")).unwrap_err().to_string();
    let verbs = "valid: start_or_steer start_if_idle continue_if_idle steer tool_output";
    assert!(report.contains(verbs), "{report}");
    assert!(report.lines().all(|line| line.chars().count() <= 100), "{report}");
}

#[test]
fn settings_and_what_they_must_not_be() {
    check(vec![
        row(
            command("{ id = 'a', steer = 'x', overrides = { mode = 'plann' } }"),
            6,
            "plann",
            "unknown mode `plann`",
            Some("plan"),
        ),
        row(
            command("{ id = 'a', settings = { effort = 1.5 } }"),
            6,
            "1.5",
            "`effort` must be text, a whole number, true or false, not a fraction",
            None,
        ),
        row(
            command("{ id = 'a', forbid = {} }"),
            6,
            "{}",
            "`forbid` must be a table with one setting, not an empty one",
            None,
        ),
        row(
            command("{ id = 'a', forbid = { x = 1, y = 2 } }"),
            6,
            "{ x = 1, y = 2 }",
            "`forbid` must be a table with one setting, not one with several",
            None,
        ),
        row(
            session("settings = { mode = 'plan' }"),
            4,
            "mode",
            "`mode` cannot stand here: it is a key of the session itself",
            None,
        ),
        row(
            session("mailbox = [{ id = 'report', trigger = true, text = 'done' }]"),
            4,
            "trigger",
            "`trigger` cannot stand here: whoever brought it to an idle session has started its \
             turn; let an actor send it, or set another slot",
            None,
        ),
        row(
            session("forbid = { mode = 'plan' }"),
            4,
            "mode",
            "`mode` cannot stand here: no mode can be forbidden",
            None,
        ),
        row(
            session("context_ful = true"),
            4,
            "context_ful",
            "unknown key `context_ful` in [session]",
            Some("context_full"),
        ),
    ]);
}

#[test]
fn answers_for_which_nobody_can_be_found() {
    let asks = "[model]\nrequests = [[{ tool = 'shell', asks = 'approval' }]]";
    check(vec![
        row(
            command("{ id = 'a', answer = 'x' }"),
            6,
            "answer",
            "no tool of the session asks in the table `approval`: say with `to` who is answered",
            None,
        ),
        row(
            with_commands(asks, "{ id = 'a', abort = true, table = 'permissions' }"),
            7,
            "table",
            "no tool of the session asks in the table `permissions`: say with `to` who is answered",
            None,
        ),
        row(
            with_commands(asks, "{ id = 'a', answer = 'x', table = 'aproval' }"),
            7,
            "aproval",
            "unknown table `aproval`",
            Some("approval"),
        ),
        row(
            with_commands(asks, "{ id = 'a', abort = false }"),
            7,
            "false",
            "`abort` must be true, not false",
            None,
        ),
        row(
            with_commands(asks, "{ id = 'a', suspend = 'x' }"),
            7,
            "'x'",
            "`suspend` must be true, not text",
            None,
        ),
    ]);
}

#[test]
fn hooks() {
    check(vec![
        row(
            session("stop_hooks = [{ go_no = 'x', pass = true }]"),
            4,
            "go_no",
            "unknown key `go_no` in a stop hook",
            Some("go_on"),
        ),
        row(
            session("stop_hooks = [{ stop = true, pass = true }]"),
            4,
            "pass",
            "a stop hook with several verbs: stop, pass",
            None,
        ),
        row(session("start_hooks = [{}]"), 4, "{}", "a start hook without a verb", None),
        row(
            session("start_hooks = [{ pass = false }]"),
            4,
            "false",
            "`pass` must be true, not false",
            None,
        ),
        row(
            session(
                "mailbox = [{ id = 'm', text = '' }]\n\
                     hooks = [{ input = 'm', verdict = 'block', contxt = 'x' }]",
            ),
            5,
            "contxt",
            "unknown key `contxt` in a hook",
            Some("context"),
        ),
    ]);
}
