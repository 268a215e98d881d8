//! The designs that the command can run.

use std::sync::Arc;

use midturn_engine::codex::{Codex, Fault, Front, Policy};
use midturn_properties::property;
use midturn_properties::scenario::{self, Known, KnownDesign};
use midturn_protocol::{Env, QueueEngine, SessionSetup};

/// A queue design: a family of engines, one a policy.
pub trait Design {
    /// The engine.
    type Engine: QueueEngine;

    /// What the design is called in files and tokens.
    fn name(&self) -> &'static str;

    /// The canonical form of a policy's name; none if it means nothing.
    fn policy(&self, name: &str) -> Option<String>;

    /// A session as `setup` says. `policy` is canonical.
    fn create(
        &self,
        env: Arc<dyn Env>,
        policy: &str,
        front: scenario::Front,
        setup: SessionSetup,
    ) -> Self::Engine;
}

/// The queue of OpenAI Codex.
#[derive(Clone, Copy, Debug, Default)]
pub struct CodexDesign;

impl Design for CodexDesign {
    type Engine = Codex;

    fn name(&self) -> &'static str {
        "codex"
    }

    fn policy(&self, name: &str) -> Option<String> {
        Policy::named(name).map(|policy| policy.to_string())
    }

    fn create(
        &self,
        env: Arc<dyn Env>,
        policy: &str,
        front: scenario::Front,
        setup: SessionSetup,
    ) -> Codex {
        let policy = Policy::named(policy).unwrap_or_else(Policy::hardened);
        let front = match front {
            scenario::Front::Serial => Front::Serial,
            scenario::Front::Concurrent => Front::Concurrent,
            scenario::Front::Server => Front::Server,
        };
        Codex::new(env, policy, front, setup)
    }
}

/// Calls `with` with all names that scenario files may use.
pub fn with_known<R>(with: impl FnOnce(&Known<'_>) -> R) -> R {
    let faults: Vec<&str> = Fault::ALL.iter().map(|fault| fault.name()).collect();
    let properties = property::names();
    let designs = [KnownDesign { name: "codex", policies: &Policy::NAMES, faults: &faults }];
    with(&Known { designs: &designs, properties: &properties })
}
