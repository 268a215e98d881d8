//! How calls come in.
//!
//! Promises: a loop handles one command to its end before it looks at the next, in the order in
//! which they were queued; it ends when the last handle of the engine is gone, or once it has
//! ended its session, and refuses what comes later. Answers nobody waits for are dropped.

use std::collections::VecDeque;
use std::sync::Arc;

use midturn_protocol::{Command, Reason, Reply, TaskName};
use midturn_sync::{Closed, Mutex, Receiver, Sender, Watch, WatchReceiver, oneshot};

use crate::codex::engine::carry_out;
use crate::codex::session::Session;

/// How submissions, mail and interrupts reach the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Front {
    /// One loop takes them, one after the other.
    Serial,
    /// Each caller carries its own out; they overlap.
    #[default]
    Concurrent,
    /// A loop, behind a server that refuses an interrupt of a turn that its client does not see
    /// running, and holds the reply of the others until that turn has ended.
    Server,
}

type Queued = (Command, Sender<Reply>);

/// The way to the loop. Closes it when the last one is dropped.
pub(crate) struct Loop(Arc<Queue>);

pub(crate) struct Queue {
    submissions: Mutex<Submissions>,
    arrived: Watch<()>,
}

#[derive(Default)]
struct Submissions {
    waiting: VecDeque<Queued>,
    /// Nobody can call any more.
    closed: bool,
    /// The loop has ended its session.
    ended: bool,
}

impl Loop {
    /// Starts the loop of `session`.
    pub(crate) fn start(session: &Arc<Session>) -> Self {
        let queue = Arc::new(Queue {
            submissions: Mutex::new("submissions", Submissions::default()),
            arrived: Watch::new("submission arrived", ()),
        });
        let arrived = queue.arrived.subscribe("submission_loop: subscribe");
        let task = run(session.clone(), queue.clone(), arrived);
        session.env.spawn(TaskName::SubmissionLoop, Box::pin(task));
        Loop(queue)
    }

    pub(crate) fn queue(&self) -> &Arc<Queue> {
        &self.0
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let closed = self
            .0
            .submissions
            .section_on_drop("submission_loop: close", |queue| queue.closed = true);
        if closed.is_some() {
            self.0.arrived.send("submission_loop: wake to close", ());
        }
    }
}

impl Queue {
    /// Queues `command` and waits for its answer. Dropped before it is polled, it was never
    /// queued; dropped later, the command is carried out all the same.
    pub(crate) async fn call(self: Arc<Self>, command: Command) -> Reply {
        let Some(answer) = self.push(command) else {
            return Reply::Refused(Reason::ServerDraining);
        };
        drop(self);
        match answer.receive("submit: answer").await {
            Ok(reply) => reply,
            Err(Closed) => Reply::Refused(Reason::ServerDraining),
        }
    }

    /// `None` once the loop has ended its session.
    fn push(&self, command: Command) -> Option<Receiver<Reply>> {
        let (sender, answer) = oneshot("answer");
        let refused = self.submissions.section("submit: queue", |queue| {
            if queue.ended {
                return Some(sender);
            }
            queue.waiting.push_back((command, sender));
            None
        });
        if refused.is_some() {
            return None;
        }
        self.arrived.send("submit: wake the loop", ());
        Some(answer)
    }

    /// Refuses what waits and what will come.
    fn end(&self) {
        let refused = self.submissions.section("submission_loop: end", |queue| {
            queue.ended = true;
            std::mem::take(&mut queue.waiting)
        });
        drop(refused);
    }
}

async fn run(session: Arc<Session>, queue: Arc<Queue>, mut arrived: WatchReceiver<()>) {
    loop {
        let next = queue.submissions.section("submission_loop: next", |queue| {
            match queue.waiting.pop_front() {
                Some(queued) => Ok(queued),
                None => Err(queue.closed),
            }
        });
        match next {
            Ok((command, answer)) => {
                let reply = carry_out(&session, command).await;
                let ended = matches!(reply, Reply::ShutDown(_));
                if ended {
                    queue.end();
                }
                // Whoever asked may have gone away.
                let _ = answer.send("submission_loop: answer", reply);
                if ended {
                    return;
                }
            }
            Err(true) => return,
            Err(false) => arrived.changed("submission_loop: wait").await,
        }
    }
}
