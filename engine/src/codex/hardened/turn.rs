//! The turn's own operations: one section of its own lock each, fenced.
//!
//! Promises: an input is in `pending`, in the mailbox, in `in_flight` or in history, never
//! between two of them; what a turn records of the queues, it samples in the same section. A
//! fenced turn is told so and changes nothing. The slot is asked only at the last look.

use std::sync::Arc;

use midturn_protocol::{
    ClearedBy, Event, HookVerdict, Input, InputKind, Inspection, ModelItem, Phase, PhaseCause,
    Purpose, Request, RequestEnd, Role, TaskKind, TurnContext, TurnId, WaiterTable,
};
use midturn_sync::{Cancel, Receiver};

use crate::codex::Fault;
use crate::codex::admission::{before_batch, inspect};
use crate::codex::answer::{enter, new_waiter};
use crate::codex::hardened::finish::put_back;
use crate::codex::hardened::{ActiveTurn, Hardened};
use crate::codex::history::Asking;
use crate::codex::mailbox::input_of;
use crate::codex::session::Session;
use crate::codex::turn_side::{Ended, LastLook, Stopped, TurnSide};
use crate::codex::turn_state::{TurnLock, TurnState, ids};

/// What the task of a turn holds.
pub(super) struct HardenedTurn {
    pub(super) session: Arc<Session>,
    pub(super) slot: Hardened,
    pub(super) turn: TurnId,
    pub(super) state: Arc<TurnLock>,
    pub(super) context: Arc<TurnContext>,
    pub(super) cancel: Cancel,
}

/// What a drain takes.
#[derive(Clone, Copy)]
struct Take {
    /// What waits on the turn.
    own: bool,
    /// The mailbox.
    mail: bool,
}

/// A batch with what the hooks said.
pub(super) type Inspected = Vec<(Input, Inspection)>;

impl HardenedTurn {
    #[track_caller]
    fn unless_fenced<R>(
        &self,
        state: &TurnLock,
        name: &'static str,
        body: impl FnOnce(&mut TurnState) -> R,
    ) -> Result<R, Stopped> {
        state.section(name, |state| if state.fenced { Err(Stopped) } else { Ok(body(state)) })
    }

    /// Whose list a drain takes: its own.
    fn drained_turn(&self) -> Arc<TurnLock> {
        if !self.session.policy.faults.has(Fault::DrainReleasesSlotFirst) {
            return self.state.clone();
        }
        let own = self.slot.active_turn.peek("drain: own turn", |slot| slot.runs(&self.state));
        self.slot.active_turn.peek("drain: any turn", |slot| match slot {
            ActiveTurn::Running(running) if own => running.state.clone(),
            ActiveTurn::Running(_)
            | ActiveTurn::Idle
            | ActiveTurn::Reserved(_)
            | ActiveTurn::Finishing { .. }
            | ActiveTurn::Closed => self.state.clone(),
        })
    }

    #[track_caller]
    fn take_what_waits(&self, name: &'static str, take: Take) -> Result<Vec<Input>, Stopped> {
        self.unless_fenced(&self.drained_turn(), name, |state| {
            if state.phase == Phase::NextTurn {
                return Vec::new();
            }
            let mut batch = if take.own { std::mem::take(&mut state.pending) } else { Vec::new() };
            if take.mail {
                let mailbox = &self.session.mailbox;
                let drained = mailbox.section("drain: mailbox", |mailbox| mailbox.drain());
                let mail: Vec<Input> = drained.mail.iter().map(input_of).collect();
                state.taken_mail.extend(drained.mail);
                if self.session.policy.faults.has(Fault::MailBeforeInput) {
                    batch.splice(0..0, mail);
                } else {
                    batch.extend(mail);
                }
            }
            if !self.session.policy.faults.has(Fault::DrainedIsForgotten) {
                state.in_flight.extend(batch.iter().cloned());
            }
            if !batch.is_empty() {
                let inputs = ids(&batch);
                self.session.observe(Event::Drained { turn: self.turn, inputs });
            }
            batch
        })
    }

