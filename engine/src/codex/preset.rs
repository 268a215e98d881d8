//! Sessions in the middle of something.
//!
//! Promises: a preset looks like the same state reached by commands, events included, except
//! that nobody was asked for a verdict. Runs before anyone moves.

use std::sync::Arc;

use midturn_protocol::{
    Event, Input, InputId, InputKind, Mode, ModelItem, Preset, RequestEnd, Submission, TaskName,
    TurnId,
};

use crate::codex::claim::Claim;
use crate::codex::session::Session;
use crate::codex::submit::start_reserved;

pub(crate) fn install(session: &Arc<Session>, preset: Preset) {
    match preset {
        Preset::Idle => {}
        Preset::Running => session.slot.preset(session, false),
        Preset::Finishing => session.slot.preset(session, true),
        Preset::Reserved => reserve(session),
    }
}

/// An automatic start that has made its reservation.
fn reserve(session: &Arc<Session>) {
    let input = preset_input(InputKind::Response);
    let turn = TurnId::of(input.id);
    let Some(reservation) = session.slot.reserve(session, turn, None) else { return };
    let submission = Submission { mode: Mode::StartIfIdle, input, settings_refused: false };
    let claim = Claim::new(session, reservation);
    let task = async move {
        start_reserved(claim, submission).await;
    };
    session.env.spawn(TaskName::Starter(turn), Box::pin(task));
}

/// A turn that started, with its prompt in history and not yet sampled.
pub(crate) fn record_prompt(session: &Session, turn: TurnId) {
    let prompt = preset_input(InputKind::User);
    session.send_event("preset: TurnStarted", Event::TurnStarted { turn });
    session.state.section("preset: record prompt", |history| {
        history.record_input(&*session.env, &prompt, Some(turn));
    });
}

/// The first request of that turn, which ended in a final answer.
pub(crate) fn record_answer(session: &Session, turn: TurnId) {
    let env = &*session.env;
    session.state.section("preset: record answer", |history| {
        history.begin_request(env, turn, 1);
        history.record_item(env, &ModelItem::Final("done".into()), turn);
        let how = RequestEnd::Completed { follow_up: false };
        env.observe(Event::RequestEnded { turn, request: 1, how });
    });
}

fn preset_input(kind: InputKind) -> Input {
    Input { id: InputId::PRESET, kind, text: "prompt of the preset".into() }
}
