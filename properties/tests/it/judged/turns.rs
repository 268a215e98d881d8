//! One turn after another, and one answer for each.

use midturn_protocol::{Event, ModelItem, Purpose, RequestEnd, SlotShape, TurnEnd};

use super::{DONE, MORE, NEXT, OTHER, Run, TASK, USER, Words, words};

fn one_turn() -> Words {
    words(
        "[session]\nslot = 'running'\nmailbox = [{ id = 'task', trigger = true, text = 'x' }]",
        "{ id = 'yaml', steer = 'a' }, { id = 'json', steer = 'b' }, { id = 'hint', inject = 'c' },
         { id = 'output', tool_output = '42' }, { id = 'again', recover = 'turn of slot' },
         { id = 'prompt', start_or_steer = 'd' }, { id = 'stop', interrupt = true }",
    )
}

const STAYS: &str = "answered_stays_answered";

/// The turn has shown its answer, and its request has ended like this.
fn shown(of: &Words, how: RequestEnd) -> Run<'_> {
    of.by(TASK, [of.started("slot"), of.begins("slot", 1, &["slot"]), of.answers("slot")])
        .by(TASK, [of.ends("slot", 1, how)])
}

#[test]
fn a_turn_that_has_answered_goes_on_for_what_was_said_to_it() {
    let of = one_turn();
    let goes_on = |run: Run<'_>, new: &[&str]| {
        run.by(TASK, [of.begins("slot", 2, new), of.answers("slot")]).of(STAYS)
    };
    let right: [String; 0] = [];
    let wrong =
        |new: &str| [format!("turn of slot had shown its answer, and request 2 began for {new}")];
    for name in ["yaml", "hint", "output"] {
        let accepted = [of.called(name), of.pending(name, "slot")];
        assert_eq!(goes_on(shown(&of, DONE).by(USER, accepted), &[name]), right, "{name}");
    }
    assert_eq!(goes_on(shown(&of, DONE), &["task"]), wrong("task"));
    assert_eq!(goes_on(shown(&of, DONE), &[]), wrong("nothing new"));
    // It had taken the mail before it answered, or takes it only now.
    let taken = || of.drained("slot", &["task"]);
    let before = of.by(TASK, [taken()]).by(TASK, [of.begins("slot", 1, &["slot"])]);
    let before = before.by(TASK, [of.answers("slot"), of.ends("slot", 1, DONE)]);
    assert_eq!(goes_on(before, &["task"]), right);
    assert_eq!(goes_on(shown(&of, DONE).by(TASK, [taken()]), &["task"]), wrong("task"));
    // The model goes on, or a hook does; a comment after the answer does not.
    assert_eq!(goes_on(shown(&of, MORE), &[]), right);
    let turn = of.turn("slot");
    let reopened = [
        Event::StopBlocked { turn },
        Event::ModelItem { turn, item: ModelItem::NotEnded },
        Event::ModelItem { turn, item: ModelItem::RefusedTool("ls".into()) },
    ];
    for event in reopened {
        assert_eq!(goes_on(shown(&of, DONE).by(TASK, [event]), &[]), right);
    }
    let comment = Event::ModelItem { turn, item: ModelItem::Commentary("so".into()) };
    assert_eq!(goes_on(shown(&of, DONE).by(TASK, [comment]), &[]), wrong("nothing new"));
}

#[test]
fn what_samples_nothing_reopens_nothing() {
    let of = one_turn();
    let what = "turn of slot had shown its answer, and request 2 began for nothing new";
    for how in [RequestEnd::Failed, RequestEnd::Preempted, DONE] {
        let sampled = [of.begins("slot", 2, &[]), of.ends("slot", 2, how)];
        shown(&of, DONE).by(TASK, sampled).breaks(STAYS, what);
    }
    let cancelled = [of.begins("slot", 2, &[]), of.ends("slot", 2, RequestEnd::Cancelled)];
    shown(&of, DONE).by(TASK, cancelled).keeps(STAYS);
    // It was cancelled after its first item.
    shown(&of, DONE)
        .by(TASK, [of.begins("slot", 2, &[]), of.calls_tool("slot")])
        .by(TASK, [of.ends("slot", 2, RequestEnd::Cancelled)])
        .breaks(STAYS, what);
    let compacts = || of.begins_for(Purpose::Compaction, "slot", 2, &[]);
    shown(&of, DONE).by(TASK, [compacts(), of.ends("slot", 2, DONE)]).keeps(STAYS);
    // A new task takes it up again; without a recovery it is the same turn that goes on.
    let again = || [of.called("again"), of.started("slot"), of.told_started("again", "slot")];
    let asks = || [of.begins("slot", 2, &[]), of.answers("slot")];
    shown(&of, DONE).by(USER, again()).by(NEXT, asks()).keeps(STAYS);
    shown(&of, DONE).by(USER, again()).by(TASK, asks()).breaks(STAYS, what);
    shown(&of, DONE).by(NEXT, asks()).breaks(STAYS, what);
}

