//! Names of turns: the observer numbered them in the order in which it saw them.

use midturn_protocol::{InputId, TurnId};

use super::mapping::Exceptions;

/// Which turn has which name.
#[derive(Default)]
pub struct Names {
    seen: Vec<TurnId>,
    /// Names that no turn has.
    strange: Vec<String>,
    review: Option<TurnId>,
}

/// Ids from here on name nothing.
const STRANGE: u32 = 1_000_000;

impl Names {
    /// A call began a review as this turn.
    pub fn begin_review(&mut self, turn: TurnId) {
        self.review = Some(turn);
    }

    /// The turn that a call means by `name`.
    pub fn meant(&mut self, name: &str, exceptions: &Exceptions) -> TurnId {
        let numbered = (0..self.seen.len()).find(|at| numbered(*at) == name);
        if let Some(at) = numbered {
            return self.seen[at];
        }
        if let Some(review) = exceptions.means_the_review(name, self.review) {
            return review;
        }
        if !self.strange.iter().any(|strange| strange == name) {
            self.strange.push(name.to_owned());
        }
        let at = self.strange.iter().position(|strange| strange == name).unwrap_or_default();
        strange(at)
    }

    /// `turn` was seen, and the observer called it `name`.
    pub fn see(&mut self, turn: TurnId, name: &str, exceptions: &Exceptions) -> Result<(), String> {
        let known: Vec<usize> = (0..self.seen.len()).filter(|at| self.seen[*at] == turn).collect();
        if known.iter().any(|at| numbered(*at) == name) {
            return Ok(());
        }
        let may_be_new = known.is_empty() || exceptions.may_have_second_name(turn, self.review);
        if may_be_new && known.len() < 2 && numbered(self.seen.len()) == name {
            self.seen.push(turn);
            return Ok(());
        }
        Err(format!("it is {} and not {name}", self.name(turn)))
    }

    /// How messages call `turn`.
    pub fn name(&self, turn: TurnId) -> String {
        if let Some(at) = self.seen.iter().position(|seen| *seen == turn) {
            return numbered(at);
        }
        let strange_name = (0..self.strange.len()).find(|at| strange(*at) == turn);
        match strange_name {
            Some(at) => self.strange[at].clone(),
            None => format!("a turn not seen before, {turn:?}"),
        }
    }
}

fn numbered(at: usize) -> String {
    format!("turn{}", at + 1)
}

fn strange(at: usize) -> TurnId {
    TurnId::of(InputId(STRANGE + at as u32))
}
