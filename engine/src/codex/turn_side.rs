//! What a turn's task asks of the queues: the other half of a structure.
//!
//! Contract: after [`Stopped`] the task changes nothing any more and leaves. A turn that was
//! aborted may be told so at any of its operations, or at none before it leaves by itself.

use std::future::Future;
use std::sync::Arc;

use midturn_protocol::{
    Input, ModelItem, Purpose, Request, RequestEnd, TaskKind, TurnContext, TurnEnd, TurnId,
    WaiterTable,
};
use midturn_sync::{Cancel, Receiver};

use crate::codex::session::Session;
use crate::codex::turn_state::TurnLock;

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

/// How a turn ended by itself.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) how: TurnEnd,
    /// The last text that the model meant for the user.
    pub(crate) answer: Option<Arc<str>>,
}

impl Ended {
    pub(crate) fn failed() -> Self {
        Ended { how: TurnEnd::Failed, answer: None }
    }
}

/// The handle of one turn's task on the queues.
pub(crate) trait TurnSide: Send + Sync + 'static {
    /// A batch that the hooks have seen.
    type Admitted: Send;

    fn session(&self) -> &Arc<Session>;
    fn id(&self) -> TurnId;
    fn cancel(&self) -> &Cancel;
    fn context(&self) -> &Arc<TurnContext>;

    /// The lock of this turn, if it is still this turn's task that runs.
    fn own_state(&self) -> Option<Arc<TurnLock>>;

    /// Tells the client that the turn started, unless whoever installed it has.
    fn announce(&self, kind: TaskKind);

    /// Takes what waits for this turn: its own list first, then the mailbox.
    fn drain(&self) -> Result<Vec<Input>, Stopped>;

    /// Puts a batch through the hooks. `None`: the batch stops the turn, no request follows.
    fn admit(
        &self,
        batch: Vec<Input>,
    ) -> impl Future<Output = Result<Option<Self::Admitted>, Stopped>> + Send;

    /// The turn ends before it could sample `batch`, with which it began. Whether that is
    /// reported is where structures differ.
    fn drop_initial(&self, batch: Vec<Input>);

    /// Begins a request that holds all of history and what was admitted.
    fn begin_request(&self, admitted: Self::Admitted, request: u32) -> Result<Request, Stopped>;

    /// Begins a request that is not the turn's own: it samples nothing that was sent.
    fn begin_other_request(
        &self,
        purpose: Purpose,
        prompt: Option<Arc<str>>,
        request: u32,
    ) -> Result<Request, Stopped>;

    /// Puts the summary of a compaction in the place of what was sampled.
    fn compact_history(&self, summary: Arc<str>) -> Result<(), Stopped>;

    /// Records what a stop hook asks for, and reopens the turn for it.
    fn record_stop_prompt(&self, prompt: Arc<str>) -> Result<(), Stopped>;

    /// Records a completed item at once, so that a later cancel loses nothing already shown.
    /// A tool call reopens the turn for mail, a final answer defers mail.
    fn record_item(&self, item: &ModelItem) -> Result<(), Stopped>;

    /// Records a tool's output, or what else the turn itself brings forth.
    fn record_output(&self, output: Arc<str>) -> Result<(), Stopped>;

    /// From now on any mail starts a turn.
    fn sleep(&self) -> Result<(), Stopped>;

    /// Enters this turn into a table of those who wait for an answer.
    fn open_waiter(&self, table: WaiterTable, key: Arc<str>)
    -> Result<Receiver<Arc<str>>, Stopped>;

    /// Whether mail waits that cuts the request.
    fn mail_preempts(&self) -> bool;

    /// Notes how a request ended; one that wants a follow-up reopens the turn.
    fn end_request(&self, request: u32, how: RequestEnd) -> Result<(), Stopped>;

    /// Notes how a request ended that was not the turn's own.
    fn end_other_request(&self, request: u32, how: RequestEnd) -> Result<(), Stopped>;

    /// Whether the turn samples again right away.
    fn wants_more(&self, follow_up: bool) -> bool;

    /// The turn's last look at what waits; a task that takes no input only asks for leave.
    fn last_look(&self, takes_input: bool) -> LastLook;

    /// Ends the turn and frees the slot, unless somebody took the turn out of it.
    fn finish(&self, ended: Ended) -> impl Future<Output = ()> + Send;
}
