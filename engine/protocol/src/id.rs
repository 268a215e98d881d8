//! Names of inputs and turns. Both are plain numbers chosen by the caller, never by a global
//! counter, so that the same input has the same name under every schedule.

/// One thing that was asked of an engine: an input, a mail, an interrupt. It doubles as the
/// submission id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputId(pub u32);

impl InputId {
    /// The input behind a turn that a scenario presets in the slot before anyone moves.
    pub const PRESET: InputId = InputId(0);
}

/// A turn, named by what started it.
///
/// Codex uses the submission id as turn id; a turn that completion or an abort starts for
/// pending work has none, and is here the next successor of the turn that ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TurnId {
    /// The submission that started this turn, or the turn that this one follows.
    pub origin: InputId,
    /// How many automatic starts lie between `origin` and this turn.
    pub successor: u32,
}

impl TurnId {
    /// The turn that `origin` itself starts.
    pub fn of(origin: InputId) -> Self {
        TurnId { origin, successor: 0 }
    }

    /// The turn that starts by itself once this one has ended.
    pub fn next(self) -> Self {
        TurnId { origin: self.origin, successor: self.successor.saturating_add(1) }
    }
}
