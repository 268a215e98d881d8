//! Named sets of the choices on which runtimes differ.
//!
//! Promises: a name means the same engine for ever; each choice is read in the one place where
//! the decision is made. Does not hold anything that a session changes while it runs.

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

/// A named engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Name {
    Codex0149,
    Codex0171,
    Seed,
    Hardened,
}

/// How an engine behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    name: Name,
    /// Planted mistakes; only [`Structure::Hardened`] has places for them.
    pub faults: Faults,
}

/// After which items waiting mail cuts the running request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailCuts {
    /// After reasoning only.
    Reasoning,
    /// After reasoning and commentary.
    ReasoningAndCommentary,
}

impl Policy {
    /// The names of all policies that plant no fault; `upstream` is an alias of `codex_0_149`.
    pub const NAMES: [&'static str; 5] =
        ["codex_0_149", "upstream", "codex_0_171", "seed", "hardened"];

    /// As the real 0.149.0.
    pub const fn codex_0_149() -> Self {
        Policy::plain(Name::Codex0149)
    }

    /// As the real 0.171.0.
    pub const fn codex_0_171() -> Self {
        Policy::plain(Name::Codex0171)
    }

    /// As the documents say from which the project comes.
    pub const fn seed() -> Self {
        Policy::plain(Name::Seed)
    }

    /// Every window closed.
    pub const fn hardened() -> Self {
        Policy::plain(Name::Hardened)
    }

    const fn plain(name: Name) -> Self {
        Policy { name, faults: Faults::none() }
    }

    /// The critical sections.
    pub const fn structure(self) -> Structure {
        match self.name {
            Name::Codex0149 | Name::Codex0171 | Name::Seed => Structure::Upstream,
            Name::Hardened => Structure::Hardened,
        }
    }

    /// A steer, or a start that steers, ends the running request at once and goes into the next
    /// one. Protects from waiting for the end of a long response (B03); costs what the model was
    /// about to say. Observed: 0.171.0 cuts, 0.149.0 does not.
    pub const fn steer_cuts_request(self) -> bool {
        match self.name {
            Name::Codex0171 => true,
            Name::Codex0149 | Name::Seed | Name::Hardened => false,
        }
    }

    /// Where waiting mail ends the running request. Protects mail from waiting for a long
    /// response. Observed: 0.171.0 cuts after commentary, 0.149.0 does not; that 0.149.0 cuts
    /// after reasoning is read off its tests only.
    pub const fn mail_cuts(self) -> MailCuts {
        match self.name {
            Name::Codex0149 => MailCuts::Reasoning,
            Name::Codex0171 | Name::Seed | Name::Hardened => MailCuts::ReasoningAndCommentary,
        }
    }

    /// A client's view goes on to show a turn that was aborted, so that a second interrupt of it
    /// is let in and never answered (B60). Observed: 0.149.0 does, 0.171.0 refuses the second.
    pub const fn view_keeps_aborted_turn(self) -> bool {
        match self.name {
            Name::Codex0149 => true,
            Name::Codex0171 | Name::Seed => false,
            Name::Hardened => self.faults.has(Fault::ViewKeepsTheTurn),
        }
    }

    /// `StartOrSteer` finds that there is nothing to steer and takes the slot in one section.
    /// Protects from two starts at once (U4). The seeds ask for it; the real program relies on
    /// its serial loop.
    pub const fn decides_in_one_section(self) -> bool {
        match self.name {
            Name::Seed | Name::Hardened => true,
            Name::Codex0149 | Name::Codex0171 => false,
        }
    }

    /// A start looks whether its reservation is still there, and gives its input back otherwise.
    /// Protects from starting on somebody else's slot (U3). The seeds ask for it, and older
    /// versions did it.
    pub const fn start_verifies_reservation(self) -> bool {
        match self.name {
            Name::Seed | Name::Hardened => true,
            Name::Codex0149 | Name::Codex0171 => false,
        }
    }

    /// An interrupt that finds no task looks for mail that could start a turn. Protects trigger
    /// mail from waiting for ever (U6). The seeds ask for it; the real program does not do it.
    pub const fn idle_interrupt_looks_for_mail(self) -> bool {
        match self.name {
            Name::Seed => true,
            Name::Codex0149 | Name::Codex0171 | Name::Hardened => false,
        }
    }

    /// This policy with one more planted fault.
    #[must_use]
    pub const fn with(self, fault: Fault) -> Self {
        Policy { name: self.name, faults: self.faults.with(fault) }
    }

    /// The policy of this name: one of [`Policy::NAMES`], or `hardened` followed by
    /// `+fault_name` any number of times. `None` for a name that means nothing in this build, so
    /// also for a fault without the feature `faults`.
    pub fn named(name: &str) -> Option<Policy> {
        let mut parts = name.split('+');
        let base = match parts.next() {
            Some("codex_0_149" | "upstream") => Policy::codex_0_149(),
            Some("codex_0_171") => Policy::codex_0_171(),
            Some("seed") => Policy::seed(),
            Some("hardened") => Policy::hardened(),
            Some(_) | None => return None,
        };
        parts.try_fold(base, |policy, part| match policy.structure() {
            Structure::Hardened if Faults::AVAILABLE => Fault::named(part).map(|f| policy.with(f)),
            Structure::Hardened | Structure::Upstream => None,
        })
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self.name {
            Name::Codex0149 => "codex_0_149",
            Name::Codex0171 => "codex_0_171",
            Name::Seed => "seed",
            Name::Hardened => "hardened",
        })?;
        self.faults.iter().try_for_each(|fault| write!(out, "+{}", fault.name()))
    }
}
