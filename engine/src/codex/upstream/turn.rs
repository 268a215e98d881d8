//! The turn's own operations, in the sections of Codex 0.149.0.
//!
//! Promises: a drain takes the turn's list, lets go, and then takes the mailbox. Nothing here
//! checks that the slot still holds the turn that asks, except where Codex does.

use std::sync::Arc;

use midturn_protocol::{
    Event, HookVerdict, Input, InputKind, Inspection, ModelItem, Phase, PhaseCause, Purpose,
    Request, RequestEnd, Role, StartOptions, TaskKind, TurnContext, TurnId, WaiterTable,
};
use midturn_sync::{Cancel, Receiver};

use crate::codex::admission::{before_batch, inspect};
use crate::codex::answer::{enter, new_waiter};
use crate::codex::history::Asking;
use crate::codex::mailbox::input_of;
use crate::codex::session::Session;
use crate::codex::turn_side::{Ended, LastLook, Stopped, TurnSide};
use crate::codex::turn_state::{TurnLock, ids};
use crate::codex::upstream::Upstream;

/// What the task of a turn holds.
pub(super) struct UpstreamTurn {
    pub(super) session: Arc<Session>,
    pub(super) slot: Upstream,
    pub(super) turn: TurnId,
    context: Arc<TurnContext>,
    cancel: Cancel,
}

impl UpstreamTurn {
    pub(super) fn new(
        session: &Arc<Session>,
        slot: &Upstream,
        turn: TurnId,
        context: Arc<TurnContext>,
        cancel: Cancel,
    ) -> Self {
        UpstreamTurn { session: session.clone(), slot: slot.clone(), turn, context, cancel }
    }

    fn asking(&self, request: u32) -> Asking<'_> {
        Asking { turn: self.turn, request, context: &self.context }
    }

    /// The state of this turn, if its task is the one that runs.
    fn turn_state_for_sub_id(&self, name: &'static str) -> Option<Arc<TurnLock>> {
        self.slot.active_turn.peek(name, |slot| {
            let active = slot.as_ref()?;
            active.runs(self.turn).then(|| active.state.clone())
        })
    }

    fn accept_mailbox_delivery(&self, because: PhaseCause) {
        if let Some(state) = self.turn_state_for_sub_id("accept_mailbox_delivery: find turn") {
            state.section("accept_mailbox_delivery: reopen", |state| {
                state.reopen(&*self.session.env, self.turn, because);
            });
        }
    }

    fn defer_mailbox_delivery(&self) {
        if let Some(state) = self.turn_state_for_sub_id("defer_mailbox_delivery: find turn") {
            state.section("defer_mailbox_delivery: defer", |state| {
                state.defer(&*self.session.env, self.turn, self.session.policy.faults);
            });
        }
    }

    fn has_pending_input(&self) -> bool {
        let (env, turn) = (&self.session.env, self.turn);
        let decided = self.slot.active_turn.section("has_pending_input: turn items", |slot| {
            let (phase, waits) = slot.as_ref().map_or((Phase::CurrentTurn, false), |active| {
                active
                    .state
                    .peek("has_pending_input: look", |turn| (turn.phase, !turn.pending.is_empty()))
            });
            let decided = match phase {
                Phase::NextTurn => Some(false),
                Phase::CurrentTurn => waits.then_some(true),
            };
            if let Some(found) = decided {
                env.observe(Event::Looked { turn, found });
            }
            decided
        });
        decided.unwrap_or_else(|| {
            self.session.mailbox.peek("has_pending_input: mailbox", |mailbox| {
                let found = !mailbox.is_empty();
                env.observe(Event::Looked { turn, found });
                found
            })
        })
    }
}

impl Upstream {
    /// Whatever `turn` may take: of the turn in the slot, and of the mailbox, which also says how
    /// to start a turn for it.
    pub(super) fn get_pending_input(
        &self,
        session: &Session,
        turn: TurnId,
    ) -> (Vec<Input>, StartOptions) {
        let observe = |inputs: &[Input]| {
            if !inputs.is_empty() {
                session.observe(Event::Drained { turn, inputs: ids(inputs) });
            }
        };
        let taken = self.active_turn.section("get_pending_input: turn items", |slot| {
            let Some(active) = slot else { return Some(Vec::new()) };
            active.state.section("get_pending_input: take", |state| {
                let current = state.phase == Phase::CurrentTurn;
                let taken = current.then(|| std::mem::take(&mut state.pending));
                observe(taken.as_deref().unwrap_or_default());
                taken
            })
        });
        let Some(mut inputs) = taken else { return (Vec::new(), StartOptions::default()) };
        let start = session.mailbox.section("get_pending_input: mailbox", |mailbox| {
            let drained = mailbox.drain();
            let mail: Vec<Input> = drained.mail.iter().map(input_of).collect();
            observe(&mail);
            inputs.extend(mail);
            drained.start
        });
        (inputs, start)
    }
}

/// Whether a request may follow. Input that the hook blocks is gone.
pub(super) async fn run_hooks_and_record_inputs(
    session: &Session,
    turn: TurnId,
    batch: Vec<Input>,
) -> bool {
    let (mut blocked, mut accepted) = (false, false);
    before_batch(session, &batch).await;
    for input in batch {
        let Inspection { verdict, context } = inspect(session, &input).await;
        session.state.section("run_hooks_and_record_inputs: record", |history| {
            let id = input.id;
            match verdict {
                HookVerdict::Accept => {
                    if input.kind == InputKind::User {
                        accepted |= !input.is_empty();
                        session.observe(Event::Hooked { input: id, accepted: true });
                    }
                    history.record_input(&*session.env, &input, Some(turn));
                }
                HookVerdict::Block => {
                    blocked = true;
                    session.observe(Event::Hooked { input: id, accepted: false });
                }
            }
            if let Some(context) = context {
                history.record_text(Role::Context, context);
            }
        });
    }
    accepted || !blocked
}

