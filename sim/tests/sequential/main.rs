//! One thing after the other: a small model predicts what the engine answers, asks and keeps, and
//! the reference machine explains the whole.
//!
//! Promises: after every transition all are at rest, and reply, slot, phase, queues and new
//! requests are those that were predicted; at the end no property is violated, `linearizable`
//! included. Nothing races here: that is left to the search and to generated schedules. Not
//! driven: a compaction that fails, recovery, suspension, the schema and the context of a
//! submission, which scenarios do; nor `codex_0_149`, whose queue differs where a hook blocks.

mod model;
mod transition;
mod world;

use midturn_engine::codex::{Fault, Policy};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};
use proptest_state_machine::ReferenceStateMachine;

use model::{Model, Sequences};
use transition::Transition;
use world::World;

/// Sequences that are tried.
const CASES: u32 = 10_000;
/// Transitions of one.
const LENGTH: usize = 40;

/// What differs from the prediction, if anything does.
fn differs(policy: Policy, first: &Model, transitions: &[Transition]) -> Option<String> {
    let (mut model, mut world) = (first.clone(), World::new(policy));
    for (nth, transition) in transitions.iter().enumerate() {
        model = Sequences::apply(model, transition);
        let seen = world.apply(transition, &model);
        if seen != model.seen {
            let (told, nth) = (told(&transitions[..=nth]), nth + 1);
            return Some(format!(
                "{told}after {nth}, predicted: {:#?}\nand seen: {seen:#?}",
                model.seen
            ));
        }
    }
    world.judged().map(|violations| format!("{}{violations}", told(transitions)))
}

fn told(transitions: &[Transition]) -> String {
    let lines = transitions.iter().enumerate();
    lines.map(|(nth, transition)| format!("  {:>2} {transition:?}\n", nth + 1)).collect()
}

/// The smallest sequence that differs.
fn find(policy: Policy, cases: u32) -> Result<(), String> {
    let config = Config {
        cases,
        failure_persistence: None,
        max_local_rejects: u32::MAX,
        max_shrink_iters: 2_000,
        rng_seed: RngSeed::Fixed(1),
        ..Config::default()
    };
    let sequences = Sequences::sequential_strategy(1..LENGTH);
    let run = TestRunner::new(config).run(&sequences, |(first, transitions, _)| {
        match differs(policy, &first, &transitions) {
            None => Ok(()),
            Some(difference) => Err(TestCaseError::fail(difference)),
        }
    });
    match run {
        Ok(()) => Ok(()),
        Err(TestError::Fail(why, _)) => Err(why.message().to_owned()),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

#[test]
fn the_engine_does_what_the_model_predicts() {
    if let Err(difference) = find(Policy::hardened(), CASES) {
        panic!("{difference}");
    }
}

/// The faults that need no race. The others are silent here, however long one tries.
const LOUD: [Fault; 24] = [
    Fault::SteerGoesBeforeTheResume,
    Fault::ClearBeforeCancel,
    Fault::DeferDespitePending,
    Fault::SignalBeforeData,
    Fault::MailBeforeInput,
    Fault::RefusedSteerIsQueued,
    Fault::AnswerIsForgotten,
    Fault::InputIsRecordedTwice,
    Fault::VerdictWaitsForTheLog,
    Fault::SteerChangesTheTurn,
    Fault::WaitersAreForgotten,
    Fault::BlockStrandsTheBatch,
    Fault::ReviewTakesSteers,
    Fault::CutForgetsFollowUp,
    Fault::InterruptHitsAnyone,
    Fault::ExpectedIsIgnored,
    Fault::CloseIsForgotten,
    Fault::EndIsToldFirst,
    Fault::FreedSlotIsNotLookedAt,
    Fault::ClearedIsNotTold,
    Fault::AnswerDoesNotDefer,
    Fault::DrainIsForgotten,
    Fault::MarkerIsNotFlushed,
    Fault::CompactionTakesTheUnread,
];

#[test]
fn faults_that_need_no_race_differ() {
    for fault in LOUD {
        let Err(difference) = find(Policy::hardened().with(fault), CASES) else {
            panic!("{} goes unnoticed", fault.name());
        };
        println!("{}\n{difference}\n", fault.name());
    }
}
