//! Settings that travel with submissions, next to those that come alone.

use midturn_protocol::{Event, Purpose, Reason, Reply};

use super::{NEXT, OTHER, Run, TASK, USER, Words, words};

const FOLLOW: &str = "settings_follow_the_verdict";

fn edits() -> Words {
    words(
        "[session]\nslot = 'running'",
        "{ id = 'prompt', start_or_steer = 'a', overrides = { effort = 'high' } },
         { id = 'go', start_if_idle = 'b', automatic = true, overrides = { effort = 'high' } },
         { id = 'plain', start_or_steer = 'c' }, { id = 'limit', forbid = { effort = 'max' } },
         { id = 'more', continue_if_idle = 'e', overrides = { effort = 'low' } },
         { id = 'low', settings = { effort = 'low' } },
         { id = 'lost', start_or_steer = 'd', overrides = { effort = 'low' }, drop = true }",
    )
}

/// `name` is called, its settings are applied like this, and then it is told that.
fn told<'a>(of: &'a Words, name: &str, applied: &[Option<&str>], told: Event) -> Run<'a> {
    let run = of.by(USER, [of.called(name)]);
    let versions = 1..;
    let applied = versions.zip(applied).map(|(version, turn)| of.applied(name, version, *turn));
    applied.fold(run, |run, event| run.by(USER, [event])).by(USER, [told])
}

#[test]
fn who_is_refused_has_changed_nothing() {
    let of = edits();
    for reason in [Reason::PlanMode, Reason::Superseded, Reason::InvalidRequest] {
        told(&of, "go", &[], of.told_refused("go", reason)).keeps(FOLLOW);
        let what = format!(
            "go was told `refused {}`: its settings were applied",
            of.scenario.names.reason(reason)
        );
        let refused = || of.told_refused("go", reason);
        told(&of, "go", &[Some("go")], refused()).breaks(FOLLOW, &what);
        told(&of, "go", &[None], refused()).breaks(FOLLOW, &what);
    }
    let refused = of.returned("low", Reply::Refused(Reason::InvalidRequest));
    let what = "low was told `refused invalid_request`: its settings were applied";
    told(&of, "low", &[None], refused).breaks(FOLLOW, what);
}

#[test]
fn who_steers_changes_later_turns_only() {
    let of = edits();
    let steered = || of.told_steered("prompt", "slot");
    let what = "prompt was told `Steered(turn of slot)`: its settings were not applied once, for \
                later turns";
    told(&of, "prompt", &[None], steered()).keeps(FOLLOW);
    for wrong in [&[][..], &[Some("slot")], &[None, None], &[None, Some("slot")]] {
        told(&of, "prompt", wrong, steered()).breaks(FOLLOW, what);
    }
    // It brings no edit, or one that forbids.
    told(&of, "plain", &[], of.told_steered("plain", "slot")).keeps(FOLLOW);
    told(&of, "limit", &[], of.returned("limit", Reply::Applied)).keeps(FOLLOW);
    let what = "low was told `applied`: its settings were not applied once, for later turns";
    told(&of, "low", &[Some("slot")], of.returned("low", Reply::Applied)).breaks(FOLLOW, what);
    told(&of, "low", &[None], of.returned("low", Reply::Applied)).keeps(FOLLOW);
}

#[test]
fn who_starts_changes_its_own_turn() {
    let of = edits();
    let started = || of.told_started("prompt", "prompt");
    let what = "prompt was told `Started(turn of prompt)`: its settings were not applied once, \
                with the context of its turn";
    told(&of, "prompt", &[Some("prompt")], started()).keeps(FOLLOW);
    for wrong in [&[][..], &[None], &[Some("slot")], &[Some("prompt"), Some("prompt")]] {
        told(&of, "prompt", wrong, started()).breaks(FOLLOW, what);
    }
    // A continuation has a turn of its own.
    told(&of, "more", &[Some("more")], of.told_started("more", "more")).keeps(FOLLOW);
    // Nothing is known of one who went away.
    for any in [&[][..], &[None], &[Some("lost")]] {
        told(&of, "lost", any, of.returned("lost", Reply::Dropped)).keeps(FOLLOW);
    }
}

#[test]
fn all_requests_of_a_turn_are_made_under_its_settings() {
    let of = edits();
    let asks = |settings, request, purpose| {
        let turn = of.turn("slot");
        Event::RequestBegan { turn, request, purpose, settings, new: Vec::new() }
    };
    let begun = || {
        of.by(USER, [of.built("slot", 1)])
            .by(TASK, [asks(1, 1, Purpose::Turn)])
            .by(OTHER, [of.applied("low", 2, None)])
    };
    let what = "the settings of turn of slot changed while it ran";
    for purpose in [Purpose::Turn, Purpose::Compaction, Purpose::Review] {
        begun().by(TASK, [asks(1, 2, purpose)]).keeps(FOLLOW);
        begun().by(TASK, [asks(2, 2, purpose)]).breaks(FOLLOW, what);
    }
    // It is taken up again, and another turn starts.
    let again = || begun().by(USER, [of.built("slot", 2)]);
    again().by(NEXT, [asks(2, 1, Purpose::Turn)]).keeps(FOLLOW);
    again().by(NEXT, [asks(1, 1, Purpose::Turn)]).breaks(FOLLOW, what);
    begun().by(USER, [of.built("slot+1", 2)]).by(TASK, [asks(1, 2, Purpose::Turn)]).keeps(FOLLOW);
}
