//! Plays the actors of a scenario against any queue engine, on any backend.
//!
//! Promises: every command is called once, in its actor's order, on the engine of the session
//! that it asks, and its call and return are events of that session. Does not judge, and refuses
//! what it cannot play instead of leaving it out.

use std::sync::Arc;

use midturn_protocol::{BoxFuture, Event, InputId, QueueEngine, Reply};

use crate::scenario::{Actor, EventPattern, Scenario, ScenarioErrors};

/// What a backend gives to the actors of a scenario, for one session.
pub trait Stage: Send + Sync + 'static {
    /// Takes note of an event.
    fn observe(&self, event: Event);

    /// Waits until an event of this form has happened.
    fn happened(&self, pattern: EventPattern) -> BoxFuture<'static, ()>;

    /// A command is about to be given.
    fn calls(&self);

    /// A command was answered.
    fn returns(&self);

    /// Runs `call`, whose future may be dropped at any of its awaits; then the answer is
    /// [`Reply::Dropped`].
    fn droppable(
        &self,
        command: InputId,
        call: BoxFuture<'static, Reply>,
    ) -> BoxFuture<'static, Reply>;
}

/// One session that is played.
pub struct Seat<E> {
    /// Its engine.
    pub engine: E,
    /// Its stage.
    pub stage: Arc<dyn Stage>,
}

impl<E: Clone> Clone for Seat<E> {
    fn clone(&self) -> Self {
        Seat { engine: self.engine.clone(), stage: self.stage.clone() }
    }
}

/// Says what of `scenario` cannot be played with `design`, if there is something.
pub fn refuse_unplayable(scenario: &Scenario, design: &str) -> Result<(), ScenarioErrors> {
    match scenario.needs().into_iter().next() {
        Some((feature, span)) => Err(scenario.unsupported(design, feature, span)),
        None => Ok(()),
    }
}

/// Plays one actor to its end. `seats` are the sessions in the order of the scenario.
pub async fn play<E: QueueEngine>(seats: Vec<Seat<E>>, actor: Actor) {
    for command in actor.does {
        let Some(Seat { engine, stage }) = seats.get(command.session) else { continue };
        if let Some(when) = &command.when {
            stage.happened(when.value).await;
        }
        stage.calls();
        stage.observe(Event::Called { command: command.id });
        let call = engine.call(command.call);
        let reply = if command.drop {
            stage.droppable(command.id, Box::pin(call)).await
        } else {
            call.await
        };
        stage.observe(Event::Returned { command: command.id, reply });
        stage.returns();
    }
}
