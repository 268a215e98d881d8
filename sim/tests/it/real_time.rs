//! A queue that is wrong only in real time: relation `r` sees it, relation `a` cannot.

use std::collections::BTreeSet;
use std::sync::Arc;

use midturn::search::{Budget, Flow, Strategy, explore, random_linear_extension, record};
use midturn::world::{Execution, Options, Relation, Suspension, World};
use midturn_sync::Mutex;

use crate::runs::notes;

/// Each submitter pushes to the list of its number, or all to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queue {
    OneList,
    TwoLists,
}

const CALLED: u64 = 100;
const RETURNED: u64 = 200;

/// Two pushes of one item each, and a reader that takes all, list after list.
fn program(queue: Queue) -> impl Fn(&World) {
    move |world: &World| {
        let lists: Arc<[Mutex<Vec<u64>>; 2]> =
            Arc::new([Mutex::new("first list", Vec::new()), Mutex::new("second list", Vec::new())]);
        world.keep(lists.clone());
        for item in 0..2u64 {
            let (inside, lists) = (world.clone(), lists.clone());
            world.spawn(&format!("submitter {item}"), async move {
                let own = if queue == Queue::OneList { 0 } else { item as usize };
                // An operation that nobody else minds, so that the call is not the first thing.
                Mutex::new("own", ()).section("prepare", |()| ());
                inside.call("push");
                inside.note(CALLED + item);
                lists[own].section("push", |list| list.push(item));
                inside.answer("pushed");
                inside.note(RETURNED + item);
            });
        }
        let inside = world.clone();
        world.spawn("reader", async move {
            for list in lists.iter() {
                for item in list.section("take all", std::mem::take) {
                    inside.note(item);
                }
            }
        });
    }
}

/// Whether an item came out before one whose push had returned before its own was called.
fn is_out_of_order(execution: &Execution) -> bool {
    let notes = notes(execution);
    let at = |value: u64| notes.iter().position(|note| *note == value);
    (0..2).any(|item| {
        let earlier = 1 - item;
        let returned_first = at(RETURNED + earlier) < at(CALLED + item);
        matches!((at(item), at(earlier)), (Some(item), Some(earlier)) if item < earlier)
            && returned_first
    })
}

/// The number of classes or runs, and how many of them are out of order.
fn count(queue: Queue, relation: Relation, strategy: Strategy) -> (u64, u64) {
    let options = Options { relation, suspension: Suspension::Everywhere, ..Options::default() };
    let mut wrong = 0;
    let budget = Budget::default();
    let summary = explore(&options, strategy, budget, &program(queue), &mut |run, _| {
        assert_eq!((&run.failure, &run.stuck), (&None, &Vec::new()));
        wrong += u64::from(is_out_of_order(run));
        Flow::Continue
    });
    assert!(summary.complete);
    (summary.executions, wrong)
}

#[test]
fn the_search_finds_it_under_r_as_brute_force_does() {
    let (runs, wrong) = count(Queue::TwoLists, Relation::RealTime, Strategy::BruteForce);
    let (classes, wrong_classes) = count(Queue::TwoLists, Relation::RealTime, Strategy::SourceDpor);
    println!("two lists: {wrong} of {runs} runs, {wrong_classes} of {classes} classes under r");
    assert!(wrong > 0 && wrong_classes > 0);
    let (all, sleepless) = count(Queue::TwoLists, Relation::RealTime, Strategy::SleepSets);
    assert_eq!((all, sleepless), (classes, wrong_classes), "the oracle agrees");
}

#[test]
fn the_queue_of_one_list_has_none() {
    for strategy in [Strategy::BruteForce, Strategy::SleepSets, Strategy::SourceDpor] {
        for relation in [Relation::Accesses, Relation::RealTime] {
            let (runs, wrong) = count(Queue::OneList, relation, strategy);
            assert_eq!(wrong, 0, "{strategy:?} {relation:?}, {runs} runs");
        }
    }
}

/// Under `a` the search runs one schedule a class, and happens to run none that is wrong.
#[test]
fn relation_a_does_not_see_it() {
    let (classes, wrong) = count(Queue::TwoLists, Relation::Accesses, Strategy::SourceDpor);
    println!("two lists: {wrong} of {classes} classes under a");
    assert_eq!(wrong, 0);
    // Other schedules of the very same classes are wrong: the verdict is not one of the class.
    assert!(verdicts(Relation::Accesses).contains(&BTreeSet::from([false, true])));
}

/// The verdicts of fifty linear extensions of each class.
fn verdicts(relation: Relation) -> Vec<BTreeSet<bool>> {
    let options = Options { relation, suspension: Suspension::Everywhere, ..Options::default() };
    let program = program(Queue::TwoLists);
    let mut random = fastrand::Rng::with_seed(12);
    let mut all = Vec::new();
    let budget = Budget::default();
    explore(&options, Strategy::SourceDpor, budget, &program, &mut |run, moves| {
        let recorded = record(&options, &program, moves);
        let mut verdicts = BTreeSet::from([is_out_of_order(run)]);
        for _ in 0..50 {
            let other = random_linear_extension(&options, &program, &recorded, &mut random);
            verdicts.insert(is_out_of_order(&other.expect("a linear extension can be run")));
        }
        all.push(verdicts);
        Flow::Continue
    });
    all
}

#[test]
fn under_r_all_schedules_of_a_class_agree() {
    let verdicts = verdicts(Relation::RealTime);
    assert!(verdicts.iter().all(|class| class.len() == 1), "{verdicts:?}");
    assert!(verdicts.contains(&BTreeSet::from([true])));
}
