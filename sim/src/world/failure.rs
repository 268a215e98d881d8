//! What can go wrong in a run by itself, whatever the properties say.

use midturn_sync::Site;

/// A run that cannot be judged as usual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// An actor panicked.
    Panicked {
        /// Who.
        actor: String,
        /// The panic's message.
        message: String,
        /// Where it was raised, as `file:line`.
        place: String,
    },
    /// A wait was ready and nobody had woken the one who waits.
    LostWakeUp {
        /// Who waits.
        actor: String,
        /// Where.
        site: Site,
    },
    /// A section that only reads contained another operation, so two of them do not commute.
    OperationInsideRead {
        /// The inner operation.
        site: Site,
    },
    /// The program has more actors than the explorer can hold.
    TooManyActors {
        /// The first one too many.
        name: String,
    },
    /// The run did not end within the step limit.
    StepLimit {
        /// The limit.
        steps: u32,
    },
}

/// An actor that cannot move although it has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// Who.
    pub actor: String,
    /// For what, with the place where it waits.
    pub waits_for: Vec<(&'static str, Site)>,
    /// Who holds it, if it is a lock.
    pub held_by: Option<String>,
    /// Who started this actor, if another actor did.
    pub parent: Option<String>,
}
