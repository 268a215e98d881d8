//! How turns start: under which settings, for whom, and after what.

use midturn_protocol::{Event, Outside, Purpose, Reason, Reply, SlotShape, TurnEnd};

use super::{DONE, NEXT, OTHER, Run, TASK, USER, Words, words};

const PLAN: &str = "plan_refuses_automatic_starts";

/// Automatic starts with and without content, one of a user, and those who set the mode.
fn modes() -> Words {
    words(
        "",
        "{ id = 'go', start_if_idle = 'a', automatic = true }, { id = 'blank', start_if_idle = '' },
         { id = 'say', start_if_idle = 'b' }, { id = 'more', continue_if_idle = 'c' },
         { id = 'prompt', start_or_steer = 'd', overrides = { mode = 'plan' } },
         { id = 'effort', settings = { effort = 'low' } },
         { id = 'plan', settings = { mode = 'plan' } },
         { id = 'leave', settings = { mode = 'default' } }",
    )
}

/// `command` has edited the settings, which are now of this version.
fn edited<'a>(run: Run<'a>, command: &str, version: u32) -> Run<'a> {
    let of = run.words;
    run.by(OTHER, [of.called(command), of.applied(command, version, None)])
        .by(OTHER, [of.returned(command, Reply::Applied)])
}

/// `name` has reserved the slot and starts its turn under these settings.
fn starts<'a>(run: Run<'a>, name: &str, settings: u32) -> Run<'a> {
    let of = run.words;
    let run = run
        .by(USER, [of.called(name), of.reserves(name), Event::Awaits { on: Outside::Preparation }])
        .by(USER, [of.built(name, settings)]);
    let run = match name {
        "blank" => run,
        "say" => run.by(USER, [of.initial(name, name)]),
        _ => run.by(USER, [of.pending(name, name)]),
    };
    run.by(USER, [of.started(name), of.runs(name), of.told_started(name, name)])
}

/// The turn of `name` takes what it was started with, and completes.
fn completes<'a>(run: Run<'a>, name: &str, settings: u32) -> Run<'a> {
    let of = run.words;
    let new = if name == "blank" { Vec::new() } else { vec![name] };
    let run = new
        .iter()
        .fold(run, |run, name| run.by(TASK, [of.drained(name, &[name]), of.recorded(name, name)]));
    let (turn, new) = (of.turn(name), of.ids(&new));
    let began = Event::RequestBegan { turn, request: 1, purpose: Purpose::Turn, settings, new };
    run.by(TASK, [began, of.answers(name), of.ends(name, 1, DONE)]).completes(TASK, name)
}

#[test]
fn nothing_starts_by_itself_in_plan_mode() {
    let of = modes();
    let begin = || of.by(OTHER, []);
    let plan = || edited(begin(), "plan", 1);
    for name in ["go", "blank"] {
        let what = format!("turn of {name} started by itself in Plan mode");
        let wrong = completes(starts(plan(), name, 1), name, 1);
        wrong.breaks_only(PLAN, &what);
        // An edit that says nothing of the mode leaves it.
        let later = edited(plan(), "effort", 2);
        completes(starts(later, name, 2), name, 2).breaks_only(PLAN, &what);
        // It starts under what was in force before, and the mode is left again.
        completes(edited(starts(begin(), name, 0), "plan", 1), name, 0).breaks_nothing();
        completes(starts(edited(plan(), "leave", 2), name, 2), name, 2).breaks_nothing();
    }
    // A user speaks; something goes on.
    for name in ["say", "more"] {
        completes(starts(plan(), name, 1), name, 1).breaks_nothing();
    }
    let refused = [of.called("go"), of.refused("go", Reason::PlanMode)];
    plan().by(USER, refused).by(USER, [of.told_refused("go", Reason::PlanMode)]).breaks_nothing();
}

#[test]
fn a_prompt_may_set_plan_mode_itself() {
    let of = modes();
    let prompted = || {
        of.by(OTHER, [of.called("prompt"), of.applied("prompt", 1, Some("prompt"))])
            .by(OTHER, [of.built("prompt", 1), of.initial("prompt", "prompt")])
            .by(OTHER, [of.started("prompt"), of.runs("prompt")])
            .by(OTHER, [of.told_started("prompt", "prompt")])
    };
    completes(prompted(), "prompt", 1).breaks_nothing();
    // The turn goes on, and something starts by itself before the mode is left.
    let what = "turn of go started by itself in Plan mode";
    starts(completes(prompted(), "prompt", 1), "go", 1).breaks(PLAN, what);
    starts(edited(completes(prompted(), "prompt", 1), "leave", 2), "go", 2).keeps(PLAN);
    let what = "the settings of turn of prompt changed while it ran";
    completes(prompted(), "prompt", 2).breaks_only("settings_follow_the_verdict", what);
}

/// `go` has reserved, and then trigger mail comes.
fn kept_waiting(of: &Words) -> Run<'_> {
    of.by(USER, [of.called("go"), of.reserves("go")])
        .by(OTHER, [of.called("mail"), of.mailed("mail"), of.returned("mail", Reply::Delivered)])
        .by(USER, [of.slot(SlotShape::Reserved, SlotShape::Idle, "go")])
        .by(USER, [of.refused("go", Reason::PendingTriggerTurn)])
}

