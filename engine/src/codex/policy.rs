//! Named sets of the choices on which runtimes differ.
//!
//! Promises: a name means the same engine for ever. Does not hold anything that a session
//! changes while it runs.

use std::fmt;

use crate::codex::{Fault, Faults};

/// Which critical sections answer the operations of the slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Structure {
    /// Those of Codex 0.149.0, unprotected windows included.
    Upstream,
    /// Ours: every window closed.
    Hardened,
}

/// How an engine behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The critical sections.
    pub structure: Structure,
    /// Planted mistakes; only [`Structure::Hardened`] has places for them.
    pub faults: Faults,
}

impl Policy {
    /// The names of all policies that plant no fault; `upstream` is an alias of `codex_0_149`.
    pub const NAMES: [&'static str; 3] = ["codex_0_149", "upstream", "hardened"];

    /// As the real 0.149.0.
    pub const fn codex_0_149() -> Self {
        Policy { structure: Structure::Upstream, faults: Faults::none() }
    }

    /// Every window closed.
    pub const fn hardened() -> Self {
        Policy { structure: Structure::Hardened, faults: Faults::none() }
    }

    /// This policy with one more planted fault.
    #[must_use]
    pub const fn with(self, fault: Fault) -> Self {
        Policy { structure: self.structure, faults: self.faults.with(fault) }
    }

    /// The policy of this name: one of [`Policy::NAMES`], or `hardened` followed by
    /// `+fault_name` any number of times. `None` for a name that means nothing in this build, so
    /// also for a fault without the feature `faults`.
    pub fn named(name: &str) -> Option<Policy> {
        let mut parts = name.split('+');
        let base = match parts.next() {
            Some("codex_0_149" | "upstream") => Policy::codex_0_149(),
            Some("hardened") => Policy::hardened(),
            Some(_) | None => return None,
        };
        parts.try_fold(base, |policy, part| match policy.structure {
            Structure::Hardened if Faults::AVAILABLE => Fault::named(part).map(|f| policy.with(f)),
            Structure::Hardened | Structure::Upstream => None,
        })
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.structure {
            Structure::Upstream => "codex_0_149",
            Structure::Hardened => "hardened",
        })?;
        self.faults.iter().try_for_each(|fault| write!(out, "+{}", fault.name()))
    }
}
