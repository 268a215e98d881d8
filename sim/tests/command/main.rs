//! The command and what it says, end to end: the catalogue, the planted faults, generated
//! programs, the judges, the exit codes.

mod agreement;
mod blind;
mod catalogue;
mod command_line;
mod determinism;
mod faults;
mod linear_extensions;
mod random_programs;
mod sessions;
mod soak;
mod subjects;
