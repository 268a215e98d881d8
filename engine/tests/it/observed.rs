//! Replays on our engine what the real Codex was seen to do, release by release.
//!
//! Promises: the calls get the same replies, every model request brings the same new items, the
//! same turns start and end, and nothing else happens, in the order that was seen. What may
//! differ stands in `mapping`. Does not look at anything that was not observed.

mod bites;
mod mapping;
mod names;
mod replay;
mod response;
mod schedule;
mod stage;
mod world;

use mapping::{Exception, Exceptions, Release};
use replay::replay;
use schedule::Schedule;

/// How many schedules were observed of each release.
const SCHEDULES: usize = 28;

fn observed(release: Release) -> Vec<Schedule> {
    let observed = schedule::read(release.data()).expect("the data can be read");
    assert_eq!(observed.codex, release.version());
    assert_eq!(observed.schedules.len(), SCHEDULES);
    observed.schedules
}

/// What disagrees, schedule by schedule.
fn disagreements(release: Release, exceptions: &Exceptions) -> Vec<String> {
    observed(release)
        .iter()
        .filter_map(|schedule| {
            let what = replay(schedule, release, exceptions).err()?;
            Some(format!("{} {}: {what}", release.version(), schedule.name))
        })
        .collect()
}

fn agrees(release: Release) {
    let disagreements = disagreements(release, &Exceptions::all());
    let count = disagreements.len();
    assert!(count == 0, "{count} of {SCHEDULES} disagree:\n\n{}", disagreements.join("\n\n"));
}

#[test]
fn all_schedules_of_0_149_0_agree() {
    agrees(Release::V0149);
}

#[test]
fn all_schedules_of_0_171_0_agree() {
    agrees(Release::V0171);
}

/// So the replay tells the releases apart, and agreement means something.
#[test]
fn one_release_does_not_behave_as_the_other() {
    let (old, new) = (observed(Release::V0149), observed(Release::V0171));
    let exceptions = Exceptions::all();
    let mut changed = Vec::new();
    for (old, new) in old.iter().zip(&new) {
        assert_eq!(old.name, new.name);
        let old_as_new = replay(old, Release::V0171, &exceptions).is_ok();
        let new_as_old = replay(new, Release::V0149, &exceptions).is_ok();
        assert_eq!(old_as_new, new_as_old, "{}", old.name);
        changed.extend((!old_as_new).then_some(old.name.as_str()));
    }
    assert_eq!(changed, CHANGED);
}

/// The schedules in which 0.171.0 does something else than 0.149.0: those with a child differ in
/// what it knows of its parent, the others in steers that cut and in the second interrupt.
const CHANGED: [&str; 14] = [
    "steer_while_sampling_nothing_shown",
    "steer_while_sampling_after_commentary",
    "two_steers_while_sampling",
    "start_while_running_steers",
    "steer_after_final_answer_stream_open",
    "interrupt_twice",
    "child_ends_after_final_answer",
    "child_ends_before_final_answer",
    "child_ends_then_tool_call",
    "child_ends_then_commentary",
    "child_ends_after_answer_then_steer",
    "child_ends_after_answer_then_tool_call",
    "child_ends_while_parent_idle",
    "interrupt_parent_with_child_mail_waiting",
];

#[test]
fn no_exception_is_made_without_need() {
    for exception in Exception::ALL {
        let strict = Exceptions::all_but(exception);
        let needed = Release::ALL.into_iter().any(|release| {
            disagreements(release, &strict).len() > disagreements(release, &Exceptions::all()).len()
        });
        assert!(needed, "{exception:?} is not needed: {}", exception.why());
    }
}
