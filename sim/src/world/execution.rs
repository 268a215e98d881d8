//! How a run is carried out, and what is left of it.

use midturn_sync::ObjectId;

use super::failure::{Failure, Stuck};
use super::types::*;
use super::{Relation, State, Suspension, Time};

/// How a run is to be carried out.
#[derive(Clone, Debug)]
pub struct Options {
    /// When actors are suspended.
    pub suspension: Suspension,
    /// What order is part of a class.
    pub relation: Relation,
    /// When timers may fire.
    pub time: Time,
    /// Steps after which a run is given up as endless.
    pub step_limit: u32,
    /// Draw the values of choices from this seed instead of planning them.
    pub random_choices: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            suspension: Suspension::default(),
            relation: Relation::default(),
            time: Time::default(),
            step_limit: 5_000,
            random_choices: None,
        }
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nobody could move any more.
    Quiescent,
    /// The decider gave it up.
    Abandoned,
    /// It failed by itself, see [`Execution::failure`].
    Failed,
}

/// A run that is over.
#[derive(Debug)]
pub struct Execution {
    /// How it ended.
    pub end: End,
    /// What went wrong, if anything.
    pub failure: Option<Failure>,
    /// Who was left over, unable to move.
    pub stuck: Vec<Stuck>,
    /// What was observed, in order.
    pub observed: Vec<Observed>,
    /// All operations, in order.
    pub performed: Vec<PerformedOperation>,
    /// Values that were chosen: by whom, which, after how many of its operations.
    pub choices: Vec<(ActorId, u8, u32)>,
    /// Steps done.
    pub steps: u32,
    /// The names of the actors.
    pub actors: Vec<std::sync::Arc<str>>,
    /// The objects.
    pub objects: Vec<Object>,
    /// The actors' identities, the same under every schedule of one class.
    pub actor_paths: Vec<u64>,
    /// Which lock was entered while which was held.
    pub lock_order: Vec<(ObjectId, ObjectId)>,
    /// Actors that waited for something that was never announced, with their last place.
    pub blind: Vec<(String, Option<midturn_sync::Site>)>,
}

/// Everybody who is left over, with what each waits for.
pub(super) fn stuck(state: &State) -> Vec<Stuck> {
    let name = |id: ActorId| state.actors[id].name.to_string();
    let left = state.actors.iter().filter(|actor| !actor.has_ended());
    left.map(|actor| {
        let parent = actor.parent.map(name);
        let (waits_for, held_by) = match &actor.pending {
            Pending::Operation { object, site, .. } => {
                let object = &state.objects[object.0 as usize];
                (vec![(object.name, *site)], object.held_by.map(name))
            }
            Pending::Wait { entries } => {
                let waits = entries.iter().map(|entry| {
                    (state.objects[entry.source.object().0 as usize].name, entry.site)
                });
                (waits.collect(), None)
            }
            Pending::Mark { .. } | Pending::Blind | Pending::Nothing => (Vec::new(), None),
        };
        Stuck { actor: actor.name.to_string(), waits_for, held_by, parent }
    })
    .collect()
}
