//! The turn loop, shared by all structures.
//!
//! Promises: explicit input is sampled no later than anything that waited behind it; the turn
//! goes on while something waits that it may take. Does not know what the slot looks like.

use midturn_protocol::{Input, TurnEnd};

use crate::codex::sampling::{Sampled, sample};
use crate::codex::turn_side::{LastLook, Stopped, TurnSide};

/// What a round of the turn begins with.
pub(crate) enum Opening {
    /// Input that is sampled before anything that waits.
    Input(Input),
    /// Whatever waits.
    Waiting,
    /// Nothing new: history already holds it.
    Recorded,
}

enum Round {
    Left,
    Failed,
}

/// The body of a turn's task.
pub(crate) async fn run_task<T: TurnSide>(turn: T, opening: Opening) {
    if !matches!(opening, Opening::Recorded) {
        turn.announce();
    }
    let outcome = run_rounds(&turn, opening).await;
    finish_task(&turn, outcome.ok()).await;
}

/// What every task does once its rounds are over; `None` if somebody else ends the turn.
pub(crate) async fn finish_task<T: TurnSide>(turn: &T, ended: Option<TurnEnd>) {
    turn.session().flush(turn.id()).await;
    if let Some(how) = ended {
        turn.finish(how).await;
    }
}

async fn run_rounds<T: TurnSide>(turn: &T, mut opening: Opening) -> Result<TurnEnd, Stopped> {
    let mut requests = 0;
    loop {
        match run_turn(turn, opening, &mut requests).await? {
            Round::Failed => return Ok(TurnEnd::Failed),
            Round::Left => {}
        }
        match turn.last_look() {
            LastLook::GoOn => opening = Opening::Waiting,
            LastLook::Leave => return Ok(TurnEnd::Completed),
            LastLook::TakenAway => return Err(Stopped),
        }
    }
}

async fn run_turn<T: TurnSide>(
    turn: &T,
    opening: Opening,
    requests: &mut u32,
) -> Result<Round, Stopped> {
    let mut can_drain = matches!(opening, Opening::Waiting);
    let mut batch = match opening {
        Opening::Input(input) => vec![input],
        Opening::Waiting | Opening::Recorded => Vec::new(),
    };
    loop {
        if can_drain {
            batch = turn.drain()?;
        }
        let Some(admitted) = turn.admit(std::mem::take(&mut batch)).await? else {
            return Ok(Round::Left);
        };
        *requests += 1;
        let follow_up = match sample(turn, admitted, *requests).await? {
            Sampled::Completed { follow_up } => follow_up,
            Sampled::Failed => return Ok(Round::Failed),
        };
        can_drain = true;
        if !turn.wants_more(follow_up) {
            return Ok(Round::Left);
        }
    }
}
