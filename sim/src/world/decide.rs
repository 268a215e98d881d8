//! Who moves: what a decider is shown, and what it answers.

use midturn_sync::{ObjectId, OperationKind};

use super::types::*;
use super::{State, mix};

/// The state of a run at the moment at which someone is to be moved.
pub struct Moment<'a> {
    /// Steps done so far.
    pub steps: u32,
    /// Who may move, as a bit mask over [`ActorId`].
    pub enabled: u32,
    /// Who moved last.
    pub last: Option<ActorId>,
    pub(super) state: &'a State,
}

impl Moment<'_> {
    /// A digest of who may move and what each would do; equal in every repetition.
    pub fn digest(&self) -> u64 {
        let mut digest = mix(u64::from(self.enabled), u64::from(self.steps));
        digest = mix(digest, self.state.observed.len() as u64);
        for (id, actor) in self.state.actors.iter().enumerate() {
            if self.enabled >> id & 1 == 1 {
                let line = self.site(id).map_or(0, |site| u64::from(site.location.line()));
                digest = mix(digest, mix(actor.path, line));
                digest = mix(digest, self.objects_of(&actor.pending));
            }
        }
        digest
    }

    /// Which objects an operation would use, the same under every schedule of one class.
    fn objects_of(&self, pending: &Pending) -> u64 {
        let path = |object: ObjectId| self.state.objects[object.0 as usize].path;
        match pending {
            Pending::Operation { kind, object, .. } => mix(path(*object), *kind as u64),
            Pending::Mark { mode, .. } => *mode as u64,
            Pending::Wait { entries } => {
                entries.iter().fold(1, |all, entry| mix(all, path(entry.source.object())))
            }
            Pending::Nothing | Pending::Blind => 0,
        }
    }

    /// Where `actor` stands: the place of what it would do next.
    pub fn site(&self, actor: ActorId) -> Option<midturn_sync::Site> {
        match &self.state.actors.get(actor)?.pending {
            Pending::Operation { site, .. } | Pending::Mark { site, .. } => Some(*site),
            Pending::Wait { entries } => entries.first().map(|entry| entry.site),
            Pending::Nothing | Pending::Blind => None,
        }
    }

    /// How many operations `actor` has performed so far.
    pub fn ordinal(&self, actor: ActorId) -> u32 {
        self.state.ordinals.get(actor).copied().unwrap_or(0)
    }

    /// The actor with this identity, if it may move.
    pub fn enabled_by_path(&self, path: u64) -> Option<ActorId> {
        let position = self.state.actors.iter().position(|actor| actor.path == path)?;
        (self.enabled >> position & 1 == 1).then_some(position)
    }

    /// What an actor is called.
    pub fn name(&self, actor: ActorId) -> &str {
        self.state.actors.get(actor).map_or("", |actor| &actor.name)
    }

    /// Whether this actor may move.
    pub fn may_move(&self, actor: ActorId) -> bool {
        actor < MAX_ACTORS && self.enabled >> actor & 1 == 1
    }

    /// Who moves where nobody decides: whoever moved last, else the first that was created.
    pub fn default_actor(&self) -> ActorId {
        let goes_on = self.last.filter(|last| self.enabled >> last & 1 == 1);
        goes_on.unwrap_or(self.enabled.trailing_zeros() as ActorId)
    }

    /// What an actor is, the same under every schedule of one class.
    pub fn path(&self, actor: ActorId) -> u64 {
        self.state.actors.get(actor).map_or(0, |actor| actor.path)
    }

    /// Actors that are suspended before a lock that somebody else holds, with that lock.
    pub fn blocked_on_locks(&self) -> Vec<(ActorId, Access)> {
        let mut blocked = Vec::new();
        for (id, actor) in self.state.actors.iter().enumerate() {
            let Pending::Operation { kind, object, .. } = &actor.pending else { continue };
            let mode = match kind {
                OperationKind::Section => Mode::Write,
                OperationKind::ReadSection => Mode::Read,
                OperationKind::Write | OperationKind::Read => continue,
            };
            if !actor.has_ended() && self.state.objects[object.0 as usize].held_by.is_some() {
                blocked.push((id, Access { object: *object, mode }));
            }
        }
        blocked
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Move this actor; these are the values of the choices of its step, then zeroes.
    Step(ActorId, Vec<u8>),
    /// Nothing new can come of this run: carry it to its end unrecorded.
    Abandon,
}

/// Decides who moves.
pub trait Decider {
    /// Who moves now; `moment.enabled` is not empty.
    fn decide(&mut self, moment: &Moment<'_>) -> Decision;

    /// What the step did.
    fn stepped(&mut self, report: &StepReport) {
        let _ = report;
    }

    /// Nobody can move any more, or the run was abandoned.
    fn ended(&mut self, moment: &Moment<'_>) {
        let _ = moment;
    }
}
