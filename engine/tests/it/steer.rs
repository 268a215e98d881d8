//! Steers and starts against a turn that runs.

use midturn_protocol::{
    ClearedBy, Event, Injection, InputId, InputKind, Mode, ModelItem, Phase, QueueEngine, Reason,
    Reply, SlotShape, TurnEnd,
};

use crate::world::{
    BOTH, HARDENED, UPSTREAM, World, answer, commentary, hold, item, passive, refused, started,
    steered, submission, tool, turn,
};

#[test]
fn idle_refuses_a_steer_and_completion_leaves_the_slot_idle() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        assert_eq!(world.steer(1, "use YAML", None), refused(Reason::NoActiveTurn));
        assert_eq!(world.start_or_steer(2, "build"), started(2));
        assert_eq!(world.requests(), [(turn(2), 1, vec![2])]);
        assert_eq!(world.steer(3, "use YAML", None), refused(Reason::NoActiveTurn));
        let ended = |event: &Event| matches!(event, Event::TurnEnded { .. });
        assert_eq!(world.count(ended), 1);
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));
    }
}

#[test]
fn a_steer_while_sampling_waits_for_the_next_request_of_the_turn() {
    for policy in BOTH {
        let responses = vec![vec![hold("a"), answer()], vec![answer()]];
        let mut world = World::new(policy, responses);
        world.start_or_steer(1, "build");
        assert_eq!(world.steer(2, "use YAML", Some(turn(1))), steered(1));
        assert_eq!(world.steer(3, "and TOML", None), steered(1));
        assert_eq!(world.start_or_steer(4, "and JSON"), steered(1));
        assert_eq!(world.observe().pending, [InputId(2), InputId(3), InputId(4)]);
        world.open("a");
        assert_eq!(world.requests(), [(turn(1), 1, vec![1]), (turn(1), 2, vec![2, 3, 4])]);
    }
}

#[test]
fn refusals_name_both_turns_and_change_nothing() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("a"), answer()]]);
        world.start_or_steer(1, "build");
        let (expected, actual) = (turn(9), turn(1));
        assert_eq!(
            world.steer(2, "use YAML", Some(expected)),
            refused(Reason::ExpectedTurnMismatch { expected, actual })
        );
        assert_eq!(world.steer(3, "", None), refused(Reason::EmptyInput));
        assert_eq!(world.start_or_steer(4, ""), refused(Reason::EmptyInput));
        assert_eq!(world.start_if_idle(5, InputKind::Response), refused(Reason::NotIdle));
        assert!(world.observe().pending.is_empty());
        assert_eq!(world.count(|event| matches!(event, Event::Phase { .. })), 0);
        world.open("a");
        assert_eq!(world.requests().len(), 1);
    }
}

#[test]
fn after_an_answer_on_screen_a_steer_or_injection_reopens_the_turn() {
    for policy in BOTH {
        let responses = vec![vec![answer(), hold("a")], vec![answer(), hold("b")], vec![answer()]];
        let mut world = World::new(policy, responses);
        world.start_or_steer(1, "build");
        assert_eq!(world.observe().phase, Some(Phase::NextTurn));
        assert_eq!(world.steer(2, "use YAML", None), steered(1));
        assert_eq!(world.observe().phase, Some(Phase::CurrentTurn));
        world.open("a");
        let injected = world.engine.inject(passive(3), Injection::IfRunning);
        assert_eq!(world.answered(injected), Reply::Injected);
        let injected = world.engine.inject(passive(4), Injection::NoNewTurn);
        assert_eq!(world.answered(injected), Reply::Injected);
        world.open("b");
        assert_eq!(
            world.requests(),
            [(turn(1), 1, vec![1]), (turn(1), 2, vec![2]), (turn(1), 3, vec![3, 4])]
        );
    }
}

#[test]
fn a_steer_while_a_tool_runs_goes_after_its_output() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![tool()], vec![answer()]]);
        world.script.hold("tool");
        world.start_or_steer(1, "build");
        assert_eq!(world.steer(2, "use YAML", None), steered(1));
        world.open("tool");
        assert_eq!(world.requests()[1], (turn(1), 2, vec![2]));
        let history = world.script.requests.peek("requests", |all| all[1].history.clone());
        let texts: Vec<_> = history.iter().map(|item| &*item.text).collect();
        assert_eq!(texts, ["build", "shell", "output of shell", "use YAML"]);
    }
}

