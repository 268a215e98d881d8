//! Where inputs land, session by session, when turns are stopped and sessions end.

use midturn_properties::history::{History, Record, agenda_of};
use midturn_properties::scenario::Scenario;
use midturn_protocol::{ClearedBy, Event, InputKind, Landing, Observation, Place, Reason, Reply};

use crate::documents::{parse, with_commands};
use crate::judged_histories::{
    OTHER, Run, TASK, USER, began, by, called, cleared, drained, hooked, id, mailed, pending,
    recorded, refused, returned, turn,
};

#[track_caller]
fn lands(run: Run, name: &str, landing: Landing) {
    assert_eq!(run.history().landings.get(&id(name)), Some(&landing));
}

#[test]
fn each_way_out_is_a_landing() {
    let queued = || by(USER, [called("yaml"), pending("yaml", "slot")]);
    lands(queued(), "yaml", Landing::Lost);
    let sampled = Landing::Sampled { turn: turn("slot"), request: 2 };
    lands(queued().by(TASK, [began("slot", 2, &["yaml"])]), "yaml", sampled);
    lands(queued().by(TASK, [recorded("yaml", "slot")]), "yaml", Landing::Recorded);
    lands(queued().by(TASK, [hooked("yaml", false)]), "yaml", Landing::Cleared(ClearedBy::Hook));
    for by_whom in [ClearedBy::Interrupt, ClearedBy::ModelError, ClearedBy::TurnEnd] {
        let run = queued().by(OTHER, [cleared("yaml", by_whom)]);
        lands(run, "yaml", Landing::Cleared(by_whom));
    }
    let waits = |run: Run| run.leaves(|last| last.pending.push(id("yaml")));
    lands(waits(queued()), "yaml", Landing::Queued);
}

#[test]
fn a_command_that_was_not_carried_out_leaves_its_input() {
    let told = |name: &str, reply| by(USER, [called(name), returned(name, reply)]);
    let draining = Reason::ServerDraining;
    lands(told("prompt", Reply::Refused(draining)), "prompt", Landing::Refused(draining));
    lands(told("prompt", Reply::Unsupported), "prompt", Landing::Returned);
    lands(told("gone", Reply::Dropped), "gone", Landing::Returned);
    lands(by(USER, [called("prompt")]), "prompt", Landing::Queued);
    let said = by(USER, [called("prompt"), refused("prompt", Reason::NotIdle)]);
    lands(said, "prompt", Landing::Refused(Reason::NotIdle));
    // It was taken all the same, and is nowhere.
    let taken =
        by(USER, [called("gone"), pending("gone", "slot"), returned("gone", Reply::Dropped)]);
    lands(taken, "gone", Landing::Lost);
    // What was never called is in no place, and what says nothing neither.
    let none = told("nothing", Reply::Dropped).history();
    assert!(!none.landings.contains_key(&id("yaml")) && none.asked.contains_key(&id("nothing")));
}

#[test]
fn a_suspension_clears_what_waits_and_owes_a_word() {
    let suspended = || {
        by(USER, [called("yaml"), pending("yaml", "slot")])
            .by(TASK, [recorded("slot", "slot")])
            .by(OTHER, [Event::PendingCleared { turn: turn("slot") }])
            .by(OTHER, [Event::TurnSuspended { turn: turn("slot") }])
    };
    suspended().keeps("no_silent_loss");
    let what = "yaml was accepted for turn of slot and ended cleared by interrupt";
    suspended().breaks("accepted_is_sampled", what);
    let told = cleared("yaml", ClearedBy::TurnEnd);
    suspended().by(OTHER, [told]).keeps("accepted_is_sampled");
    // What was drained before is not among what is cleared.
    by(USER, [called("yaml"), pending("yaml", "slot")])
        .by(TASK, [recorded("slot", "slot"), drained("slot", &["yaml"])])
        .by(OTHER, [Event::PendingCleared { turn: turn("slot") }])
        .breaks("no_silent_loss", "yaml is in no place at all");
}

#[test]
fn mail_of_a_session_that_ended_is_queued() {
    let run = || {
        by(USER, [called("mail"), mailed("mail"), returned("mail", Reply::Delivered)])
            .by(TASK, [recorded("slot", "slot")])
            .by(OTHER, [Event::Closed { command: id("bye") }])
            .leaves(|last| (last.mailbox, last.closed) = (vec![id("mail")], true))
    };
    lands(run(), "mail", Landing::Queued);
    run().keeps("no_silent_loss");
}

#[test]
fn context_counts_once_it_was_accepted() {
    let told = || by(USER, [called("told"), pending("told.cwd", "slot"), pending("told", "slot")]);
    let history = told().history();
    assert!(history.asked.contains_key(&id("told.cwd")), "new to the session");
    assert!(!history.asked.contains_key(&id("told.day")), "known already");
    told()
        .by(TASK, [recorded("told.cwd", "slot"), began("slot", 1, &["told", "slot"])])
        .breaks("accepted_is_sampled", "told.cwd was accepted for turn of slot and ended recorded");
    told().by(TASK, [began("slot", 1, &["told.cwd", "told", "slot"])]).keeps("accepted_is_sampled");
}

/// A parent and a child that reports to it; each sends the other mail.
fn family() -> Scenario {
    let text = with_commands(
        "[[session]]\nname = 'parent'\n\
         [[session]]\nname = 'child'\nslot = 'running'\nparent = 'parent'\nreports = ['result']\n\
         requests = [[{ tool = 'tell', sends = { id = 'news', to = 'parent', text = 'x' } }]]\n\
         [model]\nrequests = [[{ tool = 'send', sends = { id = 'task', to = 'child', text = 'y' } }]]",
        "{ id = 'prompt', start_or_steer = 'a' }, { id = 'hint', mail = 'b', to = 'child' }",
    );
    parse(&text).unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn mail_is_asked_of_the_session_that_gets_it() {
    let scenario = family();
    let find = |name: &str| scenario.names.find(name).unwrap();
    let mail = |name: &str| Event::Accepted {
        input: find(name),
        kind: InputKind::Mail { trigger: false },
        place: Place::Mailbox,
    };
    let history = |session: usize, events: Vec<Event>| {
        let record = |event| Record { session, step: 1, actor: USER, event };
        let records = events.into_iter().map(record).collect();
        History::new(&agenda_of(&scenario, session), records, Observation::default())
    };
    let asked = |history: &History| -> Vec<String> {
        history.asked.keys().map(|id| scenario.names.input(*id).to_owned()).collect()
    };
    let all = |session| asked(&history(session, vec![mail("result"), mail("news"), mail("task")]));
    let mut of_parent = all(0);
    of_parent.sort();
    assert_eq!(of_parent, ["news", "result"], "the prompt was not called");
    assert_eq!(all(1), ["slot", "task"]);
    // What was not sent is nowhere missing; what came and is gone is lost.
    assert!(asked(&history(0, Vec::new())).is_empty());
    let lost = history(0, vec![mail("result")]);
    assert_eq!(lost.landings.get(&find("result")), Some(&Landing::Lost));
    let called = Event::Called { command: find("hint") };
    assert_eq!(asked(&history(1, vec![called])), ["slot", "hint"]);
    assert!(!agenda_of(&scenario, 0).commands.contains_key(&find("hint")));
}
