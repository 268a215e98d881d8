//! The page of the fifteen windows, made from real runs and compared with what is checked in.
//!
//! A window is told by its scenario: the smallest schedule under `codex_0_149` in which the named
//! property breaks. `UPDATE_DOCS=1 cargo test -p midturn-snapshots` writes the page anew.

use std::fmt::Write as _;

use midturn::cli::{self, Exit};

/// Lines of a story at most.
const STORY_LINES: usize = 40;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/fifteen-windows.md");

/// What one window is, and where it shows.
struct Window {
    name: &'static str,
    title: &'static str,
    what: &'static str,
    scenario: &'static str,
    property: &'static str,
}

const WINDOWS: [Window; 15] = [
    Window {
        name: "U1",
        title: "an injection into a turn that is finishing",
        what: "The slot still holds the turn, so the injection is taken; its leftovers have been \
               taken already, so nobody will look again. The caller is told that it was queued.",
        scenario: "injection_races_turn_end",
        property: "no_silent_loss",
    },
    Window {
        name: "U2",
        title: "an injection into a reservation that is then refused",
        what: "A start holds the slot while it is being prepared. What is injected meanwhile goes \
               with the reservation when its settings turn out to be refused.",
        scenario: "injection_during_reservation",
        property: "no_silent_loss",
    },
    Window {
        name: "U3",
        title: "a reservation that is taken away",
        what: "An interrupt empties the slot between the reservation and the start. The start does \
               not look again: it is told `Started`, and its input waits on a turn that is nowhere.",
        scenario: "interrupt_during_reservation",
        property: "no_silent_loss",
    },
    Window {
        name: "U4",
        title: "two starts at once",
        what: "Both find nothing to steer, and both start. The second overwrites the task of the \
               first, which is dropped without an end. (The serial loop of the real program keeps \
               two submissions apart; a turn that completion starts is kept apart by nothing.)",
        scenario: "prompt_races_prompt",
        property: "one_terminal_per_turn",
    },
    Window {
        name: "U5",
        title: "a prompt while the turn before it is finishing",
        what: "A taskless slot cannot be steered, so the prompt starts a turn at once; the client \
               sees it start before the other one has ended.",
        scenario: "prompt_during_turn_end",
        property: "single_active_turn",
    },
    Window {
        name: "U6",
        title: "an interrupt of a turn that is finishing",
        what: "The interrupt finds no task, so it starts nothing; completion finds the slot empty, \
               so it starts nothing either. Trigger mail waits in an idle session.",
        scenario: "interrupt_during_turn_end",
        property: "no_work_stranded_while_idle",
    },
    Window {
        name: "U7",
        title: "a refused start that kept mail from starting",
        what: "Trigger mail arrives while a start holds the slot. The start is refused for its \
               settings, and this exit does not look for mail.",
        scenario: "trigger_mail_during_refused_start",
        property: "no_work_stranded_while_idle",
    },
    Window {
        name: "U8",
        title: "a turn that dies between drain and record",
        what: "What a turn has taken out of the queues is in a local list until it is recorded. An \
               interrupt drops the list.",
        scenario: "interrupt_races_drain",
        property: "no_silent_loss",
    },
    Window {
        name: "U9",
        title: "a task that is done too early to be heard",
        what: "The signal has no memory. A task that ends between the cancel and the wait is waited \
               for all the same, until the 100 ms are over.",
        scenario: "interrupt_races_task_end",
        property: "done_is_heard",
    },
    Window {
        name: "U10",
        title: "an abort that does not wait for the task",
        what: "After the grace the task is dropped at its next await. Until then it may record, \
               behind the marker that says that it was interrupted.",
        scenario: "interrupt_races_steer",
        property: "abort_order",
    },
    Window {
        name: "U11",
        title: "settings that are refused after the input was queued",
        what: "The settings of a steer are previewed before and applied after the section that \
               queues it. If a constraint is tightened in between, the caller is told that nothing \
               happened, and the model reads the input.",
        scenario: "constraint_races_steer",
        property: "verdict_tells_the_truth",
    },
    Window {
        name: "U12",
        title: "a session that starts a turn while it ends",
        what: "The end of a session aborts as an interrupt does, and an interrupt starts what waits.",
        scenario: "shutdown_races_trigger_mail",
        property: "no_turn_after_close",
    },
    Window {
        name: "U13",
        title: "a task that takes another task out of the slot",
        what: "Completion takes whatever task is in the slot, without a look at whose it is. A task \
               that was told to stop just before may find the next turn's there, which then never \
               ends.",
        scenario: "prompt_overtakes_stopped_turn",
        property: "turns_end_themselves",
    },
    Window {
        name: "U14",
        title: "a steer that an interrupt clears",
        what: "Accepted and not yet drained, it is dropped with the pending list, by design. Its \
               sender was told `Steered` and is told nothing more.",
        scenario: "interrupt_after_steer",
        property: "accepted_is_sampled",
    },
    Window {
        name: "U15",
        title: "a turn that ends before its prompt is recorded",
        what: "Some exits before the first request record the initial input, some do not. A start \
               hook that stops the turn is one that does not: the prompt is in no history.",
        scenario: "hook_stop_before_prompt",
        property: "no_silent_loss",
    },
];

