//! Scenarios to be tried on a queue engine, as proptest strategies: who does what, around which
//! session, and in which order they move.
//!
//! Promises: every value is a valid scenario that covers every request, however far it was
//! shrunk; whoever may wait for ever by design is declared as parked. Shrinking takes away
//! actors, commands, hooks and deviations from the default schedule, and leaves the simplest
//! words. Knows no engine and no scheduler: a program is a value and a text, a schedule is a list.
//!
//! For an engine of one's own, take away what it does not have:
//!
//! ```
//! use midturn_strategies::{Act, Mode, Vocabulary, programs};
//! use proptest::prelude::*;
//! use proptest::strategy::ValueTree;
//! use proptest::test_runner::TestRunner;
//!
//! let small = Vocabulary {
//!     slots: vec!["idle", "running"],
//!     fronts: vec!["concurrent"],
//!     acts: prop_oneof![
//!         Just(Act::submit(Mode::StartOrSteer)),
//!         any::<bool>().prop_map(|trigger| Act::Mail { trigger }),
//!         Just(Act::Interrupt { named: None }),
//!     ]
//!     .boxed(),
//!     ..Vocabulary::codex()
//! };
//! let program = programs(&small).new_tree(&mut TestRunner::deterministic()).unwrap().current();
//! assert!(program.to_toml("[expect.mine.plain]\nholds = \"all\"\n").contains("[[actor]]"));
//! ```
#![forbid(unsafe_code)]

mod act;
mod program;
mod render;
mod schedule;
mod script;

pub use act::{Act, Edit, Extra, Form, Mode, Step, acts};
pub use program::{Program, Session, Verdict, Vocabulary, programs};
pub use schedule::{Stretch, schedules};
pub use script::{Item, items};
