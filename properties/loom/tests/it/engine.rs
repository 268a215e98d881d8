//! The engine's own source, compiled against loom's lock: who races with whom, and the outcomes,
//! all of them, each reached.
//!
//! What `codex_0_149` does wrong here is what the real program does wrong; `hardened` does not.

pub mod env;
mod race;

use midturn_engine_loom::codex::{Fault, Front, Policy};
use midturn_protocol::{InputId, Preset};

use crate::engine::env::Timers;
use crate::engine::race::{Call, Race};
use crate::explore::End::{self, Ended, Hung};
use crate::explore::Limits;

const HARDENED: Policy = Policy::hardened();
const UPSTREAM: Policy = Policy::codex_0_149();

const STEER: Call = Call::Steer(InputId(1));
const OTHER_STEER: Call = Call::Steer(InputId(2));
const START_OR_STEER: Call = Call::StartOrSteer(InputId(3));
const INTERRUPT: Call = Call::Interrupt(InputId(4));
const TRIGGER_MAIL: Call = Call::Mail { id: InputId(5), trigger: true };
const QUEUE_ONLY_MAIL: Call = Call::Mail { id: InputId(6), trigger: false };
const AWAIT_ACTIVITY: Call = Call::AwaitActivity(InputId(7));

fn race(policy: Policy, preset: Preset, calls: &'static [Call]) -> Race {
    Race { policy, front: Front::Concurrent, preset, timers: Timers::Never, calls }
}

impl Race {
    fn timers(self, timers: Timers) -> Self {
        Race { timers, ..self }
    }

    fn serial(self) -> Self {
        Race { front: Front::Serial, ..self }
    }

    #[track_caller]
    fn ends_in(self, limits: Limits, expected: &[&str]) {
        self.ends(limits, expected.iter().map(|said| Ended(said.to_string())).collect());
    }

    #[track_caller]
    fn ends(self, limits: Limits, expected: Vec<End<String>>) {
        self.explore(limits).ends_are(expected);
    }
}

#[test]
fn a_steer_and_a_turns_end() {
    let refused = "not submitted, refused";
    let race = |policy| race(policy, Preset::Running, &[STEER]);
    race(HARDENED).ends_in(Limits::EXHAUSTIVE, &[refused, "steered, sampled"]);
    let upstream = [refused, "steered, recorded", "steered, sampled"];
    race(UPSTREAM).ends_in(Limits::EXHAUSTIVE, &upstream);
    for fault in [Fault::SteerInTwoSections, Fault::DeferDespitePending] {
        let faulty = [refused, "steered, lost", "steered, sampled"];
        race(HARDENED.with(fault)).ends_in(Limits::EXHAUSTIVE, &faulty);
    }
}

#[test]
fn a_steer_and_a_turns_end_through_the_loop() {
    let refused = "not submitted, refused";
    let race = |policy| race(policy, Preset::Running, &[STEER]).serial();
    race(HARDENED).ends_in(Limits::BOUNDED, &[refused, "steered, sampled"]);
    let upstream = [refused, "steered, recorded", "steered, sampled"];
    race(UPSTREAM).ends_in(Limits::BOUNDED, &upstream);
}

#[test]
fn a_start_or_steer_and_a_turns_end() {
    let race = |policy| race(policy, Preset::Running, &[START_OR_STEER]);
    race(HARDENED).ends_in(Limits::EXHAUSTIVE, &["started, sampled", "steered, sampled"]);
    let upstream = ["started, sampled", "steered, recorded", "steered, sampled"];
    race(UPSTREAM).ends_in(Limits::EXHAUSTIVE, &upstream);
}

#[test]
fn a_finishing_turn_refuses_a_steer_and_makes_room_for_a_start() {
    for policy in [HARDENED, UPSTREAM] {
        let steer = race(policy, Preset::Finishing, &[STEER]);
        steer.ends_in(Limits::EXHAUSTIVE, &["not submitted, refused"]);
        let start = race(policy, Preset::Finishing, &[START_OR_STEER]);
        start.ends_in(Limits::EXHAUSTIVE, &["started, sampled"]);
    }
}

