//! Reads phrases of the event language, and finds their words in the file.

use toml::de::DeValue;

use super::{Fields, Reader, Value};
use crate::scenario::grammar::{Misread, Phrase};
use crate::scenario::pattern::EventPattern;
use crate::scenario::{Span, Stated};

impl Reader<'_> {
    /// A phrase of the event language, as read by `read`.
    pub(super) fn phrase<T>(
        &mut self,
        key: &str,
        value: &Value<'_>,
        read: impl FnOnce(&Phrase<'_>) -> Result<T, Misread>,
    ) -> Option<T> {
        let text = self.text(key, value)?;
        if self.is_full() {
            return None;
        }
        match read(&Phrase::new(text, &self.names)) {
            Ok(found) => Some(found),
            Err(Misread { mistake, at }) => {
                let span = self.within(value, text, at);
                self.fail(span, mistake);
                None
            }
        }
    }

    pub(super) fn event(&mut self, fields: Fields<'_>, key: &str) -> Option<Stated<EventPattern>> {
        let value = fields.get(key)?;
        let event = self.phrase(key, value, |phrase| phrase.event())?;
        self.state(key, value, event)
    }

    pub(super) fn state<T>(
        &mut self,
        key: &str,
        value: &Value<'_>,
        stated: T,
    ) -> Option<Stated<T>> {
        let text = self.text(key, value)?.to_owned();
        Some(Stated { text, value: stated, span: value.span() })
    }

    /// The text between the quotes.
    pub(super) fn inside(&self, value: &Value<'_>) -> Span {
        match value.get_ref() {
            DeValue::String(text) => self.within(value, text, 0..text.len()),
            _ => value.span(),
        }
    }

    /// The place in the file of a part of a text, if the text stands there as it is; else
    /// the place of the whole.
    pub(super) fn within(&self, value: &Value<'_>, text: &str, at: Span) -> Span {
        let span = value.span();
        let start = span.start + 1;
        let plain = self.source.get(start..start + text.len()) == Some(text)
            && start + text.len() + 1 == span.end;
        if plain && !at.is_empty() { start + at.start..start + at.end } else { span }
    }
}
