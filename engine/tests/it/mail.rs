//! Mail of other agents, before and after a final answer.

use midturn_engine::codex::Policy;
use midturn_protocol::{Event, InputId, InputKind, ModelItem, Phase, Reply, RequestEnd, SlotShape};

use crate::world::{BOTH, UPSTREAM, World, answer, commentary, hold, item, started, tool, turn};

#[test]
fn mail_after_the_answer_waits_and_each_policy_knows_for_how_long() {
    for policy in BOTH {
        let responses = vec![vec![answer(), hold("a")], vec![answer()], vec![answer()]];
        let mut world = World::new(policy, responses);
        world.start_or_steer(1, "build");
        assert_eq!(world.mail(2, false), Reply::Delivered);
        world.open("a");
        assert_eq!(world.requests().len(), 1, "mail does not restart an answered turn");
        assert_eq!(world.observe().mailbox, [InputId(2)]);
        world.start_or_steer(3, "next");
        world.start_or_steer(4, "after next");
        let news: Vec<_> = world.requests().into_iter().map(|(_, _, new)| new).collect();
        if policy == UPSTREAM {
            assert_eq!(news, [vec![1], vec![3], vec![2, 4]], "one turn later still");
        } else {
            assert_eq!(news, [vec![1], vec![3, 2], vec![4]]);
        }
    }
}

#[test]
fn mail_then_a_tool_call_enters_the_next_request() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer(), hold("a"), tool()], vec![answer()]]);
        world.start_or_steer(1, "build");
        world.mail(2, false);
        world.open("a");
        assert_eq!(world.requests(), [(turn(1), 1, vec![1]), (turn(1), 2, vec![2])]);
    }
}

#[test]
fn mail_then_commentary_or_reasoning_cuts_the_request() {
    let reasoning = || item(ModelItem::Reasoning);
    let later = [Policy::codex_0_171(), Policy::seed(), Policy::hardened()];
    let cuts = BOTH.map(|policy| (policy, reasoning())).into_iter();
    for (policy, shown) in cuts.chain(later.map(|policy| (policy, commentary()))) {
        let responses = vec![vec![hold("a"), shown, tool(), answer()], vec![answer()]];
        let mut world = World::new(policy, responses);
        world.start_or_steer(1, "build");
        world.mail(2, false);
        world.open("a");
        assert_eq!(world.requests(), [(turn(1), 1, vec![1]), (turn(1), 2, vec![2])]);
        let how = RequestEnd::Preempted;
        world.position(&Event::RequestEnded { turn: turn(1), request: 1, how });
    }
}

#[test]
fn commentary_with_mail_does_not_cut_in_0_149() {
    let responses = vec![vec![commentary(), hold("a"), answer()], vec![answer()]];
    let mut world = World::new(UPSTREAM, responses);
    world.start_or_steer(1, "build");
    world.mail(2, false);
    assert_eq!(world.requests().len(), 1);
    world.open("a");
    assert_eq!(world.requests().len(), 1, "the answer leaves the mail to the next turn");
}

#[test]
fn reasoning_with_mail_cuts_an_answered_request_only_upstream() {
    for policy in BOTH {
        let reasoning = item(ModelItem::Reasoning);
        let responses = vec![vec![answer(), hold("a"), reasoning], vec![answer()]];
        let mut world = World::new(policy, responses);
        world.start_or_steer(1, "build");
        world.mail(2, false);
        world.open("a");
        assert_eq!(world.requests().len(), if policy == UPSTREAM { 2 } else { 1 });
    }
}

#[test]
fn mail_after_the_answer_then_a_steer_is_one_request_with_the_steer_first() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer(), hold("a")], vec![answer()]]);
        world.start_or_steer(1, "build");
        world.mail(2, false);
        world.steer(3, "use YAML", None);
        assert_eq!(world.observe().phase, Some(Phase::CurrentTurn));
        world.open("a");
        assert_eq!(world.requests(), [(turn(1), 1, vec![1]), (turn(1), 2, vec![3, 2])]);
    }
}

#[test]
fn a_second_answer_does_not_defer_a_steer_that_waits() {
    for policy in BOTH {
        let responses = vec![vec![answer(), hold("a"), answer()], vec![answer()]];
        let mut world = World::new(policy, responses);
        world.start_or_steer(1, "build");
        world.mail(2, false);
        world.steer(3, "use YAML", None);
        world.open("a");
        assert_eq!(world.requests()[1], (turn(1), 2, vec![3, 2]));
    }
}

#[test]
fn trigger_mail_starts_an_idle_session_and_queue_only_mail_does_not() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        world.mail(1, false);
        assert!(world.requests().is_empty());
        assert!(world.observe().trigger_mail.is_empty());
        world.mail(2, true);
        assert_eq!(world.requests(), [(turn(2), 1, vec![1, 2])]);
        assert!(world.observe().mailbox.is_empty());
    }
}

#[test]
fn trigger_mail_after_the_answer_starts_the_next_turn_by_itself() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer(), hold("a")], vec![answer()]]);
        world.start_or_steer(1, "build");
        world.mail(2, true);
        assert_eq!(world.observe().trigger_mail, [InputId(2)]);
        world.open("a");
        assert_eq!(world.requests(), [(turn(1), 1, vec![1]), (turn(1).next(), 1, vec![2])]);
        assert_eq!(world.observe().slot, Some(SlotShape::Idle));
    }
}

#[test]
fn mail_coalesces_with_what_started_the_turn() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![hold("a"), commentary()], vec![answer()]]);
        world.mail(1, true);
        world.mail(2, true);
        world.open("a");
        assert_eq!(world.requests(), [(turn(1), 1, vec![1]), (turn(1), 2, vec![2])]);
    }
}

#[test]
fn mail_that_waits_joins_an_automatic_start() {
    for policy in BOTH {
        let mut world = World::new(policy, vec![vec![answer()]]);
        world.mail(1, false);
        assert_eq!(world.start_if_idle(2, InputKind::Response), started(2));
        assert_eq!(world.requests(), [(turn(2), 1, vec![2, 1])]);
    }
}
