//! A session of Codex as everything outside sees it.
//!
//! Promises: what [`QueueEngine`] promises, under every policy and front; and that a policy
//! changes neither the commands nor their replies' types.

use std::future::Future;
use std::sync::Arc;

use midturn_protocol::{
    Activity, Command, Env, Event, Injection, Input, InputKind, Observation, Place, QueueEngine,
    Reason, Reply, SessionSetup, SettingsChange, TurnId,
};
use midturn_sync::{Cancel, Mutex, Watch};

use crate::codex::activity::await_activity;
use crate::codex::answer::answer;
use crate::codex::client_view::ClientView;
use crate::codex::configuration::Configuration;
use crate::codex::front::{Front, Loop};
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
/// Keep one handle for as long as anybody calls: a loop stops when the last is dropped.
#[derive(Clone)]
pub struct Codex {
    session: Arc<Session>,
    front: Front,
    serial: Option<Arc<Loop>>,
}

impl Codex {
    /// A session as `setup` says. The tasks that the preset and the front need are spawned on
    /// `env` before this returns.
    pub fn new(env: Arc<dyn Env>, policy: Policy, front: Front, setup: SessionSetup) -> Self {
        let slot: Box<dyn Slot> = match policy.structure() {
            Structure::Upstream => Box::new(Upstream::new()),
            Structure::Hardened => Box::new(Hardened::new()),
        };
        for mail in &setup.mailbox {
            let kind = InputKind::Mail { trigger: mail.trigger };
            env.observe(Event::Accepted { input: mail.id, kind, place: Place::Mailbox });
        }
        let configuration = Configuration::new(
            setup.settings,
            setup.forbidden,
            setup.last_started,
            setup.context_full,
        );
        let session = Arc::new(Session {
            env,
            policy,
            slot,
            mailbox: Mutex::new("mailbox", Mailbox::holding(setup.mailbox)),
            state: Mutex::new("state", History::holding(setup.history)),
            configuration: Mutex::new("configuration", configuration),
            events: Mutex::new("events", ClientView::default()),
            activity: Watch::new("activity", Activity::None),
            start_up: Cancel::new("start-up"),
        });
        preset::install(&session, setup.preset);
        let serial = match front {
            Front::Serial | Front::Server => Some(Arc::new(Loop::start(&session))),
            Front::Concurrent => None,
        };
        Codex { session, front, serial }
    }

    /// Ends when an interrupt of the idle session says that what is still starting up beside it
    /// is not wanted any more; whoever starts it up races with this.
    pub fn start_up_cancelled(&self) -> impl Future<Output = ()> + Send + 'static {
        self.session.start_up.cancelled("start-up: cancelled")
    }

    fn through_the_loop(
        &self,
        command: Command,
    ) -> impl Future<Output = Reply> + Send + 'static + use<> {
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
        Command::Interrupt { id, turn } => {
            Reply::Interrupted(session.slot.interrupt(session, id, turn).await)
        }
        Command::Deliver(mail) => {
            let (id, trigger) = (mail.id, mail.trigger);
            session.enqueue_mail(mail);
            if trigger || session.is_sleeping() {
                start_pending_work(session, TurnId::of(id)).await;
            }
            Reply::Delivered
        }
        Command::Inject { input, form } => inject(session, input, form),
        Command::AwaitActivity { id } => await_activity(session, id).await,
        Command::Answer(given) => answer(session, given).await,
        Command::ChangeSettings { id, change } => {
            session.configuration.section("settings: change", |configuration| match change {
                SettingsChange::Edit(edit) => match configuration.apply(&*session.env, id, &edit) {
                    Ok(()) => Reply::Applied,
                    Err(reason) => Reply::Refused(reason),
                },
                SettingsChange::Forbid(forbidden) => {
                    configuration.forbid(&*session.env, id, forbidden);
                    Reply::Applied
                }
            })
        }
        Command::Begin { id, task } => session.slot.begin(session, id, task).await,
        Command::Drain { id } => {
            session.configuration.section("drain", |configuration| {
                configuration.drain(&*session.env, id);
            });
            Reply::Draining
        }
        Command::Suspend { id } => match session.slot.suspend(session, id).await {
            Ok(turn) => Reply::ShutDown(Some(turn)),
            Err(reason) => Reply::Refused(reason),
        },
        Command::ShutDown { id } => {
            session.slot.shut_down(session, id).await;
            Reply::ShutDown(None)
        }
    }
}

