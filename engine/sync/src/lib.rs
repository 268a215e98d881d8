//! The only way to shared memory for an engine: named critical sections, waits, tasks.
//!
//! Promises: every access to shared state is one *visible operation* with a [`Site`]; a thread
//! that installed a [`Hook`] is asked before each of them, and told nothing else. With no hook
//! the types behave as ordinary locks and futures. Nothing can be held across an await, since
//! sections are closures.
//!
//! Knows no scheduler, no runtime and no clock. Written on `midturn_lock` alone, so that one
//! source serves std and loom.
#![forbid(unsafe_code)]

pub mod hook;
mod latch;
mod mutex;
mod oneshot;
mod race;
mod signal;
mod site;
pub mod task;
mod wait;
mod watch;

pub use hook::Hook;
pub use latch::{Cancel, Latch};
pub use mutex::Mutex;
pub use oneshot::{Closed, Receiver, Sender, oneshot};
pub use race::{Either, race};
pub use signal::{Signal, Ticket};
pub use site::{ObjectId, Operation, OperationKind, Site, Stamp};
pub use wait::{Source, Wait, WaitId};
pub use watch::{Watch, WatchReceiver};
