//! What a correct engine does, from beginning to end, where a property has an exception for it.

use midturn_protocol::{
    ClearedBy, Event, GraceEnd, Outside, Purpose, Reason, Reply, RequestEnd, TaskKind, ToolWake,
    TurnEnd, WaiterEvent,
};

use super::{ABORT, DONE, MORE, NEXT, OTHER, Run, TASK, USER, Words, words};

const STEER: &str = "{ id = 'prompt', start_or_steer = 'a' }, { id = 'yaml', steer = 'b', \
                     context = { cwd = '/tmp', day = 'Monday' } }, { id = 'json', steer = 'c' }";

/// `prompt` has started its turn, and is sampled.
fn prompted(of: &Words) -> Run<'_> {
    of.by(USER, [of.called("prompt"), of.built("prompt", 0), of.initial("prompt", "prompt")])
        .by(USER, [of.started("prompt"), of.runs("prompt"), of.told_started("prompt", "prompt")])
        .by(TASK, [of.drained("prompt", &["prompt"]), Event::Awaits { on: Outside::Hook }])
        .by(TASK, [of.hooked("prompt", true), of.recorded("prompt", "prompt")])
        .by(TASK, [of.begins("prompt", 1, &["prompt"])])
}

/// The turn has answered in request `nth` and completes.
fn answered<'a>(run: Run<'a>, nth: u32) -> Run<'a> {
    let of = run.words;
    run.by(TASK, [of.answers("prompt"), of.ends("prompt", nth, DONE)]).completes(TASK, "prompt")
}

/// `name` is steered into the turn of `prompt`, together with this context.
fn steered<'a>(run: Run<'a>, name: &str, context: &[&str]) -> Run<'a> {
    let of = run.words;
    let run = run.by(USER, [of.called(name)]);
    let run = context.iter().fold(run, |run, id| run.by(USER, [of.pending(id, "prompt")]));
    run.by(USER, [of.pending(name, "prompt"), of.told_steered(name, "prompt")])
}

#[test]
fn a_prompt_is_answered() {
    answered(prompted(&words("", STEER)), 1).breaks_nothing();
}

#[test]
fn a_hook_blocks_the_input_of_a_batch_and_not_its_context() {
    let of = words("", STEER);
    let first = || prompted(&of).by(TASK, [of.calls_tool("prompt"), of.ends("prompt", 1, MORE)]);
    let blocked = |context: &[&str]| {
        let taken = [context, &["yaml"]].concat();
        let run = steered(first(), "yaml", context)
            .by(TASK, [of.drained("prompt", &taken), Event::Awaits { on: Outside::Hook }]);
        let run = context.iter().fold(run, |run, id| run.by(TASK, [of.recorded(id, "prompt")]));
        run.by(TASK, [of.hooked("yaml", false), of.cleared("yaml", ClearedBy::Hook)])
            .by(TASK, [of.begins("prompt", 2, context)])
    };
    answered(blocked(&["yaml.cwd", "yaml.day"]), 2).breaks_nothing();
    // Some of it is left out as known, and nobody has told it: an input that was kept out itself
    // needs none.
    answered(blocked(&["yaml.day"]), 2).breaks_nothing();
    // The context is left behind.
    let lost = || {
        steered(first(), "yaml", &["yaml.cwd"])
            .by(TASK, [of.drained("prompt", &["yaml.cwd", "yaml"])])
            .by(TASK, [of.hooked("yaml", false), of.cleared("yaml", ClearedBy::Hook)])
            .by(TASK, [of.begins("prompt", 2, &[])])
    };
    answered(lost(), 2).breaks("no_silent_loss", "yaml.cwd is in no place at all");
    let stuck = "a hook blocked input that turn of prompt had taken, and yaml.cwd got stuck \
                 behind it";
    answered(lost(), 2).breaks("hook_block_releases", stuck);
}

#[test]
fn a_request_is_cut_for_input_that_a_hook_then_blocks() {
    let of = words("", STEER);
    let cut = || {
        steered(prompted(&of), "json", &[])
            .by(TASK, [of.ends("prompt", 1, RequestEnd::Preempted)])
            .by(TASK, [of.drained("prompt", &["json"])])
    };
    let blocks = || [of.hooked("json", false), of.cleared("json", ClearedBy::Hook)];
    cut().by(TASK, blocks()).completes(TASK, "prompt").breaks_nothing();
    let passes = || [of.hooked("json", true), of.recorded("json", "prompt")];
    answered(cut().by(TASK, passes()).by(TASK, [of.begins("prompt", 2, &["json"])]), 2)
        .breaks_nothing();
    let what = "a request of turn of prompt was cut, and no other followed";
    cut()
        .by(TASK, [of.cleared("json", ClearedBy::TurnEnd)])
        .completes(TASK, "prompt")
        .breaks_only("cut_implies_follow_up", what);
}

