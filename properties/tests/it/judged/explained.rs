//! Which histories the reference machine can explain: the surprises that it allows, and what is
//! beside them.

use midturn_properties::property::judge;
use midturn_protocol::{
    Event, Phase, PhaseCause, Reason, Reply, SlotShape, TaskKind, TurnEnd, TurnId,
};

use super::{DONE, NEXT, OTHER, Run, TASK, USER, Words, words};

fn session() -> Words {
    words(
        "[session]\nslot = 'running'",
        "{ id = 'yaml', steer = 'a' }, { id = 'json', steer = 'b' }, { id = 'note', mail = 'c' },
         { id = 'news', mail = 'd', trigger = true }, { id = 'prompt', start_or_steer = 'e' },
         { id = 'test', start_or_steer = 'f' }, { id = 'stop', interrupt = true },
         { id = 'stop_it', interrupt = 'turn of slot' }, { id = 'look', wait = 'activity' },
         { id = 'low', settings = { effort = 'low' } }, { id = 'go', start_if_idle = 'g' },
         { id = 'gone', steer = 'h', drop = true }, { id = 'hint', inject = 'i' },
         { id = 'check', review = 'j' }",
    )
}

impl<'a> Run<'a> {
    /// Why there is no explanation, if there is none.
    fn unexplained(self, real_time: bool) -> Option<String> {
        let names = &self.words.scenario.names;
        let mut history = self.history();
        history.real_time = real_time;
        let found = judge(&history, names).into_iter();
        found.filter(|found| found.property == "linearizable").map(|found| found.what).next()
    }

    #[track_caller]
    fn has_an_explanation(self) {
        assert_eq!(self.unexplained(true), None);
    }

    /// There is no explanation, and a line says why.
    #[track_caller]
    fn has_no_explanation(self, because: &str) {
        let what = self.unexplained(true).expect("there is none");
        assert!(what.lines().any(|line| line.ends_with(because)), "{what}");
    }

    fn steers(self, actor: usize, name: &str) -> Self {
        let of = self.words;
        self.by(actor, [of.called(name), of.pending(name, "slot"), of.told_steered(name, "slot")])
    }

    fn starts(self, name: &str) -> Self {
        let of = self.words;
        self.by(OTHER, [of.called(name), of.runs(name), of.initial(name, name)])
            .by(OTHER, [of.told_started(name, name)])
    }

    fn mails(self, actor: usize, name: &str) -> Self {
        let of = self.words;
        let told = of.returned(name, Reply::Delivered);
        self.by(actor, [of.called(name), of.mailed(name), told])
    }

    fn refused(self, actor: usize, name: &str, reason: Reason) -> Self {
        let of = self.words;
        let told = of.told_refused(name, reason);
        self.by(actor, [of.called(name), of.refused(name, reason), told])
    }

    fn drains(self, names: &[&str]) -> Self {
        let of = self.words;
        let run = self.by(TASK, [of.drained("slot", names)]);
        names.iter().fold(run, |run, name| run.by(TASK, [of.recorded(name, "slot")]))
    }

    fn samples(self, request: u32, new: &[&str]) -> Self {
        let of = self.words;
        self.by(TASK, [of.begins("slot", request, new)])
    }

    fn looks(self, found: bool) -> Self {
        let turn = self.words.turn("slot");
        self.by(TASK, [Event::Looked { turn, found }])
    }

    fn answered(self, request: u32) -> Self {
        let of = self.words;
        let (turn, to) = (of.turn("slot"), Phase::NextTurn);
        let defers = Event::Phase { turn, to, because: PhaseCause::FinalAnswer };
        self.by(TASK, [of.answers("slot"), of.ends("slot", request, DONE), defers])
    }
}

/// The preset turn, in its first request.
fn running(of: &Words) -> Run<'_> {
    of.before([of.runs("slot"), of.started("slot"), of.recorded("slot", "slot")])
        .samples(1, &["slot"])
}

