//! What callers are told, and what tools that ask are told.

use midturn_protocol::{
    Event, Outside, Reason, Reply, ToolWake, TurnEnd, WaiterEvent, WaiterTable,
};

use super::{ABORT, NEXT, OTHER, TASK, USER, Words, words};

const ANSWERED: &str = "every_request_answered";

/// Two tools that ask, and who answers them.
fn asking() -> Words {
    words(
        "[session]\nslot = 'running'\n[model]\nrequests = [[{ tool = 'shell', asks = 'approval' }]]",
        "{ id = 'yes', answer = 'a', table = 'approval' },
         { id = 'yes_too', answer = 'b', table = 'approval', to = 'shell' },
         { id = 'no', abort = true, table = 'approval' },
         { id = 'leave', answer = 'c', table = 'approval', drop = true },
         { id = 'again', recover = 'turn of slot' }, { id = 'look', wait = 'activity' },
         { id = 'mail', mail = 'd', trigger = true }, { id = 'yaml', steer = 'e' },
         { id = 'json', steer = 'f' }, { id = 'aside', steer = 'g', drop = true }",
    )
}

#[test]
fn one_waiter_takes_one_answer() {
    let of = asking();
    let opened = || of.by(TASK, [of.waiter("slot", "shell", WaiterEvent::Opened)]);
    let taken = || of.waiter("slot", "shell", WaiterEvent::Answered);
    let told = |name: &str, found| of.returned(name, Reply::Answered { found });
    let both = |second| {
        opened()
            .by(USER, [of.called("yes"), taken(), told("yes", true)])
            .by(OTHER, [of.called("yes_too"), told("yes_too", second)])
    };
    both(false).keeps(ANSWERED);
    both(true).breaks(ANSWERED, "an answer for shell was said to be taken, and was not");
    // It asks once more.
    opened()
        .by(USER, [of.called("yes"), taken(), told("yes", true)])
        .by(TASK, [of.waiter("slot", "shell", WaiterEvent::Opened)])
        .by(OTHER, [of.called("yes_too"), taken(), told("yes_too", true)])
        .keeps(ANSWERED);
    // One who went away may have answered; one who aborts answers nobody.
    let aborts = || [of.called("no"), of.returned("no", Reply::Interrupted(None))];
    opened()
        .by(OTHER, [of.called("leave"), of.returned("leave", Reply::Dropped), taken()])
        .by(USER, aborts())
        .keeps(ANSWERED);
    let silent = "an answer for shell was taken, and nobody was told so";
    opened().by(USER, aborts()).by(USER, [taken()]).breaks(ANSWERED, silent);
    // In another table somebody else waits under the same key.
    let (turn, what) = (of.turn("slot"), WaiterEvent::Answered);
    let elsewhere =
        Event::Waiter { turn, table: WaiterTable::UserInput, key: "shell".into(), what };
    opened()
        .by(OTHER, [of.called("yes"), elsewhere, told("yes", true)])
        .breaks_all(ANSWERED, &["an answer for shell was said to be taken, and was not", silent]);
}

#[test]
fn each_waiter_of_a_turn_that_is_over_is_told() {
    let of = asking();
    let opened = || {
        of.by(TASK, [of.started("slot")])
            .by(TASK, [of.waiter("slot", "shell", WaiterEvent::Opened)])
            .by(TASK, [of.waiter("slot", "patch", WaiterEvent::Opened)])
            .by(ABORT, [of.waiter("slot", "shell", WaiterEvent::Closed)])
    };
    let what = "patch of turn of slot waits for an answer that nobody owes it";
    for how in [TurnEnd::Completed, TurnEnd::Failed, TurnEnd::Interrupted, TurnEnd::Replaced] {
        opened().by(ABORT, [of.ended("slot", how)]).breaks(ANSWERED, what);
    }
    opened().by(ABORT, [of.suspended("slot")]).breaks(ANSWERED, what);
    opened().by(ABORT, [of.ended("slot+1", TurnEnd::Failed)]).keeps(ANSWERED);
    // It opens when its turn is over already.
    of.by(ABORT, [of.ended("slot", TurnEnd::Failed)])
        .by(TASK, [of.waiter("slot", "patch", WaiterEvent::Opened)])
        .breaks(ANSWERED, what);
    // The turn is taken up again, waits, and is over once more.
    let again = || {
        opened()
            .by(ABORT, [of.waiter("slot", "patch", WaiterEvent::Closed), of.suspended("slot")])
            .by(USER, [of.called("again"), of.started("slot"), of.told_started("again", "slot")])
            .by(NEXT, [of.waiter("slot", "patch", WaiterEvent::Opened)])
    };
    again().keeps(ANSWERED);
    again().by(ABORT, [of.suspended("slot")]).breaks(ANSWERED, what);
}