#[test]
fn what_was_taken_with_blocked_input_goes_on() {
    let commands = format!("{STEER}, {{ id = 'output', tool_output = '42' }}");
    let of = words("", &commands);
    let taken = || {
        let run = steered(steered(prompted(&of), "json", &[]), "output", &[]);
        run.by(TASK, [of.calls_tool("prompt"), of.ends("prompt", 1, MORE)])
            .by(TASK, [of.drained("prompt", &["json", "output"]), of.hooked("json", false)])
            .by(TASK, [of.cleared("json", ClearedBy::Hook), of.recorded("output", "prompt")])
    };
    answered(taken().by(TASK, [of.begins("prompt", 2, &["output"])]), 2).breaks_nothing();
    let stuck = "a hook blocked input that turn of prompt had taken, and output got stuck behind \
                 it";
    taken().completes(TASK, "prompt").breaks("hook_block_releases", stuck);
    let unread = "output was accepted for turn of prompt and ended recorded";
    taken().completes(TASK, "prompt").breaks("accepted_is_sampled", unread);
}

#[test]
fn a_caller_goes_away_and_its_turn_runs() {
    let of = words("", "{ id = 'prompt', start_or_steer = 'a', drop = true }");
    let gone = || {
        of.by(USER, [of.called("prompt"), of.built("prompt", 0), of.initial("prompt", "prompt")])
            .by(USER, [of.started("prompt"), of.runs("prompt")])
            .by(USER, [of.returned("prompt", Reply::Dropped)])
    };
    let sampled = || {
        gone()
            .by(TASK, [of.drained("prompt", &["prompt"]), of.hooked("prompt", true)])
            .by(TASK, [of.recorded("prompt", "prompt"), of.begins("prompt", 1, &["prompt"])])
    };
    answered(sampled(), 1).breaks_nothing();
    // Before anything had taken it.
    of.by(USER, [of.called("prompt"), of.returned("prompt", Reply::Dropped)]).breaks_nothing();
    let what = "prompt is in no place at all";
    gone().completes(TASK, "prompt").breaks("no_silent_loss", what);
}

#[test]
fn a_compaction_in_the_middle_of_a_tool_exchange() {
    let commands = format!("{STEER}, {{ id = 'note', mail = 'd' }}");
    let of = words("", &commands);
    let compacted = || {
        let run = prompted(&of).by(TASK, [of.calls_tool("prompt"), of.ends("prompt", 1, MORE)]);
        steered(run, "json", &[])
            .by(OTHER, [of.called("note"), of.mailed("note")])
            .by(OTHER, [of.returned("note", Reply::Delivered)])
            .by(TASK, [of.begins_for(Purpose::Compaction, "prompt", 2, &[])])
            .by(TASK, [of.ends("prompt", 2, DONE)])
            .by(TASK, [Event::Compacted { turn: of.turn("prompt") }])
    };
    let takes = |run: Run<'_>, nth| {
        let run = run
            .by(TASK, [of.drained("prompt", &["json", "note"]), of.hooked("json", true)])
            .by(TASK, [of.recorded("json", "prompt"), of.recorded("note", "prompt")])
            .by(TASK, [of.begins("prompt", nth, &["json", "note"])]);
        answered(run, nth).violations()
    };
    let resumed = compacted()
        .by(TASK, [of.begins("prompt", 3, &[]), of.calls_tool("prompt")])
        .by(TASK, [of.ends("prompt", 3, MORE)]);
    assert_eq!(takes(resumed, 4), []);
    let what = "turn of prompt was compacted in the middle of a tool exchange, and takes json \
                before it goes on with it";
    assert_eq!(takes(compacted(), 3), [("compaction_resumes_first", what.to_owned())]);
}

