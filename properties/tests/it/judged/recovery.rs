//! Turns that are stopped: interrupted, suspended, and taken up again.

use midturn_protocol::{
    ClearedBy, Event, GraceEnd, Landing, Reason, Reply, RequestEnd, TurnEnd, WaiterEvent,
};

use super::{ABORT, DONE, MORE, NEXT, OTHER, Run, TASK, USER, Words, words};

/// A preset turn, and who stops it and takes it up again.
fn stopping() -> Words {
    words(
        "[session]\nslot = 'running'",
        "{ id = 'stop', interrupt = true }, { id = 'stop_it', interrupt = 'turn of slot' },
         { id = 'again', recover = 'turn of slot' }, { id = 'once_more', recover = 'turn of slot' },
         { id = 'yaml', steer = 'a' }, { id = 'late', steer = 'b' },
         { id = 'rest', suspend = true }, { id = 'bye', shutdown = true }",
    )
}

/// The preset turn makes its first request.
fn running(of: &Words) -> Run<'_> {
    of.before([of.built("slot", 0), of.started("slot"), of.recorded("slot", "slot")])
        .before([of.runs("slot")])
        .by(TASK, [of.begins("slot", 1, &["slot"])])
}

/// `command` has the turn aborted while its request `nth` is under way, up to the marker.
fn aborts<'a>(run: Run<'a>, command: &str, nth: u32) -> Run<'a> {
    let of = run.words;
    let turn = of.turn("slot");
    run.by(USER, [of.called(command), of.finishes("slot")])
        .by(ABORT, [Event::CancelRequested { turn }, Event::GraceBegan { turn }])
        .by(ABORT, [Event::GraceEnded { turn, how: GraceEnd::TimedOut }])
        .by(ABORT, [of.ends("slot", nth, RequestEnd::Cancelled), Event::PendingCleared { turn }])
}

/// And then it is interrupted.
fn interrupts<'a>(run: Run<'a>, command: &str, nth: u32) -> Run<'a> {
    let of = run.words;
    let turn = of.turn("slot");
    aborts(run, command, nth)
        .by(ABORT, [Event::Marker { turn }, Event::Flushed { turn }])
        .by(ABORT, [of.ended("slot", TurnEnd::Interrupted), of.frees("slot")])
        .by(USER, [of.returned(command, Reply::Interrupted(Some(turn)))])
}

/// `command` takes the turn up again, and `task` makes its first request.
fn recovers<'a>(run: Run<'a>, command: &str, task: usize) -> Run<'a> {
    let of = run.words;
    run.by(USER, [of.called(command), of.reserves("slot"), of.built("slot", 0)])
        .by(USER, [of.started("slot"), of.installs("slot"), of.told_started(command, "slot")])
        .by(task, [of.begins("slot", 1, &[])])
}

#[test]
fn a_turn_is_interrupted_and_taken_up_again_twice() {
    let of = stopping();
    let first = || recovers(interrupts(running(&of), "stop", 1), "again", NEXT);
    let answers = || [of.answers("slot"), of.ends("slot", 1, DONE)];
    first().by(NEXT, answers()).completes(NEXT, "slot").breaks_nothing();
    let second = || recovers(interrupts(first(), "stop_it", 1), "once_more", OTHER);
    second().by(OTHER, answers()).completes(OTHER, "slot").breaks_nothing();
    // A task that is over goes on.
    let what = "something entered history after the marker of its turn (turn of slot)";
    second()
        .by(NEXT, [of.calls_tool("slot")])
        .by(OTHER, answers())
        .completes(OTHER, "slot")
        .breaks("abort_order", what);
    // It had completed, and there was nothing to take up.
    let done = running(&of).by(TASK, answers()).completes(TASK, "slot");
    let what = "turn of slot started twice";
    recovers(done, "again", NEXT)
        .by(NEXT, [of.ends("slot", 1, RequestEnd::Failed)])
        .breaks("one_terminal_per_turn", what);
    // It was stopped, and was not taken up by anybody.
    interrupts(running(&of), "stop", 1)
        .by(USER, [of.called("again"), of.told_refused("again", Reason::NotIdle)])
        .by(OTHER, [of.started("slot")])
        .breaks("one_terminal_per_turn", what);
}

