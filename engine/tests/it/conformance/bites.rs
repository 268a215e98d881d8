//! What the rows would notice.
//!
//! Promises: whatever a row expects, something a little different is not what happens; and
//! whatever a row does, it would fail without. So no expectation is made where nothing is looked
//! at, and no step is there for show.

use midturn_engine::codex::{Fault, Faults, Policy};

use crate::conformance::row::{Act, Body, Case, Expected, What};
use crate::conformance::{Failure, POLICIES, cases, for_each_case, name, play, read, rows};

/// Expectations that differ from this one in a little.
fn changed(expected: &Expected) -> Vec<Expected> {
    let mut changed = Vec::new();
    match expected {
        Expected::Text(text) => changed.push(Expected::Text(format!("{text} else"))),
        Expected::Lines(lines) => {
            changed.extend((0..lines.len()).map(|at| Expected::Lines(without(lines, at))));
            changed.push(Expected::Lines([lines.as_slice(), &["else".to_owned()]].concat()));
            changed.extend(swapped(lines).map(Expected::Lines));
        }
        Expected::Order(events) => {
            let backwards: Vec<String> = events.iter().rev().cloned().collect();
            if backwards != *events {
                changed.push(Expected::Order(backwards));
            }
            changed.extend((0..events.len()).map(|at| {
                let mut events = events.clone();
                events[at].push_str(" else");
                Expected::Order(events)
            }));
        }
        Expected::Counts(counts) => {
            for (what, count) in counts {
                let mut more = counts.clone();
                more.insert(what.clone(), count + 1);
                changed.push(Expected::Counts(more));
            }
        }
        Expected::Table(table) => {
            let mut more = table.clone();
            more.insert("else".to_owned(), "else".to_owned());
            changed.push(Expected::Table(more));
            for key in table.keys() {
                let mut less = table.clone();
                less.remove(key);
                changed.push(Expected::Table(less));
                let mut other = table.clone();
                other.insert(key.clone(), "else".to_owned());
                changed.push(Expected::Table(other));
            }
        }
    }
    changed
}

fn without(lines: &[String], at: usize) -> Vec<String> {
    let mut lines = lines.to_vec();
    lines.remove(at);
    lines
}

fn swapped(lines: &[String]) -> impl Iterator<Item = Vec<String>> {
    (1..lines.len()).filter(|&at| lines[at - 1] != lines[at]).map(|at| {
        let mut lines = lines.to_vec();
        lines.swap(at - 1, at);
        lines
    })
}

/// Every expectation of `case` changed in every way, with its place.
fn changes(case: &Case) -> Vec<(usize, usize, Case)> {
    let mut changes = Vec::new();
    for (step, what) in case.steps.iter().enumerate() {
        for (check, made) in what.checks.iter().enumerate() {
            for expected in changed(&made.expected) {
                let mut case = case.clone();
                case.steps[step].checks[check].expected = expected;
                changes.push((step, check, case));
            }
        }
    }
    changes
}

#[test]
fn every_expectation_bites() {
    let mut unnoticed = Vec::new();
    let mut count = 0;
    for_each_case(|row, case, policy| {
        for (step, check, changed) in changes(case) {
            count += 1;
            let noticed = |failure: &Failure| (failure.step, failure.check) == (step, Some(check));
            if !play(&changed, policy).is_err_and(|failure| noticed(&failure)) {
                let expected = &changed.steps[step].checks[check].expected;
                let name = name(row, case, policy);
                unnoticed.push(format!("{name}: step {}: {expected:?}", step + 1));
            }
        }
    });
    assert!(unnoticed.is_empty(), "{}", unnoticed.join("\n"));
    assert!(count > 1000, "only {count} changes");
}

/// Replies that say that nothing came of a call. Such a call is there for its reply.
const FRUITLESS: [&str; 5] = ["not_submitted", "refused", "woken", "answered", "none"];

/// `case` without what this step does; `None` if it does nothing, or nothing comes of it.
fn without_act(case: &Case, at: usize) -> Option<Case> {
    let mut case = case.clone();
    let step = &mut case.steps[at];
    let act = step.act.take()?;
    let Act::Call(command) = act else { return Some(case) };
    let own = What::Reply(command.id());
    let own_reply = step.checks.iter().position(|check| check.what == own)?;
    let Expected::Text(reply) = step.checks.remove(own_reply).expected else { return None };
    let fruitless = FRUITLESS.iter().any(|word| reply.starts_with(word));
    (!fruitless).then_some(case)
}

