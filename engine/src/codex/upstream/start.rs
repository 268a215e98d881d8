//! Codex: `start_task` and those who call it.
//!
//! Promises: the drain of the mailbox, the record of the started turn and the publication of
//! its task are three sections, with nothing that ties them together (U3, U4).

use std::sync::Arc;

use midturn_protocol::{
    Event, Input, InputId, Metadata, Place, Reason, Reply, SlotShape, SpecialTask, StartOptions,
    Submission, TaskName, TurnContext, TurnEnd, TurnId,
};
use midturn_sync::task::abortable;
use midturn_sync::{Cancel, Signal};

use crate::codex::configuration::{StartKind, StartRequest};
use crate::codex::mailbox::input_of;
use crate::codex::preset;
use crate::codex::session::Session;
use crate::codex::slot::{PresetTurn, Reservation, Slot};
use crate::codex::turn::{Opening, Work, run_task};
use crate::codex::turn_state::{TurnState, ids};
use crate::codex::upstream::route::is_initial;
use crate::codex::upstream::turn::UpstreamTurn;
use crate::codex::upstream::{ActiveTurn, RunningTask, Upstream, shape};

/// A task about to start.
pub(super) struct Launch {
    turn: TurnId,
    context: Arc<TurnContext>,
    work: Work,
    metadata: (InputId, Option<Metadata>),
}

impl Launch {
    /// A turn that samples `initial` before anything that waits.
    pub(super) fn turn(
        turn: TurnId,
        context: Arc<TurnContext>,
        initial: Vec<Input>,
        metadata: (InputId, Option<Metadata>),
    ) -> Self {
        let opening = if initial.is_empty() { Opening::Waiting } else { Opening::Input(initial) };
        Launch { turn, context, work: Work::Turn(opening), metadata }
    }
}

impl Upstream {
    pub(super) fn start_reserved(
        &self,
        session: &Arc<Session>,
        reservation: &Reservation,
        submission: Submission,
        kind: StartKind,
    ) -> Result<TurnId, Reason> {
        let turn = reservation.turn;
        let Submission { input, settings, context, metadata, start, .. } = submission;
        let command = input.id;
        let request = StartRequest {
            command,
            turn,
            kind,
            edit: &settings,
            start,
            asks_host: false,
            asks_constraints: true,
        };
        let (context, mut batch) =
            session.apply_started(&request, &context, |_| true).inspect_err(|&reason| {
                self.release(session, reservation, Some((command, reason)));
            })?;
        if session.policy.start_verifies_reservation() {
            self.verify(session, reservation, command)?;
        }
        let initial = is_initial(&input);
        batch.extend(Some(input).filter(|input| !input.is_empty()));
        if !initial && !batch.is_empty() {
            reservation.state.section("start_if_idle: append to reserved turn", |state| {
                for input in batch.drain(..) {
                    state.append(&*session.env, input, Place::Pending(turn));
                }
            });
        }
        self.start_task(session, Launch::turn(turn, context, batch, (command, metadata)));
        Ok(turn)
    }

    /// Whether `reservation` still holds the slot; gives the input back otherwise.
    pub(super) fn verify(
        &self,
        session: &Session,
        reservation: &Reservation,
        input: InputId,
    ) -> Result<(), Reason> {
        self.active_turn.section("start: still reserved", |slot| {
            if slot.as_ref().is_some_and(|a| a.task.is_none() && a.owns(&reservation.state)) {
                return Ok(());
            }
            let reason = Reason::Superseded;
            session.observe(Event::GivenBack { input });
            session.observe(Event::Refused { input, reason });
            Err(reason)
        })
    }

    pub(super) fn start_pending(&self, session: &Arc<Session>, reservation: &Reservation) {
        let turn = reservation.turn;
        let still_reserved =
            self.active_turn.peek("maybe_start_turn_for_pending_work: still reserved", |slot| {
                slot.as_ref().is_some_and(|a| a.task.is_none() && a.owns(&reservation.state))
            });
        if !still_reserved {
            return;
        }
        let (drained, start) = self.get_pending_input(session, turn);
        let triggered = drained.iter().any(|input| input.kind.is_trigger_mail());
        let context = session.context_for_mail(turn, start, triggered);
        if !drained.is_empty() {
            let site = "maybe_start_turn_for_pending_work: put back on the turn";
            reservation.state.section(site, |state| {
                for input in drained {
                    state.append(&*session.env, input, Place::Pending(turn));
                }
            });
        }
        self.start_task(session, Launch::turn(turn, context, Vec::new(), (turn.origin, None)));
    }

