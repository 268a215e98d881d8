//! Where input goes: steers that are meant for one turn, continuations, tasks and their slots.

use midturn_protocol::{Event, Purpose, Reason, RequestEnd, TaskKind};

use super::{DONE, MORE, NEXT, OTHER, TASK, USER, Words, words};

#[test]
fn a_steer_that_names_a_turn_is_not_moved_to_another() {
    let of = words(
        "[session]\nslot = 'running'",
        "{ id = 'aimed', steer = 'a', expected = 'turn of slot', context = { cwd = '/' } },
         { id = 'next', steer = 'b', expected = 'turn after slot' }, { id = 'yaml', steer = 'c' }",
    );
    let property = "steer_hits_its_turn";
    let aimed = || of.by(USER, [of.called("aimed"), of.pending("aimed", "slot")]);
    aimed().keeps(property);
    let what = "aimed was meant for turn of slot and went elsewhere";
    aimed().by(TASK, [of.pending("aimed", "slot+1")]).breaks(property, what);
    of.by(USER, [of.called("aimed"), of.mailed("aimed")]).breaks(property, what);
    let (expected, actual) = (of.turn("slot"), of.turn("slot+1"));
    let mismatch = Reason::ExpectedTurnMismatch { expected, actual };
    of.by(USER, [of.called("aimed"), of.refused("aimed", mismatch)])
        .by(USER, [of.told_refused("aimed", mismatch)])
        .keeps(property);
    // A turn that starts by itself can be named too. Who names none may be moved.
    of.by(USER, [of.called("next"), of.pending("next", "slot+1")]).keeps(property);
    let what = "next was meant for turn after slot and went elsewhere";
    of.by(USER, [of.called("next"), of.pending("next", "slot")]).breaks(property, what);
    of.by(USER, [of.called("yaml"), of.pending("yaml", "slot")])
        .by(TASK, [of.pending("yaml", "slot+1")])
        .keeps(property);
}

#[test]
fn a_batch_may_be_moved_as_a_whole() {
    let of = words(
        "[session]\nslot = 'running'",
        "{ id = 'told', steer = 'a', context = { cwd = '/', day = 'Monday' } },
         { id = 'blank', start_or_steer = '', context = { cwd = '/' } },
         { id = 'yaml', steer = 'b' }",
    );
    let property = "a_steer_is_one_batch";
    let push = |to: &str| ["told.cwd", "told.day", "told"].map(|id| of.pending(id, to));
    let moved = || {
        of.by(USER, [of.called("told")])
            .by(USER, push("slot"))
            .by(TASK, [of.drained("slot", &["told.cwd", "told.day", "told"])])
    };
    moved().by(TASK, push("slot+1")).keeps(property);
    let what = "told and its context told.cwd, told.day were not accepted in one piece";
    let [cwd, day, told] = push("slot+1");
    moved().by(TASK, [cwd.clone(), told.clone(), day.clone()]).breaks(property, what);
    // One piece for each turn.
    moved().by(TASK, [cwd, day, of.pending("yaml", "slot+1"), told]).breaks(property, what);
    let what = "told and its context told.cwd, told.day were not taken in one piece";
    of.by(USER, [of.called("told")])
        .by(USER, push("slot"))
        .by(TASK, [of.drained("slot", &["told.cwd", "told.day"]), of.drained("slot", &["told"])])
        .breaks_all(property, &[what, what]);
    // What is empty is no part of a batch: its context goes alone.
    of.by(USER, [of.called("blank"), of.pending("blank.cwd", "blank")])
        .by(TASK, [of.drained("blank", &["blank.cwd"]), of.recorded("blank.cwd", "blank")])
        .keeps(property);
}

#[test]
fn a_continuation_follows_a_turn_that_started_by_itself() {
    let of = words(
        "[session]\nslot = 'running'",
        "{ id = 'more', continue_if_idle = 'a', expected_previous = 'turn after slot' },
         { id = 'any', continue_if_idle = 'b' }",
    );
    let property = "continue_follows_its_turn";
    let ran = |turns: &[&str]| {
        turns.iter().fold(of.by(OTHER, []), |run, turn| run.by(TASK, [of.runs(turn)]))
    };
    let goes_on = |name: &str| [of.called(name), of.reserves(name)];
    ran(&["slot", "slot+1"]).by(USER, goes_on("more")).keeps(property);
    let what = "turn of more was to follow turn after slot, and another came between";
    ran(&["slot"]).by(USER, goes_on("more")).breaks(property, what);
    ran(&["slot", "slot+1", "slot+2"]).by(USER, goes_on("more")).breaks(property, what);
    ran(&["slot", "slot+1", "slot+2"]).by(USER, goes_on("any")).keeps(property);
    // It was refused without a reservation.
    ran(&["slot"])
        .by(USER, [of.called("more"), of.refused("more", Reason::Superseded)])
        .keeps(property);
    // What follows it by itself has its name, and follows nobody else's wish.
    ran(&["slot", "slot+1"])
        .by(USER, goes_on("more"))
        .by(USER, [of.runs("more")])
        .by(TASK, [of.reserves("more+1"), of.runs("more+1")])
        .keeps(property);
}

