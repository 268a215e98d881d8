//! The identity of a class: the same for all schedules that differ only in the order of
//! independent operations, and for no others (up to a 128-bit hash).
//!
//! It is made of, for each object, the order of its uses, where looks between two changes are a
//! set. Operations are numbered within their actor, so the identity does not depend on how
//! they were grouped into steps.

use crate::world::{Execution, Mode, PerformedOperation, mix};

fn wide(left: u128, right: u64) -> u128 {
    let spread = u128::from(right).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
    (left ^ spread).rotate_left(59).wrapping_mul(0xDA94_2042_E4DD_58B5_2360_ED05_1FC6_5DA5 | 1)
}

fn identity(execution: &Execution, operation: &PerformedOperation) -> u64 {
    let actor = execution.actor_paths[operation.actor];
    mix(mix(actor, u64::from(operation.ordinal)), operation.access.mode as u64)
}

/// The class of a run.
pub fn class_of(execution: &Execution) -> u128 {
    #[derive(Clone, Default)]
    struct Chain {
        ordered: u128,
        /// The open set of uses that do not conflict with each other.
        open: u128,
        mode: Option<Mode>,
    }
    let mut chains = vec![Chain::default(); execution.objects.len()];
    let mut actors = vec![0u128; execution.actor_paths.len()];
    for operation in &execution.performed {
        let chain = &mut chains[operation.access.object.0 as usize];
        let mode = operation.access.mode;
        if chain.mode.is_some_and(|open| open.conflicts_with(mode)) {
            chain.ordered = wide(chain.ordered, chain.open as u64);
            chain.ordered = wide(chain.ordered, (chain.open >> 64) as u64);
            chain.open = 0;
        }
        chain.mode = Some(mode);
        chain.open = chain.open.wrapping_add(wide(1, identity(execution, operation)));
        let line = u64::from(operation.site.location.line());
        actors[operation.actor] = wide(actors[operation.actor], line);
    }
    let mut class = 0u128;
    for (chain, object) in chains.iter().zip(&execution.objects) {
        if chain.mode.is_some() {
            let closed = wide(wide(chain.ordered, chain.open as u64), (chain.open >> 64) as u64);
            class = class.wrapping_add(wide(closed, object.path));
        }
    }
    for (actor, path) in actors.iter().zip(&execution.actor_paths) {
        class = class.wrapping_add(wide(*actor, *path));
    }
    for (actor, value, ordinal) in &execution.choices {
        let place = mix(execution.actor_paths[*actor], u64::from(*ordinal));
        class = class.wrapping_add(wide(3, mix(place, u64::from(*value))));
    }
    class
}
