//! A session of Codex as everything outside sees it.
//!
//! Promises: what [`QueueEngine`] promises, under every policy and front; and that a policy
//! changes neither the commands nor their replies' types.

use std::future::Future;
use std::sync::Arc;

use midturn_protocol::{
    Activity, Env, Event, Injection, Input, InputId, InputKind, Mail, Observation, Place, Preset,
    QueueEngine, Reply, Submission, TurnId,
};
use midturn_sync::{Mutex, Watch};

use crate::codex::front::{Command, Front, Loop};
use crate::codex::hardened::Hardened;
use crate::codex::history::History;
use crate::codex::mailbox::Mailbox;
use crate::codex::pending_work::start_pending_work;
use crate::codex::policy::{Policy, Structure};
use crate::codex::preset;
use crate::codex::session::Session;
use crate::codex::slot::Slot;
use crate::codex::submit::submit;
use crate::codex::upstream::Upstream;

/// The queues of one Codex session. Clones share them.
///
/// Keep one handle for as long as anybody calls: a serial front stops when the last is dropped.
#[derive(Clone)]
pub struct Codex {
    session: Arc<Session>,
    serial: Option<Arc<Loop>>,
}

impl Codex {
    /// A session in the state `preset`, with `mailbox` waiting. The tasks that the preset and
    /// the front need are spawned on `env` before this returns.
    pub fn new(
        env: Arc<dyn Env>,
        policy: Policy,
        front: Front,
        preset: Preset,
        mailbox: Vec<Mail>,
    ) -> Self {
        let slot: Box<dyn Slot> = match policy.structure {
            Structure::Upstream => Box::new(Upstream::new()),
            Structure::Hardened => Box::new(Hardened::new()),
        };
        for mail in &mailbox {
            let kind = InputKind::Mail { trigger: mail.trigger };
            env.observe(Event::Accepted { input: mail.id, kind, place: Place::Mailbox });
        }
        let session = Arc::new(Session {
            env,
            policy,
            slot,
            mailbox: Mutex::new("mailbox", Mailbox::holding(mailbox)),
            state: Mutex::new("state", History::default()),
            events: Mutex::new("events", ()),
            activity: Watch::new("activity", Activity::None),
        });
        preset::install(&session, preset);
        let serial = match front {
            Front::Serial => Some(Arc::new(Loop::start(&session))),
            Front::Concurrent => None,
        };
        Codex { session, serial }
    }

    fn call(&self, command: Command) -> impl Future<Output = Reply> + Send + 'static {
        let session = self.session.clone();
        let queue = self.serial.as_ref().map(|serial| serial.queue().clone());
        async move {
            match queue {
                Some(queue) => {
                    drop(session);
                    queue.call(command).await
                }
                None => carry_out(&session, command).await,
            }
        }
    }
}

/// Carries one command out to its end.
pub(crate) async fn carry_out(session: &Arc<Session>, command: Command) -> Reply {
    match command {
        Command::Submit(submission) => Reply::Verdict(submit(session, submission).await),
        Command::Interrupt(command) => {
            Reply::Interrupted(session.slot.interrupt(session, command).await)
        }
        Command::Deliver(mail) => {
            let (id, trigger) = (mail.id, mail.trigger);
            session.enqueue_mail(mail);
            if trigger {
                start_pending_work(session, TurnId::of(id)).await;
            }
            Reply::Delivered
        }
    }
}

impl QueueEngine for Codex {
    fn submit(&self, submission: Submission) -> impl Future<Output = Reply> + Send + 'static {
        self.call(Command::Submit(submission))
    }

    fn deliver(&self, mail: Mail) -> impl Future<Output = Reply> + Send + 'static {
        self.call(Command::Deliver(mail))
    }

    fn interrupt(&self, command: InputId) -> impl Future<Output = Reply> + Send + 'static {
        self.call(Command::Interrupt(command))
    }

    fn inject(
        &self,
        input: Input,
        form: Injection,
    ) -> impl Future<Output = Reply> + Send + 'static {
        let session = self.session.clone();
        async move { inject(&session, input, form) }
    }

    fn await_activity(&self, command: InputId) -> impl Future<Output = Reply> + Send + 'static {
        let session = self.session.clone();
        async move {
            let mut activity = session.activity.subscribe("subscribe_activity: subscribe");
            if !look_for_activity(&session, command, false) {
                activity.changed("await_activity: wait").await;
                let found = look_for_activity(&session, command, true);
                return Reply::Woken { found };
            }
            Reply::Woken { found: true }
        }
    }

    fn observe(&self) -> Observation {
        let view = self.session.slot.view();
        let (mailbox, trigger_mail) = self
            .session
            .mailbox
            .peek("observe: mailbox", |mailbox| (mailbox.ids(), mailbox.trigger_ids()));
        let history = self.session.state.peek("observe: history", History::inputs);
        let (slot, phase, pending) = (Some(view.shape), view.phase, view.pending);
        Observation { slot, phase, pending, mailbox, trigger_mail, history }
    }
}

fn inject(session: &Session, input: Input, form: Injection) -> Reply {
    let wants_task = form == Injection::HookContext;
    let Err(input) = session.slot.inject(session, input, wants_task) else {
        return Reply::Injected;
    };
    match form {
        Injection::IfRunning | Injection::HookContext => {
            session.observe(Event::GivenBack { input: input.id });
            Reply::GivenBack
        }
        Injection::NoNewTurn => {
            session.state.section("inject_no_new_turn: record", |history| {
                history.record_input(&*session.env, &input, None);
            });
            Reply::RecordedOnly
        }
    }
}

/// Looks at the active turn, then at the mailbox. Nothing is taken.
fn look_for_activity(session: &Session, command: InputId, last: bool) -> bool {
    let woken = |found| session.observe(Event::Woken { command, found });
    if session.slot.explicit_waits(&|| woken(true)) {
        return true;
    }
    session.mailbox.peek("subscribe_activity: mailbox", |mailbox| {
        let found = !mailbox.is_empty();
        if found || last {
            woken(found);
        }
        found
    })
}
