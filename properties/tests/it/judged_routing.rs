//! Properties about where input may go, and what happens to what goes with it.

use midturn_protocol::{
    ClearedBy, Event, Purpose, Reason, RequestEnd, SlotShape, TaskKind, TurnEnd,
};

use crate::judged_histories::{
    OTHER, Run, SECOND_TASK, TASK, USER, began, began_for, by, called, cleared, drained, ended,
    hooked, id, initial, mailed, pending, recorded, refused, request_ended, slot, started,
    started_as, told_started, turn,
};

#[test]
fn not_steerable_is_safe() {
    let name = "not_steerable_is_safe";
    let reviews = || by(OTHER, [started_as("check", TaskKind::Review)]);
    let squeezes = || by(OTHER, [started_as("squeeze", TaskKind::Compact)]);
    let what =
        |input: &str, of: &str| format!("{input} was queued on turn of {of}, which reads no input");
    reviews().by(USER, [pending("yaml", "check")]).breaks(name, &what("yaml", "check"));
    reviews().by(USER, [pending("output", "check")]).breaks(name, &what("output", "check"));
    squeezes().by(USER, [pending("yaml", "squeeze")]).breaks(name, &what("yaml", "squeeze"));
    // Passive items and mail may wait there; another turn reads input.
    reviews().by(USER, [pending("extra", "check"), pending("mail", "check")]).keeps(name);
    by(OTHER, [started("slot")]).by(USER, [pending("yaml", "slot")]).keeps(name);

    let reason = Reason::ActiveTurnNotSteerable(TaskKind::Review);
    let turned_away = || reviews().by(USER, [refused("prompt", reason)]);
    turned_away()
        .by(TASK, [started("prompt")])
        .breaks(name, "turn of prompt started although its input was refused");
    turned_away().by(TASK, [started("other")]).keeps(name);
    by(USER, [refused("go", Reason::PendingTriggerTurn)]).by(TASK, [started("go")]).keeps(name);
}

#[test]
fn steer_hits_its_turn() {
    let name = "steer_hits_its_turn";
    let what = "aimed was meant for turn of slot and went elsewhere";
    by(USER, [called("aimed"), pending("aimed", "slot")]).keeps(name);
    by(USER, [called("aimed"), pending("aimed", "prompt")]).breaks(name, what);
    by(USER, [called("aimed"), initial("aimed", "aimed")]).breaks(name, what);
    by(USER, [called("aimed"), refused("aimed", Reason::NoActiveTurn)]).keeps(name);
    by(USER, [called("yaml"), pending("yaml", "prompt")]).keeps(name);
}

#[test]
fn continue_follows_its_turn() {
    let name = "continue_follows_its_turn";
    let running = |of| slot(SlotShape::Running, of);
    let reserves = || [called("more"), slot(SlotShape::Reserved, "more")];
    let what = "turn of more was to follow turn of slot, and another came between";
    by(TASK, [running("slot")]).by(USER, reserves()).keeps(name);
    by(TASK, [running("slot"), running("prompt")]).by(USER, reserves()).breaks(name, what);
    by(USER, reserves()).by(TASK, [running("prompt")]).keeps(name);
    // It was refused, and takes the slot again for mail that it had kept waiting.
    by(TASK, [running("slot")])
        .by(USER, reserves())
        .by(OTHER, [running("prompt")])
        .by(USER, [slot(SlotShape::Reserved, "more")])
        .keeps(name);
    by(TASK, [running("prompt")])
        .by(USER, [called("go"), slot(SlotShape::Reserved, "go")])
        .keeps(name);
}

#[test]
fn cut_implies_follow_up() {
    let name = "cut_implies_follow_up";
    let cut =
        || by(TASK, [began("slot", 1, &["slot"]), request_ended("slot", 1, RequestEnd::Preempted)]);
    let what = "a request of turn of slot was cut, and no other followed";
    cut().breaks(name, what);
    cut().by(TASK, [ended("slot", TurnEnd::Completed)]).breaks(name, what);
    cut().by(TASK, [began("slot+1", 1, &[])]).breaks(name, what);
    cut().by(OTHER, [hooked("yaml", false)]).breaks(name, what);
    cut().by(TASK, [hooked("yaml", true)]).breaks(name, what);

    cut().by(TASK, [began("slot", 2, &["mail"])]).keeps(name);
    cut().by(TASK, [began_for(Purpose::Compaction, "slot", 2, &[])]).keeps(name);
    cut().by(TASK, [hooked("yaml", false)]).keeps(name);
    cut().by(TASK, [ended("slot", TurnEnd::Failed)]).keeps(name);
    cut().by(OTHER, [Event::CancelRequested { turn: turn("slot") }]).keeps(name);
    cut().by(OTHER, [Event::TurnSuspended { turn: turn("slot") }]).keeps(name);
    // The abort comes first, and its end afterwards.
    by(OTHER, [Event::CancelRequested { turn: turn("slot") }])
        .by(TASK, [began("slot", 1, &[]), request_ended("slot", 1, RequestEnd::Preempted)])
        .by(OTHER, [ended("slot", TurnEnd::Replaced)])
        .keeps(name);
    by(TASK, [request_ended("slot", 1, RequestEnd::Cancelled)]).keeps(name);
}

