//! Several sessions: what is said of which, and what none of them may say.

use std::collections::BTreeMap;

use midturn_properties::scenario::{Condition, Matcher, Scenario};
use midturn_protocol::{Event, InputId, ModelItem, Preset, Purpose, RequestEnd, SlotShape, TurnId};

use crate::documents::{parse, with_commands};
use crate::mistakes::{check, row};

/// Two sessions, of which the second is preset as running, and one condition.
fn two(condition: &str) -> Scenario {
    let text = with_commands(
        &format!(
            "[[session]]\nname = 'main'\n[[session]]\nname = 'side'\nslot = 'running'\n\
             [reach]\nsometimes = ['{condition}']"
        ),
        "{ id = 'prompt', start_or_steer = 'a' }, { id = 'note', mail = 'b', to = 'side' }",
    );
    parse(&text).unwrap_or_else(|errors| panic!("{errors}"))
}

const PROMPT: InputId = InputId(1);

fn began(request: u32) -> Event {
    let turn = TurnId::of(PROMPT);
    Event::RequestBegan { turn, request, purpose: Purpose::Turn, settings: 0, new: vec![PROMPT] }
}

#[test]
fn an_event_that_names_nobody_is_one_of_the_first_session() {
    let turn = TurnId::of(PROMPT);
    let how = RequestEnd::Completed { follow_up: false };
    let item = |item| Event::ModelItem { turn, item };
    let slot = |from, to| Event::Slot { from, to, turn: None };
    let rows = [
        ("request 1 began", began(1), false),
        ("answer shown", item(ModelItem::Final("x".into())), false),
        ("tool called", item(ModelItem::tool("x")), false),
        ("slot finishing", slot(SlotShape::Running, SlotShape::Finishing), false),
        ("prompt sampled in turn of prompt", began(1), true),
        ("turn of prompt looked", Event::Looked { turn, found: true }, true),
        ("prompt called", Event::Called { command: PROMPT }, true),
    ];
    for (condition, event, anywhere) in rows {
        let condition = two(condition).reach.remove(0);
        let holds = |session| condition.value.holds(&[(session, &event)], &BTreeMap::new());
        assert!(holds(0), "{}", condition.text);
        assert_eq!(holds(1), anywhere, "{}", condition.text);
    }
    let Condition::Happens(second) = two("request 1 ended").reach[0].value else { panic!() };
    let mut matcher = Matcher::new(second);
    let ended = Event::RequestEnded { turn, request: 1, how };
    let fed = [(1, began(1)), (1, ended.clone()), (0, began(1)), (1, ended.clone()), (0, ended)];
    let fed = fed.map(|(session, event)| matcher.feed(session, &event));
    assert_eq!(fed, [false, false, false, false, true]);
}

#[test]
fn a_state_is_that_of_the_first_session() {
    let scenario = two("prompt called while slot idle");
    assert_eq!(scenario.sessions[1].slot, Preset::Running);
    let condition = scenario.reach[0].value;
    let called = Event::Called { command: PROMPT };
    let slot = |from, to| Event::Slot { from, to, turn: None };
    let reserved = slot(SlotShape::Idle, SlotShape::Reserved);
    let holds = |events: &[(usize, &Event)]| condition.holds(events, &BTreeMap::new());
    assert!(holds(&[(0, &called)]), "the preset is another session's");
    assert!(holds(&[(1, &reserved), (0, &called)]));
    assert!(!holds(&[(0, &reserved), (0, &called)]));
}

#[test]
fn mail_is_asked_of_the_session_that_gets_it() {
    let scenario = two("note called");
    let sessions: Vec<_> = scenario.actors[0].does.iter().map(|command| command.session).collect();
    assert_eq!(sessions, [0, 1]);
    assert_eq!(scenario.actors[0].session, 0);
}

