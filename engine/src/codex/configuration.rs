//! What a session is set to, and what it remembers of its turns.
//!
//! Promises: a check and the change that it allows are one call, so one section of whoever holds
//! the lock; an edit is applied to what is in force then, not to what a preview saw. Codex keeps
//! this in `state`, beside history; nothing reads both, so here the two have locks of their own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use midturn_protocol::{
    ContextEntry, Env, Event, Forbidden, Input, InputId, InputKind, Reason, SessionMode, Settings,
    SettingsEdit, StartOptions, TurnContext, TurnId,
};

/// Who asked for a start, which decides what may refuse it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartKind {
    /// A user said something.
    User,
    /// Nobody did: refused in Plan mode.
    Automatic,
    /// Something interrupted is taken up again.
    Recovery,
}

/// A start that is asked for.
pub(crate) struct StartRequest<'a> {
    pub(crate) command: InputId,
    pub(crate) turn: TurnId,
    pub(crate) kind: StartKind,
    pub(crate) edit: &'a SettingsEdit,
    pub(crate) start: StartOptions,
    /// Refused if the host takes no new starts, in this very step.
    pub(crate) asks_host: bool,
    /// Refused if its settings are forbidden, in this very step.
    pub(crate) asks_constraints: bool,
}

/// The configuration of a session.
#[derive(Debug, Default)]
pub(crate) struct Configuration {
    settings: Settings,
    forbidden: BTreeSet<Forbidden>,
    /// The additional context that the model was last to be told, and by which item.
    context: BTreeMap<Arc<str>, (Arc<str>, InputId)>,
    last_started: Option<TurnId>,
    started: BTreeSet<TurnId>,
    last_program: Option<Arc<str>>,
    draining: bool,
    /// History has to be compacted before it is sampled again.
    full: bool,
    /// An agent sleeps until mail comes: any mail starts a turn.
    sleeping: bool,
}

impl Configuration {
    pub(crate) fn new(
        settings: Settings,
        forbidden: Vec<Forbidden>,
        last_started: Option<TurnId>,
        full: bool,
    ) -> Self {
        let forbidden = forbidden.into_iter().collect();
        Configuration { settings, forbidden, last_started, full, ..Configuration::default() }
    }

    /// Whether an edit would be allowed now. Changes nothing.
    pub(crate) fn preview(&self, edit: &SettingsEdit) -> Result<(), Reason> {
        let allowed = |(name, value): (&Arc<str>, &Arc<str>)| {
            let forbidden = Forbidden { name: name.clone(), value: value.clone() };
            !self.forbidden.contains(&forbidden)
        };
        if edit.values.iter().all(allowed) { Ok(()) } else { Err(Reason::InvalidRequest) }
    }

    /// Codex: `apply_steered`, and an edit that comes alone.
    pub(crate) fn apply(
        &mut self,
        env: &dyn Env,
        command: InputId,
        edit: &SettingsEdit,
    ) -> Result<(), Reason> {
        if edit.is_empty() {
            return Ok(());
        }
        self.preview(edit)?;
        self.edit(env, command, edit, None);
        Ok(())
    }

    /// Applies an edit that was refused: for a planted fault.
    pub(crate) fn apply_refused(&mut self, env: &dyn Env, command: InputId, edit: &SettingsEdit) {
        self.edit(env, command, edit, None);
    }

    /// Codex: `apply_started`. Refused as a whole, or applied as a whole.
    pub(crate) fn commit_start(
        &mut self,
        env: &dyn Env,
        request: &StartRequest<'_>,
    ) -> Result<Arc<TurnContext>, Reason> {
        let StartRequest { command, turn, kind, edit, start, asks_host, asks_constraints } =
            request;
        if *asks_host && self.draining {
            return Err(Reason::ServerDraining);
        }
        let plan = edit.mode == Some(SessionMode::Plan) || self.is_plan();
        if *kind == StartKind::Automatic && plan {
            return Err(Reason::PlanMode);
        }
        if *asks_constraints {
            self.preview(edit).inspect_err(|_| {
                env.observe(Event::ErrorSent { command: *command });
            })?;
        }
        if !edit.is_empty() {
            self.edit(env, *command, edit, Some(*turn));
        }
        self.sleeping = false;
        Ok(self.build_context(env, *turn, start.clone()))
    }

    /// The context of a turn that is started as things are.
    pub(crate) fn build_context(
        &mut self,
        env: &dyn Env,
        turn: TurnId,
        start: StartOptions,
    ) -> Arc<TurnContext> {
        self.last_program = start.program.clone();
        let context = TurnContext { settings: self.settings.clone(), start, full: self.full };
        env.observe(Event::ContextBuilt {
            turn,
            settings: context.settings.version,
            start: Box::new(context.start.clone()),
        });
        Arc::new(context)
    }

    fn edit(&mut self, env: &dyn Env, command: InputId, edit: &SettingsEdit, turn: Option<TurnId>) {
        self.settings.version += 1;
        self.settings.mode = edit.mode.unwrap_or(self.settings.mode);
        self.settings.values.extend(edit.values.clone());
        let version = self.settings.version;
        env.observe(Event::SettingsApplied { command, version, turn });
    }

    /// Context that is new or has changed, as items for the model. What an item told that is not
    /// `there` any more is new again.
    pub(crate) fn merge_context(
        &mut self,
        entries: Vec<ContextEntry>,
        there: impl Fn(InputId) -> bool,
    ) -> Vec<Input> {
        let mut items = Vec::new();
        for ContextEntry { id, name, text } in entries {
            if self.context.get(&name).is_none_or(|(known, by)| *known != text || !there(*by)) {
                self.context.insert(name, (text.clone(), id));
                items.push(Input::new(id, InputKind::Response, text));
            }
        }
        items
    }

    pub(crate) fn is_plan(&self) -> bool {
        self.settings.mode == SessionMode::Plan
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn forbid(&mut self, env: &dyn Env, command: InputId, forbidden: Forbidden) {
        self.forbidden.insert(forbidden);
        env.observe(Event::ConstraintAdded { command });
    }

    pub(crate) fn last_started(&self) -> Option<TurnId> {
        self.last_started
    }

    pub(crate) fn started(&mut self, turn: TurnId) {
        self.last_started = Some(turn);
        self.started.insert(turn);
    }

    /// This name for a turn, or the next one that none has had: after a recovery a turn ends
    /// for a second time.
    pub(crate) fn unused(&self, mut turn: TurnId) -> TurnId {
        while self.started.contains(&turn) {
            turn = turn.next();
        }
        turn
    }

    pub(crate) fn last_program(&self) -> Option<Arc<str>> {
        self.last_program.clone()
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining
    }

    pub(crate) fn drain(&mut self, env: &dyn Env, command: InputId) {
        self.draining = true;
        env.observe(Event::DrainingBegan { command });
    }

    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    pub(crate) fn set_full(&mut self, full: bool) {
        self.full = full;
    }

    pub(crate) fn is_sleeping(&self) -> bool {
        self.sleeping
    }

    pub(crate) fn wake(&mut self) {
        self.sleeping = false;
    }

    pub(crate) fn sleep(&mut self) {
        self.sleeping = true;
    }
}
