//! Reads submissions: what is routed, how, and what travels with it.

use std::sync::Arc;

use midturn_protocol::{ContextEntry, Input, InputId, InputKind, Mode, Submission};

use super::{Fields, Reader};
use crate::scenario::names::context_name;

impl Reader<'_> {
    pub(super) fn submission(
        &mut self,
        fields: Fields<'_>,
        verb: &str,
        id: InputId,
        name: &str,
    ) -> Option<Submission> {
        let routed = self.routed(fields, verb);
        let client_id = self.content(fields, "client_id");
        let settings = self.edit(fields, "overrides");
        let context = self.context(fields, name);
        let metadata = self.texts_of(fields, "metadata");
        let start = self.start(fields);
        let (mode, kind, text) = routed?;
        Some(Submission {
            mode,
            input: Input { client_id, ..Input::new(id, kind, text) },
            settings: settings.unwrap_or_default(),
            context,
            metadata: metadata.map(|entries| entries.into_iter().collect()),
            start,
        })
    }

    fn routed(&mut self, fields: Fields<'_>, verb: &str) -> Option<(Mode, InputKind, Arc<str>)> {
        if verb == "recover" {
            let turn = self.turn(fields, verb)?;
            return Some((Mode::Recover { turn }, InputKind::User, Arc::from("")));
        }
        let expected = self.turn(fields, "expected");
        let expected_previous = self.turn(fields, "expected_previous");
        let automatic = self.boolean(fields, "automatic").unwrap_or(false);
        let (mode, kind) = match verb {
            "start_if_idle" if automatic => (Mode::StartIfIdle, InputKind::Response),
            "start_if_idle" => (Mode::StartIfIdle, InputKind::User),
            "continue_if_idle" => (Mode::ContinueIfIdle { expected_previous }, InputKind::Response),
            "steer" => (Mode::Steer { expected }, InputKind::User),
            "tool_output" => (Mode::StartOrSteer, InputKind::ToolOutput),
            _ => (Mode::StartOrSteer, InputKind::User),
        };
        Some((mode, kind, self.content(fields, verb)?))
    }

    /// Additional context, in alphabetical order.
    fn context(&mut self, fields: Fields<'_>, command: &str) -> Vec<ContextEntry> {
        let entries = self.texts_of(fields, "context").unwrap_or_default();
        let entry = |(name, text): (Arc<str>, Arc<str>)| {
            let id = self.names.find(&context_name(command, &name))?;
            Some(ContextEntry { id, name, text })
        };
        entries.into_iter().filter_map(entry).collect()
    }
}
