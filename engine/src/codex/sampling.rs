//! One request to the model.
//!
//! Promises: every completed item is recorded before the next is awaited; a tool begins as soon
//! as its call is recorded, and its output is recorded before the request ends, unless that is
//! cancelled.
//! Does not decide whether another request follows.

use std::sync::Arc;

use midturn_protocol::{Activity, Event, ModelItem, ModelStream, Outside, Request, RequestEnd};
use midturn_sync::{Either, WatchReceiver, race};

use crate::codex::Fault;
use crate::codex::policy::MailCuts;
use crate::codex::tools::{BegunTool, begin_tool, finish_tool};
use crate::codex::turn_side::{Stopped, TurnSide};
use crate::codex::turn_state::TurnState;

/// How a request that was not cancelled ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sampled {
    Completed {
        /// Whether the model itself wants another request, or the request was cut.
        follow_up: bool,
        /// Whether history has to be compacted now.
        full: bool,
        /// The last text with something in it.
        answer: Option<Arc<str>>,
    },
    Failed,
}

/// What the stream of a request brought.
struct Streamed {
    how: RequestEnd,
    tools: Vec<BegunTool>,
    full: bool,
    answer: Option<Arc<str>>,
}

/// Begins the request numbered `number` and sees it to its end.
pub(crate) async fn sample<T: TurnSide>(
    turn: &T,
    admitted: T::Admitted,
    number: u32,
) -> Result<Sampled, Stopped> {
    let request = turn.begin_request(admitted, number)?;
    let mut streamed = stream(turn, request).await?;
    if streamed.how != RequestEnd::Cancelled && !finish_tools(turn, streamed.tools).await? {
        streamed.how = RequestEnd::Cancelled;
    }
    turn.end_request(number, streamed.how)?;
    let follow_up = match streamed.how {
        RequestEnd::Completed { follow_up } => follow_up,
        RequestEnd::Preempted if turn.session().policy.faults.has(Fault::CutForgetsFollowUp) => {
            return Err(Stopped);
        }
        RequestEnd::Preempted => true,
        RequestEnd::Failed => return Ok(Sampled::Failed),
        RequestEnd::Cancelled => return Err(Stopped),
    };
    Ok(Sampled::Completed { follow_up, full: streamed.full, answer: streamed.answer })
}

/// What comes next.
enum Next {
    Item(Option<ModelItem>),
    Cancelled,
    Cut,
}

async fn stream<T: TurnSide>(turn: &T, request: Request) -> Result<Streamed, Stopped> {
    let mut streamed =
        Streamed { how: RequestEnd::Cancelled, tools: Vec::new(), full: false, answer: None };
    let mut follow_up = false;
    let session = turn.session();
    session.awaits(Outside::Model);
    let cuts = session.policy.steer_cuts_request();
    let mut steers = cuts.then(|| session.activity.subscribe("sampling: subscribe to steers"));
    let sampling = session.env.sample(request);
    let Some(mut items) = unless_cancelled(turn, "sampling: begin", sampling).await else {
        return Ok(streamed);
    };
    loop {
        let item = match next(turn, &mut *items, steers.as_mut()).await {
            Next::Item(Some(ModelItem::Error(_))) => {
                streamed.how = RequestEnd::Failed;
                return Ok(streamed);
            }
            Next::Item(Some(item)) => item,
            Next::Item(None) => {
                streamed.how = RequestEnd::Completed { follow_up };
                return Ok(streamed);
            }
            Next::Cancelled => return Ok(streamed),
            Next::Cut => {
                streamed.how = RequestEnd::Preempted;
                return Ok(streamed);
            }
        };
        turn.record_item(&item)?;
        let may_cut = match item {
            ModelItem::Tool(call) => {
                streamed.tools.push(begin_tool(turn, call)?);
                follow_up = true;
                false
            }
            ModelItem::RefusedTool(_) | ModelItem::NotEnded => {
                follow_up = true;
                false
            }
            ModelItem::Final(text) | ModelItem::Untagged(text) => {
                streamed.answer = Some(text).filter(|text| !text.trim().is_empty());
                false
            }
            ModelItem::Full => {
                streamed.full = true;
                false
            }
            ModelItem::Reasoning => true,
            ModelItem::Commentary(text) => {
                streamed.answer = Some(text);
                session.policy.mail_cuts() == MailCuts::ReasoningAndCommentary
            }
            ModelItem::Blank | ModelItem::Error(_) => false,
        };
        if may_cut && turn.mail_preempts() {
            streamed.how = RequestEnd::Preempted;
            return Ok(streamed);
        }
    }
}

/// The next item, unless the turn is cancelled or a steer cuts the request first.
async fn next<T: TurnSide>(
    turn: &T,
    items: &mut dyn ModelStream,
    steers: Option<&mut WatchReceiver<Activity>>,
) -> Next {
    let name = "sampling: next item";
    let Some(steers) = steers else {
        return match unless_cancelled(turn, name, items.next()).await {
            Some(item) => Next::Item(item),
            None => Next::Cancelled,
        };
    };
    loop {
        // Subscribed first, so whatever comes after this look is heard of.
        let waits = turn
            .own_state()
            .is_some_and(|state| state.peek("sampling: steer waits", TurnState::holds_explicit));
        if waits {
            return Next::Cut;
        }
        let came = race(items.next(), steers.changed("sampling: steer came"));
        match unless_cancelled(turn, name, came).await {
            None => return Next::Cancelled,
            Some(Either::First(item)) => return Next::Item(item),
            Some(Either::Second(_)) => {}
        }
    }
}

/// Whether all of them ran to their end.
async fn finish_tools<T: TurnSide>(turn: &T, tools: Vec<BegunTool>) -> Result<bool, Stopped> {
    for begun in tools {
        match finish_tool(turn, begun).await {
            Some(output) => turn.record_output(output)?,
            None => return Ok(false),
        }
    }
    Ok(true)
}

pub(crate) async fn unless_cancelled<T: TurnSide, R>(
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