/// A turn that has been compacted after this end of its request.
fn compacts(of: &Words, how: RequestEnd) -> super::Run<'_> {
    of.by(USER, [of.called("yaml"), of.pending("yaml", "slot")])
        .by(TASK, [of.begins("slot", 1, &["slot"]), of.ends("slot", 1, how)])
        .by(TASK, [of.begins_for(Purpose::Compaction, "slot", 2, &[]), of.ends("slot", 2, DONE)])
        .by(TASK, [Event::Compacted { turn: of.turn("slot") }])
}

#[test]
fn only_a_tool_exchange_has_to_be_resumed() {
    let of = words("[session]\nslot = 'running'", "{ id = 'yaml', steer = 'a' }");
    let property = "compaction_resumes_first";
    let takes = || of.begins("slot", 3, &["yaml"]);
    let what = "turn of slot was compacted in the middle of a tool exchange, and takes yaml before \
                it goes on with it";
    compacts(&of, MORE).by(TASK, [takes()]).breaks(property, what);
    compacts(&of, DONE).by(TASK, [takes()]).keeps(property);
    // Compacted twice, it still has to go on first; and once it has, it has.
    let again = Event::Compacted { turn: of.turn("slot") };
    compacts(&of, MORE).by(TASK, [again, takes()]).breaks(property, what);
    compacts(&of, MORE).by(TASK, [of.begins("slot", 3, &[])]).by(TASK, [takes()]).keeps(property);
    // What the turn was started with waits on nobody.
    compacts(&of, MORE).by(TASK, [of.begins("slot", 3, &["slot"])]).keeps(property);
    compacts(&of, MORE).by(NEXT, [takes()]).keeps(property);
}

#[test]
fn a_compaction_reads_no_input_and_a_passive_item_may_wait() {
    let of = words(
        "",
        "{ id = 'squeeze', compact = true }, { id = 'prompt', start_or_steer = 'a' },
         { id = 'output', tool_output = '42' }, { id = 'hint', inject = 'b' }",
    );
    let property = "not_steerable_is_safe";
    let reason = Reason::ActiveTurnNotSteerable(TaskKind::Compact);
    let runs = || of.by(TASK, [of.started_as("squeeze", TaskKind::Compact), of.runs("squeeze")]);
    runs().by(USER, [of.pending("hint", "squeeze")]).keeps(property);
    let what = "output was queued on turn of squeeze, which reads no input";
    runs().by(USER, [of.called("output"), of.pending("output", "squeeze")]).breaks(property, what);
    let refused = || runs().by(USER, [of.called("prompt"), of.refused("prompt", reason)]);
    refused().by(USER, [of.told_refused("prompt", reason)]).keeps(property);
    let what = "turn of prompt started although its input was refused";
    refused().by(NEXT, [of.started("prompt")]).breaks(property, what);
    // Another reason, and a turn that follows one of that name.
    let idle = Reason::NotIdle;
    runs().by(USER, [of.refused("prompt", idle), of.started("prompt")]).keeps(property);
    refused().by(NEXT, [of.started("prompt+1")]).keeps(property);
}

#[test]
fn a_task_takes_only_its_own_turn_out_of_the_slot() {
    let of = words("[session]\nslot = 'running'", "{ id = 'prompt', start_or_steer = 'a' }");
    let property = "turns_end_themselves";
    let asks = |purpose| of.by(TASK, [of.begins_for(purpose, "slot", 1, &[])]);
    for purpose in [Purpose::Turn, Purpose::Review, Purpose::Compaction] {
        let what = "the task of turn of slot takes turn of prompt out of the slot";
        asks(purpose).by(TASK, [of.finishes("prompt")]).breaks(property, what);
        asks(purpose).by(TASK, [of.finishes("slot")]).keeps(property);
    }
    // Whoever begins something else in its place is no task; nor is one that only frees it.
    asks(Purpose::Turn).by(USER, [of.finishes("slot")]).keeps(property);
    asks(Purpose::Turn).by(TASK, [of.frees("prompt")]).keeps(property);
    let next = [of.begins("slot+1", 1, &[]), of.finishes("slot")];
    let what = "the task of turn after slot takes turn of slot out of the slot";
    asks(Purpose::Turn).by(NEXT, next).breaks(property, what);
}
