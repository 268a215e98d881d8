//! Properties about what travels with a submission: settings and context.

use midturn_protocol::{ClearedBy, Event, Purpose, Reason, Reply, RequestEnd, StartOptions};

use crate::judged_histories::{
    OTHER, Run, SECOND_TASK, TASK, USER, began, began_for, by, called, cleared, drained, hooked,
    id, initial, mailed, pending, recorded, request_ended, returned, told_refused, told_started,
    told_steered, turn,
};

fn applied(command: &str, version: u32, of: Option<&str>) -> Event {
    Event::SettingsApplied { command: id(command), version, turn: of.map(turn) }
}

fn built(of: &str, settings: u32) -> Event {
    let start = Box::new(StartOptions::default());
    Event::ContextBuilt { turn: turn(of), settings, start }
}

const FOLLOW: &str = "settings_follow_the_verdict";

#[test]
fn settings_follow_the_verdict() {
    let start = || told_started("edited", "edited");
    let steer = || told_steered("edited", "slot");
    let refuse = || told_refused("edited", Reason::InvalidRequest);
    let run = |applied: Option<Event>, told| {
        let run = by(USER, [called("edited")]);
        let run = applied.into_iter().fold(run, |run, event| run.by(USER, [event]));
        run.by(USER, [told])
    };
    run(None, refuse()).keeps(FOLLOW);
    run(Some(applied("edited", 1, None)), steer()).keeps(FOLLOW);
    run(Some(applied("edited", 1, Some("edited"))), start()).keeps(FOLLOW);

    let kept = "edited was told `refused invalid_request`: its settings were applied";
    run(Some(applied("edited", 1, None)), refuse()).breaks(FOLLOW, kept);
    let steered = "edited was told `Steered(turn of slot)`: its settings were not applied once, \
                   for later turns";
    run(None, steer()).breaks(FOLLOW, steered);
    run(Some(applied("edited", 1, Some("slot"))), steer()).breaks(FOLLOW, steered);
    let started = "edited was told `Started(turn of edited)`: its settings were not applied once, \
                   with the context of its turn";
    run(None, start()).breaks(FOLLOW, started);
    run(Some(applied("edited", 1, None)), start()).breaks(FOLLOW, started);
    let twice = |told| {
        let once = |version| applied("edited", version, None);
        by(USER, [called("edited"), once(1), once(2), told])
    };
    twice(steer()).breaks(FOLLOW, steered);
}

#[test]
fn edits_by_themselves_follow_their_answer_too() {
    let told = |reply| returned("low", reply);
    by(USER, [called("low"), applied("low", 1, None), told(Reply::Applied)]).keeps(FOLLOW);
    by(USER, [called("low"), told(Reply::Refused(Reason::InvalidRequest))]).keeps(FOLLOW);
    by(USER, [called("low"), told(Reply::Applied)]).breaks(
        FOLLOW,
        "low was told `applied`: its settings were not applied once, for later turns",
    );
    // A value that is forbidden is no edit, and a prompt without an edit applies none.
    by(USER, [called("cap"), returned("cap", Reply::Applied)]).keeps(FOLLOW);
    by(USER, [called("prompt"), told_started("prompt", "prompt")]).keeps(FOLLOW);
    // Nothing is known of a caller who went away.
    by(USER, [called("lost"), returned("lost", Reply::Dropped)]).keeps(FOLLOW);
    let late = applied("lost", 1, None);
    by(USER, [called("lost"), returned("lost", Reply::Dropped)]).by(OTHER, [late]).keeps(FOLLOW);
}

#[test]
fn a_turn_keeps_its_settings() {
    let request = |settings| Event::RequestBegan {
        turn: turn("slot"),
        request: 1,
        purpose: Purpose::Turn,
        settings,
        new: Vec::new(),
    };
    let begins = || by(TASK, [built("slot", 1)]).by(USER, [applied("low", 2, None)]);
    begins().by(TASK, [request(1)]).keeps(FOLLOW);
    begins()
        .by(TASK, [request(2)])
        .breaks(FOLLOW, "the settings of turn of slot changed while it ran");
    // Taken up again it gets a context anew.
    begins().by(USER, [built("slot", 2)]).by(SECOND_TASK, [request(2)]).keeps(FOLLOW);
}

#[test]
fn plan_refuses_automatic_starts() {
    let name = "plan_refuses_automatic_starts";
    let in_plan = || by(OTHER, [called("plan"), applied("plan", 1, None)]);
    in_plan()
        .by(USER, [called("go"), built("go", 1), pending("go", "go"), told_started("go", "go")])
        .breaks(name, "turn of go started by itself in Plan mode");
    // Before the edit; of a user; taken up again; for mail that the start had kept waiting.
    by(USER, [called("go"), built("go", 0), pending("go", "go")])
        .by(OTHER, [called("plan"), applied("plan", 1, None)])
        .keeps(name);
    in_plan().by(USER, [built("prompt", 1), initial("prompt", "prompt")]).keeps(name);
    in_plan().by(USER, [built("slot", 1), told_started("again", "slot")]).keeps(name);
    in_plan().by(USER, [built("more", 1), pending("more", "more")]).keeps(name);
    let refused = told_refused("go", Reason::PendingTriggerTurn);
    in_plan().by(USER, [called("go"), built("go", 1), refused]).keeps(name);
}

const BATCH: &str = "a_steer_is_one_batch";
const WHOLE: [&str; 3] = ["told.cwd", "told.day", "told"];

fn accepts(names: &[&str]) -> Run {
    names.iter().fold(by(USER, [called("told")]), |run, name| run.by(USER, [pending(name, "slot")]))
}

