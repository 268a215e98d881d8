//! What a turn's task asks of the queues: the other half of a structure.
//!
//! Contract: after [`Stopped`] the task changes nothing any more and leaves. A turn that was
//! aborted may be told so at any of its operations, or at none before it leaves by itself.

use std::future::Future;
use std::sync::Arc;

use midturn_protocol::{Input, ModelItem, Request, RequestEnd, TurnEnd, TurnId};
use midturn_sync::Cancel;

use crate::codex::session::Session;

/// The turn is over for its task: it was cancelled or fenced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

/// What the last look of a turn found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LastLook {
    /// Something waits; the turn goes on.
    GoOn,
    /// Nothing waits; the turn may finish.
    Leave,
    /// Somebody took the turn out of the slot and ends it.
    TakenAway,
}

/// The handle of one turn's task on the queues.
pub(crate) trait TurnSide: Send + Sync + 'static {
    /// A batch that the hooks have seen.
    type Admitted: Send;

    fn session(&self) -> &Arc<Session>;
    fn id(&self) -> TurnId;
    fn cancel(&self) -> &Cancel;

    /// Tells the client that the turn started, unless whoever installed it has.
    fn announce(&self);

    /// Takes what waits for this turn: its own list first, then the mailbox.
    fn drain(&self) -> Result<Vec<Input>, Stopped>;

    /// Puts a batch through the hooks. `None`: the batch stops the turn, no request follows.
    fn admit(
        &self,
        batch: Vec<Input>,
    ) -> impl Future<Output = Result<Option<Self::Admitted>, Stopped>> + Send;

    /// Begins a request that holds all of history and what was admitted.
    fn begin_request(&self, admitted: Self::Admitted, request: u32) -> Result<Request, Stopped>;

    /// Records a completed item at once, so that a later cancel loses nothing already shown.
    /// A tool call reopens the turn for mail, a final answer defers mail.
    fn record_item(&self, item: &ModelItem) -> Result<(), Stopped>;

    /// Records a tool's output.
    fn record_output(&self, output: Arc<str>) -> Result<(), Stopped>;

    /// Whether waiting mail cuts the request after a reasoning item or a commentary.
    fn mail_preempts(&self) -> bool;

    /// Notes how a request ended; one that wants a follow-up reopens the turn.
    fn end_request(&self, request: u32, how: RequestEnd) -> Result<(), Stopped>;

    /// Whether the turn samples again right away.
    fn wants_more(&self, follow_up: bool) -> bool;

    /// The turn's last look at what waits.
    fn last_look(&self) -> LastLook;

    /// Ends the turn and frees the slot, unless somebody took the turn out of it.
    fn finish(&self, how: TurnEnd) -> impl Future<Output = ()> + Send;
}
