//! A scenario around its engines: its sessions, its actors, its models, its hooks.
//!
//! Promises: the same on every backend. Whatever is not in the file (who moves, what a hook that
//! may do either does, when a timer fires, whether a caller goes away) is asked of the
//! [`Backend`]. Sessions share nothing but the script and the mail that they send each other.
//! Knows no engine, no scheduler and no judge.

mod backend;
mod model;
mod notes;
mod script;
mod session;

use std::sync::Arc;

use midturn_properties::driver::{Seat, Stage, play};
use midturn_properties::scenario::{Scenario, Session};
use midturn_protocol::{BoxFuture, Env, Event, Mail, QueueEngine, Reply};

pub use backend::Backend;
pub use script::Uncovered;
use script::{Deliver, Script};
use session::StagedSession;

/// The name of objects that stand for `when` and `hold` of a script. Who waits for one waits
/// by design.
pub const SCRIPTED_EVENT: &str = "scripted event";

/// The object for which a submission loop waits when it has nothing to do.
pub const SUBMISSION_ARRIVED: &str = "submission arrived";

/// The actor that waits for submissions for ever, by design.
const SUBMISSION_LOOP: &str = "submission loop";

/// Whether this is the name of a submission loop, of whichever session.
pub fn is_submission_loop(actor: &str) -> bool {
    actor.strip_suffix(SUBMISSION_LOOP).is_some_and(|before| {
        // No actor of a scenario has a colon in its name.
        before.is_empty() || before.ends_with(": ")
    })
}

/// A scenario with its engines, before its actors move and after.
pub struct Production<E> {
    /// The engines, in the order of the sessions.
    pub engines: Vec<E>,
    seats: Vec<Seat<E>>,
    script: Arc<Script>,
}

impl<E: QueueEngine> Production<E> {
    /// Sets `scenario` up. `create` makes the engine of a session, `backend` what is around it.
    pub fn new(
        scenario: &Arc<Scenario>,
        backend: impl Fn() -> Arc<dyn Backend>,
        create: impl Fn(Arc<dyn Env>, &Session) -> E,
    ) -> Self {
        let script = Arc::new(Script::new(scenario.clone()));
        let (mut engines, mut ways, mut seats) = (Vec::new(), Vec::new(), Vec::new());
        for (index, session) in scenario.sessions.iter().enumerate() {
            let staged = Arc::new(StagedSession::new(script.clone(), index, backend()));
            let engine = create(staged.clone(), session);
            let stage: Arc<dyn Stage> = staged;
            ways.push(mail_to(&engine, stage.clone()));
            seats.push(Seat { engine: engine.clone(), stage });
            engines.push(engine);
        }
        if ways.len() > 1 {
            script.connect(ways);
        }
        Production { engines, seats, script }
    }

    /// The actors of the scenario, each with its name, to be run at once.
    pub fn actors(&self) -> impl Iterator<Item = (String, BoxFuture<'static, ()>)> {
        self.script.scenario.actors.iter().map(|actor| {
            let played: BoxFuture<'static, ()> = Box::pin(play(self.seats.clone(), actor.clone()));
            (actor.name.clone(), played)
        })
    }

    /// A request that began although no script covers it.
    pub fn uncovered(&self) -> Option<Uncovered> {
        self.script.uncovered()
    }

    /// Cuts the sessions off from each other when what is returned is dropped: the way from one
    /// to another must not keep both alive.
    pub fn disconnect(&self) -> Disconnect {
        Disconnect(self.script.clone())
    }
}

/// The way to the session of `engine`. That the session takes no mail any more shows in its
/// events, because the reply goes to another session, which drops it.
fn mail_to<E: QueueEngine>(engine: &E, stage: Arc<dyn Stage>) -> Deliver {
    let engine = engine.clone();
    Arc::new(move |mail: Mail| {
        let (input, delivered, stage) = (mail.id, engine.deliver(mail), stage.clone());
        Box::pin(async move {
            let reply = delivered.await;
            if let Reply::Refused(reason) = &reply {
                stage.observe(Event::Refused { input, reason: *reason });
            }
            reply
        })
    })
}

/// See [`Production::disconnect`].
pub struct Disconnect(Arc<Script>);

impl Drop for Disconnect {
    fn drop(&mut self) {
        drop(self.0.disconnect());
    }
}
