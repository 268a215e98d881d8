//! What runs a scenario.

use std::time::Duration;

use midturn_protocol::{BoxFuture, Event};
use midturn_sync::{Latch, Site};

/// What differs between a search, a model checker and threads. One belongs to one session.
pub trait Backend: Send + Sync + 'static {
    /// Runs `task` concurrently, under a name that no other task of the run has at that time.
    fn spawn(&self, name: &str, task: BoxFuture<'static, ()>);

    /// Ends after `duration` at the earliest.
    fn sleep(&self, duration: Duration, site: Site) -> BoxFuture<'static, ()>;

    /// A moment of the outside (a hook, a tool, an item of a model), at which an abort may
    /// strike.
    fn pause(&self, site: Site) -> BoxFuture<'static, ()>;

    /// Waits for an event of the script, which may never come.
    fn until(&self, happened: Latch, site: Site) -> BoxFuture<'static, ()> {
        Box::pin(happened.wait(site))
    }

    /// One of `among` values, from 0.
    fn choose(&self, among: u8) -> u8;

    /// Sets `latch` at any moment, or never.
    fn chance(&self, name: &str, latch: Latch, site: Site);

    /// Takes note of an event of a session, and sets what waits for it, in the same step. May be
    /// called inside a section.
    fn take_note(&self, session: usize, event: Event, happened: &[Latch]);

    /// A command is about to be given.
    fn calls(&self);

    /// A command was answered.
    fn returns(&self);
}
