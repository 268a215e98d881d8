//! Whether a history can be explained by an order of atomic steps.
//!
//! Promises: exact. `explain` says yes if and only if some order of the operations is accepted by
//! the specification and respects what is known to have come first; memory only spares work.
//! Deterministic: the same history is always explained, or refused, in the same words. Knows no
//! queue.
//!
//! The search is that of Wing and Gong with the memory of Lowe: depth first over sets of operations
//! that were placed, each pair of set and state looked at once. Before it, the order in which the
//! operations were observed is tried, which explains nearly every history that can be explained.

mod order;
mod search;

use std::hash::Hash;

pub use order::{Observed, Operations, Place};
pub use search::{Blocked, Unexplained, Why, explain, explain_within};

/// What a design promises when everything happens one after the other.
pub trait Specification {
    /// All that the future depends on.
    type State: Clone + Eq + Hash;
    /// An atomic step, with what its caller was told.
    type Operation;
    /// Why an operation cannot happen in a state.
    type Refusal;

    /// Carries `operation` out. A `state` in which it was refused is not used any more.
    fn apply(
        &self,
        state: &mut Self::State,
        operation: &Self::Operation,
    ) -> Result<(), Self::Refusal>;
}
