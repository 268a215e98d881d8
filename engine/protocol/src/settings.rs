//! Settings of a session, and edits of them.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The collaboration mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionMode {
    /// Automatic starts are allowed.
    #[default]
    Default,
    /// Automatic starts are refused.
    Plan,
}

/// The settings of a session at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Settings {
    /// Counts the edits that were applied; names this state of the settings.
    pub version: u32,
    /// The collaboration mode.
    pub mode: SessionMode,
    /// Everything else by name.
    pub values: BTreeMap<Arc<str>, Arc<str>>,
}

/// A sparse edit: what it does not name stays as it is *when the edit is applied*.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SettingsEdit {
    /// The new mode.
    pub mode: Option<SessionMode>,
    /// New values by name.
    pub values: BTreeMap<Arc<str>, Arc<str>>,
}

impl SettingsEdit {
    /// Whether it changes nothing at all.
    pub fn is_empty(&self) -> bool {
        self.mode.is_none() && self.values.is_empty()
    }
}

/// A value that a setting must not have (Codex: a constraint).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Forbidden {
    /// The setting.
    pub name: Arc<str>,
    /// The value.
    pub value: Arc<str>,
}

/// What somebody does to the settings outside of a submission.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SettingsChange {
    /// Applies an edit, or refuses all of it.
    Edit(SettingsEdit),
    /// Tightens the constraints. What is in force stays in force.
    Forbid(Forbidden),
}
