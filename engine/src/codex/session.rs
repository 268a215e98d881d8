//! What all parts of one session share.
//!
//! Promises: the data is there before the activity watch tells of it, so that whoever is woken
//! finds it or knows that somebody else took it. Holds no rule about turns.

use std::convert::Infallible;
use std::sync::Arc;

use midturn_protocol::{
    Activity, ContextEntry, Env, Event, Input, InputId, InputKind, Mail, ModelItem, Outside, Place,
    Reason, SlotShape, StartOptions, TurnContext, TurnEnd, TurnId,
};
use midturn_sync::{Cancel, Mutex, Watch};

use crate::codex::client_view::ClientView;
use crate::codex::configuration::{Configuration, StartRequest};
use crate::codex::history::History;
use crate::codex::mailbox::Mailbox;
use crate::codex::slot::Slot;
use crate::codex::{Fault, Policy};

/// A session: the slot and what stands beside it.
pub(crate) struct Session {
    pub(crate) env: Arc<dyn Env>,
    pub(crate) policy: Policy,
    pub(crate) slot: Box<dyn Slot>,
    pub(crate) mailbox: Mutex<Mailbox>,
    pub(crate) state: Mutex<History>,
    pub(crate) configuration: Mutex<Configuration>,
    /// The channel on which a client sees turns start and end, and what it made of it.
    pub(crate) events: Mutex<ClientView>,
    pub(crate) activity: Watch<Activity>,
    /// What is still starting up beside the session (Codex: MCP servers).
    pub(crate) start_up: Cancel,
}

impl Session {
    pub(crate) fn observe(&self, event: Event) {
        self.env.observe(event);
    }

    /// About to wait for something that no queue can hurry.
    pub(crate) fn awaits(&self, on: Outside) {
        self.observe(Event::Awaits { on });
    }

    /// Sends a client-visible event, and whatever replies it brings due.
    #[track_caller]
    pub(crate) fn send_event(&self, name: &'static str, event: Event) {
        let keeps_aborted = self.policy.view_keeps_aborted_turn();
        let due = self.events.section(name, |view| {
            let due = view.follow(&event, keeps_aborted);
            self.env.observe(event);
            due
        });
        for (turn, waiting) in due {
            // Whoever asked may have gone away.
            let _ = waiting.send("server: turn/interrupt is answered", turn);
        }
    }

    /// Tells whoever waits for activity about `input`.
    #[track_caller]
    pub(crate) fn publish(&self, name: &'static str, activity: Activity, input: InputId) {
        self.activity.send(name, activity);
        self.env.observe(Event::Sent { activity, input });
    }

    /// Puts `input` where `put` puts it, then tells of it if that worked.
    #[track_caller]
    pub(crate) fn put_then_publish<T, E>(
        &self,
        name: &'static str,
        activity: Activity,
        input: InputId,
        put: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let too_early = self.policy.faults.has(Fault::SignalBeforeData);
        if too_early {
            self.publish(name, activity, input);
        }
        let done = put()?;
        if !too_early {
            self.publish(name, activity, input);
        }
        Ok(done)
    }

    /// Puts mail at the end of the mailbox; starts nothing.
    pub(crate) fn enqueue_mail(&self, mail: Mail) {
        let input = mail.id;
        let put = || -> Result<(), Infallible> {
            self.mailbox.section("enqueue_mailbox_communication: push", |mailbox| {
                let kind = InputKind::Mail { trigger: mail.trigger };
                self.observe(Event::Accepted { input, kind, place: Place::Mailbox });
                mailbox.push(mail);
            });
            Ok(())
        };
        let site = "enqueue_mailbox_communication: publish activity";
        let Ok(()) = self.put_then_publish(site, Activity::Mailbox, input, put);
    }

    /// Whether the host takes new starts. What a parent turn delegates is let in.
    pub(crate) fn admit_start(&self, start: &StartOptions) -> Result<(), Reason> {
        let draining = start.parent.is_none()
            && self
                .configuration
                .peek("start_or_steer: admission", |configuration| configuration.is_draining());
        if draining { Err(Reason::ServerDraining) } else { Ok(()) }
    }

    /// Whether `expected_previous`, if given, is the turn that started last. Inside the section
    /// of the slot.
    pub(crate) fn follows(&self, expected_previous: Option<TurnId>) -> Result<(), Reason> {
        let expected =
            expected_previous.filter(|_| !self.policy.faults.has(Fault::PreviousIsNotChecked));
        let Some(expected) = expected else { return Ok(()) };
        let last =
            self.configuration.peek("reserve: last started turn", Configuration::last_started);
        if last == Some(expected) { Ok(()) } else { Err(Reason::Superseded) }
    }

    /// What a turn for mail is called. Inside the section of the slot.
    pub(crate) fn unused(&self, turn: TurnId) -> TurnId {
        if self.policy.faults.has(Fault::NamesAreUsedTwice) {
            return turn;
        }
        self.configuration
            .peek("reserve: name the turn", |configuration| configuration.unused(turn))
    }

