//! The names by which people know inputs and turns.

use std::collections::BTreeMap;

use midturn_protocol::{InputId, TurnId};

/// The input behind a preset turn.
pub(crate) const SLOT: &str = "slot";

/// The name of a piece of context that a command brings: `yaml.cwd`.
pub(crate) fn context_name(command: &str, name: &str) -> String {
    format!("{command}.{name}")
}

/// The names of the inputs of one scenario.
///
/// `slot` is always number 0. It is followed by what each session declares (its mailbox, what its
/// tools send, its reports), what the tools of `[model]` send, and all commands, each with its
/// context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    names: Vec<String>,
    ids: BTreeMap<String, InputId>,
    preset: bool,
}

impl Default for Names {
    fn default() -> Self {
        Names { names: vec![SLOT.to_owned()], ids: BTreeMap::new(), preset: false }
    }
}

impl Names {
    /// Takes the next number for `name`. A name that is taken keeps its first number.
    pub(crate) fn add(&mut self, name: &str) -> InputId {
        let id = InputId(u32::try_from(self.names.len()).unwrap_or(u32::MAX));
        self.names.push(name.to_owned());
        *self.ids.entry(name.to_owned()).or_insert(id)
    }

    /// Makes `slot` a name that may be used.
    pub(crate) fn add_preset(&mut self) {
        self.preset = true;
        self.ids.insert(SLOT.to_owned(), InputId::PRESET);
    }

    /// Whether the scenario presets a turn, which is then called `turn of slot`.
    pub fn has_preset(&self) -> bool {
        self.preset
    }

    /// The number behind a name.
    pub fn find(&self, name: &str) -> Option<InputId> {
        self.ids.get(name).copied()
    }

    /// All names that may be used, in alphabetical order.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.ids.keys().map(String::as_str)
    }

    /// All numbers but that of `slot`, in file order.
    pub fn inputs(&self) -> impl Iterator<Item = InputId> + use<> {
        (1..u32::try_from(self.names.len()).unwrap_or(u32::MAX)).map(InputId)
    }

    /// The name of an input; `unnamed` if the scenario does not have it.
    pub fn input(&self, id: InputId) -> &str {
        usize::try_from(id.0)
            .ok()
            .and_then(|index| self.names.get(index))
            .map_or("unnamed", String::as_str)
    }

    /// The name of a turn: `turn of prompt`, `turn after prompt`, `turn 2 after prompt`.
    pub fn turn(&self, turn: TurnId) -> String {
        let origin = self.input(turn.origin);
        match turn.successor {
            0 => format!("turn of {origin}"),
            1 => format!("turn after {origin}"),
            n => format!("turn {n} after {origin}"),
        }
    }

    /// Several inputs, separated by commas; `nothing` if there is none.
    pub fn list(&self, ids: &[InputId]) -> String {
        if ids.is_empty() {
            return "nothing".to_owned();
        }
        ids.iter().map(|id| self.input(*id)).collect::<Vec<_>>().join(", ")
    }
}
