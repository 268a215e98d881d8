//! Where suspension is left out nothing that can be seen is left out with it, also when a step
//! looks at, or changes, more than the lock that it entered.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use midturn::search::{Budget, Flow, Strategy, explore};
use midturn::world::{Options, Suspension, World};
use midturn_sync::{Latch, Mutex, Site};

use crate::runs::notes;

type Seen = BTreeSet<Vec<u64>>;

/// What can be noted, by brute force and by the search.
fn seen(suspension: Suspension, program: &dyn Fn(&World)) -> [Seen; 2] {
    [Strategy::BruteForce, Strategy::SourceDpor].map(|strategy| {
        let options = Options { suspension, ..Options::default() };
        let mut all = Seen::new();
        let summary = explore(&options, strategy, Budget::default(), program, &mut |run, _| {
            assert_eq!((&run.failure, &run.stuck), (&None, &Vec::new()));
            let mut notes = notes(run);
            notes.sort_unstable();
            all.insert(notes);
            Flow::Continue
        });
        assert!(summary.complete);
        all
    })
}

/// Both kinds of suspension show the same, and this among it.
fn agree(program: &dyn Fn(&World), expected: &[u64]) {
    let [exact, searched] = seen(Suspension::Everywhere, program);
    assert_eq!(searched, exact);
    assert!(exact.contains(expected), "{exact:?}");
    for fewer in seen(Suspension::WhereItMatters, program) {
        assert_eq!(fewer, exact);
    }
}

struct Objects {
    outer: Mutex<u64>,
    inner: Mutex<u64>,
    latch: Latch,
}

fn objects(world: &World) -> Arc<Objects> {
    let objects = Arc::new(Objects {
        outer: Mutex::new("outer", 0),
        inner: Mutex::new("inner", 0),
        latch: Latch::new("latch"),
    });
    world.keep(objects.clone());
    objects
}

/// Who sees the latch may be faster at the inner lock.
#[test]
fn a_latch_that_is_also_set_is_seen_before_the_next_section() {
    let program = |world: &World| {
        let (one, other) = (objects(world), world.clone());
        let (two, inside) = (one.clone(), world.clone());
        world.spawn("sets", async move {
            one.outer.section("outer", |_| {
                inside.also_set(&one.latch);
                one.inner.section("inner", |value| {
                    *value += 1;
                    inside.note(100 + *value);
                });
            });
        });
        world.spawn("looks", async move {
            other.note(10 + u64::from(two.latch.is_set(Site::here("is set"))));
            two.inner.section("inner", |value| {
                *value += 1;
                other.note(200 + *value);
            });
        });
    };
    agree(&program, &[11, 102, 201]);
}

/// Who changes what was looked at may be faster at the inner lock, although it came later.
#[test]
fn a_lock_that_is_also_read_may_change_before_the_next_section() {
    let program = |world: &World| {
        let one = objects(world);
        let (two, inside) = (one.clone(), world.clone());
        // As a property looks at state in the middle of a step: without an operation of its own.
        let third = Arc::new((Mutex::new("third", ()), AtomicU64::new(0)));
        let (looked_at, other) = (third.clone(), world.clone());
        world.keep(third.clone());
        world.spawn("reads", async move {
            one.outer.section("outer", |_| {
                looked_at.0.also_read();
                inside.note(10 + looked_at.1.load(Ordering::Relaxed));
                one.inner.section("inner", |value| {
                    *value += 1;
                    inside.note(100 + *value);
                });
            });
        });
        world.spawn("changes", async move {
            third.0.section("change", |()| third.1.store(1, Ordering::Relaxed));
            two.inner.section("inner", |value| {
                *value += 1;
                other.note(200 + *value);
            });
        });
    };
    agree(&program, &[10, 102, 201]);
}
