//! One request to the model.
//!
//! Promises: every completed item is recorded before the next is awaited; tools that were
//! called run to their end and are recorded before the request ends, unless it is cancelled.
//! Does not decide whether another request follows.

use std::sync::Arc;

use midturn_protocol::{Event, ModelItem, Request, RequestEnd, ToolCall};
use midturn_sync::{Either, race};

use crate::codex::turn_side::{Stopped, TurnSide};

/// How a request that was not cancelled ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sampled {
    /// Whether the model itself wants another request.
    Completed {
        follow_up: bool,
    },
    Failed,
}

/// What the stream of a request brought.
struct Streamed {
    how: RequestEnd,
    calls: Vec<Arc<str>>,
}

/// Begins the request numbered `number` and sees it to its end.
pub(crate) async fn sample<T: TurnSide>(
    turn: &T,
    admitted: T::Admitted,
    number: u32,
) -> Result<Sampled, Stopped> {
    let request = turn.begin_request(admitted, number)?;
    let mut streamed = stream(turn, request).await?;
    if streamed.how != RequestEnd::Cancelled && !run_tools(turn, streamed.calls).await? {
        streamed.how = RequestEnd::Cancelled;
    }
    turn.end_request(number, streamed.how)?;
    match streamed.how {
        RequestEnd::Completed { follow_up } => Ok(Sampled::Completed { follow_up }),
        RequestEnd::Preempted => Ok(Sampled::Completed { follow_up: true }),
        RequestEnd::Failed => Ok(Sampled::Failed),
        RequestEnd::Cancelled => Err(Stopped),
    }
}

async fn stream<T: TurnSide>(turn: &T, request: Request) -> Result<Streamed, Stopped> {
    let mut calls = Vec::new();
    let mut follow_up = false;
    let sampling = turn.session().env.sample(request);
    let Some(mut items) = unless_cancelled(turn, "sampling: begin", sampling).await else {
        return Ok(Streamed { how: RequestEnd::Cancelled, calls });
    };
    loop {
        let Some(next) = unless_cancelled(turn, "sampling: next item", items.next()).await else {
            return Ok(Streamed { how: RequestEnd::Cancelled, calls });
        };
        let item = match next {
            None => return Ok(Streamed { how: RequestEnd::Completed { follow_up }, calls }),
            Some(ModelItem::Error(_)) => return Ok(Streamed { how: RequestEnd::Failed, calls }),
            Some(item) => item,
        };
        turn.record_item(&item)?;
        match item {
            ModelItem::Tool(tool) => {
                calls.push(tool);
                follow_up = true;
            }
            ModelItem::RefusedTool(_) | ModelItem::NotEnded => follow_up = true,
            ModelItem::Commentary(_) | ModelItem::Reasoning => {
                if turn.mail_preempts() {
                    return Ok(Streamed { how: RequestEnd::Preempted, calls });
                }
            }
            ModelItem::Final(_)
            | ModelItem::Untagged(_)
            | ModelItem::Blank
            | ModelItem::Error(_) => {}
        }
    }
}

/// Whether all of them ran to their end.
async fn run_tools<T: TurnSide>(turn: &T, calls: Vec<Arc<str>>) -> Result<bool, Stopped> {
    for tool in calls {
        let running = turn.session().env.run_tool(ToolCall { turn: turn.id(), tool });
        match unless_cancelled(turn, "sampling: tool output", running).await {
            Some(output) => turn.record_output(output)?,
            None => return Ok(false),
        }
    }
    Ok(true)
}

async fn unless_cancelled<T: TurnSide, R>(
    turn: &T,
    name: &'static str,
    work: impl Future<Output = R>,
) -> Option<R> {
    match race(turn.cancel().cancelled(name), work).await {
        Either::First(()) => {
            turn.session().observe(Event::CancelSeen { turn: turn.id() });
            None
        }
        Either::Second(value) => Some(value),
    }
}
