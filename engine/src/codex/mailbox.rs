//! The mail of a session, first in, first out.
//!
//! Promises: never drops and never reorders. Does not look at phase or slot: who may take mail,
//! and when, is decided by whoever asks.

use std::collections::VecDeque;
use std::sync::Arc;

use midturn_protocol::{Input, InputId, InputKind, Mail, StartOptions};

/// Mail that no turn has taken.
#[derive(Debug, Default)]
pub struct Mailbox(VecDeque<Mail>);

/// What a drain took out of the mailbox.
#[derive(Debug, Default)]
pub struct DrainedMail {
    /// The mail, oldest first.
    pub mail: Vec<Mail>,
    /// How a turn is to be started that is started for it.
    pub start: StartOptions,
}

impl Mailbox {
    /// A mailbox with `mail` in it, oldest first.
    pub fn holding(mail: Vec<Mail>) -> Self {
        Mailbox(mail.into())
    }

    /// Puts `mail` behind everything else.
    pub fn push(&mut self, mail: Mail) {
        self.0.push_back(mail);
    }

    /// Takes everything.
    pub fn drain(&mut self) -> DrainedMail {
        let mail: Vec<Mail> = self.0.drain(..).collect();
        let start = derived_start(&mail);
        DrainedMail { mail, start }
    }

    /// Takes these, as far as they are here.
    pub fn take(&mut self, ids: &[InputId]) -> Vec<Mail> {
        let (taken, kept) =
            std::mem::take(&mut self.0).into_iter().partition(|mail| ids.contains(&mail.id));
        self.0 = kept;
        Vec::from(taken as VecDeque<Mail>)
    }

    /// How a turn would be started for what waits now.
    pub fn derived_start(&self) -> StartOptions {
        derived_start(&self.0)
    }

    /// Puts back what was taken before anything that is here now.
    pub fn put_back(&mut self, mail: Vec<Mail>) {
        for mail in mail.into_iter().rev() {
            self.0.push_front(mail);
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether something waits that may start a turn.
    pub fn has_trigger(&self) -> bool {
        self.0.iter().any(|mail| mail.trigger)
    }

    /// What waits, oldest first.
    pub fn ids(&self) -> Vec<InputId> {
        self.0.iter().map(|mail| mail.id).collect()
    }

    /// What waits and may start a turn, oldest first.
    pub fn trigger_ids(&self) -> Vec<InputId> {
        self.0.iter().filter(|mail| mail.trigger).map(|mail| mail.id).collect()
    }
}

/// The start options of a batch of mail. Only trigger mail counts. The last one decides, except
/// about lineage: a parent has to be that of all of them, and the root is the first one's, if
/// that names both (`reference/codex.md` 1.2).
fn derived_start<'a>(mail: impl IntoIterator<Item = &'a Mail>) -> StartOptions {
    let triggers: Vec<&StartOptions> =
        mail.into_iter().filter(|mail| mail.trigger).map(|mail| &mail.start).collect();
    let (Some(first), Some(last)) = (triggers.first(), triggers.last()) else {
        return StartOptions::default();
    };
    let parent = named(&first.parent).filter(|parent| {
        triggers.iter().all(|start| named(&start.parent).as_ref() == Some(parent))
    });
    let root = named(&first.root).filter(|_| named(&first.parent).is_some());
    StartOptions { parent, root, ..(*last).clone() }
}

/// A name with something in it.
fn named(name: &Option<Arc<str>>) -> Option<Arc<str>> {
    name.clone().filter(|name| !name.trim().is_empty())
}

/// Mail as the queues of a turn hold it.
pub(crate) fn input_of(mail: &Mail) -> Input {
    Input::new(mail.id, InputKind::Mail { trigger: mail.trigger }, mail.text.clone())
}
