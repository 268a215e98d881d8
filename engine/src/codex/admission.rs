//! What the prompt hook says about an input.
//!
//! Promises: only what a user typed is inspected; the rest passes. Between a drain and its
//! recording there is an await for every batch, as in Codex, where recording waits for the log.

use midturn_protocol::{HookVerdict, Input, InputKind, Inspection, Outside};

use crate::codex::session::Session;

/// Waits for the log if none of `batch` makes the turn wait for a hook.
pub(crate) async fn before_batch(session: &Session, batch: &[Input]) {
    let inspected = batch.iter().any(|input| input.kind == InputKind::User);
    if !batch.is_empty() && !inspected {
        session.awaits(Outside::Log);
        session.env.flush().await;
    }
}

pub(crate) async fn inspect(session: &Session, input: &Input) -> Inspection {
    match input.kind {
        InputKind::User => {
            session.awaits(Outside::Hook);
            session.env.inspect(input.clone()).await
        }
        InputKind::Response | InputKind::ToolOutput | InputKind::Mail { .. } => {
            HookVerdict::Accept.into()
        }
    }
}
