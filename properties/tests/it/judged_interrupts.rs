//! Properties about aborts.

use midturn_protocol::{Event, GraceEnd, ModelItem, Reason, Reply, TurnEnd, WaiterEvent};

use crate::judged_histories::{
    OTHER, Run, SECOND_TASK, TASK, USER, answer, began, by, called, ended, recorded, returned,
    said, started, told_started, turn, waiter,
};

fn cancel(of: &str) -> Event {
    Event::CancelRequested { turn: turn(of) }
}

fn grace(how: GraceEnd) -> Event {
    Event::GraceEnded { turn: turn("slot"), how }
}

fn marker() -> Event {
    Event::Marker { turn: turn("slot") }
}

fn flushed() -> Event {
    Event::Flushed { turn: turn("slot") }
}

fn clear() -> Event {
    Event::PendingCleared { turn: turn("slot") }
}

fn interrupted() -> Event {
    ended("slot", TurnEnd::Interrupted)
}

/// A whole abort by `actor`.
fn aborts(run: Run, actor: usize) -> Run {
    run.by(actor, [cancel("slot"), grace(GraceEnd::TimedOut), clear()])
        .by(actor, [waiter("slot", WaiterEvent::Closed), marker(), flushed(), interrupted()])
}

const ORDER: &str = "abort_order";

#[test]
fn an_abort_has_an_order() {
    let asked = || by(OTHER, [cancel("slot")]);
    aborts(by(TASK, [began("slot", 1, &[])]), OTHER).keeps(ORDER);
    asked()
        .by(OTHER, [clear()])
        .breaks(ORDER, "pending was cleared before the task saw the cancel (turn of slot)");
    by(OTHER, [clear(), cancel("slot"), grace(GraceEnd::Done)])
        .breaks(ORDER, "pending was cleared before the task saw the cancel (turn of slot)");
    asked()
        .by(OTHER, [waiter("slot", WaiterEvent::Closed)])
        .breaks(ORDER, "an answer was given up before the task saw the cancel (turn of slot)");
    asked()
        .by(OTHER, [marker()])
        .breaks(ORDER, "the marker came before the task saw the cancel (turn of slot)");
    asked()
        .by(OTHER, [grace(GraceEnd::Done), interrupted()])
        .breaks(ORDER, "the end was told before the marker was recorded (turn of slot)");
    by(OTHER, [grace(GraceEnd::Done)])
        .breaks(ORDER, "the wait for the task came before its cancel (turn of slot)");
    asked()
        .by(OTHER, [grace(GraceEnd::Done), marker(), interrupted()])
        .breaks(ORDER, "the end was told before the marker was in the log (turn of slot)");
    // Codex clears only afterwards, and a replaced turn has no marker.
    asked()
        .by(OTHER, [grace(GraceEnd::Done), marker(), flushed(), interrupted(), clear()])
        .by(OTHER, [waiter("slot", WaiterEvent::Closed)])
        .keeps(ORDER);
    asked().by(OTHER, [grace(GraceEnd::Done), ended("slot", TurnEnd::Replaced)]).keeps(ORDER);
}

#[test]
fn only_who_aborts_has_to_wait() {
    // The task leaves by itself, and a request that failed clears what waits.
    by(OTHER, [cancel("slot")])
        .by(TASK, [waiter("slot", WaiterEvent::Closed), clear()])
        .by(OTHER, [grace(GraceEnd::Done), marker(), flushed(), interrupted()])
        .keeps(ORDER);
    by(TASK, [clear(), waiter("slot", WaiterEvent::Closed), ended("slot", TurnEnd::Failed)])
        .keeps(ORDER);
}

#[test]
fn nothing_enters_history_after_the_marker() {
    let what = "something entered history after the marker of its turn (turn of slot)";
    let stopped = || aborts(by(TASK, [started("slot"), began("slot", 1, &["slot"])]), OTHER);
    stopped().by(TASK, [answer("slot")]).breaks(ORDER, what);
    stopped().by(TASK, [recorded("yaml", "slot")]).breaks(ORDER, what);
    stopped().by(TASK, [recorded("yaml", "slot+1")]).keeps(ORDER);
    aborts(by(TASK, [answer("slot")]), OTHER).keeps(ORDER);
    // Taken up again, the new task may write, and be aborted like the first. The old one may not.
    let again =
        || stopped().by(USER, [called("again"), started("slot"), told_started("again", "slot")]);
    let writes = || again().by(SECOND_TASK, [began("slot", 1, &[]), answer("slot")]);
    writes().keeps(ORDER);
    writes().by(TASK, [said("slot", ModelItem::Reasoning)]).breaks(ORDER, what);
    aborts(writes(), OTHER).keeps(ORDER);
    aborts(writes(), OTHER).by(SECOND_TASK, [recorded("yaml", "slot")]).breaks(ORDER, what);
    writes()
        .by(OTHER, [cancel("slot"), marker()])
        .breaks(ORDER, "the marker came before the task saw the cancel (turn of slot)");
    // Nobody has taken it up.
    let refused = Reply::Refused(Reason::NotIdle);
    stopped()
        .by(USER, [called("again"), returned("again", refused)])
        .by(SECOND_TASK, [answer("slot")])
        .breaks(ORDER, what);
}

