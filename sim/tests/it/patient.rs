//! Patient time: a timer fires only when nothing else can move, the earliest deadline first.
//!
//! Promises that a deadline is a point in virtual time, not the length of the sleep, and that
//! under hostile time the same program has the other orders too.

use std::collections::BTreeSet;
use std::time::Duration;

use midturn::search::{Budget, Flow, Strategy, explore};
use midturn::world::{Options, Time, World};
use midturn_sync::{Either, Latch, Mutex, Site, race};

use crate::runs::notes;

fn all_notes(time: Time, program: &dyn Fn(&World)) -> BTreeSet<Vec<u64>> {
    let options = Options { time, ..Options::default() };
    let mut all = BTreeSet::new();
    let summary =
        explore(&options, Strategy::BruteForce, Budget::default(), program, &mut |run, _| {
            assert_eq!(run.failure, None);
            assert_eq!(run.stuck, Vec::new());
            all.insert(notes(run));
            Flow::Continue
        });
    assert!(summary.complete);
    let mut classes = BTreeSet::new();
    explore(&options, Strategy::SourceDpor, Budget::default(), program, &mut |run, _| {
        classes.insert(notes(run));
        Flow::Continue
    });
    assert!(classes.is_subset(&all), "the search invents {classes:?}");
    all
}

fn sleep(world: &World, milliseconds: u64) -> midturn_sync::Wait {
    world.sleep(Duration::from_millis(milliseconds), Site::here("sleep"))
}

fn sleeper(world: &World, name: &str, sleeps: &'static [u64], first_note: u64) {
    let inside = world.clone();
    world.spawn(name, async move {
        for (position, milliseconds) in sleeps.iter().enumerate() {
            sleep(&inside, *milliseconds).await;
            inside.note(first_note + position as u64);
        }
    });
}

#[test]
fn deadlines_are_points_in_time() {
    // 10, against 6 and then 6 more, which is 12.
    let program = |world: &World| {
        sleeper(world, "long", &[10], 100);
        sleeper(world, "short", &[6, 6], 200);
    };
    assert_eq!(all_notes(Time::Patient, &program), BTreeSet::from([vec![200, 100, 201]]));
    let hostile = all_notes(Time::Hostile, &program);
    assert_eq!(hostile.len(), 3, "100 anywhere among 200 and 201: {hostile:?}");
}

#[test]
fn the_earliest_of_several_fires_first() {
    let program = |world: &World| {
        sleeper(world, "thirty", &[30], 30);
        sleeper(world, "ten", &[10, 10, 5], 10);
        sleeper(world, "one", &[1, 28], 1);
    };
    let expected = vec![1, 10, 11, 12, 2, 30];
    assert_eq!(all_notes(Time::Patient, &program), BTreeSet::from([expected]));
}

#[test]
fn nothing_else_can_move_when_a_timer_fires() {
    let program = |world: &World| {
        let lock = std::sync::Arc::new(Mutex::new("lock", 0u64));
        world.keep(lock.clone());
        sleeper(world, "sleeper", &[0], 900);
        for id in 1..=2 {
            let (inside, lock) = (world.clone(), lock.clone());
            world.spawn(&format!("worker {id}"), async move {
                for _ in 0..2 {
                    lock.section("work", |value| *value += 1);
                    inside.note(id);
                }
            });
        }
    };
    let all = all_notes(Time::Patient, &program);
    assert_eq!(all.len(), 6, "the orders of two workers with two steps each");
    assert!(all.iter().all(|notes| notes.last() == Some(&900)), "{all:?}");
    let hostile = all_notes(Time::Hostile, &program);
    assert!(hostile.iter().any(|notes| notes.first() == Some(&900)), "{hostile:?}");
}

#[test]
fn a_timer_that_lost_its_race_moves_the_clock_on_and_nothing_else() {
    let program = |world: &World| {
        let latch = Latch::new("latch");
        let (inside, wait) = (world.clone(), latch.wait(Site::here("wait")));
        world.spawn("racer", async move {
            let late = sleep(&inside, 50);
            let won = matches!(race(wait, late).await, Either::First(()));
            inside.note(u64::from(won));
            sleep(&inside, 10).await;
            inside.note(2);
        });
        world.spawn("setter", async move { latch.set(Site::here("set")) });
    };
    assert_eq!(all_notes(Time::Patient, &program), BTreeSet::from([vec![1, 2]]));
    assert_eq!(
        all_notes(Time::Hostile, &program),
        BTreeSet::from([vec![0, 2], vec![1, 2]]),
        "the timer may come first, and then both are ready"
    );
}
