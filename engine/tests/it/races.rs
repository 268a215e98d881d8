//! Single witnesses of Codex's open windows, and the same moments when hardened.

use midturn_engine::codex::{Front, Policy};
use midturn_protocol::{
    Event, Injection, InputId, InputKind, Mail, Mode, Preset, QueueEngine, Reason, Reply,
    SlotShape, TurnEnd,
};

use crate::world::{
    BOTH, HARDENED, UPSTREAM, World, answer, automatic, hold, mail, passive, refused, started,
    steered, submission, turn,
};

/// A turn whose terminal event is out or about to be, with the slot not yet empty.
fn finishing(policy: Policy, waiting: Vec<Mail>) -> World {
    World::preset(policy, Front::Concurrent, Preset::Finishing, waiting, vec![vec![answer()]])
}

#[test]
fn u1_and_p11_after_the_last_look() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer(), hold("a")]]);
        world.start_or_steer(1, "build");
        world.script.hold("flush");
        world.script.hold("hook");
        world.open("a");
        let steer = world.steer(2, "use YAML", None);
        world.open("flush");
        // Upstream's leftover waits for its hook now, and the slot is finishing.
        let late = world.answered(world.engine.inject(passive(3), Injection::IfRunning));
        world.open("hook");
        let seen = world.observe();
        if policy == UPSTREAM {
            assert_eq!((steer, late), (steered(1), Reply::Injected));
            assert_eq!(seen.history, [InputId(1), InputId(2)], "the injection is nowhere");
        } else {
            assert_eq!((steer, late), (refused(Reason::NoActiveTurn), Reply::GivenBack));
        }
        assert_eq!(world.requests().len(), 1);
        assert_eq!((seen.slot, seen.pending.len()), (Some(SlotShape::Idle), 0));
    }
}

#[test]
fn u6_interrupt_while_finishing_with_trigger_mail() {
    for policy in BOTH {
        let mut world = finishing(policy, vec![mail(1, true)]);
        let interrupt = world.begin(world.engine.interrupt(InputId(9)));
        assert_eq!(world.reply(interrupt), Some(Reply::Interrupted(None)));
        world.settle();
        let stranded = world.observe().trigger_mail;
        if policy == UPSTREAM {
            assert_eq!(stranded, [InputId(1)]);
        } else {
            assert_eq!(world.requests()[1], (turn(0).next(), 1, vec![1]));
        }
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));
    }
}

#[test]
fn u5_start_while_finishing() {
    for policy in BOTH {
        let mut world = finishing(policy, Vec::new());
        let start = world.begin(world.engine.submit(submission(Mode::StartOrSteer, 1, "build")));
        assert_eq!(world.reply(start), Some(started(1)));
        world.settle();
        let old = Event::TurnEnded { turn: turn(0), how: TurnEnd::Completed };
        let new = Event::TurnEnded { turn: turn(1), how: TurnEnd::Completed };
        assert!(world.position(&old) < world.position(&new));
    }
}

#[test]
fn a_fenced_task_records_nothing_more() {
    let mut world = World::new(HARDENED, vec![vec![hold("a"), answer()], vec![answer()]]);
    world.start_or_steer(1, "build");
    let interrupt = world.call(world.engine.interrupt(InputId(9)));
    assert!(world.reply(interrupt).is_some());
    world.open("a");
    let marker = world.position(&Event::Marker { turn: turn(1) });
    let late = world.events().iter().skip(marker).any(|event| {
        matches!(
            event,
            Event::Recorded { .. } | Event::ModelItem { .. } | Event::RequestBegan { .. }
        )
    });
    assert!(!late);
}

#[test]
fn two_starts_at_once() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        world.script.hold("prepare");
        let first = world.call(world.engine.submit(automatic(1, InputKind::Response)));
        let second = world.start_if_idle(2, InputKind::Response);
        assert_eq!(second, refused(Reason::NotIdle));
        world.open("prepare");
        assert_eq!(world.reply(first), Some(started(1)));
    }
}