#[test]
fn a_steer_is_taken_or_refused() {
    let of = session();
    running(&of)
        .steers(USER, "yaml")
        .looks(true)
        .drains(&["yaml"])
        .samples(2, &["yaml"])
        .answered(2)
        .looks(false)
        .completes(TASK, "slot")
        .has_an_explanation();
    let over = || running(&of).answered(1).looks(false).completes(TASK, "slot");
    over().refused(USER, "yaml", Reason::NoActiveTurn).has_an_explanation();
    // The turn runs as long as the caller waits, so there is no moment in which this is true.
    running(&of)
        .refused(USER, "yaml", Reason::NoActiveTurn)
        .has_no_explanation(": the answer would be Steered(turn of slot)");
    // Taken by a turn that has left the slot.
    over().steers(USER, "yaml").has_no_explanation(
        "after `turn of slot: running -> finishing`: the answer would be refused no_active_turn",
    );
    // Taken, and the turn ends all the same.
    running(&of)
        .answered(1)
        .looks(false)
        .steers(USER, "yaml")
        .completes(TASK, "slot")
        .has_no_explanation(", yaml would be left behind");
}

/// A refusal is the truth of one moment between call and reply, whenever that was.
#[test]
fn a_refusal_may_be_old_when_it_is_heard() {
    let of = session();
    let asks = || {
        running(&of)
            .answered(1)
            .looks(false)
            .by(TASK, [of.finishes("slot")])
            .by(USER, [of.called("yaml")])
            .by(TASK, [of.ended("slot", TurnEnd::Completed), of.frees("slot")])
    };
    let hears = of.told_refused("yaml", Reason::NoActiveTurn);
    asks().starts("prompt").by(USER, [hears.clone()]).has_an_explanation();
    // Called behind the start, there was no such moment.
    let over = running(&of).answered(1).looks(false).completes(TASK, "slot");
    let late = over.starts("prompt").by(USER, [of.called("yaml"), hears]);
    assert!(late.unexplained(true).is_some());
}

/// A drain takes what waits on the turn, then the mailbox: what comes between the two is split.
#[test]
fn mail_may_overtake_a_steer() {
    let of = session();
    let both = || running(&of).steers(USER, "yaml").mails(USER, "note");
    let split = both().drains(&["note"]).samples(2, &["note"]).drains(&["yaml"]);
    split.samples(3, &["yaml"]).has_an_explanation();
    // Not the other way round within the mailbox, and not within the turn's own.
    running(&of)
        .mails(USER, "note")
        .mails(USER, "news")
        .drains(&["news"])
        .has_no_explanation(": what waits is note, news");
    running(&of)
        .steers(USER, "yaml")
        .steers(USER, "json")
        .drains(&["json"])
        .has_no_explanation(": what waits is yaml, json");
}

/// Two callers who overlap have no order; one who waited for the other has.
#[test]
fn real_time_orders_callers() {
    let of = session();
    let later =
        || running(&of).steers(USER, "yaml").steers(OTHER, "json").drains(&["json", "yaml"]);
    assert_eq!(later().unexplained(false), None);
    assert!(later().unexplained(true).is_some());
    let both = [of.called("yaml")];
    let overlap = running(&of)
        .by(USER, both)
        .by(OTHER, [of.called("json"), of.pending("json", "slot")])
        .by(USER, [of.pending("yaml", "slot")])
        .by(OTHER, [of.told_steered("json", "slot")])
        .by(USER, [of.told_steered("yaml", "slot")])
        .drains(&["json", "yaml"]);
    overlap.has_an_explanation();
}

