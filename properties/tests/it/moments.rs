//! The events of commands that bring no input, and of turns that ask, wait, compact or rest.

use std::collections::BTreeMap;

use midturn_protocol::{Event, InputId, Reason, Reply, ToolWake, TurnId, WaiterEvent, WaiterTable};

use crate::documents::{parse, with_condition};

const PROMPT: InputId = InputId(1);
const YAML: InputId = InputId(2);

fn holds(condition: &str, event: &Event) -> bool {
    let scenario = parse(&with_condition("idle", condition)).unwrap_or_else(|e| panic!("{e}"));
    scenario.reach[0].value.holds(&[(0, event)], &BTreeMap::new())
}

fn waiter(what: WaiterEvent) -> Event {
    let (turn, table) = (TurnId::of(PROMPT), WaiterTable::Elicitation);
    Event::Waiter { turn, table, key: "shell".into(), what }
}

#[test]
fn each_holds_of_its_event_and_of_no_other() {
    let turn = TurnId::of(PROMPT);
    let told = |reply| Event::Returned { command: YAML, reply };
    let refused = |reason| Event::Refused { input: YAML, reason };
    let rows = [
        ("yaml applied", Event::SettingsApplied { command: YAML, version: 1, turn: None }),
        ("yaml dropped_answer", Event::AnswerDropped { command: YAML }),
        ("yaml began", told(Reply::Began(turn))),
        ("yaml answered", told(Reply::Answered { found: true })),
        ("turn of prompt compacted", Event::Compacted { turn }),
        ("turn of prompt task_done", Event::TaskDone { turn }),
        ("turn of prompt suspended", Event::TurnSuspended { turn }),
        ("turn of prompt asks", waiter(WaiterEvent::Opened)),
        ("turn of prompt stops_waiting", Event::ToolWoken { turn, how: ToolWake::TimedOut }),
        ("yaml refused server_draining", refused(Reason::ServerDraining)),
        ("yaml refused output_schema_mismatch", refused(Reason::ActiveTurnOutputSchemaMismatch)),
    ];
    for (condition, _) in &rows {
        for (other, event) in &rows {
            assert_eq!(holds(condition, event), condition == other, "{condition} of {other}");
        }
    }
    for (condition, event) in &rows {
        let elsewhere = condition.replace("yaml", "look").replace("prompt", "yaml");
        assert!(!holds(&elsewhere, event), "{elsewhere}");
    }
}

#[test]
fn only_some_answers_and_waiters_count() {
    let told = |reply| Event::Returned { command: YAML, reply };
    assert!(!holds("yaml answered", &told(Reply::Answered { found: false })));
    assert!(!holds("yaml began", &told(Reply::Refused(Reason::InvalidRequest))));
    assert!(holds("yaml returned", &told(Reply::Began(TurnId::of(YAML)))));
    for what in [WaiterEvent::Answered, WaiterEvent::Closed] {
        assert!(!holds("turn of prompt asks", &waiter(what)));
    }
}
