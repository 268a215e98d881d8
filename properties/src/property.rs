//! What must hold of every run.
//!
//! A property reads one [`History`] and nothing else. Its value must be the same for every
//! schedule of a class, so it compares only events whose order the class fixes: those of one
//! actor, and those that are emitted inside sections of one lock. Where it asks about the order
//! of two others, the engine makes the one a reader of the other's state.

mod interrupt;
mod landing;
mod order;
mod turn;

use crate::history::History;
use crate::scenario::Names;

/// A property that was broken, with words for a person.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The property.
    pub property: &'static str,
    /// What happened.
    pub what: String,
    /// The position of the record at which it shows.
    pub at: Option<usize>,
}

/// Something that must hold.
#[derive(Clone, Copy)]
pub struct Property {
    /// Its name, the same in files, output and code.
    pub name: &'static str,
    /// What it says, with its exceptions.
    pub words: &'static str,
    check: fn(&History, &Names, &mut Found),
}

impl std::fmt::Debug for Property {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

/// Collects what a property finds.
pub(crate) struct Found {
    property: &'static str,
    violations: Vec<Violation>,
}

impl Found {
    pub(crate) fn report(&mut self, what: String, at: Option<usize>) {
        self.violations.push(Violation { property: self.property, what, at });
    }
}

/// All properties of a session, in the order in which they are listed.
pub const ALL: &[Property] = &[
    Property {
        name: "no_silent_loss",
        words: "Every input that was handed over is in the end in a visible place: in \
                a request, in history, still queued, handed back, refused, or cleared by \
                something that has a name. An interrupt that clears the pending list of its turn \
                counts as a name.",
        check: landing::no_silent_loss,
    },
    Property {
        name: "accepted_is_sampled",
        words: "User input, response items and injections that were accepted for a turn are \
                sampled by that turn, or their owner is told what became of them (cleared, given \
                back, refused, moved). History alone is not enough. Mail is promised to no turn.",
        check: landing::accepted_is_sampled,
    },
    Property {
        name: "delivered_once",
        words: "No input enters history twice, and no input is new in two requests or twice in one.",
        check: landing::delivered_once,
    },
    Property {
        name: "verdict_tells_the_truth",
        words: "Who is told `Started(t)` or `Steered(t)` has input that was accepted for t (empty \
                input aside); who is told anything else has not, unless it was given back since.",
        check: landing::verdict_tells_the_truth,
    },
    Property {
        name: "rejected_leaves_no_trace",
        words: "An input that was refused, given back or cleared is never queued, drained, \
                recorded or sampled after that.",
        check: landing::rejected_leaves_no_trace,
    },
    Property {
        name: "left_mail_is_sampled_next_turn",
        words: "Mail that a turn took out of the mailbox is sampled in that turn if the turn \
                completes, or is put back.",
        check: landing::left_mail_is_sampled_next_turn,
    },
    Property {
        name: "single_active_turn",
        words: "A client never sees a turn start before the one before it has ended.",
        check: turn::single_active_turn,
    },
    Property {
        name: "one_terminal_per_turn",
        words: "A turn that a client saw start ends exactly once, and no turn ends that did not \
                start before. A turn that still occupies the slot when nobody can move may be \
                open.",
        check: turn::one_terminal_per_turn,
    },
    Property {
        name: "answered_stays_answered",
        words: "After a final answer was shown, the same turn samples again only for user input, \
                an injection, a tool output or a tool call, for trigger mail that it had taken \
                before, or because the model itself said that it goes on. A request that is \
                cancelled before its first item does not count.",
        check: turn::answered_stays_answered,
    },
    Property {
        name: "no_work_stranded_while_idle",
        words: "When the slot is empty and nobody can move, no trigger mail waits.",
        check: turn::no_work_stranded_while_idle,
    },
    Property {
        name: "no_leaked_reservation",
        words: "When nobody can move, the slot is not reserved.",
        check: turn::no_leaked_reservation,
    },
    Property {
        name: "abort_order",
        words: "An abort first asks the task to stop and waits for it (or for the grace), then \
                clears what is pending and records the marker, then says that the turn ended; \
                nothing of that turn enters history after its marker.",
        check: interrupt::abort_order,
    },
    Property {
        name: "order_by_acceptance",
        words: "Of two mails, and of two explicit inputs of one turn, the one that was accepted \
                first enters history first. In one drain explicit input comes before mail, unless the turn had \
                taken that mail when it started.",
        check: order::order_by_acceptance,
    },
    Property {
        name: "automatic_start_yields_to_trigger_mail",
        words: "An automatic start that makes its reservation while trigger mail waits is \
                refused, unless somebody else takes that mail first.",
        check: order::automatic_start_yields_to_trigger_mail,
    },
    Property {
        name: "data_before_signal",
        words: "Activity is published after the input that it announces can be found.",
        check: order::data_before_signal,
    },
];

/// What a run breaks by itself; pinned and waived by these names like any property.
pub const OF_THE_RUN: &[(&str, &str)] = &[
    (
        "no_deadlock",
        "Nobody waits for ever, except who is declared as parked, who waits for an event of the \
         script, and a submission loop that has nothing to do.",
    ),
    ("no_panic", "Nobody panics."),
    ("no_lost_wake_up", "Whoever waits for something that is there was woken."),
    ("ends", "A run ends within the limit of steps."),
];

/// The names of everything that can be violated.
pub fn names() -> Vec<&'static str> {
    ALL.iter()
        .map(|property| property.name)
        .chain(OF_THE_RUN.iter().map(|(name, _)| *name))
        .collect()
}

/// Everything that `history` breaks.
pub fn judge(history: &History, names: &Names) -> Vec<Violation> {
    let mut violations = Vec::new();
    for property in ALL {
        let mut found = Found { property: property.name, violations: Vec::new() };
        (property.check)(history, names, &mut found);
        violations.append(&mut found.violations);
    }
    violations
}