    fn asking(&self, request: u32) -> Asking<'_> {
        Asking { turn: self.turn, request, context: &self.context }
    }

    /// Settles inspected inputs: those that pass enter history, the others are reported.
    fn settle(&self, state: &mut TurnState, inspected: Inspected) {
        let settled: Vec<_> = inspected.iter().map(|(input, _)| input.id).collect();
        state.in_flight.retain(|input| !settled.contains(&input.id));
        self.session.state.section("admit: record", |history| {
            for (input, Inspection { verdict, context }) in inspected {
                let id = input.id;
                match verdict {
                    HookVerdict::Accept => {
                        if input.kind == InputKind::User {
                            self.session.observe(Event::Hooked { input: id, accepted: true });
                        }
                        history.record_input(&*self.session.env, &input, Some(self.turn));
                        if self.session.policy.faults.has(Fault::InputIsRecordedTwice) {
                            history.record_input(&*self.session.env, &input, Some(self.turn));
                        }
                    }
                    HookVerdict::Block => {
                        self.session.observe(Event::Hooked { input: id, accepted: false });
                        self.session.observe(Event::Cleared { input: id, by: ClearedBy::Hook });
                    }
                }
                if let Some(context) = context {
                    history.record_text(Role::Context, context);
                }
            }
        });
    }

    /// Settles a batch of which the hooks let nothing pass but mail. Mail does not reopen a turn
    /// that has answered: it goes back, for the next turn.
    fn settle_blocked(&self, state: &mut TurnState, inspected: Inspected) -> Option<Inspected> {
        let (mail, blocked): (Inspected, Inspected) =
            inspected.into_iter().partition(|(_, said)| said.verdict == HookVerdict::Accept);
        if !mail.is_empty() && !state.answered {
            return Some(blocked.into_iter().chain(mail).collect());
        }
        self.settle(state, blocked);
        let mail: Vec<Input> = mail.into_iter().map(|(input, _)| input).collect();
        state.in_flight.retain(|input| !mail.iter().any(|mail| mail.id == input.id));
        put_back(&self.session, state, &mail);
        None
    }
}