#[test]
fn done_is_heard() {
    let name = "done_is_heard";
    let (done, waits) =
        (Event::TaskDone { turn: turn("slot") }, Event::GraceBegan { turn: turn("slot") });
    let what = "the task of turn of slot had ended, and was waited for all the same";
    let begins = || by(TASK, [started("slot"), done.clone()]);
    let missed = || begins().by(OTHER, [waits.clone(), grace(GraceEnd::TimedOut)]);
    missed().breaks(name, what);
    by(TASK, [done.clone()]).by(OTHER, [waits.clone(), grace(GraceEnd::Done)]).keeps(name);
    by(OTHER, [waits.clone()])
        .by(TASK, [done.clone()])
        .by(OTHER, [grace(GraceEnd::TimedOut)])
        .keeps(name);
    by(OTHER, [waits.clone(), grace(GraceEnd::TimedOut)]).keeps(name);
    let other = Event::TaskDone { turn: turn("slot+1") };
    by(SECOND_TASK, [other])
        .by(OTHER, [Event::GraceBegan { turn: turn("slot") }, grace(GraceEnd::TimedOut)])
        .keeps(name);
    // It had a task before, and that one has ended.
    missed()
        .by(USER, [called("again"), started("slot"), told_started("again", "slot")])
        .keeps(name);
}

const HITS: &str = "interrupt_hits_what_it_names";

#[test]
fn an_interrupt_ends_what_it_names() {
    let told = |of: &str| returned("stop_it", Reply::Interrupted(Some(turn(of))));
    let none = || returned("stop_it", Reply::Interrupted(None));
    by(USER, [called("stop_it"), interrupted(), told("slot")]).keeps(HITS);
    by(USER, [called("stop_it"), none()]).keeps(HITS);
    by(USER, [called("stop_it"), told("prompt")])
        .breaks(HITS, "an interrupt of turn of slot ended turn of prompt");
    by(USER, [called("stop_it")])
        .by(OTHER, [ended("prompt", TurnEnd::Interrupted)])
        .breaks(HITS, "turn of prompt was interrupted, and nobody meant it");
    // Somebody names none.
    for anyone in ["stop", "no", "bye"] {
        by(USER, [called("stop_it")])
            .by(OTHER, [called(anyone), ended("prompt", TurnEnd::Interrupted)])
            .keeps(HITS);
    }
    by(USER, [called("check"), ended("prompt", TurnEnd::Replaced)]).keeps(HITS);
    let anyone = || returned("stop", Reply::Interrupted(Some(turn("prompt"))));
    by(USER, [called("stop"), anyone()]).keeps(HITS);
}

#[test]
fn who_names_a_turn_stops_no_other() {
    let what = "an interrupt of turn of slot stops turn of prompt";
    by(OTHER, [called("stop")]).by(USER, [called("stop_it"), cancel("prompt")]).breaks(HITS, what);
    by(USER, [called("stop_it"), cancel("slot")]).keeps(HITS);
    by(USER, [called("stop_it")]).by(OTHER, [cancel("prompt")]).keeps(HITS);
    let left = || returned("stop_it", Reply::Interrupted(None));
    by(USER, [called("stop_it"), left(), called("stop"), cancel("prompt")]).keeps(HITS);
}

#[test]
fn a_suspension_tells_what_it_stopped() {
    let told = |of| returned("rest", Reply::ShutDown(of));
    let suspended = || Event::TurnSuspended { turn: turn("slot") };
    by(USER, [called("rest"), suspended(), told(Some(turn("slot")))]).keeps(HITS);
    by(USER, [called("rest"), suspended(), told(Some(turn("slot")))])
        .by(OTHER, [called("bye"), returned("bye", Reply::ShutDown(Some(turn("prompt"))))])
        .breaks(HITS, "turn of prompt was said to be suspended, and was not");
    by(USER, [called("rest"), suspended(), told(None)])
        .breaks(HITS, "turn of slot was suspended, and nobody was told so");
    by(USER, [called("bye"), returned("bye", Reply::ShutDown(None))]).keeps(HITS);
}
