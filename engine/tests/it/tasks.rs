//! Tasks that are no turns, answers from outside, and the end of a session.

use midturn_engine::codex::{Front, Policy};
use midturn_protocol::{
    Answer, Command, Decision, Event, InputId, Mode, ModelItem, Preset, QueueEngine, Reason, Reply,
    SlotShape, SpecialTask, TaskKind, ToolUse, ToolWake, ToolWork, TurnEnd, Verdict, WaiterEvent,
    WaiterTable,
};

use crate::script::Beat;
use crate::world::{
    BOTH, HARDENED, UPSTREAM, World, answer, hold, item, refused, started, steered, submission,
    tool, turn,
};

fn begin(id: u32, task: SpecialTask) -> Command {
    Command::Begin { id: InputId(id), task }
}

fn review(id: u32) -> Command {
    begin(id, SpecialTask::Review("look".into()))
}

fn uses(work: ToolWork) -> Beat {
    item(ModelItem::Tool(ToolUse { tool: "tool".into(), work }))
}

fn approval(id: u32, decision: Decision) -> Command {
    let (table, key) = (WaiterTable::Approval, "tool".into());
    Command::Answer(Answer { id: InputId(id), table, key, decision })
}

#[test]
fn a_review_is_not_steered_and_starts_nothing_afterwards() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("a"), answer()]]);
        assert_eq!(world.answered(world.engine.call(review(1))), Reply::Began(turn(1)));
        let reason = Reason::ActiveTurnNotSteerable(TaskKind::Review);
        assert_eq!(world.steer(2, "use YAML", None), refused(reason));
        assert_eq!(world.start_or_steer(3, "use YAML"), refused(reason));
        world.open("a");
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));
        assert!(world.events().contains(&Event::ReviewLeft { turn: turn(1), output: true }));
        assert_eq!(world.requests().len(), 1);
    }
}

#[test]
fn a_review_replaces_the_turn_that_runs() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("a"), answer()], vec![answer()]]);
        world.start_or_steer(1, "build");
        world.steer(2, "use YAML", None);
        let began = world.call(world.engine.call(review(3)));
        assert_eq!(world.reply(began), Some(Reply::Began(turn(3))));
        let how = TurnEnd::Replaced;
        let replaced = world.position(&Event::TurnEnded { turn: turn(1), how });
        let kind = TaskKind::Review;
        let began = world.position(&Event::TurnStarted { turn: turn(3), kind });
        assert!(replaced < began, "{policy}");
        assert_eq!(world.count(|event| matches!(event, Event::Marker { .. })), 0);
        let told = world.count(|event| matches!(event, Event::Cleared { .. }));
        assert_eq!(told, usize::from(policy == HARDENED), "{policy}: the steer is reported");
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));
    }
}

#[test]
fn a_compaction_replaces_what_was_sampled_and_keeps_what_was_not() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()], vec![answer()], vec![answer()]]);
        world.start_or_steer(1, "build");
        let compact = begin(2, SpecialTask::Compact);
        assert_eq!(world.answered(world.engine.call(compact)), Reply::Began(turn(2)));
        world.start_or_steer(3, "test");
        let history = world.script.requests.peek("requests", |all| all[2].history.clone());
        let texts: Vec<_> = history.iter().map(|item| &*item.text).collect();
        assert_eq!(texts, ["done", "test"], "{policy}");
    }
}

#[test]
fn an_approval_is_answered_once_and_a_late_answer_finds_nobody() {
    for policy in BOTH {
        let asks = uses(ToolWork::Ask(WaiterTable::Approval));
        let mut world = World::new(policy, vec![vec![asks], vec![answer()]]);
        world.start_or_steer(1, "build");
        assert_eq!(world.steer(2, "use YAML", None), steered(1));
        let yes = || approval(3, Decision::Reply("yes".into()));
        assert_eq!(world.answered(world.engine.call(yes())), Reply::Answered { found: true });
        let dropped = |event: &Event| matches!(event, Event::AnswerDropped { .. });
        assert_eq!(world.count(dropped), 0);
        assert_eq!(world.answered(world.engine.call(yes())), Reply::Answered { found: false });
        assert_eq!(world.count(dropped), 1);
        assert_eq!(world.requests()[1], (turn(1), 2, vec![2]));
    }
}

#[test]
fn an_abort_decision_interrupts_and_closes_who_waits_after_the_cancel() {
    for policy in BOTH {
        let asks = uses(ToolWork::Ask(WaiterTable::Approval));
        let mut world = World::new(policy, vec![vec![asks]]);
        world.start_or_steer(1, "build");
        let no = world.call(world.engine.call(approval(2, Decision::Abort)));
        assert_eq!(world.reply(no), Some(Reply::Interrupted(Some(turn(1)))));
        let closed = Event::Waiter {
            turn: turn(1),
            table: WaiterTable::Approval,
            key: "tool".into(),
            what: WaiterEvent::Closed,
        };
        let cancelled = world.position(&Event::CancelRequested { turn: turn(1) });
        assert!(cancelled < world.position(&closed), "{policy}");
    }
}

#[test]
fn a_wait_ends_on_a_steer_that_comes_before_or_during_it() {
    for policy in BOTH {
        for early in [false, true] {
            let script = vec![hold("a"), uses(ToolWork::AwaitActivity)];
            let mut world = World::new(policy, vec![script, vec![answer()]]);
            world.start_or_steer(1, "build");
            if early {
                world.steer(2, "use YAML", None);
            }
            world.open("a");
            if !early {
                world.steer(2, "use YAML", None);
            }
            let woken = Event::ToolWoken { turn: turn(1), how: ToolWake::Steer };
            assert!(world.events().contains(&woken), "{policy}, early: {early}");
            assert_eq!(world.requests()[1], (turn(1), 2, vec![2]));
        }
    }
}

