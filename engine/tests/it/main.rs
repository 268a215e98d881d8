//! Sequential schedules of both structures: what happens when only one thing happens at a time.
//! Interleavings are explored elsewhere.

mod conformance;
mod faults;
mod front;
mod interrupt;
mod mail;
mod observed;
mod queue;
mod races;
mod script;
mod start;
mod steer;
mod tasks;
mod world;