const RELEASES: &str = "hook_block_releases";

/// A turn takes `yaml`, `json` and a note; a hook lets one of the first two pass.
fn half_blocked() -> Run {
    by(USER, [called("yaml"), pending("yaml", "slot"), called("json"), pending("json", "slot")])
        .by(OTHER, [called("note"), mailed("note")])
        .by(TASK, [drained("slot", &["yaml", "json", "note"]), hooked("yaml", false)])
        .by(TASK, [cleared("yaml", ClearedBy::Hook)])
}

fn stuck(name: &str) -> String {
    format!("a hook blocked input that turn of slot had taken, and {name} got stuck behind it")
}

#[test]
fn a_block_holds_up_no_explicit_input() {
    let completed = || ended("slot", TurnEnd::Completed);
    let passes = || [hooked("json", true), recorded("json", "slot"), recorded("note", "slot")];
    let sampled = began("slot", 2, &["json", "note"]);
    half_blocked().by(TASK, passes()).by(TASK, [sampled, completed()]).keeps(RELEASES);
    // Recorded is not enough for what was taken together with it, but for mail it is.
    half_blocked().by(TASK, passes()).by(TASK, [completed()]).breaks(RELEASES, &stuck("json"));
    half_blocked()
        .by(TASK, passes())
        .by(TASK, [began("slot", 2, &["json"]), completed()])
        .keeps(RELEASES);
    half_blocked()
        .by(TASK, [recorded("json", "slot"), began("slot", 2, &["json"]), completed()])
        .breaks(RELEASES, &stuck("note"));
    half_blocked()
        .by(TASK, [recorded("json", "slot"), began("slot", 2, &["json"]), mailed("note")])
        .by(TASK, [completed()])
        .leaves(|last| last.mailbox.push(id("note")))
        .keeps(RELEASES);
    // Both are blocked.
    half_blocked()
        .by(TASK, [hooked("json", false), recorded("note", "slot"), completed()])
        .keeps(RELEASES);
}

#[test]
fn a_turn_that_is_stopped_owes_nothing_for_a_block() {
    for end in [TurnEnd::Interrupted, TurnEnd::Failed, TurnEnd::Replaced] {
        half_blocked().by(OTHER, [ended("slot", end)]).keeps(RELEASES);
    }
    half_blocked().keeps(RELEASES);
    // Taken up again it completes, but what it had taken before was reported.
    half_blocked()
        .by(OTHER, [cleared("json", ClearedBy::Interrupt), mailed("note")])
        .by(OTHER, [ended("slot", TurnEnd::Interrupted)])
        .by(USER, [called("again"), started("slot"), told_started("again", "slot")])
        .by(SECOND_TASK, [drained("slot", &["note"]), recorded("note", "slot")])
        .by(SECOND_TASK, [began("slot", 1, &["note"]), ended("slot", TurnEnd::Completed)])
        .keeps(RELEASES);
}

#[test]
fn a_block_holds_up_nothing_that_is_taken_later() {
    let completed = || ended("slot", TurnEnd::Completed);
    let later = || {
        by(USER, [called("yaml"), pending("yaml", "slot"), called("json"), pending("json", "slot")])
            .by(TASK, [drained("slot", &["yaml"]), hooked("yaml", false)])
            .by(TASK, [drained("slot", &["json"])])
    };
    later().by(TASK, [completed()]).breaks(RELEASES, &stuck("json"));
    later().by(TASK, [recorded("json", "slot"), completed()]).keeps(RELEASES);
    later()
        .by(OTHER, [cleared("json", ClearedBy::TurnEnd)])
        .by(TASK, [completed()])
        .keeps(RELEASES);
    // What was taken before the block is not held up by it.
    by(USER, [called("json"), pending("json", "slot"), called("yaml"), pending("yaml", "slot")])
        .by(TASK, [drained("slot", &["json"]), drained("slot", &["yaml"]), hooked("yaml", false)])
        .by(TASK, [completed()])
        .keeps(RELEASES);
    // Leftovers are recorded and no more.
    by(USER, [called("yaml"), pending("yaml", "slot"), called("json"), pending("json", "slot")])
        .by(TASK, [slot(SlotShape::Finishing, "slot"), drained("slot", &["yaml", "json"])])
        .by(TASK, [hooked("yaml", false), recorded("json", "slot"), completed()])
        .keeps(RELEASES);
}