#[test]
fn every_step_is_needed() {
    let mut idle = Vec::new();
    for_each_case(|row, case, policy| {
        for at in 0..case.steps.len() {
            if without_act(case, at).is_some_and(|shorter| play(&shorter, policy).is_ok()) {
                let name = name(row, case, policy);
                idle.push(format!("{name}: step {} ({})", at + 1, case.steps[at].text));
            }
        }
    });
    assert!(idle.is_empty(), "would agree without:\n{}", idle.join("\n"));
}

#[test]
fn a_row_that_expects_nothing_is_a_mistake() {
    let row = |steps: &str| {
        let head = "[[row]]\nnumber = 1\nwords = \"Nothing.\"\npolicy = \"all\"\n";
        read::read(&format!("{head}steps = [{steps}]\n")).err()
    };
    let nothing = Some("row 1: nothing is expected".to_owned());
    assert_eq!(row(""), nothing);
    assert_eq!(
        row("{ mail = \"m\" }, { change = \"edit\", settings = { effort = \"high\" } }"),
        nothing
    );
    assert_eq!(row("{ mail = \"m\", mailbox = [\"m\"] }"), None);
    for (steps, mistake) in [
        ("{ mail = \"m\", mailbx = [] }", "step 1: `mailbx` is not known here"),
        ("{ mail = \"m\", steer = \"s\" }", "step 1: `mail` is a second thing to do"),
        ("{ steer = \"s\" }", "step 1: `reply` is missing"),
        ("{ count = { \"ended x\" = 0 } }", "`ended x`: nothing is called `x`"),
        ("{ count = { \"endet\" = 0 } }", "`endet`: `endet` does not happen"),
        ("{ order = [\"thread_idle\"] }", "an order has two parts at least"),
        ("{ hold = \"z\" }", "step 1: no gate `z`"),
    ] {
        assert_eq!(row(steps), Some(format!("row 1: {mistake}")));
    }
}

#[test]
fn a_failure_names_its_step_and_both_values() {
    let data = r#"
        [[row]]
        number = 1
        words = "Wrong."
        policy = "all"
        steps = [{ mail = "m" }, { steer = "yaml", reply = "steered m" }]
    "#;
    let rows = read::read(data).expect("the row can be read");
    let Body::Played(cases) = &rows[0].body else { panic!("it is played") };
    let failure = play(&cases[0], Policy::hardened()).expect_err("there is nothing to steer");
    let text = format!("{}\n{failure}", name(&rows[0], &cases[0], Policy::hardened()));
    let expected = "row 1 under hardened: Wrong.\nstep 2 (steer yaml): the reply to yaml\n  \
                    expected: steered m\n  was:      not_submitted no_active_turn";
    assert_eq!(text, expected);
}

#[test]
fn no_policy_is_left_out_without_need() {
    let mut holds = Vec::new();
    for row in rows() {
        for case in cases(&row) {
            let left_out = POLICIES.into_iter().filter(|policy| !case.policies.contains(policy));
            let holds_there = left_out.filter(|&policy| play(case, policy).is_ok());
            holds.extend(holds_there.map(|policy| name(&row, case, policy)));
        }
    }
    assert!(holds.is_empty(), "would agree too:\n{}", holds.join("\n"));
}

/// Mistakes of an engine that some row notices; the others need more than one schedule, or
/// something that no row is about.
const NOTICED: [Fault; 18] = [
    Fault::ClearBeforeCancel,
    Fault::DeferDespitePending,
    Fault::MailBeforeInput,
    Fault::RefusedSteerIsQueued,
    Fault::InputIsRecordedTwice,
    Fault::VerdictWaitsForTheLog,
    Fault::RefusedEditIsApplied,
    Fault::WaitersAreForgotten,
    Fault::BlockStrandsTheBatch,
    Fault::ReviewTakesSteers,
    Fault::CutForgetsFollowUp,
    Fault::ExpectedIsIgnored,
    Fault::SteerGoesBeforeTheResume,
    Fault::PlanIsDecidedEarly,
    Fault::EndIsToldFirst,
    Fault::MailIsNotPutBack,
    Fault::FreedSlotIsNotLookedAt,
    Fault::ClearedIsNotTold,
];

fn notices(policy: Policy) -> bool {
    rows()
        .iter()
        .flat_map(cases)
        .any(|case| case.policies.contains(&Policy::hardened()) && play(case, policy).is_err())
}

#[test]
fn planted_mistakes_are_noticed() {
    if Faults::AVAILABLE {
        for fault in NOTICED {
            assert!(notices(Policy::hardened().with(fault)), "{fault:?}");
        }
    }
}
