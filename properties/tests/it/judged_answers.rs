//! Properties about answers: those that callers get, and those that tools wait for.

use midturn_protocol::{
    ClearedBy, Event, Outside, Reason, Reply, ToolWake, TurnEnd, Verdict, WaiterEvent,
};

use crate::judged_histories::{
    OTHER, TASK, USER, by, called, cleared, drained, ended, pending, returned, started,
    told_started, told_steered, turn, waiter,
};

fn awaits(on: Outside) -> Event {
    Event::Awaits { on }
}

#[test]
fn verdict_needs_no_one_else() {
    let name = "verdict_needs_no_one_else";
    let waits = |on| by(USER, [called("prompt"), awaits(on), told_started("prompt", "prompt")]);
    let rows = [
        (Outside::Hook, "a hook"),
        (Outside::Log, "the log"),
        (Outside::Model, "the model"),
        (Outside::Tool, "a tool"),
        (Outside::Task, "the end of a task"),
    ];
    for (on, whom) in rows {
        waits(on).breaks(name, &format!("the verdict of prompt waits for {whom}"));
    }
    waits(Outside::Preparation).keeps(name);
    // Somebody else waits, or the same one after its answer, or for something else.
    let meanwhile = by(USER, [called("prompt")]).by(TASK, [awaits(Outside::Log)]);
    meanwhile.by(USER, [told_started("prompt", "prompt"), awaits(Outside::Log)]).keeps(name);
    by(USER, [called("stop"), awaits(Outside::Task)]).keeps(name);
    by(USER, [called("gone"), returned("gone", Reply::Dropped), awaits(Outside::Log)]).keeps(name);
}

const ANSWERED: &str = "every_request_answered";

#[test]
fn every_command_is_answered() {
    by(USER, [called("stop_it")]).breaks(ANSWERED, "stop_it was never answered");
    by(USER, [called("prompt")]).breaks(ANSWERED, "prompt was never answered");
    by(USER, [called("look")]).keeps(ANSWERED);
    by(USER, [called("gone"), returned("gone", Reply::Dropped)]).keeps(ANSWERED);
    by(USER, [called("stop_it"), returned("stop_it", Reply::Interrupted(None))]).keeps(ANSWERED);
}

#[test]
fn who_waits_is_told_if_its_turn_is_over() {
    let opened = || by(TASK, [started("slot"), waiter("slot", WaiterEvent::Opened)]);
    let over = ended("slot", TurnEnd::Interrupted);
    let what = "shell of turn of slot waits for an answer that nobody owes it";
    opened().by(OTHER, [over.clone()]).breaks(ANSWERED, what);
    opened().by(OTHER, [Event::TurnSuspended { turn: turn("slot") }]).breaks(ANSWERED, what);
    // A person may never come, and the turn goes on waiting.
    opened().keeps(ANSWERED);
    let closed = waiter("slot", WaiterEvent::Closed);
    opened().by(OTHER, [closed.clone(), over.clone()]).keeps(ANSWERED);
    opened().by(OTHER, [over.clone(), closed.clone()]).keeps(ANSWERED);
    // One that takes its place is told by itself.
    opened()
        .by(TASK, [closed.clone(), waiter("slot", WaiterEvent::Opened)])
        .by(OTHER, [over.clone()])
        .breaks(ANSWERED, what);
    // Taken up again, the turn waits once more.
    opened()
        .by(OTHER, [closed, over])
        .by(USER, [called("again"), started("slot"), told_started("again", "slot")])
        .by(TASK, [waiter("slot", WaiterEvent::Opened)])
        .keeps(ANSWERED);
}

#[test]
fn who_answers_is_told_the_truth() {
    let opened = || by(TASK, [started("slot"), waiter("slot", WaiterEvent::Opened)]);
    let taken = waiter("slot", WaiterEvent::Answered);
    let said = |found| returned("yes", Reply::Answered { found });
    opened().by(USER, [called("yes"), taken.clone(), said(true)]).keeps(ANSWERED);
    by(USER, [called("yes"), said(false)]).keeps(ANSWERED);
    // Behind a loop somebody else carries it out.
    opened()
        .by(USER, [called("yes")])
        .by(OTHER, [taken.clone()])
        .by(USER, [said(true)])
        .keeps(ANSWERED);
    opened()
        .by(USER, [called("yes"), said(true)])
        .breaks(ANSWERED, "an answer for shell was said to be taken, and was not");
    opened()
        .by(USER, [called("yes"), taken.clone(), said(false)])
        .breaks(ANSWERED, "an answer for shell was taken, and nobody was told so");
    let gone = returned("leave", Reply::Dropped);
    opened().by(USER, [called("leave"), taken, gone]).keeps(ANSWERED);
    // An abort answers nobody.
    opened()
        .by(USER, [called("no"), returned("no", Reply::Interrupted(Some(turn("slot"))))])
        .keeps(ANSWERED);
}

#[test]
fn waits_end_on_input() {
    let name = "waits_end_on_input";
    let timed_out = || Event::ToolWoken { turn: turn("slot"), how: ToolWake::TimedOut };
    let what = "a tool of turn of slot waited its time out while yaml was there";
    by(USER, [pending("yaml", "slot")]).by(TASK, [timed_out()]).breaks(name, what);
    by(USER, [pending("output", "slot")])
        .by(TASK, [timed_out()])
        .breaks(name, &what.replace("yaml", "output"));
    let steered = Event::ToolWoken { turn: turn("slot"), how: ToolWake::Steer };
    by(USER, [pending("yaml", "slot")]).by(TASK, [steered]).keeps(name);
    by(TASK, [timed_out()]).by(USER, [pending("yaml", "slot")]).keeps(name);
    by(USER, [pending("yaml", "slot+1")]).by(TASK, [timed_out()]).keeps(name);
    by(USER, [pending("extra", "slot")]).by(TASK, [timed_out()]).keeps(name);
    for gone in [
        drained("slot", &["yaml"]),
        cleared("yaml", ClearedBy::Interrupt),
        Event::PendingCleared { turn: turn("slot") },
    ] {
        by(USER, [pending("yaml", "slot")]).by(TASK, [gone, timed_out()]).keeps(name);
    }
}

#[test]
fn a_verdict_tells_the_truth() {
    let name = "verdict_tells_the_truth";
    by(USER, [called("yaml"), told_steered("yaml", "slot")])
        .breaks(name, "yaml was told `Steered(turn of slot)`, which is not what happened");
    let refused = returned("prompt", Reply::Refused(Reason::ServerDraining));
    by(USER, [called("prompt"), refused.clone()]).keeps(name);
    by(USER, [called("prompt"), pending("prompt", "slot"), refused])
        .breaks(name, "prompt was told `refused server_draining`, which is not what happened");
    // Only its settings were refused, and it was queued all the same.
    let late = Reply::Verdict(Verdict::NotSubmitted(Reason::InvalidRequest));
    by(USER, [called("edited"), pending("edited", "slot"), returned("edited", late)])
        .breaks(name, "edited was told `refused invalid_request`, which is not what happened");
    // A continuation has input, a recovery has none and means one turn.
    by(USER, [called("more"), pending("more", "more"), told_started("more", "more")]).keeps(name);
    by(USER, [called("again"), told_started("again", "slot")]).keeps(name);
    by(USER, [called("again"), told_started("again", "again")])
        .breaks(name, "again was told `Started(turn of again)`, which is not what happened");
    by(USER, [called("nothing"), told_started("nothing", "nothing")]).keeps(name);
}
