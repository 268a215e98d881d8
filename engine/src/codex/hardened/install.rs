//! A turn gets its task.
//!
//! Promises: the client is told inside the section that installs the turn, so no turn is ended
//! that was not announced, and an aborted task can announce nothing. The task finds its input
//! in the turn's own list, where an abort finds it too, however early it comes.

use std::sync::Arc;

use midturn_protocol::{
    Event, InputId, Reason, Reply, SlotShape, SpecialTask, StartOptions, TaskName, TurnContext,
    TurnEnd, TurnId,
};
use midturn_sync::task::abortable;
use midturn_sync::{Cancel, Latch, Site};

use crate::codex::hardened::abort::Abort;
use crate::codex::hardened::turn::HardenedTurn;
use crate::codex::hardened::{ActiveTurn, Hardened, Launch, Running, Successor, Then};
use crate::codex::preset;
use crate::codex::session::Session;
use crate::codex::slot::PresetTurn;
use crate::codex::turn::{Work, finish_task, run_task};
use crate::codex::turn_side::Ended;
use crate::codex::turn_state::TurnState;

impl Hardened {
    /// Inside the section of the slot: announces a turn and lets its task run.
    pub(super) fn install(&self, session: &Arc<Session>, slot: &mut ActiveTurn, launch: Launch) {
        let (turn, kind) = (launch.turn, launch.work.kind());
        // A successor was promised before the turn before it had ended.
        let full = session.record_started(turn);
        let context = Arc::new(TurnContext { full, ..(*launch.context).clone() });
        let launch = Launch { context, ..launch };
        session.send_event("send_event: TurnStarted", Event::TurnStarted { turn, kind });
        self.occupy(session, slot, launch);
    }

    fn occupy(&self, session: &Arc<Session>, slot: &mut ActiveTurn, launch: Launch) {
        let Launch { turn, context, state, work } = launch;
        let from = slot.shape();
        session.observe(Event::Slot { from, to: SlotShape::Running, turn: Some(turn) });
        let (cancel, done) = (Cancel::new("cancel"), Latch::new("done"));
        let kind = work.kind();
        let side = HardenedTurn {
            session: session.clone(),
            slot: self.clone(),
            turn,
            state: state.clone(),
            context: context.clone(),
            cancel: cancel.clone(),
        };
        let (ended, env) = (done.clone(), session.env.clone());
        let (future, abort) = abortable("task", async move {
            run_task(side, work, true).await;
            ended.set(Site::here("task: done"));
            env.observe(Event::TaskDone { turn });
        });
        let task = async move {
            future.await;
        };
        session.env.spawn(TaskName::Turn(turn), Box::pin(task));
        *slot = ActiveTurn::Running(Running { turn, kind, context, state, cancel, done, abort });
    }

    /// A review or compaction. Something that runs is replaced by it; something that has been
    /// promised the slot is not.
    pub(super) fn begin_special(
        &self,
        session: &Arc<Session>,
        id: InputId,
        task: SpecialTask,
    ) -> Reply {
        let turn = TurnId::of(id);
        let work = match task {
            SpecialTask::Review(prompt) => Work::Review(prompt),
            SpecialTask::Compact => Work::Compact,
        };
        self.active_turn.section("begin: decide and do", |slot| {
            if slot.is_closed() {
                return Reply::Refused(Reason::ServerDraining);
            }
            if let ActiveTurn::Finishing { then: Then::Successor(_), .. } = slot {
                return Reply::Refused(Reason::NotIdle);
            }
            let context = session.context_as_it_is(turn, StartOptions::default());
            let launch = Launch { turn, context, state: TurnState::new().locked(), work };
            match slot {
                ActiveTurn::Running(_) => {
                    let then = Then::Successor(Successor::new(launch));
                    self.stop_running(session, slot, Abort::Replace, then);
                }
                ActiveTurn::Finishing { then, .. } => {
                    *then = Then::Successor(Successor::new(launch));
                }
                ActiveTurn::Idle | ActiveTurn::Reserved(_) | ActiveTurn::Closed => {
                    self.install(session, slot, launch);
                }
            }
            Reply::Began(turn)
        })
    }

    pub(super) fn install_preset(&self, session: &Arc<Session>, preset: PresetTurn) {
        let turn = TurnId::of(InputId::PRESET);
        let context = preset::announce(session, turn, preset);
        let mut fresh = TurnState::new();
        if preset == PresetTurn::Finishing {
            fresh.defer(&*session.env, turn, session.policy.faults);
        }
        let state = fresh.locked();
        self.active_turn.section("preset: install", |slot| {
            if preset != PresetTurn::Finishing {
                let work = preset::work(preset);
                return self.occupy(session, slot, Launch { turn, context, state, work });
            }
            let (from, to) = (slot.shape(), SlotShape::Finishing);
            session.observe(Event::Slot { from, to, turn: Some(turn) });
            *slot = ActiveTurn::Finishing { turn, state: state.clone(), then: Then::Free };
            let side = HardenedTurn {
                session: session.clone(),
                slot: self.clone(),
                turn,
                state,
                context,
                cancel: Cancel::new("cancel"),
            };
            let ended = Ended { how: TurnEnd::Completed, answer: Some("done".into()) };
            let task = async move { finish_task(&side, Some(ended)).await };
            session.env.spawn(TaskName::Turn(turn), Box::pin(task));
        });
    }
}
