//! How OpenAI Codex routes what is sent to a busy agent.
//!
//! Where to look:
//!
//! | question | module |
//! |---|---|
//! | who calls what, and where one call waits for another | `engine`, `front`, `client_view` |
//! | how an input is routed | `submit`, `pending_work`, `claim`, `configuration` |
//! | what a turn does between two requests | `turn`, `sampling`, `tools`, `admission` |
//! | tasks that are no turns | `special_task` |
//! | who waits for somebody outside | `answer`, `waiters`, `activity` |
//! | what callers and turns ask of the slot | `slot`, `turn_side` |
//! | which critical sections answer them in Codex 0.149.0, its windows included | `upstream` |
//! | the same operations with every window closed | `hardened` |
//!
//! Lock order, both structures: `active_turn`, then `turn_state`, then one of `state`,
//! `configuration`, `mailbox` and `events`. Nothing is awaited inside a section.

mod activity;
mod admission;
mod answer;
mod claim;
mod client_view;
mod configuration;
mod engine;
mod faults;
mod front;
mod hardened;
mod history;
mod mailbox;
mod pending_work;
mod policy;
mod preset;
mod sampling;
mod session;
mod slot;
mod special_task;
mod submit;
mod tools;
mod turn;
mod turn_side;
mod turn_state;
mod upstream;
mod waiters;

pub use engine::Codex;
pub use faults::{Fault, Faults};
pub use front::Front;
pub use mailbox::{DrainedMail, Mailbox};
pub use policy::{MailCuts, Policy, Structure};