#[test]
fn a_sleeping_agent_is_woken_by_any_mail() {
    for policy in BOTH {
        let sleeps = vec![uses(ToolWork::SleepUntilMail)];
        let mut world = World::new(policy, vec![sleeps, vec![answer()], vec![answer()]]);
        world.start_or_steer(1, "wait for it");
        world.mail(2, false);
        assert_eq!(world.requests().last(), Some(&(turn(2), 1, vec![2])), "{policy}");
        world.mail(3, false);
        assert_eq!(world.observe().mailbox, [InputId(3)], "{policy}: it has woken up");
    }
}

#[test]
fn a_second_interrupt_behind_a_server_is_answered_or_not() {
    for (policy, answered) in
        [(UPSTREAM, false), (Policy::codex_0_171(), true), (Policy::seed(), true), (HARDENED, true)]
    {
        let script = vec![vec![hold("never")]];
        let mut world = World::preset(policy, Front::Server, Preset::Idle, Vec::new(), script);
        let prompt = world.call(world.engine.submit(submission(Mode::StartOrSteer, 1, "build")));
        assert_eq!(world.reply(prompt), Some(started(1)));
        let stop = |id| Command::Interrupt { id: InputId(id), turn: Some(turn(1)) };
        let first = world.call(world.engine.call(stop(2)));
        assert_eq!(world.reply(first), Some(Reply::Interrupted(Some(turn(1)))), "{policy}");
        let second = world.call(world.engine.call(stop(3)));
        let no_turn = Some(Reply::Refused(Reason::NoActiveTurn));
        assert_eq!(world.reply(second), no_turn.filter(|_| answered), "{policy}");
    }
}

#[test]
fn a_session_that_was_ended_starts_nothing_more() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer(), hold("never")], vec![answer()]]);
        world.start_or_steer(1, "build");
        world.mail(2, true);
        let end = world.call(world.engine.call(Command::ShutDown { id: InputId(3) }));
        assert_eq!(world.reply(end), Some(Reply::ShutDown(None)), "{policy}");
        assert!(world.observe().closed);
        // U12.
        assert_eq!(world.requests().len(), if policy == UPSTREAM { 2 } else { 1 });
        if policy == HARDENED {
            assert_eq!(world.start_or_steer(4, "more"), refused(Reason::ServerDraining));
            assert_eq!(world.observe().mailbox, [InputId(2)]);
        }
    }
}

#[test]
fn a_suspended_turn_has_no_end_and_can_be_recovered_elsewhere() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("never")]]);
        world.start_or_steer(1, "build");
        world.steer(2, "use YAML", None);
        let suspend = world.call(world.engine.call(Command::Suspend { id: InputId(3) }));
        assert_eq!(world.reply(suspend), Some(Reply::ShutDown(Some(turn(1)))), "{policy}");
        assert!(world.events().contains(&Event::TurnSuspended { turn: turn(1) }));
        let ends = |event: &Event| matches!(event, Event::TurnEnded { .. } | Event::Marker { .. });
        assert_eq!(world.count(ends), 0);

        let mut elsewhere = World::new(policy, vec![vec![answer()]]);
        let recover = Mode::Recover { turn: turn(1) };
        let reply = elsewhere.answered(elsewhere.engine.submit(submission(recover, 9, "")));
        assert_eq!(reply, Reply::Verdict(Verdict::Started(turn(1))));
        assert_eq!(elsewhere.requests(), [(turn(1), 1, vec![])]);
    }
}

#[test]
fn a_draining_host_takes_steers_and_no_starts() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![tool(), hold("a")], vec![answer()]]);
        world.start_or_steer(1, "build");
        world.answered(world.engine.call(Command::Drain { id: InputId(2) }));
        assert_eq!(world.start_or_steer(3, "use YAML"), steered(1));
        world.open("a");
        assert_eq!(world.start_or_steer(4, "more"), refused(Reason::ServerDraining));
        assert_eq!(
            world.start_if_idle(5, midturn_protocol::InputKind::User),
            refused(Reason::ServerDraining)
        );
    }
}

#[test]
fn a_wait_that_finds_something_says_so_once() {
    for policy in BOTH {
        let mut world = World::new(policy, Vec::new());
        world.mail(1, false);
        let command = InputId(2);
        let reply = world.answered(world.engine.call(Command::AwaitActivity { id: command }));
        assert_eq!(reply, Reply::Woken { found: true });
        assert_eq!(world.count(|event| *event == Event::Woken { command, found: true }), 1);
    }
}

#[test]
fn an_abort_decision_that_nobody_asked_for_stops_nothing() {
    let mut world = World::new(HARDENED, vec![vec![hold("a"), answer()]]);
    world.start_or_steer(1, "build");
    let reply = world.answered(world.engine.call(approval(2, Decision::Abort)));
    assert_eq!(reply, Reply::Answered { found: false });
    world.open("a");
    let how = TurnEnd::Completed;
    assert!(world.events().contains(&Event::TurnEnded { turn: turn(1), how }));
}

#[test]
fn a_review_that_is_stopped_on_its_way_out_is_left_once() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        world.script.hold("flush");
        world.call(world.engine.call(review(1)));
        let left = |event: &Event| matches!(event, Event::ReviewLeft { .. });
        assert_eq!(world.count(left), 1);
        world.call(world.engine.interrupt(InputId(8)));
        world.open("timer");
        world.open("flush");
        assert_eq!(world.count(left), 1);
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));
    }
}
