//! Proves where a message lands when it is sent to a busy AI agent: this turn, the next, or
//! refused, under every interleaving.

pub mod search;
pub mod world;
