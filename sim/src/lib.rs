//! Proves where a message lands when it is sent to a busy AI agent: this turn, the next, or
//! refused, under every interleaving.
//!
//! `world` runs actors one step at a time, `search` decides who moves, `stage` plays a scenario
//! in the world, `check` judges all runs of it, `token` and `story` hand a run to people, and
//! `cli` is the command.

pub mod catalogue;
pub mod check;
pub mod cli;
pub mod design;
pub mod faults;
pub mod generated;
mod report;
pub mod search;
pub mod soak;
mod stage;
pub mod story;
pub mod token;
pub mod world;

/// A place in the source, as `file:line`, without what depends on how the crate was built.
pub(crate) fn place(site: midturn_sync::Site) -> String {
    let file = site.location.file().replace('\\', "/");
    let file = file.rsplit("../").next().unwrap_or(&file);
    let short = ["engine/", "sim/", "properties/"]
        .iter()
        .filter_map(|root| file.find(root).map(|at| &file[at..]))
        .next();
    format!("{}:{}", short.unwrap_or(file), site.location.line())
}
