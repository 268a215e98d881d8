//! An abort strikes before a task begins, at any of its awaits, or too late.
//!
//! The search once missed the first: no operation stood between the spawn of a task and its first
//! section, so that a task had always begun. Loom found it (`an_abort_comes_before_during_or_after`
//! there is this program).

use std::collections::BTreeSet;

use midturn::search::{Budget, Flow, Strategy, explore};
use midturn::world::{Options, World};
use midturn_sync::task::abortable;
use midturn_sync::{Latch, Site};

use crate::runs::notes;

fn program(world: &World) {
    let gate = Latch::new("gate");
    let (inside, wait) = (world.clone(), gate.wait(Site::here("gate")));
    let (task, handle) = abortable("task", async move {
        inside.note(1);
        wait.await;
        inside.note(2);
    });
    world.spawn("task", async move {
        task.await;
    });
    world.spawn("aborts", async move { handle.abort("abort") });
    world.spawn("opens", async move { gate.set(Site::here("open")) });
}

#[test]
fn an_abort_comes_before_during_or_after() {
    for strategy in [Strategy::BruteForce, Strategy::SourceDpor] {
        let mut seen = BTreeSet::new();
        explore(&Options::default(), strategy, Budget::default(), &program, &mut |run, _| {
            seen.insert(notes(run));
            Flow::Continue
        });
        assert_eq!(seen, BTreeSet::from([vec![], vec![1], vec![1, 2]]), "{strategy:?}");
    }
}
