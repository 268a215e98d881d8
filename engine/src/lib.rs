//! The input queues of agent runtimes, one module a design.
//!
//! Promises: a design behaves the same under every build (std, tokio, an explorer, loom), since
//! it reaches shared memory only through `midturn_sync` and the world only through
//! [`midturn_protocol::Env`]. Knows no scheduler, no runtime, no clock and no test.
#![forbid(unsafe_code)]

pub mod codex;