impl TurnSide for UpstreamTurn {
    type Admitted = ();

    fn session(&self) -> &Arc<Session> {
        &self.session
    }

    fn id(&self) -> TurnId {
        self.turn
    }

    fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    fn context(&self) -> &Arc<TurnContext> {
        &self.context
    }

    fn own_state(&self) -> Option<Arc<TurnLock>> {
        self.turn_state_for_sub_id("turn_state_for_sub_id")
    }

    fn announce(&self, kind: TaskKind) {
        let started = Event::TurnStarted { turn: self.turn, kind };
        self.session.send_event("send_event: TurnStarted", started);
    }

    fn drain(&self) -> Result<Vec<Input>, Stopped> {
        Ok(self.slot.get_pending_input(&self.session, self.turn).0)
    }

    async fn admit(&self, batch: Vec<Input>) -> Result<Option<()>, Stopped> {
        let goes_on = run_hooks_and_record_inputs(&self.session, self.turn, batch).await;
        Ok(goes_on.then_some(()))
    }

    /// Nobody is told, and nothing is recorded (U15).
    fn drop_initial(&self, _batch: Vec<Input>) {}

    fn begin_request(&self, _admitted: (), request: u32) -> Result<Request, Stopped> {
        Ok(self.session.state.section("sampling: build prompt", |history| {
            history.begin_request(&*self.session.env, &self.asking(request))
        }))
    }

    fn begin_other_request(
        &self,
        purpose: Purpose,
        prompt: Option<Arc<str>>,
        request: u32,
    ) -> Result<Request, Stopped> {
        let (env, asking) = (&*self.session.env, self.asking(request));
        Ok(self.session.state.section("side request: build prompt", |history| {
            history.begin_other(env, &asking, purpose, prompt)
        }))
    }

    fn compact_history(&self, summary: Arc<str>) -> Result<(), Stopped> {
        self.session.compact_history(summary, self.turn);
        Ok(())
    }

    fn record_stop_prompt(&self, prompt: Arc<str>) -> Result<(), Stopped> {
        self.session.state.section("stop hook: record prompt", |history| {
            history.record_text(Role::User, prompt);
            self.session.observe(Event::StopBlocked { turn: self.turn });
        });
        self.accept_mailbox_delivery(PhaseCause::FollowUp);
        Ok(())
    }

    fn record_item(&self, item: &ModelItem) -> Result<(), Stopped> {
        if let ModelItem::Tool(_) = item {
            self.accept_mailbox_delivery(PhaseCause::ToolCall);
        }
        self.session.state.section("record_completed_response_item: record", |history| {
            history.record_item(&*self.session.env, item, self.turn);
        });
        self.session.note_full(item);
        if item.is_final_answer() {
            self.defer_mailbox_delivery();
        }
        Ok(())
    }

    fn record_output(&self, output: Arc<str>) -> Result<(), Stopped> {
        self.session.state.section("drain_in_flight: record tool output", |history| {
            history.record_text(Role::ToolOutput, output);
        });
        Ok(())
    }

    fn sleep(&self) -> Result<(), Stopped> {
        self.session.sleep();
        Ok(())
    }

    fn open_waiter(
        &self,
        table: WaiterTable,
        key: Arc<str>,
    ) -> Result<Receiver<Arc<str>>, Stopped> {
        let (sender, receiver) = new_waiter();
        // A turn that is no longer in the slot has no table: its sender is dropped at once.
        let rest = match self.turn_state_for_sub_id("request: find turn") {
            None => Some(sender),
            Some(state) => state.section("request: open waiter", |state| {
                enter(&self.session, state, self.turn, (table, key), sender)
            }),
        };
        drop(rest);
        Ok(receiver)
    }

    fn mail_preempts(&self) -> bool {
        self.session.mailbox.peek("sampling: mail preempts", |mailbox| !mailbox.is_empty())
    }

    fn end_request(&self, request: u32, how: RequestEnd) -> Result<(), Stopped> {
        let turn = self.turn;
        let seen_now =
            how != RequestEnd::Cancelled && self.cancel.is_cancelled("sampling: cancelled");
        if seen_now {
            self.session.observe(Event::CancelSeen { turn });
        }
        let how = if seen_now { RequestEnd::Cancelled } else { how };
        self.session.state.section("sampling: request ended", |_history| {
            self.session.observe(Event::RequestEnded { turn, request, how });
        });
        match how {
            RequestEnd::Cancelled => Err(Stopped),
            RequestEnd::Completed { follow_up: true } | RequestEnd::Preempted => {
                self.accept_mailbox_delivery(PhaseCause::FollowUp);
                Ok(())
            }
            RequestEnd::Completed { follow_up: false } | RequestEnd::Failed => Ok(()),
        }
    }

    fn end_other_request(&self, request: u32, how: RequestEnd) -> Result<(), Stopped> {
        let turn = self.turn;
        self.session.state.section("side request: ended", |_history| {
            self.session.observe(Event::RequestEnded { turn, request, how });
        });
        Ok(())
    }

    fn wants_more(&self, follow_up: bool) -> bool {
        let pending = self.has_pending_input();
        follow_up || pending
    }

    fn last_look(&self, takes_input: bool) -> LastLook {
        if takes_input && self.has_pending_input() { LastLook::GoOn } else { LastLook::Leave }
    }

    async fn finish(&self, ended: Ended) {
        if !self.cancel.is_cancelled("task: cancelled") {
            self.on_task_finished(ended).await;
        }
    }
}
