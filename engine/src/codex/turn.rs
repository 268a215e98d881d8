//! The turn loop, shared by all structures.
//!
//! Promises: explicit input is sampled no later than anything that waited behind it; the turn
//! goes on while something waits that it may take; a compaction holds nothing that waits, and a
//! tool exchange that it interrupts is resumed before anything that waits is taken. Does not know
//! what the slot looks like.

use std::sync::Arc;

use midturn_protocol::{Input, Outside, StopVerdict, TaskKind, TurnEnd};

use crate::codex::Fault;
use crate::codex::sampling::{Sampled, sample};
use crate::codex::special_task::{compact, run_compaction, run_review};
use crate::codex::turn_side::{Ended, LastLook, Stopped, TurnSide};

/// What a task does.
pub(crate) enum Work {
    /// An ordinary turn.
    Turn(Opening),
    /// A review of what the text says.
    Review(Arc<str>),
    /// A compaction.
    Compact,
}

/// What a round of the turn begins with.
pub(crate) enum Opening {
    /// Input that is sampled before anything that waits.
    Input(Vec<Input>),
    /// Whatever waits.
    Waiting,
    /// Nothing new: history already holds it.
    Recorded,
}

impl Work {
    pub(crate) fn kind(&self) -> TaskKind {
        match self {
            Work::Turn(_) => TaskKind::Regular,
            Work::Review(_) => TaskKind::Review,
            Work::Compact => TaskKind::Compact,
        }
    }
}

enum Round {
    Left,
    Failed,
}

/// How far a turn has come.
#[derive(Default)]
struct Progress {
    requests: u32,
    full: bool,
    started: bool,
    answer: Option<Arc<str>>,
}

/// The body of a task. `announced`: the client has been told of it.
pub(crate) async fn run_task<T: TurnSide>(turn: T, work: Work, announced: bool) {
    if !announced {
        turn.announce(work.kind());
    }
    let outcome = match work {
        Work::Turn(opening) => run_rounds(&turn, opening).await,
        Work::Review(prompt) => run_review(&turn, prompt).await,
        Work::Compact => run_compaction(&turn).await,
    };
    finish_task(&turn, outcome.ok()).await;
}

/// What every task does once its rounds are over; `None` if somebody else ends the turn.
pub(crate) async fn finish_task<T: TurnSide>(turn: &T, ended: Option<Ended>) {
    turn.session().flush(turn.id()).await;
    if let Some(ended) = ended {
        turn.finish(ended).await;
    }
}

async fn run_rounds<T: TurnSide>(turn: &T, mut opening: Opening) -> Result<Ended, Stopped> {
    let mut progress = Progress { full: turn.context().full, ..Progress::default() };
    loop {
        match run_turn(turn, opening, &mut progress).await? {
            Round::Failed => return Ok(Ended::failed()),
            Round::Left => {}
        }
        match turn.last_look(true) {
            LastLook::GoOn => opening = Opening::Waiting,
            LastLook::Leave => {
                return Ok(Ended { how: TurnEnd::Completed, answer: progress.answer });
            }
            LastLook::TakenAway => return Err(Stopped),
        }
    }
}

async fn run_turn<T: TurnSide>(
    turn: &T,
    opening: Opening,
    progress: &mut Progress,
) -> Result<Round, Stopped> {
    let mut can_drain = matches!(opening, Opening::Waiting);
    let mut batch = match opening {
        Opening::Input(batch) => batch,
        Opening::Waiting | Opening::Recorded => Vec::new(),
    };
    if progress.full && !compact_history(turn, progress).await? {
        turn.admit(batch).await?;
        return Ok(Round::Failed);
    }
    if !starts(turn, progress).await {
        turn.drop_initial(batch);
        return Ok(Round::Left);
    }
    loop {
        if can_drain {
            batch = turn.drain()?;
        }
        let Some(admitted) = turn.admit(std::mem::take(&mut batch)).await? else {
            return Ok(Round::Left);
        };
        progress.requests += 1;
        let follow_up = match sample(turn, admitted, progress.requests).await? {
            Sampled::Completed { follow_up, full, answer } => {
                progress.full |= full;
                if !follow_up {
                    progress.answer = answer;
                }
                follow_up
            }
            Sampled::Failed => return Ok(Round::Failed),
        };
        can_drain = true;
        if !turn.wants_more(follow_up) {
            if stops(turn).await? {
                return Ok(Round::Left);
            }
        } else if progress.full {
            if !compact_history(turn, progress).await? {
                return Ok(Round::Failed);
            }
            let faults = turn.session().policy.faults;
            can_drain = !follow_up || faults.has(Fault::SteerGoesBeforeTheResume);
        }
    }
}

/// Whether it worked.
async fn compact_history<T: TurnSide>(turn: &T, progress: &mut Progress) -> Result<bool, Stopped> {
    progress.requests += 1;
    let compacted = compact(turn, progress.requests).await?;
    progress.full &= !compacted;
    Ok(compacted)
}

/// Asks the start hook, once a turn.
async fn starts<T: TurnSide>(turn: &T, progress: &mut Progress) -> bool {
    if std::mem::replace(&mut progress.started, true) {
        return true;
    }
    let session = turn.session();
    match session.env.start_hook(turn.id()) {
        None => true,
        Some(asked) => {
            session.awaits(Outside::Hook);
            asked.await
        }
    }
}

/// Asks the stop hook whether the turn may end.
async fn stops<T: TurnSide>(turn: &T) -> Result<bool, Stopped> {
    let session = turn.session();
    let Some(asked) = session.env.stop_hook(turn.id()) else { return Ok(true) };
    session.awaits(Outside::Hook);
    match asked.await {
        StopVerdict::Pass | StopVerdict::Stop => Ok(true),
        StopVerdict::GoOn(prompt) => {
            turn.record_stop_prompt(prompt)?;
            Ok(false)
        }
    }
}
