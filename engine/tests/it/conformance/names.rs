//! The names in a row, and the numbers behind them.
//!
//! Promises: the same name is the same input, and a name that is only mentioned can be told from
//! one that was given to something.

use midturn_protocol::{InputId, TurnId};

/// The input of the turn that a session begins with.
const PRESET: &str = "preset";

#[derive(Clone, Default)]
pub struct Names {
    names: Vec<String>,
    given: Vec<InputId>,
}

impl Names {
    /// The number behind a name that is only mentioned.
    pub fn mention(&mut self, name: &str) -> InputId {
        if name == PRESET {
            return InputId::PRESET;
        }
        let at = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        InputId(at as u32 + 1)
    }

    /// The number of something new.
    pub fn give(&mut self, name: &str) -> Result<InputId, String> {
        let id = self.mention(name);
        if id == InputId::PRESET || self.given.contains(&id) {
            return Err(format!("`{name}` is the name of something else"));
        }
        self.given.push(id);
        Ok(id)
    }

    pub fn turn(&mut self, word: &str) -> Result<TurnId, String> {
        let (name, successor) = word.split_once('+').unwrap_or((word, "0"));
        let successor = successor.parse().map_err(|_| format!("`{word}` is no turn"))?;
        Ok(TurnId { origin: self.mention(name), successor })
    }

    /// Whether something has this name, or starts a turn of this name.
    pub fn is_given(&self, word: &str) -> bool {
        let name = word.split_once('+').map_or(word, |(name, _)| name);
        name == PRESET || self.given.iter().any(|&id| self.of(id) == name)
    }

    pub fn of(&self, id: InputId) -> &str {
        match id.0.checked_sub(1) {
            None => PRESET,
            Some(at) => self.names.get(at as usize).map_or("nameless", String::as_str),
        }
    }

    pub fn of_turn(&self, turn: TurnId) -> String {
        let name = self.of(turn.origin);
        match turn.successor {
            0 => name.to_owned(),
            successor => format!("{name}+{successor}"),
        }
    }

    pub fn of_all(&self, ids: &[InputId]) -> Vec<String> {
        ids.iter().map(|&id| self.of(id).to_owned()).collect()
    }

    pub fn listed(&self, ids: &[InputId]) -> String {
        if ids.is_empty() { "nothing".to_owned() } else { self.of_all(ids).join(", ") }
    }
}