/// Who calls the session directly, whatever its front: tools, extensions, the host.
fn is_direct(command: &Command) -> bool {
    match command {
        Command::Inject { .. }
        | Command::AwaitActivity { .. }
        | Command::Drain { .. }
        | Command::ChangeSettings { change: SettingsChange::Forbid(_), .. } => true,
        Command::Submit(_)
        | Command::Deliver(_)
        | Command::Interrupt { .. }
        | Command::Answer(_)
        | Command::ChangeSettings { change: SettingsChange::Edit(_), .. }
        | Command::Begin { .. }
        | Command::Suspend { .. }
        | Command::ShutDown { .. } => false,
    }
}

impl QueueEngine for Codex {
    fn call(&self, command: Command) -> impl Future<Output = Reply> + Send + 'static {
        let engine = self.clone();
        async move {
            // The loop must be able to end while a call is under way.
            let session = engine.session.clone();
            match (command, engine.front) {
                (command, _) if is_direct(&command) => {
                    drop(engine);
                    carry_out(&session, command).await
                }
                (Command::Interrupt { id, turn: Some(turn) }, Front::Server) => {
                    hold_interrupt(&session, engine, id, turn).await
                }
                (command, Front::Serial | Front::Concurrent | Front::Server) => {
                    let call = engine.through_the_loop(command);
                    drop((engine, session));
                    call.await
                }
            }
        }
    }

    fn observe(&self) -> Observation {
        let view = self.session.slot.view();
        let sleeping = self.session.is_sleeping();
        let (mailbox, trigger_mail) = self.session.mailbox.peek("observe: mailbox", |mailbox| {
            // Any mail starts a turn for an agent that sleeps until mail comes.
            let starts = if sleeping { mailbox.ids() } else { mailbox.trigger_ids() };
            (mailbox.ids(), starts)
        });
        let history = self.session.state.peek("observe: history", History::inputs);
        let (slot, phase, pending) = (Some(view.shape), view.phase, view.pending);
        let closed = view.closed;
        Observation { slot, phase, pending, mailbox, trigger_mail, history, closed }
    }
}

/// `turn/interrupt`: let in if the client's view shows the turn, answered when that has ended.
async fn hold_interrupt(
    session: &Arc<Session>,
    engine: Codex,
    id: midturn_protocol::InputId,
    turn: TurnId,
) -> Reply {
    let held = session.events.section("server: turn/interrupt", |view| view.hold_interrupt(turn));
    let held = match held {
        Ok(held) => held,
        Err(reason) => return Reply::Refused(reason),
    };
    // The real operation names no turn: it ends whatever runs by then.
    let named = match session.policy.structure() {
        Structure::Upstream => None,
        Structure::Hardened => Some(turn),
    };
    let interrupt = engine.through_the_loop(Command::Interrupt { id, turn: named });
    drop(engine);
    if let Reply::Refused(reason) = interrupt.await {
        return Reply::Refused(reason);
    }
    match held.receive("server: turn/interrupt is held").await {
        Ok(turn) => Reply::Interrupted(Some(turn)),
        Err(midturn_sync::Closed) => Reply::Refused(Reason::ServerDraining),
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
        Injection::NoNewTurn | Injection::Client => {
            session.state.section("inject_no_new_turn: record", |history| {
                history.record_input(&*session.env, &input, None);
            });
            Reply::RecordedOnly
        }
    }
}
