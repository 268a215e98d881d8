//! Running one tool of a turn.
//!
//! Promises: a tool begins when its call is complete and is waited for when the response is, so
//! it may act on others while the model goes on. One that asks is told the answer or that none
//! will come; one that waits for activity subscribes, then looks, then waits, so that it misses
//! nothing; each ends early when the turn is cancelled. Records nothing.

use std::sync::Arc;
use std::time::Duration;

use midturn_protocol::{
    Activity, BoxFuture, Event, Outside, ToolCall, ToolUse, ToolWake, ToolWork,
};
use midturn_sync::{Closed, Either, Receiver, WatchReceiver, race};

use crate::codex::Fault;
use crate::codex::mailbox::Mailbox;
use crate::codex::sampling::unless_cancelled;
use crate::codex::turn_side::{Stopped, TurnSide};

/// How long a tool waits for activity.
const PATIENCE: Duration = Duration::from_secs(30);

/// A tool that has begun.
pub(crate) enum BegunTool {
    Runs(BoxFuture<'static, Arc<str>>),
    Asks(Arc<str>, Receiver<Arc<str>>),
    /// With what was there when it began to wait.
    Waits(WatchReceiver<Activity>, Option<ToolWake>),
    Done(Arc<str>),
}

/// Begins what the model called.
pub(crate) fn begin_tool<T: TurnSide>(turn: &T, call: ToolUse) -> Result<BegunTool, Stopped> {
    let session = turn.session();
    let ToolUse { tool, work } = call;
    Ok(match work {
        ToolWork::Run => {
            let call = ToolCall { turn: turn.id(), tool, answer: None };
            BegunTool::Runs(session.env.run_tool(call))
        }
        ToolWork::Ask(table) => {
            let asked = turn.open_waiter(table, tool.clone())?;
            BegunTool::Asks(tool, asked)
        }
        ToolWork::AwaitActivity => {
            let activity = session.activity.subscribe("wait_agent: subscribe");
            BegunTool::Waits(activity, look(turn, false))
        }
        ToolWork::SleepUntilMail => {
            turn.sleep()?;
            BegunTool::Done("sleeping".into())
        }
    })
}

/// The output of a tool that has begun; `None` if the turn was cancelled first.
pub(crate) async fn finish_tool<T: TurnSide>(turn: &T, begun: BegunTool) -> Option<Arc<str>> {
    let session = turn.session();
    session.awaits(Outside::Tool);
    match begun {
        BegunTool::Runs(running) => unless_cancelled(turn, "sampling: tool output", running).await,
        BegunTool::Asks(tool, asked) => {
            let answer = asked.receive("tool: wait for the answer");
            match unless_cancelled(turn, "tool: ask", answer).await? {
                Err(Closed) => Some("not answered".into()),
                Ok(answer) => {
                    let call = ToolCall { turn: turn.id(), tool, answer: Some(answer) };
                    let running = session.env.run_tool(call);
                    unless_cancelled(turn, "sampling: tool output", running).await
                }
            }
        }
        BegunTool::Waits(_, Some(found)) => Some(told(found)),
        BegunTool::Waits(activity, None) => await_activity(turn, activity).await,
        BegunTool::Done(output) => Some(output),
    }
}

/// Codex: `wait_agent`.
async fn await_activity<T: TurnSide>(
    turn: &T,
    mut activity: WatchReceiver<Activity>,
) -> Option<Arc<str>> {
    let session = turn.session();
    let changed = activity.changed("wait_agent: wait");
    let ended = race(changed, session.env.sleep(PATIENCE));
    let how = match unless_cancelled(turn, "wait_agent: cancelled", ended).await? {
        Either::First(Activity::Steer) => woken(turn, ToolWake::Steer),
        Either::First(Activity::Mailbox | Activity::None) => woken(turn, ToolWake::Mailbox),
        Either::Second(()) => look(turn, true)?,
    };
    Some(told(how))
}

/// What is there for the model. The last look is also told if it finds nothing.
fn look<T: TurnSide>(turn: &T, last: bool) -> Option<ToolWake> {
    let empty = turn.session().mailbox.peek("wait_agent: mailbox", Mailbox::is_empty);
    let state = turn.own_state()?;
    let blind = turn.session().policy.faults.has(Fault::WaitDoesNotLook);
    state.peek("wait_agent: pending", |state| {
        let how = if blind && !last {
            return None;
        } else if blind {
            ToolWake::TimedOut
        } else if state.holds_explicit() {
            ToolWake::Steer
        } else if !empty {
            ToolWake::Mailbox
        } else if last {
            ToolWake::TimedOut
        } else {
            return None;
        };
        Some(woken(turn, how))
    })
}

fn woken<T: TurnSide>(turn: &T, how: ToolWake) -> ToolWake {
    turn.session().observe(Event::ToolWoken { turn: turn.id(), how });
    how
}

fn told(how: ToolWake) -> Arc<str> {
    match how {
        ToolWake::Steer => "interrupted by new input",
        ToolWake::Mailbox => "mail has come",
        ToolWake::TimedOut => "timed out",
    }
    .into()
}