fn check(scenario: &str) -> serde_json::Value {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let arguments = ["midturn", "check", scenario, "--policy", "codex_0_149", "--format", "json"];
    let exit = cli::run(arguments.map(Into::into), &mut out, &mut err);
    assert!(err.is_empty(), "{}", String::from_utf8_lossy(&err));
    assert_eq!(exit, Exit::Violated, "{scenario} holds under codex_0_149");
    serde_json::from_slice(&out).expect("the JSON of a check")
}

fn section(window: &Window) -> String {
    let Window { name, title, what, scenario, property } = window;
    let found = check(scenario);
    let violations = found["scenarios"][0]["violations"].as_array().expect("violations");
    let violation = violations.iter().find(|violation| violation["property"] == *property);
    let violation = violation.unwrap_or_else(|| panic!("{name}: {property} holds in {scenario}"));
    let story: Vec<&str> = violation["story"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|line| line.as_str())
        .collect();
    assert!((3..=STORY_LINES).contains(&story.len()), "{name}: {} lines", story.len());
    let mut text = format!("## {name}: {title}\n\n{what}\n\n```text\n");
    for line in story {
        let _ = writeln!(text, "{line}");
    }
    let (told, token) = (&violation["what"], &violation["token"]);
    let (told, token) = (told.as_str().unwrap_or(""), token.as_str().unwrap_or(""));
    let _ = write!(
        text,
        "violated: {property}\n  {told}\n```\n\nScenario `{scenario}`; see it again with \
         `midturn replay {token}`.\n"
    );
    text
}

fn page() -> String {
    let mut page =
        "# Fifteen windows of a real queue\n\nMade from real runs; do not edit. Each is \
                    the smallest schedule that was found under `codex_0_149` in which the named \
                    property breaks. Locks are granted in any order here; what closes each window \
                    in `hardened` stands in the [ledger](ledger.md).\n"
            .to_owned();
    for window in &WINDOWS {
        let _ = write!(page, "\n{}", section(window));
    }
    page
}

#[test]
fn the_page_of_the_windows_is_what_runs_show() {
    let made = page();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, &made).expect("the page can be written");
    }
    let stands = std::fs::read_to_string(PAGE).unwrap_or_default();
    for (nth, (made, stands)) in made.lines().zip(stands.lines()).enumerate() {
        assert_eq!(made, stands, "docs/fifteen-windows.md:{}", nth + 1);
    }
    assert_eq!(made.lines().count(), stands.lines().count(), "docs/fifteen-windows.md");
}