/// What a request holds is what history holds and no request has held.
#[test]
fn a_request_holds_what_is_in_history() {
    let of = session();
    let taken = || running(&of).steers(USER, "yaml").drains(&["yaml"]);
    taken().samples(2, &["yaml"]).has_an_explanation();
    taken()
        .samples(2, &[])
        .has_no_explanation("after `yaml enters history`: what no request has held is yaml");
    taken().samples(2, &["yaml"]).samples(3, &["yaml"]).has_no_explanation(
        "after `turn of slot samples yaml`: what no request has held is nothing",
    );
    running(&of)
        .by(TASK, [of.recorded("yaml", "slot")])
        .has_no_explanation("after `turn of slot samples slot`: yaml is not there");
}

#[test]
fn a_final_answer_defers_mail_and_nothing_else() {
    let of = session();
    running(&of).mails(USER, "note").answered(1).looks(false).has_an_explanation();
    running(&of).mails(USER, "note").answered(1).drains(&["note"]).has_no_explanation(
        "after `turn of slot has answered`: turn of slot has answered: what waits is for the next",
    );
    // What was said to the turn opens it again.
    running(&of)
        .mails(USER, "note")
        .answered(1)
        .steers(USER, "yaml")
        .drains(&["yaml", "note"])
        .has_an_explanation();
}

/// P10: a turn has the slot alone, from its start until its end was told.
#[test]
fn turns_do_not_overlap() {
    let of = session();
    let installs = |run: Run<'_>| run.starts("prompt").unexplained(true);
    assert_eq!(installs(running(&of).answered(1).completes(TASK, "slot")), None);
    let unended = running(&of).answered(1).by(TASK, [of.finishes("slot"), of.frees("slot")]);
    assert!(installs(unended).expect("its end was not told").contains("has not ended"));
    assert!(installs(running(&of)).is_some(), "the slot is taken");
}

#[test]
fn an_interrupt_is_told_what_it_stopped() {
    let of = session();
    let told = |command: &str, turn: Option<TurnId>| of.returned(command, Reply::Interrupted(turn));
    let slot = Some(of.turn("slot"));
    let stops = |how| {
        running(&of)
            .by(USER, [of.called("stop"), of.slot(SlotShape::Running, SlotShape::Idle, "slot")])
            .by(NEXT, [Event::PendingCleared { turn: of.turn("slot") }, of.ended("slot", how)])
    };
    stops(TurnEnd::Interrupted).by(USER, [told("stop", slot)]).has_an_explanation();
    assert!(stops(TurnEnd::Completed).by(USER, [told("stop", slot)]).unexplained(true).is_some());
    let over = || running(&of).answered(1).completes(TASK, "slot");
    over().by(USER, [of.called("stop"), told("stop", None)]).has_an_explanation();
    running(&of)
        .by(USER, [of.called("stop"), told("stop", None)])
        .has_no_explanation(": the answer would be interrupted turn of slot");
    // Who named the turn may be told once it is over, by itself: the reply was held until then.
    over().by(USER, [of.called("stop_it"), told("stop_it", slot)]).has_an_explanation();
    over()
        .by(USER, [of.called("stop"), told("stop", slot)])
        .has_no_explanation(": nothing of the kind is promised");
}

/// Who goes away has an effect if one was seen, and may have had none.
#[test]
fn a_caller_who_went_away_may_have_steered() {
    let of = session();
    let gone = || [of.called("gone"), of.returned("gone", Reply::Dropped)];
    running(&of).by(USER, gone()).has_an_explanation();
    let taken = || {
        running(&of)
            .by(USER, [of.called("gone"), of.pending("gone", "slot")])
            .by(USER, [of.returned("gone", Reply::Dropped)])
    };
    taken().drains(&["gone"]).samples(2, &["gone"]).has_an_explanation();
    assert!(taken().answered(1).looks(false).completes(TASK, "slot").unexplained(true).is_some());
}

