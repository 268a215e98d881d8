//! Reference machines: what each design promises, one step after the other.
//!
//! Promises: sequential, without locks, small enough to be read in one sitting. A machine is the
//! promise and not a copy: it has none of the windows of the real program. Knows no engine, no
//! schedule and no clock.

pub mod codex;
