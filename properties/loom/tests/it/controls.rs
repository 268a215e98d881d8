//! What loom must find: if it does not, the rest of this suite says nothing.

use std::future::Future;
use std::pin::Pin;
use std::process::Command;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use midturn_sync::Mutex;

use crate::explore::{End, exhaust};

/// A flag whose wait looks and registers in two sections: a set in between wakes nobody.
struct TwoSteps {
    set: Mutex<bool>,
    waiters: Mutex<Vec<Waker>>,
}

impl TwoSteps {
    fn set(&self) {
        self.set.section("set", |set| *set = true);
        self.waiters.section("take waiters", std::mem::take).into_iter().for_each(Waker::wake);
    }
}

struct WaitInTwoSteps(Arc<TwoSteps>);

impl Future for WaitInTwoSteps {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0.set.peek("look", |set| *set) {
            return Poll::Ready(());
        }
        self.0.waiters.section("register", |waiters| waiters.push(context.waker().clone()));
        Poll::Pending
    }
}

#[test]
fn a_wait_in_two_steps_loses_its_wake_up() {
    let report = exhaust("control: wait in two steps", |crew| {
        let set = Mutex::new("set", false);
        let flag = Arc::new(TwoSteps { set, waiters: Mutex::new("waiters", Vec::new()) });
        crew.spawn(WaitInTwoSteps(flag.clone()));
        crew.spawn(async move { flag.set() });
        || ()
    });
    report.ends_are([End::Ended(()), End::Hung(())]);
}

const CHILD: &str = "MIDTURN_LOOM_CHILD";

/// A deadlock of locks is loom's to find, and ends the process: so it is one of its own.
#[test]
fn two_lock_orders_end_the_process() {
    if std::env::var_os(CHILD).is_some() {
        return two_lock_orders();
    }
    let this = std::env::current_exe().expect("the test binary knows its path");
    let output = Command::new(this)
        .args(["--exact", "controls::two_lock_orders_end_the_process", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("the test binary can be run again");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{said}");
    assert!(said.contains("deadlock; threads ="), "{said}");
}

fn two_lock_orders() {
    exhaust("control: two lock orders", |crew| {
        let pair = [Arc::new(Mutex::new("left", ())), Arc::new(Mutex::new("right", ()))];
        let [left, right] = pair.clone();
        crew.spawn(async move {
            left.section("left", |()| right.section("then right", |()| ()));
        });
        let [left, right] = pair;
        crew.spawn(async move {
            right.section("right", |()| left.section("then left", |()| ()));
        });
        || ()
    });
}