#[test]
fn a_command_is_answered_unless_it_waits_for_activity() {
    let of = asking();
    for name in ["yes", "no", "again", "mail", "yaml"] {
        of.by(USER, [of.called(name)]).breaks(ANSWERED, &format!("{name} was never answered"));
        let reply = of.returned(name, Reply::Unsupported);
        of.by(USER, [of.called(name), reply]).keeps(ANSWERED);
    }
    of.by(USER, [of.called("look")]).keeps(ANSWERED);
    // It was never called.
    of.by(USER, []).keeps(ANSWERED);
}

#[test]
fn who_submits_waits_for_nobody_however_it_submits() {
    let of = asking();
    let property = "verdict_needs_no_one_else";
    for name in ["yaml", "again", "aside"] {
        let what = format!("the verdict of {name} waits for the end of a task");
        let waits = || of.by(USER, [of.called(name), Event::Awaits { on: Outside::Task }]);
        waits().breaks(property, &what);
        let gone = || of.by(USER, [of.called(name), of.returned(name, Reply::Dropped)]);
        gone().by(USER, [Event::Awaits { on: Outside::Task }]).keeps(property);
    }
    // Of mail, answers and interrupts nothing of the kind is said.
    for name in ["mail", "no", "yes", "look"] {
        of.by(USER, [of.called(name), Event::Awaits { on: Outside::Task }]).keeps(property);
    }
    // Two submit at the same time, and one of them waits.
    of.by(USER, [of.called("yaml")])
        .by(OTHER, [of.called("json"), Event::Awaits { on: Outside::Hook }])
        .breaks(property, "the verdict of json waits for a hook");
}

#[test]
fn a_wait_is_over_for_input_that_is_still_there() {
    let of = asking();
    let property = "waits_end_on_input";
    let (turn, how) = (of.turn("slot"), ToolWake::TimedOut);
    let timed_out = || Event::ToolWoken { turn, how };
    let what =
        |name: &str| format!("a tool of turn of slot waited its time out while {name} was there");
    let two = || of.by(USER, [of.pending("yaml", "slot"), of.pending("json", "slot")]);
    let taken = || two().by(TASK, [of.drained("slot", &["yaml"])]);
    taken().by(TASK, [timed_out()]).breaks(property, &what("json"));
    taken().by(TASK, [of.drained("slot", &["json"]), timed_out()]).keeps(property);
    // Mail wakes it too, but is promised nothing; another turn has another list.
    of.by(USER, [of.mailed("mail")]).by(TASK, [timed_out()]).keeps(property);
    two()
        .by(USER, [of.pending("yaml", "slot+1"), of.pending("json", "slot+1")])
        .by(TASK, [timed_out()])
        .keeps(property);
    let turn = of.turn("slot+1");
    two().by(NEXT, [Event::ToolWoken { turn, how }]).keeps(property);
    let turn = of.turn("slot");
    two().by(TASK, [Event::ToolWoken { turn, how: ToolWake::Mailbox }]).keeps(property);
}

#[test]
fn who_is_refused_is_refused_once_and_for_all() {
    let of = asking();
    let refused = || {
        of.by(USER, [of.called("yaml"), of.refused("yaml", Reason::NoActiveTurn)])
            .by(USER, [of.told_refused("yaml", Reason::NoActiveTurn)])
    };
    refused().keeps("rejected_leaves_no_trace");
    let what = "yaml was turned away, and then: yaml accepted, pending on turn of slot";
    refused().by(OTHER, [of.pending("yaml", "slot")]).breaks("rejected_leaves_no_trace", what);
}