#[test]
fn a_tool_waits_for_activity_and_only_a_passive_item_comes() {
    let commands = format!("{STEER}, {{ id = 'hint', inject = 'd' }}");
    let of = words("", &commands);
    let woken = |how| Event::ToolWoken { turn: of.turn("prompt"), how };
    let waits = || prompted(&of).by(TASK, [of.calls_tool("prompt")]);
    let hinted = || {
        waits()
            .by(OTHER, [of.called("hint"), of.pending("hint", "prompt")])
            .by(OTHER, [of.returned("hint", Reply::Injected)])
    };
    let run = hinted()
        .by(TASK, [woken(ToolWake::TimedOut), of.ends("prompt", 1, MORE)])
        .by(TASK, [of.drained("prompt", &["hint"]), of.recorded("hint", "prompt")])
        .by(TASK, [of.begins("prompt", 2, &["hint"])]);
    answered(run, 2).breaks_nothing();
    let blind = |how| {
        let run = steered(waits(), "json", &[])
            .by(TASK, [woken(how), of.ends("prompt", 1, MORE)])
            .by(TASK, [of.drained("prompt", &["json"]), of.hooked("json", true)])
            .by(TASK, [of.recorded("json", "prompt"), of.begins("prompt", 2, &["json"])]);
        answered(run, 2)
    };
    blind(ToolWake::Steer).breaks_nothing();
    let what = "a tool of turn of prompt waited its time out while json was there";
    blind(ToolWake::TimedOut).breaks_only("waits_end_on_input", what);
}

#[test]
fn a_review_takes_the_place_of_a_turn_and_refuses_input() {
    let commands = format!("{STEER}, {{ id = 'check', review = 'd' }}");
    let of = words("", &commands);
    let turn = || of.turn("prompt");
    let not_steerable = Reason::ActiveTurnNotSteerable(TaskKind::Review);
    let replaced = || {
        prompted(&of)
            .by(OTHER, [of.called("check"), of.finishes("prompt")])
            .by(OTHER, [of.returned("check", Reply::Began(of.turn("check")))])
            .by(ABORT, [Event::CancelRequested { turn: turn() }])
            .by(ABORT, [Event::GraceBegan { turn: turn() }])
            .by(ABORT, [Event::GraceEnded { turn: turn(), how: GraceEnd::TimedOut }])
            .by(ABORT, [of.ends("prompt", 1, RequestEnd::Cancelled)])
            .by(ABORT, [Event::PendingCleared { turn: turn() }])
            .by(ABORT, [of.ended("prompt", TurnEnd::Replaced)])
            .by(ABORT, [of.started_as("check", TaskKind::Review), of.runs("check")])
            .by(NEXT, [of.begins_for(Purpose::Review, "check", 1, &[])])
    };
    let leaves = |run: Run<'_>| {
        run.by(NEXT, [of.ends("check", 1, DONE)]).completes(NEXT, "check").violations()
    };
    let refused = || {
        replaced()
            .by(USER, [of.called("json"), of.refused("json", not_steerable)])
            .by(USER, [of.told_refused("json", not_steerable)])
    };
    assert_eq!(leaves(refused()), []);
    let queued = replaced()
        .by(USER, [of.called("json"), of.pending("json", "check")])
        .by(USER, [of.told_steered("json", "check"), of.cleared("json", ClearedBy::TurnEnd)]);
    let what = "json was queued on turn of check, which reads no input".to_owned();
    assert_eq!(leaves(queued), [("not_steerable_is_safe", what)]);
}

#[test]
fn an_approval_is_aborted() {
    let of = words(
        "[model]\nrequests = [[{ tool = 'shell', asks = 'approval' }]]",
        "{ id = 'prompt', start_or_steer = 'a' }, { id = 'no', abort = true, table = 'approval' }",
    );
    let turn = || of.turn("prompt");
    let asked = || {
        prompted(&of)
            .by(TASK, [of.calls_tool("prompt")])
            .by(TASK, [of.waiter("prompt", "shell", WaiterEvent::Opened)])
            .by(OTHER, [of.called("no"), of.finishes("prompt")])
            .by(ABORT, [Event::CancelRequested { turn: turn() }])
            .by(ABORT, [Event::GraceBegan { turn: turn() }])
            .by(TASK, [Event::TaskDone { turn: turn() }])
            .by(ABORT, [Event::GraceEnded { turn: turn(), how: GraceEnd::Done }])
            .by(ABORT, [of.ends("prompt", 1, RequestEnd::Cancelled)])
    };
    let ends = |run: Run<'_>| {
        run.by(ABORT, [Event::PendingCleared { turn: turn() }, Event::Marker { turn: turn() }])
            .by(ABORT, [Event::Flushed { turn: turn() }])
            .by(ABORT, [of.ended("prompt", TurnEnd::Interrupted), of.frees("prompt")])
            .by(OTHER, [of.returned("no", Reply::Interrupted(Some(turn())))])
            .violations()
    };
    let closes = of.waiter("prompt", "shell", WaiterEvent::Closed);
    assert_eq!(ends(asked().by(ABORT, [closes])), []);
    let what = "shell of turn of prompt waits for an answer that nobody owes it".to_owned();
    assert_eq!(ends(asked()), [("every_request_answered", what)]);
}
