//! The engine and its primitives under loom: every interleaving that loom's model allows, or
//! those within a stated bound.
//!
//! Nothing is asserted inside a model. An execution ends with an outcome, and the test judges
//! the set of outcomes afterwards: what must not be there, and what must, or the model shows
//! nothing. `-- --nocapture` prints how many executions each model had.

mod controls;
mod crew;
mod engine;
mod explore;
mod manifests;
mod primitives;
mod scenarios;
mod unseen;
