//! What a good file means.

use midturn_properties::scenario::{
    Assumption, CommandKind, EventPattern, Feature, Front, Holds, InjectionForm, Relation, Scalar,
    ScriptKind, Slot, WaiterTable,
};
use midturn_protocol::{InputId, InputKind, Mode, ModelItem, TurnId};

use crate::documents::{EXAMPLE, FULL, SMALL, parse, with_commands};

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
    assert_eq!(scenario.sessions[0].mailbox[0].id, InputId(1));
    assert_eq!(scenario.model.requests.len(), 3);
    let yaml = &scenario.actors[0].does[1];
    let expected = Some(TurnId::of(InputId(2)));
    assert_eq!(
        yaml.kind,
        CommandKind::Submit {
            mode: Mode::Steer { expected },
            kind: InputKind::User,
            text: "use YAML".into(),
            settings_refused: false,
        }
    );
    assert_eq!(yaml.when.as_ref().unwrap().text, "turn of prompt started");
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
fn every_key_is_read() {
    let scenario = parse(FULL).unwrap();
    assert_eq!(scenario.sessions[0].slot, Slot::Review);
    assert_eq!(scenario.sessions[1].front, Front::Serial);
    assert_eq!(scenario.sessions[0].mailbox[0].from, "child");
    assert_eq!(scenario.sessions[0].hooks.len(), 2);
    let items: Vec<_> = scenario.model.requests.iter().flatten().map(|item| &item.kind).collect();
    assert_eq!(items[3], &ScriptKind::Item(ModelItem::Blank));
    let tool = ScriptKind::Tool {
        tool: "shell".into(),
        output: "done".into(),
        asks: Some(WaiterTable::UserInput),
    };
    assert_eq!(items[5], &tool);
    let ScriptKind::Hold(hold) = items[8] else { panic!("{:?}", items[8]) };
    assert!(
        matches!(hold.value, EventPattern::Turn { turn, .. } if turn == TurnId::of(InputId::PRESET))
    );

    let does = &scenario.actors[0].does;
    assert_eq!(does[0].context["n"], Scalar::Integer(3));
    assert_eq!(does[0].client_id.as_deref(), Some("c-1"));
    let kind = |id: &str| {
        let id = scenario.names.find(id).unwrap();
        let all = scenario.actors.iter().flat_map(|actor| &actor.does);
        all.into_iter().find(|command| command.id == id).unwrap().kind.clone()
    };
    let prompt = TurnId::of(scenario.names.find("prompt").unwrap());
    assert!(matches!(
        kind("auto"),
        CommandKind::Submit { kind: InputKind::Response, settings_refused: true, .. }
    ));
    assert!(matches!(
        kind("again"),
        CommandKind::ContinueIfIdle { expected_previous: Some(turn), .. } if turn == prompt.next()
    ));
    assert_eq!(kind("redo"), CommandKind::Recover { turn: prompt.next().next() });
    assert!(matches!(kind("note"), CommandKind::Mail { to: 1, trigger: true, .. }));
    assert!(matches!(kind("extra"), CommandKind::Inject { form: InjectionForm::Client, .. }));
    assert_eq!(kind("stop_it"), CommandKind::Interrupt { turn: Some(prompt) });
    assert!(matches!(kind("change"), CommandKind::Settings { values } if values.len() == 3));
    assert_eq!(scenario.actors[2].session, 1);

    assert_eq!(scenario.terms.relation, Some(Relation::R));
    assert_eq!(scenario.terms.bound.unwrap().deviations, 16);
    let seed = &scenario.expectations[0].terms;
    assert_eq!((seed.parked.as_slice(), seed.relation), ([0, 1].as_slice(), Some(Relation::A)));
    assert_eq!((seed.assume.as_slice(), seed.waive.len()), ([Assumption::FifoLocks].as_slice(), 1));
    let dsh = &scenario.expectations[1].terms;
    assert_eq!((dsh.bound.unwrap().deviations, dsh.relation), (16, Some(Relation::R)));
}

#[test]
fn what_an_engine_may_lack_is_named_with_its_place() {
    let scenario = parse(FULL).unwrap();
    let needs = scenario.needs();
    let all = [
        Feature::ContinueIfIdle,
        Feature::Recover,
        Feature::Answer,
        Feature::Asks,
        Feature::Settings,
        Feature::Review,
        Feature::Compact,
        Feature::ToolOutput,
        Feature::Shutdown,
        Feature::InterruptTurn,
        Feature::InjectClient,
        Feature::ServerFront,
        Feature::ReviewSlot,
        Feature::Sessions,
        Feature::Hooks,
        Feature::Context,
        Feature::ClientId,
        Feature::Metadata,
        Feature::FifoLocks,
    ];
    for feature in all {
        assert!(needs.iter().any(|(found, _)| *found == feature), "{feature:?}");
    }
    for (feature, span) in &needs {
        assert!(!scenario.source[span.clone()].is_empty(), "{feature:?} has no place");
    }
    let text = with_commands("[session]\nslot = \"compact\"", "{ id = 'go', review = 'x' }");
    let scenario = parse(&text).unwrap();
    let needs: Vec<_> = scenario.needs();
    assert_eq!(
        needs.iter().map(|need| need.0).collect::<Vec<_>>(),
        [Feature::CompactSlot, Feature::Review]
    );
    let refusal = scenario.unsupported("codex", needs[1].0, needs[1].1.clone()).to_string();
    assert!(refusal.starts_with("error: design codex does not do `review` yet\n"), "{refusal}");
    assert!(refusal.contains("does = [{ id = 'go', review = 'x' }]"), "{refusal}");
}

#[test]
fn a_request_that_nothing_covers_names_the_scripts() {
    let scenario = parse(EXAMPLE).unwrap();
    let turn = TurnId::of(InputId(2)).next();
    let report = scenario.uncovered_request(turn, 4).to_string();
    let first = "error: nothing covers request 4, asked by the turn after prompt: requests has 3\n";
    assert!(report.starts_with(first), "{report}");
    assert!(report.contains("steer_races_turn_end.toml:15:12"), "{report}");
    let none = parse(SMALL).unwrap().uncovered_request(TurnId::of(InputId(1)), 1);
    assert_eq!(none.errors[0].span, 0..0);
    assert!(none.to_string().contains("requests has 0"));
}
