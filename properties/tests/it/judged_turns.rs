//! Properties about turns.

use midturn_protocol::{Event, ModelItem, Purpose, Reason, Reply, RequestEnd, SlotShape, TurnEnd};

use crate::judged_histories::{
    OTHER, Run, SECOND_TASK, TASK, USER, answer, began, began_for, by, called, drained, ended, id,
    initial, mailed, pending, recorded, request_ended, returned, said, slot, started, told_refused,
    told_started, turn,
};

const ONCE: &str = "one_terminal_per_turn";

fn suspended(of: &str) -> Event {
    Event::TurnSuspended { turn: turn(of) }
}

/// A turn starts and is stopped; `again` takes it up.
fn recovered(stop: Event) -> Run {
    by(TASK, [started("slot")])
        .by(OTHER, [stop])
        .by(USER, [called("again"), started("slot"), told_started("again", "slot")])
}

#[test]
fn a_turn_ends_once() {
    let run = || by(TASK, [started("slot")]);
    let completed = || ended("slot", TurnEnd::Completed);
    run().by(TASK, [completed()]).keeps(ONCE);
    run().breaks(ONCE, "turn of slot never ended");
    run().by(TASK, [completed(), completed()]).breaks(ONCE, "turn of slot ended twice");
    by(TASK, [completed()]).breaks(ONCE, "turn of slot ended and never started");
    run().by(TASK, [completed(), started("slot")]).breaks(ONCE, "turn of slot started twice");
    run()
        .by(TASK, [slot(SlotShape::Running, "slot")])
        .leaves(|last| last.slot = Some(SlotShape::Running))
        .keeps(ONCE);
}

#[test]
fn a_suspended_turn_has_no_end() {
    let run = || by(TASK, [started("slot")]).by(OTHER, [suspended("slot")]);
    run().keeps(ONCE);
    run().by(TASK, [ended("slot", TurnEnd::Completed)]).breaks(ONCE, "turn of slot ended twice");
    by(TASK, [started("slot"), ended("slot", TurnEnd::Completed)])
        .by(OTHER, [suspended("slot")])
        .breaks(ONCE, "turn of slot ended and was suspended");
    // Its client need not have heard of it.
    by(OTHER, [suspended("slot")]).keeps(ONCE);
}

#[test]
fn a_turn_that_was_stopped_may_be_taken_up_again() {
    let interrupted = || ended("slot", TurnEnd::Interrupted);
    for stop in [interrupted(), suspended("slot")] {
        let run = || recovered(stop.clone());
        run().by(SECOND_TASK, [ended("slot", TurnEnd::Completed)]).keeps(ONCE);
        run().by(OTHER, [interrupted()]).keeps(ONCE);
        run().breaks(ONCE, "turn of slot never ended");
        run().by(OTHER, [interrupted(), interrupted()]).breaks(ONCE, "turn of slot ended twice");
        run().by(SECOND_TASK, [ended("slot", TurnEnd::Completed)]).keeps("single_active_turn");
    }
    // One that completed may not be.
    recovered(ended("slot", TurnEnd::Completed))
        .by(SECOND_TASK, [slot(SlotShape::Running, "slot")])
        .leaves(|last| last.slot = Some(SlotShape::Running))
        .breaks(ONCE, "turn of slot started twice");
    // Who asked for it may have gone away; if it was refused, nobody did.
    let asked = |command: &str, reply| {
        by(TASK, [started("slot")])
            .by(OTHER, [interrupted()])
            .by(USER, [called(command), returned(command, reply)])
            .by(OTHER, [started("slot"), interrupted()])
    };
    asked("unseen", Reply::Dropped).keeps(ONCE);
    let run = by(TASK, [started("slot")])
        .by(OTHER, [interrupted()])
        .by(USER, [called("again"), told_refused("again", Reason::NotIdle)])
        .by(OTHER, [started("slot")]);
    run.leaves(|last| last.slot = Some(SlotShape::Running))
        .breaks(ONCE, "turn of slot started twice");
}