#[test]
fn trigger_mail_and_a_turns_end() {
    for policy in [HARDENED, UPSTREAM] {
        for preset in [Preset::Running, Preset::Finishing] {
            let mail = race(policy, preset, &[TRIGGER_MAIL]);
            mail.ends_in(Limits::EXHAUSTIVE, &["delivered, sampled"]);
        }
    }
}

#[test]
fn two_steers_and_a_turns_end() {
    let race = race(HARDENED, Preset::Running, &[STEER, OTHER_STEER]);
    let (refused, sampled) = ("not submitted, refused", "steered, sampled");
    let each = [[refused, refused], [refused, sampled], [sampled, refused], [sampled, sampled]];
    let each = each.map(|pair| pair.join("; "));
    race.ends_in(Limits::EXHAUSTIVE, &each.each_ref().map(String::as_str));
}

#[test]
fn an_interrupt_and_a_turns_end() {
    let answers = ["interrupted", "nothing to interrupt"];
    let race = |policy| race(policy, Preset::Running, &[INTERRUPT]);
    race(HARDENED).ends_in(Limits::EXHAUSTIVE, &answers);
    race(HARDENED).timers(Timers::AtOnce).ends_in(Limits::BOUNDED, &answers);
    race(UPSTREAM).timers(Timers::AtOnce).ends_in(Limits::BOUNDED, &answers);
}

/// The abort begins to wait for `done` after the task said it: only the 100 ms end that wait.
#[test]
fn without_a_timer_an_interrupt_of_0_149_can_wait_for_ever() {
    let ended = ["interrupted", "nothing to interrupt"].map(|said| Ended(said.to_owned()));
    let hung = [Hung("unanswered".to_owned())];
    let race = race(UPSTREAM, Preset::Running, &[INTERRUPT]);
    race.ends(Limits::EXHAUSTIVE, ended.into_iter().chain(hung).collect());
}

#[test]
fn a_steer_an_interrupt_and_a_turns_end() {
    let kept = [
        "not submitted, refused; interrupted",
        "not submitted, refused; nothing to interrupt",
        "steered, cleared; interrupted",
        "steered, sampled; interrupted",
        "steered, sampled; nothing to interrupt",
    ];
    for timers in [Timers::Never, Timers::AtOnce] {
        let race = race(HARDENED, Preset::Running, &[STEER, INTERRUPT]);
        race.timers(timers).ends_in(Limits::BOUNDED, &kept);
    }
    let not_kept = [
        "not submitted, refused; interrupted",
        "not submitted, refused; nothing to interrupt",
        "steered, lost; interrupted",
        "steered, recorded; nothing to interrupt",
        "steered, sampled; interrupted",
        "steered, sampled; nothing to interrupt",
    ];
    let race = race(UPSTREAM, Preset::Running, &[STEER, INTERRUPT]);
    race.timers(Timers::AtOnce).ends_in(Limits::BOUNDED, &not_kept);
}

#[test]
fn whoever_waits_for_activity_finds_the_mail() {
    let found = "found; delivered, queued";
    let race = |policy| race(policy, Preset::Idle, &[AWAIT_ACTIVITY, QUEUE_ONLY_MAIL]);
    race(HARDENED).ends_in(Limits::EXHAUSTIVE, &[found]);
    race(UPSTREAM).ends_in(Limits::EXHAUSTIVE, &[found]);
    let told_too_early = vec![
        Ended(found.to_owned()),
        Ended("woken for nothing; delivered, queued".to_owned()),
        Hung("unanswered; delivered, queued".to_owned()),
    ];
    race(HARDENED.with(Fault::SignalBeforeData)).ends(Limits::EXHAUSTIVE, told_too_early);
}