#[test]
fn a_session_without_a_script_is_shown_where_it_stands() {
    let report = two("note called").uncovered_request(1, TurnId::of(PROMPT), 1).to_string();
    let says =
        "nothing covers request 1 of session side, asked by the turn of prompt: requests has 0";
    assert!(report.contains(says) && report.contains(".toml:5:1"), "{report}");
}

#[test]
fn sessions_may_stand_in_any_order() {
    let text = with_commands(
        "[[session]]\nname = 'child'\nparent = 'root'\nreports = ['r']\n[[session]]\n\
         name = 'root'\nrequests = [[{ tool = 't', sends = { id = 'm', to = 'child', text = '' } }]]",
        "{ id = 'a', steer = 'x', when = 'r accepted' }",
    );
    let scenario = parse(&text).unwrap();
    assert_eq!(scenario.sessions[0].parent, Some(1));
    assert_eq!(scenario.sessions[1].model.requests.len(), 1);
    assert_eq!(scenario.names.find("m"), Some(InputId(2)));
}

fn sessions(keys: &str) -> String {
    let tables = format!("[[session]]\nname = 'main'\n[[session]]\nname = 'side'\n{keys}");
    with_commands(&tables, "")
}

fn item(item: &str) -> String {
    let sessions = "[[session]]\nname = 'main'\n[[session]]\nname = 'side'";
    with_commands(&format!("{sessions}\n[model]\nrequests = [[{item}]]"), "")
}

#[test]
fn sessions_that_belong_together() {
    check(vec![
        row(sessions("parent = 'mian'"), 7, "mian", "unknown session `mian`", Some("main")),
        row(
            sessions("parent = 'side'"),
            7,
            "side",
            "`parent` cannot stand here: it must name another session",
            None,
        ),
        row(
            sessions("time = 'patient'"),
            7,
            "time",
            "`time` cannot stand here: time is the same for all sessions, and is said in the first \
             one",
            None,
        ),
        row(sessions("reports = ['r']"), 7, "reports", "`reports` needs `parent`", None),
        row(
            sessions("parent = 'main'\nreports = ['r', 'r']"),
            8,
            "'r'",
            "the id `r` is there twice",
            None,
        ),
        row(
            with_commands("[session]\nrequests = [[]]", ""),
            4,
            "requests",
            "`requests` cannot stand here: the first session has its script in [model]",
            None,
        ),
        row(
            sessions("requests = [[{ final = 'x', fulll = true }]]"),
            7,
            "fulll",
            "unknown key `fulll` in a model item",
            Some("full"),
        ),
    ]);
}

#[test]
fn tools() {
    check(vec![
        row(
            item("{ tool = 'x', waits = true, sleeps = true }"),
            8,
            "sleeps",
            "`waits` and `sleeps` exclude each other",
            None,
        ),
        row(
            item("{ tool = 'x', output = 'y', waits = true }"),
            8,
            "waits",
            "`output` and `waits` exclude each other",
            None,
        ),
        row(
            item("{ final = 'x', sends = { id = 'm', to = 'side', text = '' } }"),
            8,
            "sends",
            "`sends` only goes with tool",
            None,
        ),
        row(
            item("{ tool = 'x', sends = { id = 'm', to = 'sied', text = '' } }"),
            8,
            "sied",
            "unknown session `sied`",
            Some("side"),
        ),
        row(
            item("{ tool = 'x', sends = { id = 'm', to = 'main', text = '' } }"),
            8,
            "main",
            "`to` cannot stand here: it must name another session",
            None,
        ),
        row(
            item("{ tool = 'x', sends = { id = 'm', text = '' } }"),
            8,
            "{ id = 'm', text = '' }",
            "`to` is missing in a mail that a tool sends",
            None,
        ),
        row(
            item("{ tool = 'x', sends = { id = 'tool', to = 'side', text = '' } }"),
            8,
            "'tool'",
            "`tool` cannot name an id: the word has a meaning in events",
            None,
        ),
        row(item("{ full = 'x' }"), 8, "'x'", "`full` must be true, not text", None),
    ]);
}