    /// Codex: `spawn_task` with a review or compaction.
    pub(super) async fn spawn_special(
        self,
        session: Arc<Session>,
        id: InputId,
        task: SpecialTask,
    ) -> Reply {
        let turn = TurnId::of(id);
        self.abort_all_tasks(&session, TurnEnd::Replaced).await;
        let context = session.context_as_it_is(turn, StartOptions::default());
        let work = match task {
            SpecialTask::Review(prompt) => Work::Review(prompt),
            SpecialTask::Compact => Work::Compact,
        };
        self.start_task(&session, Launch { turn, context, work, metadata: (id, None) });
        Reply::Began(turn)
    }

    pub(super) fn start_task(&self, session: &Arc<Session>, launch: Launch) {
        let env = &*session.env;
        let Launch { turn, context, work, metadata } = launch;
        let mail = session.mailbox.section("start_task: drain mailbox", |mailbox| {
            let mail: Vec<Input> = mailbox.drain().mail.iter().map(input_of).collect();
            if !mail.is_empty() {
                env.observe(Event::Drained { turn, inputs: ids(&mail) });
            }
            mail
        });
        let state = self.active_turn.section("start_task: record started turn", |slot| {
            session.record_started(turn);
            get_or_create(session, slot, turn).state.clone()
        });
        if !mail.is_empty() {
            state.section("start_task: append mail to pending", |state| {
                for input in mail {
                    state.append(env, input, Place::Pending(turn));
                }
            });
        }
        self.active_turn.section("start_task: publish task", |slot| {
            let active = get_or_create(session, slot, turn);
            let from = active.shape();
            if let (command, Some(metadata)) = metadata {
                active.state.section("start_task: client metadata", |state| {
                    state.set_metadata(env, Some(metadata), command, turn);
                });
            }
            accept_initial(session, &work, turn);
            let task = self.spawn(session, turn, context, work, false);
            active.turn = turn;
            active.finishing = false;
            env.observe(Event::Slot { from, to: SlotShape::Running, turn: Some(turn) });
            // Whatever task was here is dropped, and with it aborted, without a word (U4).
            active.task = Some(task);
        });
    }

    fn spawn(
        &self,
        session: &Arc<Session>,
        turn: TurnId,
        context: Arc<TurnContext>,
        work: Work,
        announced: bool,
    ) -> RunningTask {
        let (cancel, done) = (Cancel::new("cancel"), Signal::new("done"));
        let side = UpstreamTurn::new(session, self, turn, context.clone(), cancel.clone());
        let (notify, env) = (done.clone(), session.env.clone());
        let kind = work.kind();
        let (future, abort) = abortable("task", async move {
            run_task(side, work, announced).await;
            notify.notify("task: notify done");
            env.observe(Event::TaskDone { turn });
        });
        let task = async move {
            future.await;
        };
        session.env.spawn(TaskName::Turn(turn), Box::pin(task));
        RunningTask { turn, kind, context, cancel, done, abort }
    }

    pub(super) fn install_preset(&self, session: &Arc<Session>, preset: PresetTurn) {
        let turn = TurnId::of(InputId::PRESET);
        let context = preset::announce(session, turn, preset);
        let mut state = TurnState::new();
        if preset == PresetTurn::Finishing {
            state.defer(&*session.env, turn, session.policy.faults);
        }
        self.active_turn.section("preset: install", |slot| {
            let state = state.locked();
            let finishing = preset == PresetTurn::Finishing;
            let task = if finishing {
                self.spawn_finishing(session, turn, context, state.clone());
                None
            } else {
                Some(self.spawn(session, turn, context, preset::work(preset), true))
            };
            let from = shape(slot.as_ref());
            let active = slot.insert(ActiveTurn { turn, finishing, task, state });
            session.observe(Event::Slot { from, to: active.shape(), turn: Some(turn) });
        });
    }
}

/// The initial input of a turn stands in its task.
fn accept_initial(session: &Session, work: &Work, turn: TurnId) {
    if let Work::Turn(Opening::Input(batch)) = work {
        for input in batch {
            let place = Place::Initial(turn);
            session.observe(Event::Accepted { input: input.id, kind: input.kind, place });
        }
    }
}

fn get_or_create<'a>(
    session: &Session,
    slot: &'a mut Option<ActiveTurn>,
    turn: TurnId,
) -> &'a mut ActiveTurn {
    slot.get_or_insert_with(|| {
        let (from, to) = (SlotShape::Idle, SlotShape::Reserved);
        session.observe(Event::Slot { from, to, turn: Some(turn) });
        ActiveTurn::reserved(turn)
    })
}
