//! The mail of a session, first in, first out.
//!
//! Promises: never drops and never reorders. Does not look at phase or slot: who may take mail,
//! and when, is decided by whoever asks.

use std::collections::VecDeque;

use midturn_protocol::{Input, InputId, InputKind, Mail};

/// Mail that no turn has taken.
#[derive(Debug, Default)]
pub(crate) struct Mailbox(VecDeque<Input>);

impl Mailbox {
    pub(crate) fn holding(mail: Vec<Mail>) -> Self {
        Mailbox(mail.into_iter().map(input_of).collect())
    }

    pub(crate) fn push(&mut self, mail: Mail) {
        self.0.push_back(input_of(mail));
    }

    pub(crate) fn take_all(&mut self) -> Vec<Input> {
        self.0.drain(..).collect()
    }

    /// Puts back what was taken before anything that is here now.
    pub(crate) fn put_back(&mut self, mail: Vec<Input>) {
        for input in mail.into_iter().rev() {
            self.0.push_front(input);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn has_trigger(&self) -> bool {
        self.0.iter().any(|mail| mail.kind.is_trigger_mail())
    }

    pub(crate) fn ids(&self) -> Vec<InputId> {
        self.0.iter().map(|mail| mail.id).collect()
    }

    pub(crate) fn trigger_ids(&self) -> Vec<InputId> {
        self.0.iter().filter(|mail| mail.kind.is_trigger_mail()).map(|mail| mail.id).collect()
    }
}

fn input_of(mail: Mail) -> Input {
    Input { id: mail.id, kind: InputKind::Mail { trigger: mail.trigger }, text: mail.text }
}
