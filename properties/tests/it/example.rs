//! What a good file means.

use midturn_properties::scenario::{
    Assumption, EventPattern, Feature, Front, Holds, Relation, Scenario, ScriptKind,
};
use midturn_protocol::{
    Answer, Command, Decision, Forbidden, Injection, InputId, InputKind, Mail, Mode, ModelItem,
    Preset, SessionMode, SettingsChange, SettingsEdit, SpecialTask, StopVerdict, Submission,
    ToolWork, TurnId, WaiterTable,
};

use crate::documents::{EXAMPLE, FULL, SMALL, command, parse, with_commands};

/// What the command with this name asks.
fn call(scenario: &Scenario, id: &str) -> Command {
    let id = scenario.names.find(id).unwrap();
    let mut all = scenario.actors.iter().flat_map(|actor| &actor.does);
    let call = all.find(|command| command.id == id).unwrap().call.clone();
    assert_eq!(call.id(), id);
    call
}

fn submission(scenario: &Scenario, id: &str) -> Submission {
    match call(scenario, id) {
        Command::Submit(submission) => submission,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_example_of_the_design_is_read_whole() {
    let scenario = parse(EXAMPLE).unwrap();
    let names = &scenario.names;
    assert_eq!(scenario.name, "steer_races_turn_end");
    assert_eq!((scenario.race.act.as_str(), scenario.race.other.as_str()), ("steer", "turn_end"));
    let order: Vec<_> = names.inputs().map(|id| names.input(id)).collect();
    assert_eq!(order, ["report", "prompt", "yaml", "stop"]);
    assert_eq!(names.find("yaml"), Some(InputId(3)));
    assert_eq!(names.find("slot"), None, "nothing is preset");
    assert_eq!(scenario.sessions.len(), 1);
    assert_eq!(scenario.sessions[0].mailbox[0].mail.id, InputId(1));
    assert_eq!(scenario.sessions[0].model.requests.len(), 3);
    let yaml = submission(&scenario, "yaml");
    assert_eq!(yaml.mode, Mode::Steer { expected: Some(TurnId::of(InputId(2))) });
    assert_eq!((yaml.input.kind, &*yaml.input.text), (InputKind::User, "use YAML"));
    assert_eq!(yaml, Submission::new(yaml.mode, yaml.input.clone()), "and nothing else");
    let when = scenario.actors[0].does[1].when.as_ref().unwrap();
    assert_eq!(when.text, "turn of prompt started");
    assert!(scenario.actors[1].does[0].drop);
    assert_eq!(scenario.reach.len(), 4);
    let expected: Vec<_> =
        scenario.expectations.iter().map(|e| (e.policy.as_str(), e.faults.len())).collect();
    assert_eq!(expected, [("hardened", 0), ("codex_0_149", 0), ("hardened", 1)]);
    assert_eq!(scenario.expectations[0].holds, Holds::All);
    assert_eq!(scenario.expectations[1].terms.bound.unwrap().deviations, 2);
    assert_eq!(scenario.expectations[2].faults, ["steer_in_two_sections"]);
    assert_eq!(scenario.needs(), [], "every engine can run it");
}

#[test]
fn every_key_of_a_session_is_read() {
    let scenario = parse(FULL).unwrap();
    let [main, side] = scenario.sessions.as_slice() else { panic!("two sessions") };
    assert_eq!((main.slot, side.slot), (Preset::Review, Preset::Idle));
    assert_eq!((main.front, side.front), (Front::Server, Front::Serial));
    assert_eq!(main.mailbox[0].from, "child");
    assert_eq!(main.mailbox[1].mail.start.root.as_deref(), Some("turn of y"));
    assert_eq!(main.hooks[0].context.as_deref(), Some("no secrets"));
    assert_eq!(main.start_hooks, Some(vec![false, true]));
    let stops = vec![StopVerdict::GoOn("check again".into()), StopVerdict::Stop, StopVerdict::Pass];
    assert_eq!((&main.stop_hooks, &side.stop_hooks), (&Some(stops), &None));
    assert_eq!((main.parent, side.parent), (None, Some(0)));
    let reports: Vec<_> = side.reports.iter().map(|id| scenario.names.input(*id)).collect();
    assert_eq!(reports, ["result", "result_2"]);

    let setup = main.setup();
    assert_eq!(setup.preset, Preset::Review);
    assert_eq!(setup.mailbox.iter().map(|mail| mail.trigger).collect::<Vec<_>>(), [false, true]);
    assert_eq!((setup.settings.version, setup.settings.mode), (0, SessionMode::Plan));
    let values: Vec<_> = setup.settings.values.iter().map(|(k, v)| (&**k, &**v)).collect();
    assert_eq!(values, [("effort", "high"), ("fast", "false"), ("level", "2")]);
    assert_eq!(setup.forbidden, [Forbidden { name: "effort".into(), value: "max".into() }]);
    assert!(setup.context_full && !side.setup().context_full);
    assert!(setup.history.is_empty() && setup.last_started.is_none());
}

#[test]
fn every_item_of_a_model_is_read() {
    let scenario = parse(FULL).unwrap();
    let kinds = |session: usize| -> Vec<ScriptKind> {
        let requests = scenario.sessions[session].model.requests.iter().flatten();
        requests.map(|item| item.kind.clone()).collect()
    };
    let (main, side) = (kinds(0), kinds(1));
    assert_eq!(main[3], ScriptKind::Item(ModelItem::Blank));
    assert_eq!(main[12], ScriptKind::Item(ModelItem::Full));
    let ScriptKind::Hold(hold) = &main[8] else { panic!("{:?}", main[8]) };
    assert!(
        matches!(hold.value, EventPattern::Turn { turn, .. } if turn == TurnId::of(InputId::PRESET))
    );
    let tools = |kinds: &[ScriptKind]| -> Vec<(String, ToolWork, Option<String>, Option<usize>)> {
        let tool = |kind: &ScriptKind| match kind {
            ScriptKind::Tool(tool) => Some((
                tool.call.tool.to_string(),
                tool.call.work,
                tool.output.as_deref().map(str::to_owned),
                tool.sends.as_ref().map(|sent| sent.to),
            )),
            ScriptKind::Item(_) | ScriptKind::Hold(_) => None,
        };
        kinds.iter().filter_map(tool).collect()
    };
    let row = |tool: &str, work, output: Option<&str>, sends| {
        (tool.to_owned(), work, output.map(str::to_owned), sends)
    };
    assert_eq!(
        tools(&main),
        [
            row("shell", ToolWork::Ask(WaiterTable::UserInput), Some("done"), None),
            row("wait", ToolWork::AwaitActivity, None, None),
            row("sleep", ToolWork::SleepUntilMail, None, None),
            row("send", ToolWork::Run, Some("sent"), Some(1)),
        ]
    );
    assert_eq!(
        tools(&side),
        [
            row("ask", ToolWork::Ask(WaiterTable::Approval), None, None),
            row("tell", ToolWork::Run, None, Some(0)),
        ]
    );
    let ScriptKind::Tool(tell) = &side[1] else { panic!("{:?}", side[1]) };
    let news = scenario.names.find("news").unwrap();
    assert_eq!(tell.sends.as_ref().unwrap().mail, Mail::new(news, true, "it works"));
}

#[test]
fn every_key_of_a_submission_is_read() {
    let scenario = parse(FULL).unwrap();
    let prompt = submission(&scenario, "prompt");
    assert_eq!(prompt.mode, Mode::StartOrSteer);
    assert_eq!(prompt.input.client_id.as_deref(), Some("c-1"));
    let context: Vec<_> = prompt
        .context
        .iter()
        .map(|entry| (scenario.names.input(entry.id), &*entry.name, &*entry.text))
        .collect();
    assert_eq!(
        context,
        [("prompt.cwd", "cwd", "/tmp"), ("prompt.fresh", "fresh", "true"), ("prompt.n", "n", "3"),]
    );
    let metadata = prompt.metadata.unwrap();
    let metadata: Vec<_> = metadata.iter().map(|(k, v)| (&**k, &**v)).collect();
    assert_eq!(metadata, [("ui", "tui"), ("v", "1")]);
    let values = [("effort".into(), "low".into())].into();
    assert_eq!(prompt.settings, SettingsEdit { mode: Some(SessionMode::Plan), values });
    let start = prompt.start;
    assert_eq!(start.trigger.as_deref(), Some("button"));
    assert_eq!((start.parent.as_deref(), start.root.as_deref()), (Some("p"), Some("r")));
    assert_eq!(start.program.as_deref(), Some("q"));
    let schema = start.schema.unwrap().0;
    let same = r#"{ "required": ["x", 1, 2.5, true, "2026-01-01"], "type": "object" }"#;
    assert_eq!(schema, serde_json::from_str::<serde_json::Value>(same).unwrap());

    let of_prompt = TurnId::of(scenario.names.find("prompt").unwrap());
    let auto = submission(&scenario, "auto");
    assert_eq!((auto.mode, auto.input.kind), (Mode::StartIfIdle, InputKind::Response));
    let again = submission(&scenario, "again");
    let expected_previous = Some(of_prompt.next());
    assert_eq!(again.mode, Mode::ContinueIfIdle { expected_previous });
    assert_eq!(again.input.kind, InputKind::Response);
    let redo = submission(&scenario, "redo");
    assert_eq!(redo.mode, Mode::Recover { turn: of_prompt.next().next() });
    assert!(redo.input.is_empty());
    let late = submission(&scenario, "late");
    assert_eq!((late.mode, late.input.kind), (Mode::StartOrSteer, InputKind::ToolOutput));
}

#[test]
fn every_other_verb_is_read() {
    let scenario = parse(FULL).unwrap();
    let id = |name: &str| scenario.names.find(name).unwrap();
    let call = |name: &str| call(&scenario, name);
    let all = || scenario.actors.iter().flat_map(|actor| &actor.does);
    let note = all().find(|command| command.id == id("note")).unwrap();
    assert_eq!((note.session, note.from.as_deref()), (1, Some("child")), "to another session");
    assert!(
        matches!(call("note"), Command::Deliver(mail) if mail.trigger && mail.start.program.is_some())
    );
    let Command::Inject { input, form } = call("extra") else { panic!() };
    assert_eq!((input.kind, form), (InputKind::Response, Injection::Client));
    assert_eq!(input.client_id.as_deref(), Some("c-2"));
    let turn = Some(TurnId::of(id("prompt")));
    assert_eq!(call("stop_it"), Command::Interrupt { id: id("stop_it"), turn });
    assert_eq!(call("stop"), Command::Interrupt { id: id("stop"), turn: None });
    let answer = |name: &str, table, key: &str, decision| {
        let answer = Answer { id: id(name), table, key: key.into(), decision };
        assert_eq!(call(name), Command::Answer(answer));
    };
    answer("yes", WaiterTable::UserInput, "shell", Decision::Reply("approved".into()));
    answer("fine", WaiterTable::Approval, "ask", Decision::Reply("yes".into()));
    answer("no", WaiterTable::Permissions, "shell", Decision::Abort);
    let Command::ChangeSettings { change: SettingsChange::Edit(edit), .. } = call("change") else {
        panic!()
    };
    assert_eq!((edit.mode, edit.values.len()), (Some(SessionMode::Default), 3));
    let forbidden = Forbidden { name: "effort".into(), value: "max".into() };
    let change = SettingsChange::Forbid(forbidden);
    assert_eq!(call("never_max"), Command::ChangeSettings { id: id("never_max"), change });
    let task = SpecialTask::Review("the diff".into());
    assert_eq!(call("check"), Command::Begin { id: id("check"), task });
    let task = SpecialTask::Compact;
    assert_eq!(call("squeeze"), Command::Begin { id: id("squeeze"), task });
    assert_eq!(call("close"), Command::Drain { id: id("close") });
    assert_eq!(call("rest"), Command::Suspend { id: id("rest") });
    assert_eq!(call("bye"), Command::ShutDown { id: id("bye") });
    assert_eq!(scenario.actors[2].session, 1);
    assert!(scenario.actors[2].does.iter().all(|command| command.session == 1));
}

#[test]
fn terms_are_merged() {
    let scenario = parse(FULL).unwrap();
    assert_eq!(scenario.terms.relation, Some(Relation::R));
    assert_eq!(scenario.terms.bound.unwrap().deviations, 16);
    let seed = &scenario.expectations[0].terms;
    assert_eq!((seed.parked.as_slice(), seed.relation), ([0, 1].as_slice(), Some(Relation::A)));
    assert_eq!((seed.assume.as_slice(), seed.waive.len()), ([Assumption::FifoLocks].as_slice(), 1));
    let dsh = &scenario.expectations[1].terms;
    assert_eq!((dsh.bound.unwrap().deviations, dsh.relation), (16, Some(Relation::R)));
}

#[test]
fn an_answer_goes_to_the_first_who_asks_in_its_own_session() {
    let text = with_commands(
        "[model]\nrequests = [[{ tool = 'a', asks = 'permissions' }], [{ tool = 'b', asks = 'approval' }],\n\
         [{ tool = 'c', asks = 'approval' }]]",
        "{ id = 'yes', answer = 'y' }, { id = 'no', abort = true, table = 'permissions' }",
    );
    let scenario = parse(&text).unwrap();
    let key = |id: &str| match call(&scenario, id) {
        Command::Answer(answer) => answer.key.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!((key("yes"), key("no")), ("b".to_owned(), "a".to_owned()));
}

#[test]
fn names_are_given_in_an_order_that_people_can_follow() {
    let scenario = parse(FULL).unwrap();
    let names = &scenario.names;
    let order: Vec<_> = names.inputs().map(|id| names.input(id)).take(11).collect();
    let first = ["m0", "m1", "news", "result", "result_2", "task", "prompt"];
    assert_eq!(order[..7], first);
    assert_eq!(order[7..], ["prompt.cwd", "prompt.fresh", "prompt.n", "auto"]);
}

#[test]
fn what_cannot_be_played_is_named_with_its_place() {
    let scenario = parse(FULL).unwrap();
    let needs = scenario.needs();
    let [(Feature::FifoLocks, span)] = needs.as_slice() else { panic!("{needs:?}") };
    assert_eq!(&scenario.source[span.clone()], "fifo_locks");
    let refusal = midturn_properties::driver::refuse_unplayable(&scenario, "codex").unwrap_err();
    let refusal = refusal.to_string();
    assert!(refusal.starts_with("error: design codex does not do `fifo_locks` yet\n"), "{refusal}");
    let played = FULL.replace("\"fifo_locks\"", "");
    let scenario = parse(&played).unwrap();
    assert!(midturn_properties::driver::refuse_unplayable(&scenario, "codex").is_ok());
}

#[test]
fn a_request_that_nothing_covers_names_the_scripts() {
    let scenario = parse(EXAMPLE).unwrap();
    let turn = TurnId::of(InputId(2)).next();
    let report = scenario.uncovered_request(0, turn, 4).to_string();
    let first = "error: nothing covers request 4, asked by the turn after prompt: requests has 3\n";
    assert!(report.starts_with(first), "{report}");
    assert!(report.contains("steer_races_turn_end.toml:15:12"), "{report}");
    let none = parse(SMALL).unwrap().uncovered_request(0, TurnId::of(InputId(1)), 1);
    assert_eq!(none.errors[0].span, 0..0);
    assert!(none.to_string().contains("requests has 0"));
    let side = parse(FULL).unwrap().uncovered_request(1, TurnId::of(InputId(3)), 4);
    let first = "error: nothing covers request 4 of session side, asked by the turn of news: \
                 requests has 3\n";
    assert!(side.to_string().starts_with(first), "{side}");
    assert!(side.to_string().contains(".toml:38:12"), "{side}");
}

#[test]
fn what_is_not_said_is_what_it_was() {
    let scenario = parse(&command("{ id = 'a', mail = 'x' }, { id = 'b', inject = 'y' }")).unwrap();
    assert_eq!(call(&scenario, "a"), Command::Deliver(Mail::new(InputId(1), false, "x")));
    assert!(matches!(call(&scenario, "b"), Command::Inject { form: Injection::IfRunning, .. }));
    let session = &scenario.sessions[0];
    assert!(session.start_hooks.is_none() && session.stop_hooks.is_none());
    assert_eq!(session.setup().settings, Default::default());
}