#[test]
fn turns_do_not_overlap() {
    let name = "single_active_turn";
    let what = "turn of prompt started while turn of slot was active";
    by(TASK, [started("slot")]).by(SECOND_TASK, [started("prompt")]).breaks(name, what);
    by(TASK, [started("slot"), ended("slot", TurnEnd::Failed), started("prompt")]).keeps(name);
    by(TASK, [started("slot"), suspended("slot"), started("prompt")]).keeps(name);
}

const STAYS: &str = "answered_stays_answered";

/// The turn has shown its answer.
fn answered() -> Run {
    let how = RequestEnd::Completed { follow_up: false };
    by(TASK, [started("slot"), began("slot", 1, &["slot"]), answer("slot")])
        .by(TASK, [request_ended("slot", 1, how)])
}

#[test]
fn an_answered_turn_goes_on_for_reasons_only() {
    let what = |new| format!("turn of slot had shown its answer, and request 2 began for {new}");
    answered()
        .by(TASK, [began("slot", 2, &[]), answer("slot")])
        .breaks(STAYS, &what("nothing new"));
    answered()
        .by(USER, [called("note"), mailed("note")])
        .by(TASK, [began("slot", 2, &["note"]), answer("slot")])
        .breaks(STAYS, &what("note"));
    answered()
        .by(USER, [called("yaml"), pending("yaml", "slot")])
        .by(TASK, [began("slot", 2, &["yaml"]), answer("slot")])
        .keeps(STAYS);
    let blocked = Event::StopBlocked { turn: turn("slot") };
    answered().by(TASK, [blocked, began("slot", 2, &[]), answer("slot")]).keeps(STAYS);
    answered().by(TASK, [said("slot", ModelItem::tool("ls")), began("slot", 2, &[])]).keeps(STAYS);
    answered()
        .by(TASK, [began("slot", 2, &[]), request_ended("slot", 2, RequestEnd::Cancelled)])
        .keeps(STAYS);
}

#[test]
fn requests_for_other_ends_do_not_count() {
    for purpose in [Purpose::Compaction, Purpose::Review] {
        let how = RequestEnd::Completed { follow_up: false };
        let other = || [began_for(purpose, "slot", 2, &[]), request_ended("slot", 2, how)];
        answered().by(TASK, other()).keeps(STAYS);
        answered().by(TASK, other()).by(TASK, [began("slot", 3, &[]), answer("slot")]).breaks(
            STAYS,
            "turn of slot had shown its answer, and request 3 began for nothing new",
        );
    }
    // Taken up again it begins anew, and may not go on beyond its answer either.
    let again = || {
        answered()
            .by(USER, [called("again"), started("slot"), told_started("again", "slot")])
            .by(SECOND_TASK, [began("slot", 1, &[]), answer("slot")])
    };
    again().keeps(STAYS);
    again()
        .by(SECOND_TASK, [began("slot", 2, &[]), answer("slot")])
        .breaks(STAYS, "turn of slot had shown its answer, and request 2 began for nothing new");
    answered()
        .by(SECOND_TASK, [began("slot", 1, &[]), answer("slot")])
        .breaks(STAYS, "turn of slot had shown its answer, and request 1 began for nothing new");
}

#[test]
fn no_work_is_stranded_while_idle() {
    let name = "no_work_stranded_while_idle";
    let waits = || {
        by(USER, [called("mail"), mailed("mail")])
            .leaves(|last| (last.mailbox, last.trigger_mail) = (vec![id("mail")], vec![id("mail")]))
    };
    waits().breaks(name, "trigger mail mail waits, and the session is idle");
    waits().leaves(|last| last.closed = true).keeps(name);
    waits().leaves(|last| last.slot = Some(SlotShape::Running)).keeps(name);
    // A host that drains still starts turns for mail.
    waits()
        .by(OTHER, [Event::DrainingBegan { command: id("close") }])
        .breaks(name, "trigger mail mail waits, and the session is idle");
    waits().leaves(|last| last.trigger_mail.clear()).keeps(name);
}

const NOTHING: &str = "no_turn_for_nothing";

