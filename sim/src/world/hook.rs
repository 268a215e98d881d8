//! The world as the hook of `midturn-sync`: every visible operation of an actor arrives here.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Poll, Waker};

use midturn_sync::{Hook, ObjectId, Operation, Site, Source, Stamp, WaitId};

use super::coroutine::{Resume, inside_fiber, suspend};
use super::types::{Access, Mode, Pending, WaitEntry};
use super::{Shared, State};

/// How often actors of one run are unwound again before one that goes on is leaked. Arbitrary:
/// more than any actor has nested places that catch.
const DISCARDS: u32 = 100;

/// What unwinds an actor whose run is over. Not an error and never reported.
pub(crate) struct Discarded;

impl Shared {
    /// Suspends the running actor with `pending`; returns once its step was chosen.
    pub(crate) fn suspend_with(&self, pending: Pending) {
        {
            let mut state = self.state.borrow_mut();
            let Some(current) = state.current else { return };
            state.actors[current].pending = pending;
        }
        if suspend() == Resume::Discard {
            resume_unwind(Box::new(Discarded));
        }
    }

    /// Unwinds an actor that goes on although its run is over, because it caught what should
    /// have ended it. One that keeps catching is suspended for good, and leaked.
    fn discard_again(&self) {
        if std::thread::panicking() || !inside_fiber() || !self.state.borrow().frozen {
            return;
        }
        let times = {
            let mut state = self.state.borrow_mut();
            state.discarded_again += 1;
            state.discarded_again
        };
        if times > DISCARDS {
            loop {
                suspend();
            }
        }
        resume_unwind(Box::new(Discarded));
    }

    fn is_off(&self, state: &State) -> bool {
        state.frozen || state.current.is_none() || std::thread::panicking()
    }
}

impl Hook for Shared {
    fn register(&self, name: &'static str) -> ObjectId {
        self.state.borrow_mut().add_object(name)
    }

    fn before(&self, operation: Operation) {
        let Operation { kind, object, site } = operation;
        self.discard_again();
        let suspends = {
            let mut state = self.state.borrow_mut();
            if self.is_off(&state) {
                return;
            }
            let suspends = !state.in_action && inside_fiber() && state.must_suspend(kind, object);
            if !suspends {
                state.perform(kind, object, site);
            }
            suspends
        };
        if suspends {
            self.suspend_with(Pending::Operation { kind, object, site });
        }
    }

    fn released(&self, object: ObjectId) {
        self.state.borrow_mut().release(object);
    }

    fn wait(
        &self,
        id: WaitId,
        source: &Arc<dyn Source>,
        ticket: u64,
        site: Site,
        waker: &Waker,
    ) -> Poll<()> {
        {
            let mut state = self.state.borrow_mut();
            let Some(current) = state.current.filter(|_| !state.frozen) else {
                return Poll::Pending;
            };
            let actor = &mut state.actors[current];
            if actor.granted == Some(id) {
                actor.granted = None;
                actor.took_grant = true;
                return Poll::Ready(());
            }
        }
        let was_ready = source.poll(ticket, waker);
        let entry = WaitEntry { id, source: Arc::clone(source), ticket, site, was_ready };
        let mut state = self.state.borrow_mut();
        if let Some(current) = state.current {
            state.actors[current].announced.push(entry);
        }
        Poll::Pending
    }

    fn gone(&self, id: WaitId) {
        // A wait may be dropped while the state is in use, but then by nobody who waits.
        let Ok(mut state) = self.state.try_borrow_mut() else { return };
        if let Some(current) = state.current {
            state.actors[current].announced.retain(|entry| entry.id != id);
        }
    }

    fn stamp(&self) -> Stamp {
        self.state.borrow().stamp()
    }

    fn also_reads(&self, object: ObjectId) {
        let mut state = self.state.borrow_mut();
        if self.is_off(&state) {
            return;
        }
        let site = state.current.and_then(|current| state.actors[current].last_site);
        if let Some(site) = site {
            state.record(Access { object, mode: Mode::Read }, site, false);
            state.committed = true;
            // A change may follow at once, so the step must not go on.
            state.committed = true;
        }
    }

    fn is_frozen(&self) -> bool {
        self.state.borrow().frozen
    }
}

impl Shared {
    /// Takes what the last poll announced and makes it the current actor's pending wait. A grant
    /// that nobody took means that the future waits in a way that was not seen.
    pub(crate) fn suspend_waiting(&self) {
        let pending = {
            let mut state = self.state.borrow_mut();
            let Some(current) = state.current else { return };
            if state.actors[current].granted.take().is_some() && !state.frozen {
                let site = state.actors[current].last_site;
                state.blind.push((current, site));
            }
            let entries = std::mem::take(&mut state.actors[current].announced);
            if state.frozen {
                Pending::Nothing
            } else if entries.is_empty() {
                let site = state.actors[current].last_site;
                state.blind.push((current, site));
                Pending::Blind
            } else {
                Pending::Wait { entries }
            }
        };
        self.suspend_with(pending);
    }

    /// Forgets earlier announcements and wake-ups: a poll begins.
    pub(crate) fn begin_poll(&self) {
        let mut state = self.state.borrow_mut();
        if let Some(current) = state.current {
            let actor = &mut state.actors[current];
            actor.announced.clear();
            actor.took_grant = false;
            actor.waker.woken.store(false, Ordering::Relaxed);
        }
    }
}
