//! Reviews and compactions: tasks that occupy the slot, take no input, and sample nothing that
//! waits.
//!
//! Promises: a compaction replaces only what a request has held; a review mode is left once, by
//! the task or by whoever aborts it. A compaction that is a task of its own does not heed its
//! cancel, as in Codex: only the abort after the grace stops it.

use std::sync::Arc;

use midturn_protocol::{
    Event, ModelItem, Outside, Purpose, Request, RequestEnd, Role, TurnEnd, TurnId,
};

use crate::codex::sampling::unless_cancelled;
use crate::codex::session::Session;
use crate::codex::turn_side::{Ended, LastLook, Stopped, TurnSide};
use crate::codex::turn_state::TurnLock;

/// Compacts history inside a turn, as its request numbered `number`. Whether it worked.
pub(crate) async fn compact<T: TurnSide>(turn: &T, number: u32) -> Result<bool, Stopped> {
    let request = turn.begin_other_request(Purpose::Compaction, None, number)?;
    let said = unless_cancelled(turn, "compaction: summary", listen(turn, request)).await;
    settle_compaction(turn, number, said)
}

/// The body of a compaction task.
pub(crate) async fn run_compaction<T: TurnSide>(turn: &T) -> Result<Ended, Stopped> {
    let request = turn.begin_other_request(Purpose::Compaction, None, 1)?;
    let said = listen(turn, request).await;
    if settle_compaction(turn, 1, Some(said))? { leave(turn, None) } else { Ok(Ended::failed()) }
}

/// The body of a review task.
pub(crate) async fn run_review<T: TurnSide>(turn: &T, prompt: Arc<str>) -> Result<Ended, Stopped> {
    let request = turn.begin_other_request(Purpose::Review, Some(prompt), 1)?;
    let said = unless_cancelled(turn, "review: output", listen(turn, request)).await;
    turn.end_other_request(1, end_of(said.as_ref()))?;
    let output = match said {
        None => return Err(Stopped),
        Some(None) => return Ok(Ended::failed()),
        Some(Some(output)) => output,
    };
    if let Some(state) = turn.own_state() {
        leave_review(turn.session(), &state, turn.id(), Some(output.clone()));
    }
    leave(turn, Some(output))
}

/// Leaves review mode, unless that has been done. An aborted review has nothing to say.
pub(crate) fn leave_review(
    session: &Session,
    state: &TurnLock,
    turn: TurnId,
    output: Option<Arc<str>>,
) {
    state.section("exit review mode", |state| {
        if state.review_left || state.fenced && output.is_some() {
            return;
        }
        state.review_left = true;
        session.observe(Event::ReviewLeft { turn, output: output.is_some() });
        if let Some(output) = output {
            session.state.section("exit review mode: record", |history| {
                history.record_text(Role::Context, output);
            });
        }
    });
}

/// Nothing that waits is for such a task.
fn leave<T: TurnSide>(turn: &T, answer: Option<Arc<str>>) -> Result<Ended, Stopped> {
    match turn.last_look(false) {
        LastLook::GoOn | LastLook::Leave => Ok(Ended { how: TurnEnd::Completed, answer }),
        LastLook::TakenAway => Err(Stopped),
    }
}

fn settle_compaction<T: TurnSide>(
    turn: &T,
    number: u32,
    said: Option<Option<Arc<str>>>,
) -> Result<bool, Stopped> {
    turn.end_other_request(number, end_of(said.as_ref()))?;
    match said {
        None => Err(Stopped),
        Some(None) => Ok(false),
        Some(Some(summary)) => {
            turn.compact_history(summary)?;
            Ok(true)
        }
    }
}

/// `None`: cancelled; `Some(None)`: failed.
fn end_of(said: Option<&Option<Arc<str>>>) -> RequestEnd {
    match said {
        None => RequestEnd::Cancelled,
        Some(None) => RequestEnd::Failed,
        Some(Some(_)) => RequestEnd::Completed { follow_up: false },
    }
}

/// The last text of a response, none of which is recorded; `None` if it failed.
async fn listen<T: TurnSide>(turn: &T, request: Request) -> Option<Arc<str>> {
    let session = turn.session();
    session.awaits(Outside::Model);
    let mut items = session.env.sample(request).await;
    let mut said: Arc<str> = "".into();
    loop {
        match items.next().await {
            None => return Some(said),
            Some(ModelItem::Error(_)) => return None,
            Some(ModelItem::Final(text) | ModelItem::Untagged(text)) => said = text,
            Some(
                ModelItem::Commentary(_)
                | ModelItem::Blank
                | ModelItem::Reasoning
                | ModelItem::Tool(_)
                | ModelItem::RefusedTool(_)
                | ModelItem::NotEnded
                | ModelItem::Full,
            ) => {}
        }
    }
}