impl TurnSide for HardenedTurn {
    type Admitted = Inspected;

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
        Some(self.state.clone())
    }

    /// Done by whoever installed the turn.
    fn announce(&self, _kind: TaskKind) {}

    fn drain(&self) -> Result<Vec<Input>, Stopped> {
        if !self.session.policy.faults.has(Fault::DrainInTwoSections) {
            return self.take_what_waits("drain: take what waits", Take { own: true, mail: true });
        }
        let own = Take { own: true, mail: false };
        let mut batch = self.take_what_waits("drain: take its own", own)?;
        let mail = Take { own: false, mail: true };
        batch.extend(self.take_what_waits("drain: take mail", mail)?);
        Ok(batch)
    }

    async fn admit(&self, batch: Vec<Input>) -> Result<Option<Inspected>, Stopped> {
        before_batch(&self.session, &batch).await;
        let mut inspected = Vec::with_capacity(batch.len());
        for input in batch {
            let said = inspect(&self.session, &input).await;
            inspected.push((input, said));
        }
        let blocked = inspected.iter().any(|(_, said)| said.verdict == HookVerdict::Block);
        let passes = |(input, said): &(Input, Inspection)| {
            said.verdict == HookVerdict::Accept && !matches!(input.kind, InputKind::Mail { .. })
        };
        if blocked && self.session.policy.faults.has(Fault::BlockStrandsTheBatch) {
            inspected.retain(|(_, said)| said.verdict == HookVerdict::Block);
        }
        if !blocked || inspected.iter().any(passes) {
            return Ok(Some(inspected));
        }
        self.unless_fenced(&self.state, "admit: all blocked", |state| {
            self.settle_blocked(state, inspected)
        })
    }

    /// Whoever sent it is told.
    fn drop_initial(&self, _batch: Vec<Input>) {
        // A fenced turn has nothing left to drop.
        let _ = self.unless_fenced(&self.state, "start hook: drop initial input", |state| {
            let initial = std::mem::take(&mut state.initial);
            let others = state.pending.iter().any(|input| !initial.contains(&input.id));
            // A steer that waits may have left out the context that the start has brought.
            let takes_all = self.session.policy.faults.has(Fault::StoppedStartTakesItsContext);
            let stays = |input: &Input| others && input.kind == InputKind::Response && !takes_all;
            let (dropped, kept) = std::mem::take(&mut state.pending)
                .into_iter()
                .partition::<Vec<Input>, _>(|input| initial.contains(&input.id) && !stays(input));
            state.pending = kept;
            if self.session.policy.faults.has(Fault::BlockedStartIsForgotten) {
                return;
            }
            for input in dropped {
                self.session.observe(Event::Cleared { input: input.id, by: ClearedBy::Hook });
            }
        });
    }

    fn begin_request(&self, admitted: Inspected, request: u32) -> Result<Request, Stopped> {
        self.unless_fenced(&self.state, "sampling: record and build prompt", |state| {
            if !admitted.is_empty() {
                self.settle(state, admitted);
            }
            state.answered = false;
            state.open_request = Some(request);
            let changed = self.session.changed_context(&self.context);
            let asking = Asking { context: &changed, ..self.asking(request) };
            self.session.state.section("sampling: build prompt", |history| {
                history.begin_request(&*self.session.env, &asking)
            })
        })
    }

    fn begin_other_request(
        &self,
        purpose: Purpose,
        prompt: Option<Arc<str>>,
        request: u32,
    ) -> Result<Request, Stopped> {
        self.unless_fenced(&self.state, "side request: begin", |state| {
            state.open_request = Some(request);
            self.session.state.section("side request: build prompt", |history| {
                history.begin_other(&*self.session.env, &self.asking(request), purpose, prompt)
            })
        })
    }

    fn compact_history(&self, summary: Arc<str>) -> Result<(), Stopped> {
        self.unless_fenced(&self.state, "compaction: settle", |_state| {
            self.session.compact_history(summary, self.turn);
        })
    }

    fn record_stop_prompt(&self, prompt: Arc<str>) -> Result<(), Stopped> {
        let (env, turn) = (&*self.session.env, self.turn);
        self.unless_fenced(&self.state, "stop hook: go on", |state| {
            self.session.state.section("stop hook: record prompt", |history| {
                history.record_text(Role::User, prompt);
            });
            env.observe(Event::StopBlocked { turn });
            state.reopen(env, turn, PhaseCause::FollowUp);
        })
    }

    fn record_item(&self, item: &ModelItem) -> Result<(), Stopped> {
        let env = &*self.session.env;
        self.unless_fenced(&self.state, "record_completed_response_item: record", |state| {
            if let ModelItem::Tool(_) = item {
                state.reopen(env, self.turn, PhaseCause::ToolCall);
            }
            self.session.state.section("record_completed_response_item: history", |history| {
                history.record_item(env, item, self.turn);
            });
            self.session.note_full(item);
            if item.is_final_answer() {
                state.defer(env, self.turn, self.session.policy.faults);
            }
        })
    }

    fn record_output(&self, output: Arc<str>) -> Result<(), Stopped> {
        self.unless_fenced(&self.state, "drain_in_flight: record tool output", |_state| {
            self.session.state.section("drain_in_flight: history", |history| {
                history.record_text(Role::ToolOutput, output);
            });
        })
    }

    fn sleep(&self) -> Result<(), Stopped> {
        self.unless_fenced(&self.state, "sleep: unless fenced", |_state| self.session.sleep())
    }

    fn open_waiter(
        &self,
        table: WaiterTable,
        key: Arc<str>,
    ) -> Result<Receiver<Arc<str>>, Stopped> {
        let (sender, receiver) = new_waiter();
        let displaced = self.unless_fenced(&self.state, "request: open waiter", |state| {
            enter(&self.session, state, self.turn, (table, key), sender)
        })?;
        drop(displaced);
        Ok(receiver)
    }

    /// Not after an answer: waiting mail is for the next turn then.
    fn mail_preempts(&self) -> bool {
        let waits =
            self.session.mailbox.peek("sampling: mail preempts", |mailbox| !mailbox.is_empty());
        waits
            && self.state.peek("sampling: phase allows it", |state| {
                state.phase == Phase::CurrentTurn && !state.answered && !state.fenced
            })
    }

    fn end_request(&self, request: u32, how: RequestEnd) -> Result<(), Stopped> {
        let (env, turn) = (&*self.session.env, self.turn);
        self.unless_fenced(&self.state, "sampling: request ended", |state| {
            state.open_request = None;
            env.observe(Event::RequestEnded { turn, request, how });
            match how {
                RequestEnd::Completed { follow_up: true } | RequestEnd::Preempted => {
                    state.reopen(env, turn, PhaseCause::FollowUp);
                }
                RequestEnd::Completed { follow_up: false }
                | RequestEnd::Failed
                | RequestEnd::Cancelled => {}
            }
        })
    }

    fn end_other_request(&self, request: u32, how: RequestEnd) -> Result<(), Stopped> {
        let turn = self.turn;
        self.unless_fenced(&self.state, "side request: ended", |state| {
            state.open_request = None;
            self.session.observe(Event::RequestEnded { turn, request, how });
        })
    }

    /// What waits is looked for once, at the last look, which decides.
    fn wants_more(&self, follow_up: bool) -> bool {
        follow_up
    }

    fn last_look(&self, takes_input: bool) -> LastLook {
        self.decide_end(takes_input)
    }

    async fn finish(&self, ended: Ended) {
        self.end_turn(ended).await;
    }
}