#[test]
fn a_batch_is_accepted_in_one_piece() {
    let what = "told and its context told.cwd, told.day were not accepted in one piece";
    accepts(&WHOLE).keeps(BATCH);
    accepts(&["told.cwd", "told.day", "yaml", "told"]).breaks(BATCH, what);
    accepts(&["told.cwd", "told", "told.day"]).breaks(BATCH, what);
    accepts(&["told.cwd", "told.day"]).breaks(BATCH, what);
    // Meanwhile something is accepted for another turn, and the session knows some of it.
    by(USER, [called("told"), pending("told.cwd", "slot"), pending("told.day", "slot")])
        .by(OTHER, [pending("yaml", "slot+1"), Event::Looked { turn: turn("slot"), found: false }])
        .by(USER, [pending("told", "slot")])
        .keeps(BATCH);
    accepts(&["told.day", "told"]).keeps(BATCH);
    accepts(&["told"]).keeps(BATCH);
    accepts(&["yaml", "told.cwd", "told.day", "told", "json"]).keeps(BATCH);
}

#[test]
fn a_batch_is_taken_and_recorded_in_one_piece() {
    let whole = || accepts(&WHOLE);
    let taken = "told and its context told.cwd, told.day were not taken in one piece";
    whole().by(TASK, [drained("slot", &["told.cwd", "told.day", "told", "note"])]).keeps(BATCH);
    whole()
        .by(TASK, [drained("slot", &["told.cwd", "told.day", "note", "told"])])
        .breaks(BATCH, taken);
    let records = |names: &[&str]| {
        names.iter().fold(whole(), |run, name| run.by(TASK, [recorded(name, "slot")]))
    };
    let apart = "told and its context told.cwd, told.day did not enter history in one piece";
    records(&["told.cwd", "told.day", "told"]).keeps(BATCH);
    records(&["told.cwd", "told.day", "note", "told"]).breaks(BATCH, apart);
    records(&["told.day", "told.cwd", "told"]).breaks(BATCH, apart);
    records(&["told"]).breaks(BATCH, apart);
    // A hook keeps the input itself out, or an interrupt all that follows.
    records(&["told.cwd", "told.day"]).by(TASK, [hooked("told", false)]).keeps(BATCH);
    whole().by(OTHER, [cleared("told", ClearedBy::Interrupt)]).keeps(BATCH);
}

const RESUMES: &str = "compaction_resumes_first";

/// Turn of slot has called a tool, and is compacted.
fn compacted() -> Run {
    let how = RequestEnd::Completed { follow_up: true };
    by(TASK, [began("slot", 1, &["slot"]), request_ended("slot", 1, how)]).by(
        TASK,
        [
            began_for(Purpose::Compaction, "slot", 2, &[]),
            request_ended("slot", 2, RequestEnd::Completed { follow_up: false }),
            Event::Compacted { turn: turn("slot") },
        ],
    )
}

#[test]
fn compaction_resumes_first() {
    let taken = |name: &str| {
        compacted()
            .by(USER, [called(name), pending(name, "slot")])
            .by(TASK, [began("slot", 3, &[name])])
    };
    for name in ["yaml", "output", "extra"] {
        let what = format!(
            "turn of slot was compacted in the middle of a tool exchange, and takes {name} before \
             it goes on with it"
        );
        taken(name).breaks(RESUMES, &what);
    }
    compacted()
        .by(USER, [called("yaml"), pending("yaml", "slot")])
        .by(TASK, [began("slot", 3, &[]), began("slot", 4, &["yaml"])])
        .keeps(RESUMES);
    compacted()
        .by(USER, [called("note"), mailed("note")])
        .by(TASK, [began("slot", 3, &["note"])])
        .keeps(RESUMES);
}

#[test]
fn a_compaction_elsewhere_interrupts_nothing() {
    let yaml = || [called("yaml"), pending("yaml", "slot")];
    let squeezed = || Event::Compacted { turn: turn("slot") };
    // The model had finished; nothing was asked yet; somebody else was compacted.
    let done = RequestEnd::Completed { follow_up: false };
    by(USER, yaml())
        .by(TASK, [began("slot", 1, &["slot"]), request_ended("slot", 1, done), squeezed()])
        .by(TASK, [began("slot", 3, &["yaml"])])
        .keeps(RESUMES);
    by(USER, yaml()).by(TASK, [squeezed(), began("slot", 2, &["yaml"])]).keeps(RESUMES);
    let more = RequestEnd::Completed { follow_up: true };
    by(USER, yaml())
        .by(TASK, [began("slot", 1, &["slot"]), request_ended("slot", 1, more)])
        .by(OTHER, [Event::Compacted { turn: turn("squeeze") }])
        .by(TASK, [began("slot", 2, &["yaml"])])
        .keeps(RESUMES);
    // Stopped after the compaction and taken up again, it has nothing to go on with.
    compacted().by(USER, yaml()).by(SECOND_TASK, [began("slot", 1, &["yaml"])]).keeps(RESUMES);
}

#[test]
fn constraints_are_kept() {
    const KEPT: &str = "constraints_are_kept";
    let forbids = |command| {
        let added = Event::ConstraintAdded { command: id(command) };
        by(OTHER, [called(command), added, returned(command, Reply::Applied)])
    };
    let edits = |run: Run| run.by(USER, [called("edited"), applied("edited", 1, Some("edited"))]);
    // Another value, and an edit that was there first.
    edits(forbids("cap")).keeps(KEPT);
    let first = edits(by(USER, []));
    first.by(OTHER, [Event::ConstraintAdded { command: id("calm") }]).keeps(KEPT);
    edits(forbids("calm")).breaks(KEPT, "edited set effort to high, which is forbidden");
}
