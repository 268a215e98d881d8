//! A scenario in the simulated world: its sessions, its actors, its models, its time.
//!
//! Promises: whatever the world decides (which of two ready things comes first, what a hook
//! says, when a timer fires) is a decision that the search can take back. Sessions share nothing
//! but the script and the mail that they send each other.

mod env;
mod script;
mod stream;

use std::cell::RefCell;
use std::sync::Arc;

use midturn_properties::driver::{Seat, Stage, play};
use midturn_properties::scenario::{Scenario, Time};
use midturn_protocol::{Event, Mail, QueueEngine, Reply};

use crate::design::Design;
use crate::world::{self, World};

use env::SimEnv;
pub(crate) use script::Uncovered;
use script::{Deliver, Script};

/// The name of objects that stand for `when` and `hold` of a script. Who waits for one waits
/// by design.
pub(crate) const SCRIPTED_EVENT: &str = "scripted event";

/// The object for which a submission loop waits when it has nothing to do.
pub(crate) const SUBMISSION_ARRIVED: &str = "submission arrived";

/// The actor that waits for submissions for ever, by design.
const SUBMISSION_LOOP: &str = "submission loop";

/// Whether this is the name of a submission loop, of whichever session.
pub(crate) fn is_submission_loop(actor: &str) -> bool {
    actor.strip_suffix(SUBMISSION_LOOP).is_some_and(|before| {
        // No actor of a scenario has a colon in its name.
        before.is_empty() || before.ends_with(": ")
    })
}

/// What outlives a run, for the judges.
pub(crate) struct Played<E> {
    /// The engines, in the order of the sessions.
    pub(crate) engines: Vec<E>,
    script: Arc<Script>,
}

impl<E> Played<E> {
    /// A request that began although no script covers it.
    pub(crate) fn uncovered(&self) -> Option<Uncovered> {
        self.script.uncovered()
    }
}

/// The time of a scenario.
pub(crate) fn time_of(scenario: &Scenario) -> world::Time {
    match scenario.sessions.first().map(|session| session.time) {
        Some(Time::Patient) => world::Time::Patient,
        Some(Time::Hostile) | None => world::Time::Hostile,
    }
}

/// Sets `scenario` up in a new world. What is needed to judge the run is left in `played`.
pub(crate) fn set_up<D: Design>(
    world: &World,
    design: &D,
    policy: &str,
    scenario: &Arc<Scenario>,
    played: &RefCell<Option<Played<D::Engine>>>,
) {
    let script = Arc::new(Script::new(scenario.clone()));
    let (mut engines, mut ways, mut seats) = (Vec::new(), Vec::new(), Vec::new());
    for (index, session) in scenario.sessions.iter().enumerate() {
        let env = Arc::new(SimEnv::new(script.clone(), index));
        let engine = design.create(env.clone(), policy, session.front, session.setup());
        world.keep(engine.clone());
        let stage: Arc<dyn Stage> = env;
        ways.push(mail_to(&engine, stage.clone()));
        seats.push(Seat { engine: engine.clone(), stage });
        engines.push(engine);
    }
    if ways.len() > 1 {
        script.connect(ways);
        // The way from one session to another must not keep both alive.
        world.keep(Disconnect(script.clone()));
    }
    for actor in &scenario.actors {
        world.spawn(&actor.name, play(seats.clone(), actor.clone()));
    }
    *played.borrow_mut() = Some(Played { engines, script });
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

/// Cuts the sessions of a run off from each other once it is over.
struct Disconnect(Arc<Script>);

impl Drop for Disconnect {
    fn drop(&mut self) {
        drop(self.0.disconnect());
    }
}
