//! The activity watch and the mailbox: rows 1 to 6 of the specification.

use midturn_engine::codex::Front;
use midturn_protocol::{Activity, Event, Injection, InputId, Preset, QueueEngine, Reply};

use crate::world::{BOTH, World, answer, hold, mail, passive, tool, turn};

#[test]
fn a_waiter_sleeps_until_mail_comes() {
    for policy in BOTH {
        let mut world = World::new(policy, Vec::new());
        let waiting = world.call(world.engine.await_activity(InputId(9)));
        assert_eq!(world.reply(waiting), None);
        world.mail(1, false);
        assert_eq!(world.reply(waiting), Some(Reply::Woken { found: true }));
        world.position(&Event::Sent { activity: Activity::Mailbox, input: InputId(1) });
        world.mail(2, false);
        assert_eq!(world.observe().mailbox, [InputId(1), InputId(2)]);
        assert!(world.observe().trigger_mail.is_empty());
    }
}

#[test]
fn a_waiter_sees_a_steer_and_one_that_was_there_before() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("a"), answer()], vec![answer()]]);
        world.start_or_steer(1, "build");
        let before = world.call(world.engine.await_activity(InputId(8)));
        assert_eq!(world.reply(before), None);
        world.steer(2, "use YAML", None);
        assert_eq!(world.reply(before), Some(Reply::Woken { found: true }));
        let after = world.answered(world.engine.await_activity(InputId(9)));
        assert_eq!(after, Reply::Woken { found: true });
    }
}

#[test]
fn a_passive_item_is_no_activity_that_was_already_there() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("a"), answer()], vec![answer()]]);
        world.start_or_steer(1, "build");
        world.answered(world.engine.inject(passive(2), Injection::IfRunning));
        let waiting = world.call(world.engine.await_activity(InputId(9)));
        assert_eq!(world.reply(waiting), None);
    }
}

#[test]
fn a_mailbox_preset_is_in_order_and_tells_trigger_from_queue_only() {
    for policy in BOTH {
        let waiting = vec![mail(1, false), mail(2, true)];
        let front = Front::Concurrent;
        let mut world = World::preset(
            policy,
            front,
            Preset::Running,
            waiting,
            vec![vec![hold("a"), tool()], vec![answer()]],
        );
        world.settle();
        assert_eq!(world.observe().mailbox, [InputId(1), InputId(2)]);
        assert_eq!(world.observe().trigger_mail, [InputId(2)]);
        world.open("a");
        assert_eq!(world.requests(), [(turn(0), 1, vec![0]), (turn(0), 2, vec![1, 2])]);
    }
}

#[test]
fn idle_injection_is_given_back_or_recorded() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        let given_back = world.answered(world.engine.inject(passive(1), Injection::IfRunning));
        assert_eq!(given_back, Reply::GivenBack);
        let hook = world.answered(world.engine.inject(passive(2), Injection::HookContext));
        assert_eq!(hook, Reply::GivenBack);
        let recorded = world.answered(world.engine.inject(passive(3), Injection::NoNewTurn));
        assert_eq!(recorded, Reply::RecordedOnly);
        assert!(world.requests().is_empty());
        world.start_or_steer(4, "build");
        assert_eq!(world.requests(), [(turn(4), 1, vec![3, 4])]);
    }
}