#[test]
fn commentary_alone_ends_the_turn_and_a_tool_call_after_the_answer_does_not() {
    for policy in BOTH {
        let responses = vec![vec![commentary()], vec![answer(), tool()], vec![answer()]];
        let mut world = World::new(policy, responses);
        world.start_or_steer(1, "look");
        assert_eq!(world.requests().len(), 1);
        world.start_or_steer(2, "build");
        assert_eq!(
            world.requests()[1..],
            [(turn(2), 1, vec![2]), (turn(2), 2, Vec::new())],
            "{policy}"
        );
    }
}

#[test]
fn a_refused_tool_and_the_mark_not_ended_each_want_another_request() {
    for policy in BOTH {
        let refused = item(ModelItem::RefusedTool("rm".into()));
        let responses = vec![vec![refused], vec![item(ModelItem::NotEnded)], vec![answer()]];
        let mut world = World::new(policy, responses);
        world.start_or_steer(1, "build");
        assert_eq!(world.requests().len(), 3);
    }
}

#[test]
fn a_steer_does_not_preempt_after_reasoning() {
    for policy in BOTH {
        let responses =
            vec![vec![hold("a"), item(ModelItem::Reasoning), tool(), answer()], vec![answer()]];
        let mut world = World::new(policy, responses);
        world.start_or_steer(1, "build");
        world.steer(2, "use YAML", None);
        world.open("a");
        assert_eq!(world.requests(), [(turn(1), 1, vec![1]), (turn(1), 2, vec![2])]);
        let tools =
            |event: &Event| matches!(event, Event::ModelItem { item: ModelItem::Tool(_), .. });
        assert_eq!(world.count(tools), 1);
    }
}

#[test]
fn a_blocked_prompt_does_not_strand_an_accepted_one() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("a"), answer()], vec![answer()]]);
        world.script.block("bad");
        world.start_or_steer(1, "build");
        world.steer(2, "good", None);
        world.steer(3, "bad", None);
        world.open("a");
        assert_eq!(world.requests(), [(turn(1), 1, vec![1]), (turn(1), 2, vec![2])]);
        let cleared = Event::Cleared { input: InputId(3), by: ClearedBy::Hook };
        let reported = world.events().contains(&cleared);
        assert_eq!(reported, policy == HARDENED, "upstream drops it silently");
    }
}

#[test]
fn a_turn_whose_only_prompt_is_blocked_samples_nothing() {
    for policy in BOTH {
        let mut world = World::new(policy, Vec::new());
        world.script.block("bad");
        assert_eq!(world.start_or_steer(1, "bad"), started(1));
        assert!(world.requests().is_empty());
        assert!(world.observe().history.is_empty());
        world.position(&Event::TurnEnded { turn: turn(1), how: TurnEnd::Completed });
    }
}

#[test]
fn a_model_error_fails_the_turn_and_says_what_became_of_the_steer() {
    for policy in BOTH {
        let responses = vec![vec![hold("a"), item(ModelItem::Error("overloaded".into()))]];
        let mut world = World::new(policy, responses);
        world.start_or_steer(1, "build");
        world.steer(2, "use YAML", None);
        world.mail(3, false);
        world.open("a");
        world.position(&Event::TurnEnded { turn: turn(1), how: TurnEnd::Failed });
        let seen = world.observe();
        assert_eq!(seen.mailbox, [InputId(3)]);
        if policy == UPSTREAM {
            assert_eq!(seen.history, [InputId(1), InputId(2)], "recorded, never sampled");
        } else {
            let by = ClearedBy::ModelError;
            world.position(&Event::Cleared { input: InputId(2), by });
        }
    }
}

#[test]
fn wrong_kinds_are_invalid() {
    for policy in BOTH {
        let mut world = World::new(policy, Vec::new());
        for (mode, kind) in [
            (Mode::StartOrSteer, InputKind::Response),
            (Mode::StartOrSteer, InputKind::Mail { trigger: true }),
            (Mode::Steer { expected: None }, InputKind::ToolOutput),
        ] {
            let mut wrong = submission(mode, 1, "x");
            wrong.input.kind = kind;
            let reply = world.answered(world.engine.submit(wrong));
            assert_eq!(reply, refused(Reason::InvalidRequest));
        }
    }
}

#[test]
fn a_tool_output_without_a_call_starts_and_steers() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("a"), answer()], vec![answer()]]);
        for (id, reply) in [(1, started(1)), (2, steered(1))] {
            let mut output = submission(Mode::StartOrSteer, id, "");
            output.input.kind = InputKind::ToolOutput;
            assert_eq!(world.answered(world.engine.submit(output)), reply);
        }
        world.open("a");
        assert_eq!(world.requests(), [(turn(1), 1, vec![1]), (turn(1), 2, vec![2])]);
    }
}