#[test]
fn who_waits_is_told_whether_something_is_there() {
    let of = session();
    let told = |found| [of.called("look"), of.returned("look", Reply::Woken { found })];
    running(&of).steers(OTHER, "yaml").by(USER, told(true)).has_an_explanation();
    running(&of).mails(OTHER, "note").by(USER, told(true)).has_an_explanation();
    // It looks at the turn, then at the mailbox: either may be empty when it is looked at.
    running(&of).mails(OTHER, "note").by(USER, told(false)).has_an_explanation();
    running(&of)
        .by(USER, told(true))
        .has_no_explanation(": the answer would be woken, nothing waits");
    running(&of)
        .steers(OTHER, "yaml")
        .mails(OTHER, "note")
        .by(USER, told(false))
        .has_no_explanation(": the answer would be woken, something waits");
}

/// A context has the settings of its moment.
#[test]
fn settings_have_an_order() {
    let of = session();
    let edits = |version| {
        let applied = of.applied("low", version, None);
        running(&of)
            .answered(1)
            .completes(TASK, "slot")
            .by(USER, [of.called("low"), applied, of.returned("low", Reply::Applied)])
    };
    let starts = |run: Run<'_>, version| {
        run.by(OTHER, [of.called("prompt"), of.built("prompt", version), of.runs("prompt")])
            .by(OTHER, [of.initial("prompt", "prompt"), of.told_started("prompt", "prompt")])
            .unexplained(true)
    };
    assert_eq!(starts(edits(1), 1), None);
    assert!(starts(edits(1), 0).is_none(), "the edit is not ordered before the context");
    assert!(starts(edits(1), 2).is_some(), "nobody made version 2");
    assert!(edits(2).unexplained(true).is_some(), "an edit makes the next version");
}

/// The words lead to the place: how far it goes, what cannot come, and why at each place.
#[test]
fn the_words_are_whole() {
    let of = session();
    let what = running(&of)
        .answered(1)
        .looks(false)
        .steers(USER, "yaml")
        .completes(TASK, "slot")
        .unexplained(false);
    assert_eq!(
        what.as_deref(),
        Some(
            "6 steps can be explained, the last is `turn of slot: finishing -> idle`. None of these \
             can come:\n\
             `yaml is told: Steered(turn of slot)`\n  \
               at first: `turn of slot has answered` could not follow, explicit input waits\n  \
               after `turn of slot has answered`: `turn of slot finds nothing that waits` could not \
             follow, what waits is yaml\n  \
               after `turn of slot finds nothing that waits`: `turn of slot: running -> finishing` \
             could not follow, yaml would be left behind\n  \
               after `turn of slot: running -> finishing`: the answer would be refused \
             no_active_turn"
        )
    );
}

/// P7 and P9: explicit input that is queued on a finishing turn would have nobody.
#[test]
fn what_is_injected_reaches_a_turn_that_runs() {
    let of = session();
    let injects = || [of.called("hint"), of.pending("hint", "slot")];
    running(&of)
        .by(USER, injects())
        .by(USER, [of.returned("hint", Reply::Injected)])
        .drains(&["hint"])
        .has_an_explanation();
    let late = running(&of).answered(1).completes(TASK, "slot").by(USER, injects());
    late.by(USER, [of.returned("hint", Reply::Injected)])
        .has_no_explanation("after `turn of slot: finishing -> idle`: the slot is idle");
    running(&of)
        .by(USER, [of.called("hint"), of.returned("hint", Reply::GivenBack)])
        .has_no_explanation(": the answer would be injected");
}

/// A review cannot be steered.
#[test]
fn a_review_takes_nothing() {
    let of = words("[session]\nslot = 'review'", "{ id = 'yaml', steer = 'a' }");
    let reviews = || of.before([of.runs("slot"), of.started("slot")]);
    let reason = Reason::ActiveTurnNotSteerable(TaskKind::Review);
    reviews().refused(USER, "yaml", reason).has_an_explanation();
    reviews()
        .steers(USER, "yaml")
        .has_no_explanation(": the answer would be refused active_turn_not_steerable (review)");
}