#[test]
fn an_interrupt_clears_what_waits_and_says_so() {
    let of = stopping();
    let steered = || {
        running(&of)
            .by(OTHER, [of.called("yaml"), of.pending("yaml", "slot")])
            .by(OTHER, [of.told_steered("yaml", "slot")])
    };
    let turn = || of.turn("slot");
    let ends = |run: Run<'_>| {
        run.by(ABORT, [Event::Marker { turn: turn() }, Event::Flushed { turn: turn() }])
            .by(ABORT, [of.ended("slot", TurnEnd::Interrupted), of.frees("slot")])
            .by(USER, [of.returned("stop", Reply::Interrupted(Some(turn())))])
            .violations()
    };
    let cleared = of.cleared("yaml", ClearedBy::Interrupt);
    assert_eq!(ends(aborts(steered(), "stop", 1).by(ABORT, [cleared])), []);
    let what = "yaml was accepted for turn of slot and ended cleared by interrupt".to_owned();
    let silent = aborts(steered(), "stop", 1);
    assert_eq!(ends(silent), [("accepted_is_sampled", what)]);
}

#[test]
fn a_suspended_turn_has_no_end_and_its_session_answers_nobody() {
    let of = stopping();
    let turn = || of.turn("slot");
    let asked = || running(&of).by(TASK, [of.waiter("slot", "shell", WaiterEvent::Opened)]);
    let closes = || of.waiter("slot", "shell", WaiterEvent::Closed);
    let rests = |run: Run<'_>| {
        run.by(ABORT, [of.suspended("slot"), of.frees("slot")])
            .by(USER, [of.closed("rest"), of.returned("rest", Reply::ShutDown(Some(turn())))])
            .leaves(|last| last.closed = true)
            .violations()
    };
    assert_eq!(rests(aborts(asked(), "rest", 1).by(ABORT, [closes()])), []);
    let what = "shell of turn of slot waits for an answer that nobody owes it".to_owned();
    assert_eq!(rests(aborts(asked(), "rest", 1)), [("every_request_answered", what)]);
    let ended = aborts(running(&of), "rest", 1)
        .by(ABORT, [Event::Marker { turn: turn() }, Event::Flushed { turn: turn() }])
        .by(ABORT, [of.ended("slot", TurnEnd::Interrupted)]);
    let said = |property, what: &str| (property, what.to_owned());
    assert_eq!(
        rests(ended),
        [
            said("one_terminal_per_turn", "turn of slot ended and was suspended"),
            said(
                "interrupt_hits_what_it_names",
                "turn of slot was interrupted, and nobody meant it"
            ),
        ]
    );
    // Whoever comes after the end is refused by a loop that looks at nothing any more.
    let after = || {
        aborts(running(&of), "rest", 1)
            .by(ABORT, [of.suspended("slot"), of.frees("slot")])
            .by(USER, [of.closed("rest"), of.returned("rest", Reply::ShutDown(Some(turn())))])
            .by(OTHER, [of.called("late")])
            .by(OTHER, [of.returned("late", Reply::Refused(Reason::ServerDraining))])
    };
    after().breaks_nothing();
    let landing = after().history().landings.get(&of.id("late")).copied();
    assert_eq!(landing, Some(Landing::Refused(Reason::ServerDraining)));
}

#[test]
fn what_is_told_of_a_suspension_is_what_happened() {
    let of = stopping();
    let told = |of_turn: &str| {
        aborts(running(&of), "rest", 1)
            .by(ABORT, [of.suspended("slot"), of.frees("slot")])
            .by(USER, [of.closed("rest")])
            .by(USER, [of.returned("rest", Reply::ShutDown(Some(of.turn(of_turn))))])
    };
    told("slot").breaks_nothing();
    let what = "turn after slot was said to be suspended, and was not";
    let silent = "turn of slot was suspended, and nobody was told so";
    told("slot+1").breaks_all("interrupt_hits_what_it_names", &[silent, what]);
}

