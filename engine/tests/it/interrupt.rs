//! Interrupts of a turn that runs: what is told, and in which order.

use midturn_protocol::{
    ClearedBy, Event, GraceEnd, InputId, QueueEngine, Reply, RequestEnd, SlotShape, TurnEnd,
};

use crate::world::{BOTH, HARDENED, UPSTREAM, World, answer, hold, turn};

fn ended() -> Event {
    Event::TurnEnded { turn: turn(1), how: TurnEnd::Interrupted }
}

#[test]
fn an_idle_session_has_nothing_to_interrupt() {
    for policy in BOTH {
        let mut world = World::new(policy, Vec::new());
        assert_eq!(world.interrupt(9), Reply::Interrupted(None));
        assert_eq!(world.events(), [Event::StartUpCancelled { command: InputId(9) }]);
    }
}

#[test]
fn the_order_of_an_abort() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("never")], vec![answer()]]);
        world.start_or_steer(1, "build");
        world.steer(2, "use YAML", None);
        assert_eq!(world.interrupt(9), Reply::Interrupted(Some(turn(1))));
        let turn = turn(1);
        let how = GraceEnd::Done;
        let mut order = vec![
            Event::CancelRequested { turn },
            Event::CancelSeen { turn },
            Event::RequestEnded { turn, request: 1, how: RequestEnd::Cancelled },
            Event::GraceEnded { turn, how },
            Event::Marker { turn },
            ended(),
        ];
        let cleared = Event::PendingCleared { turn };
        order.insert(if policy == UPSTREAM { 6 } else { 4 }, cleared);
        let places: Vec<_> = order.iter().map(|event| world.position(event)).collect();
        assert!(places.is_sorted(), "{policy}: {:#?}", world.events());
        assert_eq!(world.count(|event| matches!(event, Event::Flushed { .. })), 3);
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));
        // The steer is gone: the next request has the marker, then the new prompt.
        world.start_or_steer(3, "again");
        let history = world.script.requests.peek("requests", |all| all[1].history.clone());
        let texts: Vec<_> = history.iter().map(|item| &*item.text).collect();
        assert_eq!(texts, ["build", "<turn_aborted>", "again"]);
        let told = world
            .events()
            .contains(&Event::Cleared { input: InputId(2), by: ClearedBy::Interrupt });
        assert_eq!(told, policy == HARDENED);
    }
}

#[test]
fn a_task_that_ignores_the_cancel_is_given_100_ms() {
    for policy in BOTH {
        let mut world = World::new(policy, Vec::new());
        world.script.hold("hook");
        world.start_or_steer(1, "build");
        let interrupt = world.call(world.engine.interrupt(InputId(9)));
        assert_eq!(world.reply(interrupt), None);
        world.open("timer");
        assert_eq!(world.reply(interrupt), Some(Reply::Interrupted(Some(turn(1)))));
        world.position(&Event::GraceEnded { turn: turn(1), how: GraceEnd::TimedOut });
        let marker = world.position(&Event::Marker { turn: turn(1) });
        assert!(marker < world.position(&ended()));
        world.open("hook");
        let recorded = |event: &Event| matches!(event, Event::Recorded { .. });
        assert_eq!(world.count(recorded), 0, "the task was dropped at its await");
        let by = ClearedBy::Interrupt;
        let told = world.events().contains(&Event::Cleared { input: InputId(1), by });
        assert_eq!(told, policy == HARDENED, "upstream: drained, and then in no place (U8)");
    }
}

#[test]
fn completion_flushes_twice() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        world.start_or_steer(1, "build");
        assert_eq!(world.count(|event| matches!(event, Event::Flushed { .. })), 2);
    }
}

#[test]
fn an_interrupt_leaves_queue_only_mail_and_starts_a_turn_for_trigger_mail() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("never")], vec![answer()]]);
        world.start_or_steer(1, "build");
        world.mail(2, false);
        world.interrupt(8);
        assert_eq!(world.observe().mailbox, [InputId(2)]);
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));

        let mut world = World::new(policy, vec![vec![answer(), hold("never")], vec![answer()]]);
        world.start_or_steer(1, "build");
        world.mail(2, false);
        world.mail(3, true);
        world.interrupt(8);
        assert_eq!(world.requests()[1], (turn(1).next(), 1, vec![2, 3]));
    }
}

#[test]
fn the_caller_of_an_interrupt_may_go_away() {
    let mut world = World::new(HARDENED, vec![vec![hold("never")], vec![answer()]]);
    world.start_or_steer(1, "build");
    world.script.hold("flush");
    let interrupt = world.call(world.engine.interrupt(InputId(9)));
    world.drop_call(interrupt);
    world.open("timer");
    world.open("flush");
    world.position(&ended());
    assert_eq!(world.observe().slot, Some(SlotShape::Idle));
}

#[test]
fn drained_mail_goes_back_to_the_front_of_the_mailbox() {
    let mut world = World::new(HARDENED, vec![vec![answer()], vec![answer()]]);
    world.script.hold("hook");
    world.mail(1, false);
    world.start_or_steer(2, "build");
    world.mail(3, false);
    let interrupt = world.call(world.engine.interrupt(InputId(9)));
    world.open("timer");
    assert!(world.reply(interrupt).is_some());
    assert_eq!(world.observe().mailbox, [InputId(1), InputId(3)]);
    let by = ClearedBy::Interrupt;
    world.position(&Event::Cleared { input: InputId(2), by });
    world.open("hook");
    world.start_or_steer(4, "again");
    assert_eq!(world.requests(), [(turn(4), 1, vec![4, 1, 3])]);
}
