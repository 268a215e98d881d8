//! `abortable` and `joinable`: an abort before, during or after the task; a join always ends.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use midturn_sync::task::{JoinHandle, abortable, joinable};
use midturn_sync::{Latch, Mutex, Site, Wait};

use crate::explore::{End, Report, exhaust};
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

/// A task that waits for ever is joined and aborted; tells whether the join ended.
fn joined_and_aborted<J: Future + Send + 'static>(
    join: impl Fn(Wait) -> (Pin<Box<dyn Future<Output = ()> + Send>>, J) + Send + Sync + 'static,
) -> Report<bool> {
    exhaust("task: join, abort", move |crew| {
        let (never, joined) = (Latch::new("never"), Notes::<bool>::default());
        let tell = joined.teller();
        let (task, ended) = join(never.wait(Site::here("never")));
        let (task, abort) = abortable("task", task);
        crew.spawn(async move {
            task.await;
        });
        crew.spawn(async move {
            ended.await;
            joined.note(|joined| *joined = true);
        });
        crew.spawn(async move { abort.abort("abort") });
        tell
    })
}

#[test]
fn a_join_ends_when_the_task_was_aborted() {
    let report = joined_and_aborted(|never| {
        let (task, handle): (_, JoinHandle) = joinable("ended", never);
        (Box::pin(task), handle.join("join"))
    });
    report.outcomes_are([true]);
}

#[test]
fn an_end_that_only_the_task_tells_is_not_told_after_an_abort() {
    let report = joined_and_aborted(|never| {
        let ended = Latch::new("ended");
        let join = ended.wait(Site::here("join"));
        let task = async move {
            never.await;
            ended.set(Site::here("task ended"));
        };
        (Box::pin(task), join)
    });
    report.ends_are([End::Hung(false)]);
}

/// Looks whether it was aborted whenever the task goes on, and does not ask to be woken for it.
#[test]
fn an_abort_that_wakes_nobody_leaves_the_task() {
    let report = exhaust("task: deaf to its abort", |crew| {
        let (abort, never) = (Latch::new("abort"), Latch::new("never"));
        let mut aborted = abort.wait(Site::here("task aborted"));
        let mut task = never.wait(Site::here("never"));
        crew.spawn(poll_fn(move |context| {
            let mut nobody = Context::from_waker(Waker::noop());
            if Pin::new(&mut aborted).poll(&mut nobody).is_ready() {
                return Poll::Ready(());
            }
            Pin::new(&mut task).poll(context)
        }));
        crew.spawn(async move { abort.set(Site::here("abort")) });
        || ()
    });
    report.ends_are([End::Ended(()), End::Hung(())]);
}