#[test]
fn an_interrupt_that_names_a_turn_leaves_its_successor_alone() {
    let of = stopping();
    let next = || of.turn("slot+1");
    let replaced = || {
        running(&of)
            .by(TASK, [of.answers("slot"), of.ends("slot", 1, DONE)])
            .completes(TASK, "slot")
            .by(USER, [of.called("stop_it")])
            .by(NEXT, [of.started("slot+1"), of.runs("slot+1")])
    };
    let none = of.returned("stop_it", Reply::Interrupted(None));
    let property = "interrupt_hits_what_it_names";
    replaced().by(USER, [none]).keeps(property);
    let cancels = Event::CancelRequested { turn: next() };
    replaced()
        .by(USER, [cancels.clone()])
        .breaks(property, "an interrupt of turn of slot stops turn after slot");
    replaced()
        .by(USER, [of.returned("stop_it", Reply::Interrupted(Some(next())))])
        .breaks(property, "an interrupt of turn of slot ended turn after slot");
    replaced()
        .by(ABORT, [cancels, of.ended("slot+1", TurnEnd::Interrupted)])
        .breaks(property, "turn after slot was interrupted, and nobody meant it");
    // Somebody else means whatever runs, or ends the session.
    for anyone in ["stop", "bye"] {
        replaced()
            .by(OTHER, [of.called(anyone)])
            .by(ABORT, [of.ended("slot+1", TurnEnd::Interrupted)])
            .keeps(property);
    }
}

#[test]
fn an_abort_does_not_wait_for_a_task_that_has_ended() {
    let of = stopping();
    let turn = || of.turn("slot");
    let done = Event::TaskDone { turn: turn() };
    let abort = |how| {
        running(&of)
            .by(TASK, [of.calls_tool("slot"), of.ends("slot", 1, MORE)])
            .by(USER, [of.called("stop"), of.finishes("slot")])
            .by(TASK, [done.clone()])
            .by(ABORT, [Event::CancelRequested { turn: turn() }])
            .by(ABORT, [Event::GraceBegan { turn: turn() }])
            .by(ABORT, [Event::GraceEnded { turn: turn(), how }])
            .by(ABORT, [Event::PendingCleared { turn: turn() }, Event::Marker { turn: turn() }])
            .by(ABORT, [Event::Flushed { turn: turn() }])
            .by(ABORT, [of.ended("slot", TurnEnd::Interrupted), of.frees("slot")])
            .by(USER, [of.returned("stop", Reply::Interrupted(Some(turn())))])
    };
    abort(GraceEnd::Done).breaks_nothing();
    let what = "the task of turn of slot had ended, and was waited for all the same";
    abort(GraceEnd::TimedOut).breaks_only("done_is_heard", what);
}

#[test]
fn an_abort_has_one_order() {
    let of = stopping();
    let turn = of.turn("slot");
    let steps = |order: [Event; 6]| {
        let run = running(&of)
            .by(TASK, [of.waiter("slot", "shell", WaiterEvent::Opened)])
            .by(USER, [of.called("stop"), of.finishes("slot")])
            .by(ABORT, [Event::CancelRequested { turn }]);
        order.into_iter().fold(run, |run, event| run.by(ABORT, [event])).of("abort_order")
    };
    let waited = || Event::GraceEnded { turn, how: GraceEnd::Done };
    let closes = || of.waiter("slot", "shell", WaiterEvent::Closed);
    let clears = || Event::PendingCleared { turn };
    let marks = || Event::Marker { turn };
    let flushes = || Event::Flushed { turn };
    let tells = || of.ended("slot", TurnEnd::Interrupted);
    let nothing: [String; 0] = [];
    assert_eq!(steps([waited(), closes(), clears(), marks(), flushes(), tells()]), nothing);
    let what = "an answer was given up before the task saw the cancel (turn of slot)";
    assert_eq!(steps([closes(), waited(), clears(), marks(), flushes(), tells()]), [what]);
    let what = "pending was cleared before the task saw the cancel (turn of slot)";
    assert_eq!(steps([clears(), waited(), closes(), marks(), flushes(), tells()]), [what]);
    let what = "the marker came before the task saw the cancel (turn of slot)";
    assert_eq!(steps([marks(), waited(), closes(), clears(), flushes(), tells()]), [what]);
    let what = "the end was told before the marker was recorded (turn of slot)";
    assert_eq!(steps([waited(), closes(), clears(), tells(), marks(), flushes()]), [what]);
    let what = "the end was told before the marker was in the log (turn of slot)";
    assert_eq!(steps([waited(), closes(), clears(), marks(), tells(), flushes()]), [what]);
}