#[test]
fn a_refused_start_gives_its_name_to_a_turn_for_mail() {
    let of = words(
        "",
        "{ id = 'plan', settings = { mode = 'plan' } }, { id = 'mail', mail = 'a', trigger = true },
         { id = 'go', start_if_idle = 'b', automatic = true }",
    );
    let plan = || [of.called("plan"), of.applied("plan", 1, None)];
    let begins = || {
        kept_waiting(&of)
            .by(OTHER, plan())
            .by(OTHER, [of.returned("plan", Reply::Applied)])
            .by(USER, [of.reserves("go"), Event::Awaits { on: Outside::Preparation }])
            .by(USER, [of.built("go", 1), of.started("go"), of.runs("go")])
            .by(USER, [of.told_refused("go", Reason::PendingTriggerTurn)])
    };
    let request = |new: &[&str]| {
        let (turn, new) = (of.turn("go"), of.ids(new));
        Event::RequestBegan { turn, request: 1, purpose: Purpose::Turn, settings: 1, new }
    };
    let answered = |run: Run<'_>| {
        run.by(TASK, [of.answers("go"), of.ends("go", 1, DONE)]).completes(TASK, "go").violations()
    };
    let takes = [of.drained("go", &["mail"]), of.recorded("mail", "go"), request(&["mail"])];
    assert_eq!(answered(begins().by(TASK, takes)), []);
    // Somebody else has taken the mail.
    let other = [of.drained("go+1", &["mail"]), of.recorded("mail", "go+1")];
    let blind = begins().by(NEXT, other).by(TASK, [request(&["mail"])]);
    let what = "turn of go was asked for by nobody and takes nothing".to_owned();
    assert_eq!(answered(blind), [("no_turn_for_nothing", what)]);
}

#[test]
fn a_start_of_its_own_waits_for_nobody() {
    let of = modes();
    let on = |on| {
        of.by(USER, [of.called("more"), of.reserves("more"), Event::Awaits { on }])
            .by(USER, [of.told_refused("more", Reason::Superseded)])
    };
    let refused = "verdict_needs_no_one_else";
    on(Outside::Preparation).keeps(refused);
    on(Outside::Log).breaks(refused, "the verdict of more waits for the log");
    // Its caller asks for something else afterwards; another caller waits for a task.
    on(Outside::Preparation).by(USER, [Event::Awaits { on: Outside::Task }]).keeps(refused);
    of.by(USER, [of.called("more")])
        .by(OTHER, [of.called("plan"), Event::Awaits { on: Outside::Log }])
        .keeps(refused);
}

#[test]
fn a_host_that_drains_starts_turns_for_mail_all_the_same() {
    let of = words(
        "",
        "{ id = 'close', drain = true }, { id = 'mail', mail = 'a', trigger = true },
         { id = 'prompt', start_or_steer = 'b' }",
    );
    let delivers = |run: Run<'_>| {
        run.by(OTHER, [of.called("mail"), of.mailed("mail"), of.returned("mail", Reply::Delivered)])
            .by(USER, [of.called("prompt"), of.refused("prompt", Reason::ServerDraining)])
            .by(USER, [of.told_refused("prompt", Reason::ServerDraining)])
            .leaves(|last| last.mailbox.push(of.id("mail")))
            .leaves(|last| last.trigger_mail.push(of.id("mail")))
            .violations()
    };
    let drains = [Event::DrainingBegan { command: of.id("close") }];
    let close = of.by(USER, [of.called("close")]).by(USER, drains);
    let what = "trigger mail mail waits, and the session is idle".to_owned();
    let stranded = [("no_work_stranded_while_idle", what)];
    assert_eq!(delivers(close.by(USER, [of.returned("close", Reply::Draining)])), stranded);
    assert_eq!(delivers(of.by(USER, [])), stranded);
}

#[test]
fn a_session_that_ends_keeps_its_mail_and_starts_nothing() {
    let of =
        words("", "{ id = 'bye', shutdown = true }, { id = 'mail', mail = 'a', trigger = true }");
    let ended = || {
        of.by(OTHER, [of.called("mail"), of.mailed("mail"), of.returned("mail", Reply::Delivered)])
            .by(USER, [of.called("bye"), of.closed("bye")])
            .by(USER, [of.returned("bye", Reply::ShutDown(None))])
    };
    ended()
        .leaves(|last| (last.mailbox, last.closed) = (vec![of.id("mail")], true))
        .leaves(|last| last.trigger_mail = vec![of.id("mail")])
        .breaks_nothing();
    let what = "turn of mail started after the session was ended";
    ended()
        .by(OTHER, [of.reserves("mail"), of.built("mail", 0), of.started("mail"), of.runs("mail")])
        .by(TASK, [of.drained("mail", &["mail"]), of.recorded("mail", "mail")])
        .by(TASK, [of.begins("mail", 1, &["mail"]), of.answers("mail"), of.ends("mail", 1, DONE)])
        .completes(TASK, "mail")
        .breaks_only("no_turn_after_close", what);
    // A turn that runs already is ended, and one that only reserved gives up.
    let reserved = [of.called("bye"), of.closed("bye")];
    of.by(OTHER, [of.reserves("mail")])
        .by(USER, reserved)
        .by(USER, [of.slot(SlotShape::Reserved, SlotShape::Idle, "mail")])
        .keeps("no_turn_after_close");
    of.by(OTHER, [of.started("mail"), of.runs("mail")])
        .by(USER, [of.called("bye"), of.closed("bye"), of.finishes("mail")])
        .by(USER, [of.ended("mail", TurnEnd::Interrupted), of.frees("mail")])
        .keeps("no_turn_after_close");
}
