//! Plays the actors of a scenario against any queue engine, on any backend.
//!
//! Promises: every command is called once, in its actor's order, and its call and return are
//! events. Does not judge, and refuses what it cannot play instead of leaving it out.

use std::future::Future;
use std::sync::Arc;

use midturn_protocol::{
    BoxFuture, Event, Input, InputId, InputKind, Mail, QueueEngine, Reply, Submission,
};

use crate::scenario::{
    Actor, Command, CommandKind, EventPattern, Feature, InjectionForm, Scenario, ScenarioErrors,
};

/// What a backend gives to the actors of a scenario.
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

/// The features that the generic driver can play on every engine.
pub const PLAYABLE: &[Feature] = &[Feature::Hooks];

/// Says which feature of `scenario` cannot be played with `design`, if there is one.
pub fn refuse_unplayable(scenario: &Scenario, design: &str) -> Result<(), ScenarioErrors> {
    match scenario.needs().into_iter().find(|(feature, _)| !PLAYABLE.contains(feature)) {
        Some((feature, span)) => Err(scenario.unsupported(design, feature, span)),
        None => Ok(()),
    }
}

/// Plays one actor to its end.
pub async fn play<E: QueueEngine>(engine: E, stage: Arc<dyn Stage>, actor: Actor) {
    for command in actor.does {
        if let Some(when) = &command.when {
            stage.happened(when.value).await;
        }
        stage.calls();
        stage.observe(Event::Called { command: command.id });
        let id = command.id;
        let droppable = command.drop;
        let call = carry_out(engine.clone(), command);
        let reply = if droppable { stage.droppable(id, Box::pin(call)).await } else { call.await };
        stage.observe(Event::Returned { command: id, reply });
        stage.returns();
    }
}

fn carry_out<E: QueueEngine>(
    engine: E,
    command: Command,
) -> impl Future<Output = Reply> + Send + 'static {
    let id = command.id;
    async move {
        match command.kind {
            CommandKind::Submit { mode, kind, text, settings_refused } => {
                let input = Input { id, kind, text };
                engine.submit(Submission { mode, input, settings_refused }).await
            }
            CommandKind::Mail { trigger, text, .. } => {
                engine.deliver(Mail { id, trigger, text }).await
            }
            CommandKind::Inject { form, text } => {
                let input = Input { id, kind: InputKind::Response, text };
                match InjectionForm::injection(form) {
                    Some(form) => engine.inject(input, form).await,
                    None => unplayable(),
                }
            }
            CommandKind::Interrupt { .. } => engine.interrupt(id).await,
            CommandKind::Wait => engine.await_activity(id).await,
            CommandKind::ContinueIfIdle { .. }
            | CommandKind::Recover { .. }
            | CommandKind::Answer { .. }
            | CommandKind::Settings { .. }
            | CommandKind::Review { .. }
            | CommandKind::Compact
            | CommandKind::ToolOutput { .. }
            | CommandKind::Shutdown => unplayable(),
        }
    }
}

fn unplayable() -> Reply {
    unreachable!("`refuse_unplayable` is asked before a scenario is played")
}
