//! What all parts of one session share.
//!
//! Promises: the data is there before the activity watch tells of it, so that whoever is woken
//! finds it or knows that somebody else took it. Holds no rule about turns.

use std::convert::Infallible;
use std::sync::Arc;

use midturn_protocol::{Activity, Env, Event, InputId, InputKind, Mail, Place, TurnId};
use midturn_sync::{Mutex, Watch};

use crate::codex::history::History;
use crate::codex::mailbox::Mailbox;
use crate::codex::slot::Slot;
use crate::codex::{Fault, Policy};

/// A session: the slot and what stands beside it.
pub(crate) struct Session {
    pub(crate) env: Arc<dyn Env>,
    pub(crate) policy: Policy,
    pub(crate) slot: Box<dyn Slot>,
    pub(crate) mailbox: Mutex<Mailbox>,
    pub(crate) state: Mutex<History>,
    /// The channel on which a client sees turns start and end.
    pub(crate) events: Mutex<()>,
    pub(crate) activity: Watch<Activity>,
}

impl Session {
    pub(crate) fn observe(&self, event: Event) {
        self.env.observe(event);
    }

    /// Sends a client-visible event.
    #[track_caller]
    pub(crate) fn send_event(&self, name: &'static str, event: Event) {
        self.events.section(name, |()| self.env.observe(event));
    }

    /// Tells whoever waits for activity about `input`.
    #[track_caller]
    pub(crate) fn publish(&self, name: &'static str, activity: Activity, input: InputId) {
        self.activity.send(name, activity);
        self.env.observe(Event::Sent { activity, input });
    }

    /// Puts `input` where `put` puts it, then tells of it if that worked.
    #[track_caller]
    pub(crate) fn put_then_publish<T, E>(
        &self,
        name: &'static str,
        activity: Activity,
        input: InputId,
        put: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let too_early = self.policy.faults.has(Fault::SignalBeforeData);
        if too_early {
            self.publish(name, activity, input);
        }
        let done = put()?;
        if !too_early {
            self.publish(name, activity, input);
        }
        Ok(done)
    }

    /// Puts mail at the end of the mailbox; starts nothing.
    pub(crate) fn enqueue_mail(&self, mail: Mail) {
        let input = mail.id;
        let put = || -> Result<(), Infallible> {
            self.mailbox.section("enqueue_mailbox_communication: push", |mailbox| {
                let kind = InputKind::Mail { trigger: mail.trigger };
                self.observe(Event::Accepted { input, kind, place: Place::Mailbox });
                mailbox.push(mail);
            });
            Ok(())
        };
        let site = "enqueue_mailbox_communication: publish activity";
        let Ok(()) = self.put_then_publish(site, Activity::Mailbox, input, put);
    }

    pub(crate) async fn flush(&self, turn: TurnId) {
        self.env.flush().await;
        self.observe(Event::Flushed { turn });
    }
}
