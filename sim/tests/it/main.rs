//! The explorer against its oracles.

mod abort;
mod acts;
mod blind;
mod commute;
mod dependency;
mod determinism;
mod found;
mod generate;
mod leaks;
mod linear;
mod lost_wakeup;
mod mends;
mod panics;
mod patient;
mod real_time;
mod runs;
mod schedules;
mod soundness;
mod suspension;
mod toy;
