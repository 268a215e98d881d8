//! The explorer against its oracles.

mod soundness;
mod toy;
