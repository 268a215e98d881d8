//! Sessions in the middle of something.
//!
//! Promises: a preset looks like the same state reached by commands, events included, except
//! that nobody was asked for a verdict. Runs before anyone moves.

use std::sync::Arc;

use midturn_protocol::{
    Event, Input, InputId, InputKind, Mode, ModelItem, Preset, RequestEnd, StartOptions,
    Submission, TaskKind, TaskName, TurnContext, TurnId,
};

use crate::codex::claim::Claim;
use crate::codex::configuration::StartKind;
use crate::codex::history::Asking;
use crate::codex::session::Session;
use crate::codex::slot::PresetTurn;
use crate::codex::submit::start_reserved;
use crate::codex::turn::{Opening, Work};

pub(crate) fn install(session: &Arc<Session>, preset: Preset) {
    match preset {
        Preset::Idle => {}
        Preset::Running => session.slot.preset(session, PresetTurn::Running),
        Preset::Finishing => session.slot.preset(session, PresetTurn::Finishing),
        Preset::Review => session.slot.preset(session, PresetTurn::Review),
        Preset::Compact => session.slot.preset(session, PresetTurn::Compact),
        Preset::Reserved => reserve(session),
    }
}

/// An automatic start that has made its reservation.
fn reserve(session: &Arc<Session>) {
    let input = prompt(InputKind::Response);
    let turn = TurnId::of(input.id);
    let Ok(reservation) = session.slot.reserve(session, turn, None, None) else { return };
    let submission = Submission::new(Mode::StartIfIdle, input);
    let claim = Claim::new(session, reservation);
    let task = async move {
        start_reserved(claim, submission, StartKind::Automatic).await;
    };
    session.env.spawn(TaskName::Starter(turn), Box::pin(task));
}

/// What the task of a preset turn has yet to do.
pub(crate) fn work(preset: PresetTurn) -> Work {
    match preset {
        PresetTurn::Running | PresetTurn::Finishing => Work::Turn(Opening::Recorded),
        PresetTurn::Review => Work::Review("prompt of the preset".into()),
        PresetTurn::Compact => Work::Compact,
    }
}

/// Tells the client of a preset turn, and brings history to where that turn is.
pub(crate) fn announce(session: &Session, turn: TurnId, preset: PresetTurn) -> Arc<TurnContext> {
    let context = session.context_as_it_is(turn, StartOptions::default());
    session.record_started(turn);
    let kind = work(preset).kind();
    session.send_event("preset: TurnStarted", Event::TurnStarted { turn, kind });
    match kind {
        TaskKind::Regular => record_prompt(session, turn),
        TaskKind::Review | TaskKind::Compact => {}
    }
    if preset == PresetTurn::Finishing {
        record_answer(session, turn, &context);
    }
    context
}

/// The prompt of a turn, in history and not yet sampled.
fn record_prompt(session: &Session, turn: TurnId) {
    session.state.section("preset: record prompt", |history| {
        history.record_input(&*session.env, &prompt(InputKind::User), Some(turn));
    });
}

/// The first request of that turn, which ended in a final answer.
fn record_answer(session: &Session, turn: TurnId, context: &Arc<TurnContext>) {
    let env = &*session.env;
    session.state.section("preset: record answer", |history| {
        history.begin_request(env, &Asking { turn, request: 1, context });
        history.record_item(env, &ModelItem::Final("done".into()), turn);
        let how = RequestEnd::Completed { follow_up: false };
        env.observe(Event::RequestEnded { turn, request: 1, how });
    });
}

fn prompt(kind: InputKind) -> Input {
    Input::new(InputId::PRESET, kind, "prompt of the preset")
}