#[test]
fn a_turn_that_nobody_asked_for_takes_something() {
    let what = "turn after slot was asked for by nobody and takes nothing";
    by(TASK, [began("slot+1", 1, &[])]).breaks(NOTHING, what);
    // It is told once.
    by(TASK, [began("slot+1", 1, &[]), began("slot+1", 2, &[])]).breaks(NOTHING, what);
    by(TASK, [began("mail", 1, &[])])
        .breaks(NOTHING, "turn of mail was asked for by nobody and takes nothing");
    by(TASK, [drained("slot+1", &[]), began("slot+1", 1, &[])]).breaks(NOTHING, what);
    by(TASK, [drained("slot", &["mail"]), began("slot+1", 1, &[])]).breaks(NOTHING, what);
    let compacts = || began_for(Purpose::Compaction, "slot+1", 1, &[]);
    by(TASK, [compacts(), began("slot+1", 2, &[])]).breaks(NOTHING, what);

    by(TASK, [compacts(), drained("slot+1", &["mail"]), began("slot+1", 2, &[])]).keeps(NOTHING);
    by(TASK, [drained("slot+1", &["mail"]), began("slot+1", 1, &["mail"])]).keeps(NOTHING);
    by(TASK, [recorded("mail", "slot+1"), began("slot+1", 1, &["mail"])]).keeps(NOTHING);
    by(TASK, [started("slot+1"), ended("slot+1", TurnEnd::Interrupted)]).keeps(NOTHING);
    let later = [drained("slot+1", &["mail"]), began("slot+1", 1, &[]), began("slot+1", 2, &[])];
    by(TASK, later).keeps(NOTHING);
}

#[test]
fn a_turn_that_somebody_asked_for_may_have_nothing_to_take() {
    let begins = |run: Run, of: &str| run.by(TASK, [began(of, 1, &[])]);
    begins(by(USER, [called("nothing"), told_started("nothing", "nothing")]), "nothing")
        .keeps(NOTHING);
    begins(by(USER, [called("nothing")]), "nothing").keeps(NOTHING);
    begins(by(USER, [called("more"), pending("more", "more")]), "more").keeps(NOTHING);
    let gone = [called("gone"), initial("gone", "gone"), returned("gone", Reply::Dropped)];
    begins(by(USER, gone), "gone").keeps(NOTHING);
    begins(by(USER, [called("unseen"), returned("unseen", Reply::Dropped)]), "slot").keeps(NOTHING);
    begins(by(USER, [called("yaml")]), "slot").keeps(NOTHING);
    // It was refused, and the turn is one for mail under its name.
    begins(by(USER, [called("go"), told_refused("go", Reason::PendingTriggerTurn)]), "go")
        .breaks(NOTHING, "turn of go was asked for by nobody and takes nothing");
}

#[test]
fn no_turn_starts_after_the_session_was_told_to_end() {
    let name = "no_turn_after_close";
    let closed = |command: &str| by(OTHER, [Event::Closed { command: id(command) }]);
    let runs = || slot(SlotShape::Running, "mail");
    for command in ["bye", "rest"] {
        closed(command)
            .by(TASK, [runs()])
            .breaks(name, "turn of mail started after the session was ended");
        closed(command).by(TASK, [slot(SlotShape::Finishing, "slot")]).keeps(name);
    }
    by(TASK, [runs()]).by(OTHER, [Event::Closed { command: id("bye") }]).keeps(name);
    // The host drains: what runs goes on, and mail may start a turn.
    by(OTHER, [Event::DrainingBegan { command: id("close") }]).by(TASK, [runs()]).keeps(name);
}

#[test]
fn turns_end_themselves() {
    let name = "turns_end_themselves";
    let takes = |of| slot(SlotShape::Finishing, of);
    by(TASK, [began("slot", 1, &[]), takes("prompt")])
        .breaks(name, "the task of turn of slot takes turn of prompt out of the slot");
    by(TASK, [began("slot", 1, &[]), takes("slot")]).keeps(name);
    by(TASK, [began("slot", 1, &[])]).by(OTHER, [takes("slot")]).keeps(name);
    by(TASK, [began("slot", 1, &[]), slot(SlotShape::Idle, "prompt")]).keeps(name);
}