#[test]
fn turns_follow_each_other() {
    let of = one_turn();
    let property = "single_active_turn";
    let next = || [of.started("prompt")];
    let runs = || of.by(TASK, [of.started("slot")]);
    let what = "turn of prompt started while turn of slot was active";
    runs().by(NEXT, next()).breaks(property, what);
    for how in [TurnEnd::Completed, TurnEnd::Failed, TurnEnd::Interrupted, TurnEnd::Replaced] {
        runs().by(OTHER, [of.ended("slot", how)]).by(NEXT, next()).keeps(property);
    }
    runs().by(OTHER, [of.suspended("slot")]).by(NEXT, next()).keeps(property);
    runs().by(OTHER, [of.ended("prompt", TurnEnd::Failed)]).by(NEXT, next()).breaks(property, what);
    // Stopped and taken up again, it is active again.
    runs()
        .by(OTHER, [of.suspended("slot"), of.started("slot")])
        .by(NEXT, next())
        .breaks(property, what);
}

#[test]
fn the_turn_in_the_slot_may_be_open_and_no_other() {
    let of = one_turn();
    let property = "one_terminal_per_turn";
    let runs = || of.by(TASK, [of.started("slot"), of.runs("slot")]);
    let what = "turn of slot never ended";
    runs().breaks(property, what);
    runs().leaves(|last| last.slot = Some(SlotShape::Running)).keeps(property);
    runs()
        .by(NEXT, [of.started("prompt"), of.runs("prompt")])
        .leaves(|last| last.slot = Some(SlotShape::Running))
        .breaks(property, what);
    of.by(TASK, [of.ended("slot", TurnEnd::Failed)])
        .breaks(property, "turn of slot ended and never started");
    // Being suspended stands for an end, once.
    runs().by(OTHER, [of.suspended("slot")]).keeps(property);
    let twice = [of.suspended("slot"), of.suspended("slot")];
    runs().by(OTHER, twice).breaks(property, "turn of slot ended and was suspended");
}

#[test]
fn what_waited_may_be_recorded_at_once() {
    let of = one_turn();
    let property = "no_turn_for_nothing";
    let what = "turn after slot was asked for by nobody and takes nothing";
    let asks = || of.begins("slot+1", 1, &[]);
    of.by(NEXT, [asks()]).breaks(property, what);
    of.by(NEXT, [of.drained("slot+1", &[]), asks()]).breaks(property, what);
    of.by(NEXT, [asks(), of.drained("slot+1", &["task"])]).breaks(property, what);
    of.by(NEXT, [of.recorded("task", "slot+1"), asks()]).keeps(property);
    of.by(NEXT, [of.drained("slot+1", &["yaml"]), of.hooked("yaml", false), asks()])
        .keeps(property);
    // It has only compacted so far.
    let compacts = of.begins_for(Purpose::Compaction, "slot+1", 1, &[]);
    of.by(NEXT, [compacts]).keeps(property);
    // A turn that somebody wants again; the preset.
    let again = [of.called("again"), of.told_started("again", "slot")];
    of.by(USER, again).by(NEXT, [of.begins("slot", 1, &[])]).keeps(property);
    of.by(NEXT, [of.begins("slot", 1, &[])]).keeps(property);
}

#[test]
fn leftovers_are_taken_when_the_turn_ends_and_need_not_be_sampled() {
    let of = one_turn();
    let property = "hook_block_releases";
    let steered = || {
        of.by(USER, [of.called("yaml"), of.pending("yaml", "slot")])
            .by(USER, [of.called("json"), of.pending("json", "slot")])
    };
    let takes = || of.drained("slot", &["yaml", "json"]);
    let blocks = || [of.hooked("yaml", false), of.recorded("json", "slot")];
    let ends = || [of.ended("slot", TurnEnd::Completed)];
    steered()
        .by(TASK, [of.finishes("slot"), takes()])
        .by(TASK, blocks())
        .by(TASK, ends())
        .keeps(property);
    let what = "a hook blocked input that turn of slot had taken, and json got stuck behind it";
    steered().by(TASK, [takes()]).by(TASK, blocks()).by(TASK, ends()).breaks(property, what);
    // They must be somewhere all the same.
    let lost = [of.finishes("slot"), takes(), of.hooked("yaml", false)];
    steered().by(TASK, lost).by(TASK, ends()).breaks(property, what);
    // Another turn was finishing.
    steered()
        .by(TASK, [of.finishes("slot+1"), takes()])
        .by(TASK, blocks())
        .by(TASK, ends())
        .breaks(property, what);
}
