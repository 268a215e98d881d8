//! What must be reached in some schedule, and how it is judged on one log.

use std::collections::BTreeMap;

use midturn_protocol::{Event, InputId, Landing, Phase, SlotShape, TurnId};

use super::pattern::{EventPattern, Matcher};
use super::word::words;

/// A condition of `reach.sometimes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// `<event>`: it happens.
    Happens(EventPattern),
    /// `never <event>`: it does not happen.
    Never(EventPattern),
    /// `<event> before <event>`: both happen, and the first time of the one is earlier than
    /// the first time of the other.
    Before {
        /// The earlier one.
        first: EventPattern,
        /// The later one.
        then: EventPattern,
    },
    /// `<event> while slot <shape>` or `while phase <phase>`: it happens at least once in
    /// this state, as all earlier events left it.
    While {
        /// What happens.
        event: EventPattern,
        /// In which state.
        state: State,
        /// The slot of the first session before anyone moves.
        initial: SlotShape,
    },
    /// `<id> ends <landing>`.
    Ends {
        /// The input.
        input: InputId,
        /// Where it lands.
        landing: LandingKind,
    },
}

/// A state of the first session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The slot has this shape.
    Slot(SlotShape),
    /// The active turn is in this phase; current if there is none, as in the queue itself.
    Phase(Phase),
}

/// Where an input ended, without what that carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LandingKind {
    /// [`Landing::Sampled`].
    Sampled,
    /// [`Landing::Recorded`].
    Recorded,
    /// [`Landing::Queued`].
    Queued,
    /// [`Landing::Returned`].
    Returned,
    /// [`Landing::Cleared`].
    Cleared,
    /// [`Landing::Refused`].
    Refused,
    /// [`Landing::Lost`].
    Lost,
}
words!(LandingKind {
    Sampled = "sampled",
    Recorded = "recorded",
    Queued = "queued",
    Returned = "returned",
    Cleared = "cleared",
    Refused = "refused",
    Lost = "lost",
});

impl From<Landing> for LandingKind {
    fn from(landing: Landing) -> Self {
        match landing {
            Landing::Sampled { .. } => LandingKind::Sampled,
            Landing::Recorded => LandingKind::Recorded,
            Landing::Queued => LandingKind::Queued,
            Landing::Returned => LandingKind::Returned,
            Landing::Cleared(_) => LandingKind::Cleared,
            Landing::Refused(_) => LandingKind::Refused,
            Landing::Lost => LandingKind::Lost,
        }
    }
}

impl Condition {
    /// Whether the condition holds of one finished run: its events in log order from the
    /// first on, each with the index of its session, and where its inputs landed.
    pub fn holds(&self, events: &[(usize, &Event)], landings: &BTreeMap<InputId, Landing>) -> bool {
        match self {
            Condition::Happens(event) => first(*event, events).is_some(),
            Condition::Never(event) => first(*event, events).is_none(),
            Condition::Before { first: earlier, then } => {
                match (first(*earlier, events), first(*then, events)) {
                    (Some(earlier), Some(later)) => earlier < later,
                    _ => false,
                }
            }
            Condition::While { event, state, initial } => {
                happens_while(*event, *state, *initial, events)
            }
            Condition::Ends { input, landing } => {
                landings.get(input).is_some_and(|found| LandingKind::from(*found) == *landing)
            }
        }
    }
}

/// The index of the first occurrence.
fn first(pattern: EventPattern, events: &[(usize, &Event)]) -> Option<usize> {
    let mut matcher = Matcher::new(pattern);
    events.iter().position(|(session, event)| matcher.feed(*session, event))
}

fn happens_while(
    pattern: EventPattern,
    state: State,
    initial: SlotShape,
    events: &[(usize, &Event)],
) -> bool {
    let mut matcher = Matcher::new(pattern);
    let mut now = Now { slot: initial, phase: Phase::CurrentTurn, turn: None };
    events.iter().any(|(session, event)| {
        let occurs = matcher.feed(*session, event);
        let here = match state {
            State::Slot(shape) => now.slot == shape,
            State::Phase(phase) => now.phase == phase,
        };
        // Slot and phase are those of the first session.
        if *session == 0 {
            now.follow(event);
        }
        occurs && here
    })
}

/// Slot and phase as the events so far left them.
struct Now {
    slot: SlotShape,
    phase: Phase,
    turn: Option<TurnId>,
}

impl Now {
    fn follow(&mut self, event: &Event) {
        match event {
            Event::Slot { to, turn, .. } => {
                // An empty slot and a new turn both count as being in the current phase.
                let other = self.turn.is_some() && turn.is_some() && self.turn != *turn;
                if *to == SlotShape::Idle || other {
                    self.phase = Phase::CurrentTurn;
                }
                self.turn = if *to == SlotShape::Idle { None } else { turn.or(self.turn) };
                self.slot = *to;
            }
            Event::Phase { turn, to, .. } if self.turn.is_none_or(|active| active == *turn) => {
                self.phase = *to;
            }
            _ => {}
        }
    }
}
