//! Starts: reservation, refusal after it, empty input.

use std::sync::Arc;

use midturn_engine::codex::Policy;
use midturn_protocol::{
    Command, Event, Forbidden, InputId, InputKind, QueueEngine, Reason, Reply, SettingsChange,
    SettingsEdit, SlotShape, TaskKind, TurnEnd,
};

use crate::world::{
    BOTH, HARDENED, UPSTREAM, World, answer, automatic, hold, mail, refused, started, turn,
};

/// An edit that the session refuses from now on.
fn forbidden_edit(world: &mut World) -> SettingsEdit {
    let (name, value): (Arc<str>, Arc<str>) = ("effort".into(), "max".into());
    let change = SettingsChange::Forbid(Forbidden { name: name.clone(), value: value.clone() });
    let command = Command::ChangeSettings { id: InputId(90), change };
    assert_eq!(world.answered(world.engine.call(command)), Reply::Applied);
    SettingsEdit { mode: None, values: [(name, value)].into() }
}

#[test]
fn a_refused_start_leaves_no_trace() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        let mut refused_start = automatic(1, InputKind::User);
        refused_start.settings = forbidden_edit(&mut world);
        let reply = world.answered(world.engine.submit(refused_start));
        assert_eq!(reply, refused(Reason::InvalidRequest));
        let seen = world.observe();
        assert_eq!((seen.slot, seen.history.len()), (Some(SlotShape::Idle), 0));
        assert_eq!(world.start_if_idle(2, InputKind::User), started(2));
    }
}

#[test]
fn trigger_mail_outranks_a_start_if_idle_and_is_not_started_by_it() {
    for policy in BOTH {
        let front = midturn_engine::codex::Front::Concurrent;
        let preset = midturn_protocol::Preset::Idle;
        let mut world = World::preset(policy, front, preset, vec![mail(1, true)], Vec::new());
        let reply = world.start_if_idle(2, InputKind::Response);
        assert_eq!(reply, refused(Reason::PendingTriggerTurn));
        assert_eq!(world.observe().trigger_mail, [InputId(1)]);
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));
    }
}

#[test]
fn empty_input_starts_a_turn_without_a_message() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()], vec![answer()]]);
        assert_eq!(world.start_or_steer(1, ""), started(1));
        assert_eq!(world.start_if_idle(2, InputKind::Response), started(2));
        assert_eq!(world.requests(), [(turn(1), 1, vec![]), (turn(2), 1, vec![2])]);
    }
}

#[test]
fn explicit_input_takes_a_slot_that_is_only_reserved() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("a"), answer()], vec![answer()]]);
        world.script.hold("prepare");
        let automatic = world.call(world.engine.submit(automatic(1, InputKind::Response)));
        assert_eq!(world.observe().slot, Some(SlotShape::Reserved));
        assert_eq!(world.steer(2, "use YAML", None), refused(Reason::NoActiveTurn));
        assert_eq!(world.start_or_steer(3, "build"), started(3));
        world.open("prepare");
        if policy == HARDENED {
            assert_eq!(world.reply(automatic), Some(refused(Reason::Superseded)));
            world.position(&Event::GivenBack { input: InputId(1) });
            assert_eq!(world.requests(), [(turn(3), 1, vec![3])]);
        } else {
            // U3 and U4: told that it started, its item is lost, and the other turn is dropped.
            assert_eq!(world.reply(automatic), Some(started(1)));
            assert_eq!(world.count(|event| matches!(event, Event::TurnEnded { .. })), 1);
            assert_eq!(world.requests(), [(turn(3), 1, vec![3]), (turn(1), 1, vec![])]);
        }
    }
}

#[test]
fn an_interrupt_cancels_a_start_that_is_being_prepared() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        world.script.hold("prepare");
        let start = world.call(world.engine.submit(automatic(1, InputKind::Response)));
        assert_eq!(world.interrupt(9), Reply::Interrupted(None));
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));
        world.open("prepare");
        if policy == HARDENED {
            assert_eq!(world.reply(start), Some(refused(Reason::Superseded)));
            assert!(world.requests().is_empty());
        } else {
            assert_eq!(world.reply(start), Some(started(1)));
            assert_eq!(world.requests(), [(turn(1), 1, vec![])], "U3: without its item");
        }
    }
}

#[test]
fn a_caller_that_goes_away_frees_its_reservation_and_the_mail_behind_it() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        world.script.hold("prepare");
        let start = world.call(world.engine.submit(automatic(1, InputKind::Response)));
        world.mail(2, true);
        world.drop_call(start);
        world.open("prepare");
        if policy == UPSTREAM {
            assert_eq!(world.observe().slot, Some(SlotShape::Reserved), "nobody cleans up");
        } else {
            assert_eq!(world.requests(), [(turn(1), 1, vec![2])]);
        }
    }
}

#[test]
fn a_start_refused_late_looks_for_trigger_mail_only_when_hardened() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        world.script.hold("prepare");
        let mut late = automatic(1, InputKind::Response);
        late.settings.values.insert("effort".into(), "max".into());
        let start = world.call(world.engine.submit(late));
        forbidden_edit(&mut world);
        world.mail(2, true);
        world.open("prepare");
        assert_eq!(world.reply(start), Some(refused(Reason::InvalidRequest)));
        if policy == UPSTREAM {
            assert_eq!(world.observe().trigger_mail, [InputId(2)], "U7");
        } else {
            assert_eq!(world.requests(), [(turn(1), 1, vec![2])]);
        }
    }
}

#[test]
fn every_started_turn_ends_once() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()], vec![answer()], vec![answer()]]);
        for id in 1..=3 {
            assert_eq!(world.start_or_steer(id, "go"), started(id));
        }
        for id in 1..=3 {
            let turn = turn(id);
            let ended = Event::TurnEnded { turn, how: TurnEnd::Completed };
            assert!(
                world.position(&Event::TurnStarted { turn, kind: TaskKind::Regular })
                    < world.position(&ended)
            );
            assert_eq!(world.count(|event| *event == ended), 1);
        }
    }
}

#[test]
fn an_interrupt_of_another_turn_leaves_a_start_alone() {
    let mut world = World::new(HARDENED, vec![vec![answer()]]);
    world.script.hold("prepare");
    let start = world.call(world.engine.submit(automatic(1, InputKind::Response)));
    let (id, other) = (InputId(8), Some(turn(9)));
    let reply = world.answered(world.engine.call(Command::Interrupt { id, turn: other }));
    assert_eq!(reply, Reply::Interrupted(None));
    world.open("prepare");
    assert_eq!(world.reply(start), Some(started(1)));
}

/// The seeds let a start look again before it takes the slot.
#[test]
fn the_seeds_give_back_a_start_that_lost_its_reservation() {
    let seed = Policy::named("seed").expect("a policy");
    let mut world = World::new(seed, vec![vec![answer()]]);
    world.script.hold("prepare");
    let start = world.call(world.engine.submit(automatic(1, InputKind::Response)));
    world.interrupt(8);
    world.open("prepare");
    assert_eq!(world.reply(start), Some(refused(Reason::Superseded)));
    assert!(world.events().contains(&Event::GivenBack { input: InputId(1) }));
    assert_eq!(world.observe().slot, Some(SlotShape::Idle));
}
