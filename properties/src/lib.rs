//! What must hold of a queue engine: scenarios, the driver that plays them, and properties.
//!
//! Knows no engine, no lock and no scheduler.
#![forbid(unsafe_code)]

pub mod driver;
pub mod history;
pub mod judge;
pub mod linearizability;
pub mod machine;
pub mod property;
pub mod scenario;
