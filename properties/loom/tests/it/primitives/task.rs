//! `abortable` and `joinable`: an abort before, during or after the task; a join always ends.

use midturn_sync::task::{abortable, joinable};
use midturn_sync::{Latch, Mutex, Site};

use crate::explore::{End, exhaust};
use crate::unseen::Notes;

/// How far a task came, and whether it was aborted.
type Course = (u32, Option<bool>);

#[test]
fn an_abort_ends_a_task_that_waits_for_ever() {
    let report = exhaust("task: abort, endless task", |crew| {
        let (never, course) = (Latch::new("never"), Notes::<Course>::default());
        let (tell, steps) = (course.teller(), course.clone());
        let (task, handle) = abortable("task", async move {
            steps.note(|course| course.0 = 1);
            never.wait(Site::here("never")).await;
            steps.note(|course| course.0 = 2);
        });
        crew.spawn(async move {
            let ended = task.await;
            course.note(|course| course.1 = Some(ended.is_none()));
        });
        crew.spawn(async move { handle.abort("abort") });
        tell
    });
    report.outcomes_are([(0, Some(true)), (1, Some(true))]);
}

#[test]
fn an_abort_comes_before_during_or_after() {
    let report = exhaust("task: abort, ending task", |crew| {
        let (gate, course) = (Latch::new("gate"), Notes::<Course>::default());
        let (tell, steps, wait) = (course.teller(), course.clone(), gate.wait(Site::here("gate")));
        let (task, handle) = abortable("task", async move {
            steps.note(|course| course.0 = 1);
            wait.await;
            steps.note(|course| course.0 = 2);
        });
        crew.spawn(async move {
            let ended = task.await;
            course.note(|course| course.1 = Some(ended.is_none()));
        });
        crew.spawn(async move { handle.abort("abort") });
        crew.spawn(async move { gate.set(Site::here("open")) });
        tell
    });
    report.outcomes_are([(0, Some(true)), (1, Some(true)), (2, Some(false))]);
}

#[test]
fn an_abort_never_cuts_a_section() {
    let report = exhaust("task: abort, section", |crew| {
        let (cell, course) = (Mutex::new("cell", ()), Notes::<Course>::default());
        let (tell, steps) = (course.teller(), course.clone());
        let (task, handle) = abortable("task", async move {
            cell.section("both", |()| {
                steps.note(|course| course.0 += 1);
                steps.note(|course| course.0 += 1);
            });
        });
        crew.spawn(async move {
            let ended = task.await;
            course.note(|course| course.1 = Some(ended.is_none()));
        });
        crew.spawn(async move { handle.abort("abort") });
        tell
    });
    report.outcomes_are([(0, Some(true)), (2, Some(false))]);
}

#[test]
fn a_dropped_handle_aborts_and_a_detached_one_does_not() {
    for detached in [false, true] {
        let report = exhaust("task: handle dropped or detached", move |crew| {
            let (never, ended) = (Latch::new("never"), Notes::<bool>::default());
            let tell = ended.teller();
            let (task, handle) = abortable("task", async move {
                never.wait(Site::here("never")).await;
            });
            crew.spawn(async move {
                task.await;
                ended.note(|ended| *ended = true);
            });
            crew.spawn(async move { if detached { handle.detach() } else { drop(handle) } });
            tell
        });
        report.ends_are([if detached { End::Hung(false) } else { End::Ended(true) }]);
    }
}

#[test]
fn two_joins_end_once_the_task_has() {
    let report = exhaust("task: two joins", |crew| {
        let order = Notes::<Vec<u32>>::default();
        let (tell, last) = (order.teller(), order.clone());
        let (task, handle) = joinable("task", async move { last.note(|order| order.push(0)) });
        for _ in 0..2 {
            let (handle, order) = (handle.clone(), order.clone());
            crew.spawn(async move {
                handle.join("join").await;
                order.note(|order| order.push(1));
            });
        }
        crew.spawn(task);
        tell
    });
    report.outcomes_are([vec![0, 1, 1]]);
}

#[test]
fn a_join_ends_when_the_task_was_aborted() {
    let report = exhaust("task: join, abort", |crew| {
        let (never, joined) = (Latch::new("never"), Notes::<bool>::default());
        let tell = joined.teller();
        let (task, join) = joinable("ended", async move {
            never.wait(Site::here("never")).await;
        });
        let (task, abort) = abortable("task", task);
        crew.spawn(async move {
            task.await;
        });
        crew.spawn(async move {
            join.join("join").await;
            joined.note(|joined| *joined = true);
        });
        crew.spawn(async move { abort.abort("abort") });
        tell
    });
    report.outcomes_are([true]);
}