    /// Additional context that is new to the model; `there` says of an item that told it whether
    /// the model has read it or still will. Inside the section of the slot.
    pub(crate) fn merge_context(
        &self,
        context: &[ContextEntry],
        there: impl Fn(InputId) -> bool,
    ) -> Vec<Input> {
        if context.is_empty() {
            return Vec::new();
        }
        self.configuration.section("merge additional context", |known| {
            known.merge_context(context.to_vec(), there)
        })
    }

    /// Whether this context has entered history. What waits on a turn may be cleared with it.
    pub(crate) fn has_read(&self, context: InputId) -> bool {
        self.policy.faults.has(Fault::ClearedContextStaysKnown)
            || self.state.peek("additional context: in history", |history| history.has(context))
    }

    /// Applies what a start brings along; all of it or nothing.
    pub(crate) fn apply_started(
        &self,
        request: &StartRequest<'_>,
        context: &[ContextEntry],
        there: impl Fn(InputId) -> bool,
    ) -> Result<(Arc<TurnContext>, Vec<Input>), Reason> {
        self.configuration.section("apply_started: settings and context", |configuration| {
            let turn = configuration.commit_start(&*self.env, request)?;
            Ok((turn, configuration.merge_context(context.to_vec(), there)))
        })
    }

    /// Under what a turn runs that is started for mail. Without trigger mail it keeps to the
    /// program of the turn before it.
    pub(crate) fn context_for_mail(
        &self,
        turn: TurnId,
        mut start: StartOptions,
        triggered: bool,
    ) -> Arc<TurnContext> {
        self.configuration.section("start for mail: turn context", |configuration| {
            if !triggered {
                start.program = configuration.last_program();
            }
            configuration.wake();
            configuration.build_context(&*self.env, turn, start)
        })
    }

    /// Under what a turn runs that nobody has asked for anything special.
    pub(crate) fn context_as_it_is(&self, turn: TurnId, start: StartOptions) -> Arc<TurnContext> {
        self.configuration.section("turn context", |configuration| {
            configuration.build_context(&*self.env, turn, start)
        })
    }

    /// The context of a running turn, which nothing changes: the place of a planted fault.
    pub(crate) fn changed_context(&self, context: &Arc<TurnContext>) -> Arc<TurnContext> {
        if !self.policy.faults.has(Fault::SteerChangesTheTurn) {
            return context.clone();
        }
        let settings = self
            .configuration
            .peek("fault: settings as they are", |configuration| configuration.settings().clone());
        Arc::new(TurnContext { settings, ..(**context).clone() })
    }

    /// From now on any mail starts a turn.
    pub(crate) fn sleep(&self) {
        self.configuration.section("sleep: until mail", |configuration| configuration.sleep());
    }

    /// Whether any mail at all starts a turn.
    pub(crate) fn is_sleeping(&self) -> bool {
        self.configuration.peek("maybe_start_turn_for_pending_work: sleeping", |configuration| {
            configuration.is_sleeping()
        })
    }

    /// Inside the section of the slot. Whether history has to be compacted first.
    pub(crate) fn record_started(&self, turn: TurnId) -> bool {
        self.configuration.section("record last started turn", |configuration| {
            configuration.started(turn);
            configuration.is_full()
        })
    }

    /// Remembers that a response filled the window.
    pub(crate) fn note_full(&self, item: &ModelItem) {
        if *item == ModelItem::Full {
            self.configuration.section("token usage: full", |configuration| {
                configuration.set_full(true);
            });
        }
    }

    /// Puts `summary` in the place of what was sampled.
    pub(crate) fn compact_history(&self, summary: Arc<str>, turn: TurnId) {
        self.state.section("compaction: replace history", |history| {
            if self.policy.faults.has(Fault::CompactionTakesTheUnread) {
                history.forget_unread();
            }
            history.compact(&*self.env, summary, turn);
        });
        self.configuration.section("compaction: not full", |configuration| {
            configuration.set_full(false);
        });
    }

    pub(crate) async fn flush(&self, turn: TurnId) {
        self.awaits(Outside::Log);
        self.env.flush().await;
        self.observe(Event::Flushed { turn });
    }

    /// Tells the parent, if there is one, that a turn ended and with which answer.
    pub(crate) async fn report_end(&self, turn: TurnId, how: TurnEnd, answer: Option<Arc<str>>) {
        if let Some(report) = self.env.report_end(turn, how, answer) {
            report.await;
        }
    }

    /// Tells who waits for a quiet session that it is, unless mail is about to start a turn.
    pub(crate) async fn thread_idle(&self) {
        let Some(told) = self.env.idle_hook() else { return };
        let busy = self.slot.view().shape != SlotShape::Idle;
        if busy || self.mailbox.peek("thread idle: trigger mail", Mailbox::has_trigger) {
            return;
        }
        self.observe(Event::ThreadIdle);
        told.await;
    }
}
