//! The serial front and the presets.

use midturn_engine::codex::Front;
use midturn_protocol::{
    Command, Event, InputId, Mode, Preset, QueueEngine, Reply, SlotShape, TaskKind,
};

use crate::world::{BOTH, HARDENED, World, answer, hold, started, steered, submission, turn};

fn serial(policy: midturn_engine::codex::Policy, script: Vec<Vec<crate::script::Beat>>) -> World {
    World::preset(policy, Front::Serial, Preset::Idle, Vec::new(), script)
}

#[test]
fn one_loop_answers_in_order() {
    for policy in BOTH {
        let mut world = serial(policy, vec![vec![hold("a"), answer()], vec![answer()]]);
        let first = world.begin(world.engine.submit(submission(Mode::StartOrSteer, 1, "build")));
        let second = world.begin(world.engine.submit(submission(Mode::StartOrSteer, 2, "YAML")));
        assert_eq!(world.reply(first), None);
        world.settle();
        assert_eq!(world.reply(first), Some(started(1)));
        assert_eq!(world.reply(second), Some(steered(1)));
        world.open("a");
        let news: Vec<_> = world.requests().into_iter().map(|(_, _, new)| new).collect();
        let together = policy == HARDENED;
        assert_eq!(news, if together { vec![vec![1, 2]] } else { vec![vec![1], vec![2]] });
    }
}

#[test]
fn a_command_behind_an_interrupt_waits_for_it() {
    for policy in BOTH {
        let mut world = serial(policy, vec![vec![answer()]]);
        world.script.hold("hook");
        world.start_or_steer(1, "build");
        let interrupt = world.call(world.engine.interrupt(InputId(8)));
        let start = world.call(world.engine.submit(submission(Mode::StartOrSteer, 2, "again")));
        assert_eq!((world.reply(interrupt), world.reply(start)), (None, None));
        world.open("timer");
        assert_eq!(world.reply(interrupt), Some(Reply::Interrupted(Some(turn(1)))));
        assert_eq!(world.reply(start), Some(started(2)));
        world.open("hook");
        assert_eq!(world.requests(), [(turn(2), 1, vec![2])]);
    }
}

#[test]
fn a_command_whose_caller_went_away_is_carried_out() {
    for policy in BOTH {
        let mut world = serial(policy, vec![vec![answer()]]);
        let call = world.begin(world.engine.submit(submission(Mode::StartOrSteer, 1, "build")));
        world.drop_call(call);
        assert_eq!(world.requests(), [(turn(1), 1, vec![1])]);
    }
}

#[test]
fn the_presets_go_on_from_where_they_are() {
    for policy in BOTH {
        let preset =
            |preset, script| World::preset(policy, Front::Concurrent, preset, Vec::new(), script);
        let mut world = preset(Preset::Running, vec![vec![answer()]]);
        assert_eq!(world.observe().slot, Some(SlotShape::Running));
        world.settle();
        assert_eq!(world.requests(), [(turn(0), 1, vec![0])]);

        let mut world = preset(Preset::Reserved, vec![vec![answer()]]);
        assert_eq!(world.observe().slot, Some(SlotShape::Reserved));
        world.settle();
        assert_eq!(world.requests(), [(turn(0), 1, vec![0])]);

        let mut world = preset(Preset::Finishing, Vec::new());
        assert_eq!(world.observe().slot, Some(SlotShape::Finishing));
        world.settle();
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));
        assert_eq!(world.count(|event| matches!(event, Event::TurnEnded { .. })), 1);
    }
}

#[test]
fn a_submit_to_a_finishing_slot_becomes_its_successor() {
    let script = vec![vec![answer()]];
    let mut world =
        World::preset(HARDENED, Front::Concurrent, Preset::Finishing, Vec::new(), script);
    let start = world.begin(world.engine.submit(submission(Mode::StartOrSteer, 1, "build")));
    assert_eq!(world.reply(start), Some(started(1)));
    let steer = Mode::Steer { expected: Some(turn(1)) };
    let steer = world.begin(world.engine.submit(submission(steer, 2, "use YAML")));
    assert_eq!(world.reply(steer), Some(steered(1)));
    let interrupt = world.begin(world.engine.interrupt(InputId(9)));
    assert_eq!(world.reply(interrupt), None, "a successor is interrupted once it runs");
    world.settle();
    assert_eq!(world.reply(interrupt), Some(Reply::Interrupted(Some(turn(1)))));
    let old_ended = world.events().iter().position(
        |event| matches!(event, Event::TurnEnded { turn: ended, .. } if *ended == turn(0)),
    );
    let began = world.position(&Event::TurnStarted { turn: turn(1), kind: TaskKind::Regular });
    assert!(old_ended.is_some_and(|ended| ended < began));
}

#[test]
fn the_loop_ends_with_the_last_handle() {
    for policy in BOTH {
        let mut world = serial(policy, Vec::new());
        world.settle();
        assert_eq!(world.tasks_left_without_a_handle(), 0);
    }
}

#[test]
fn whoever_calls_the_session_directly_holds_nobody_up() {
    for policy in BOTH {
        let mut world = serial(policy, vec![vec![hold("a"), answer()], vec![answer()]]);
        world.start_or_steer(1, "build");
        let wait = world.call(world.engine.call(Command::AwaitActivity { id: InputId(8) }));
        assert_eq!(world.reply(wait), None);
        assert_eq!(world.mail(2, false), Reply::Delivered);
        assert_eq!(world.reply(wait), Some(Reply::Woken { found: true }));
    }
}
