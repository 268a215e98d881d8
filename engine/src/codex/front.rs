//! How calls come in.
//!
//! Promises: a serial front handles one command to its end before it looks at the next, in the
//! order in which they were queued; its loop ends when the last handle of the engine is gone.
//! Injection and waits for activity never go through the loop, as in Codex. Answers nobody
//! waits for are dropped.

use std::collections::VecDeque;
use std::sync::Arc;

use midturn_protocol::{InputId, Mail, Reply, Submission, TaskName};
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
}

/// What goes through the loop of a serial front.
pub(crate) enum Command {
    Submit(Submission),
    Deliver(Mail),
    Interrupt(InputId),
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
    closed: bool,
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
        let answer = self.push(command);
        drop(self);
        match answer.receive("submit: answer").await {
            Ok(reply) => reply,
            Err(Closed) => Reply::Dropped,
        }
    }

    fn push(&self, command: Command) -> Receiver<Reply> {
        let (sender, answer) = oneshot("answer");
        self.submissions
            .section("submit: queue", |queue| queue.waiting.push_back((command, sender)));
        self.arrived.send("submit: wake the loop", ());
        answer
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
                // Whoever asked may have gone away.
                let _ = answer.send("submission_loop: answer", reply);
            }
            Err(true) => return,
            Err(false) => arrived.changed("submission_loop: wait").await,
        }
    }
}
