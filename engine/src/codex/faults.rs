//! Planted mistakes: each is one line of the hardened structure, done wrong on purpose, so that
//! a property can show that it bites.
//!
//! Promises: a fault is looked up in exactly one place, and without the feature `faults` no
//! lookup ever says yes. Does not say which property ought to notice.

/// One mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A drain checks that the turn is its own, lets the slot go, and then takes what waits on
    /// whatever turn is in the slot.
    DrainReleasesSlotFirst,
    /// A steer decides in one section and pushes in another.
    SteerInTwoSections,
    /// A start does not look for trigger mail again once it holds the reservation.
    NoSecondLook,
    /// An abort clears what waits before the task could see the cancel.
    ClearBeforeCancel,
    /// A final answer defers delivery although user input waits.
    DeferDespitePending,
    /// The activity watch is told before the data is there.
    SignalBeforeData,
    /// A release empties the slot without looking who holds it.
    ReleaseAnyonesSlot,
    /// A drain takes mail before what waits on the turn.
    MailBeforeInput,
    /// A steer that is refused is queued all the same.
    RefusedSteerIsQueued,
    /// A turn does not remember that it has shown its answer.
    AnswerIsForgotten,
    /// An input that a hook accepts enters history twice.
    InputIsRecordedTwice,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 11] = [
        Fault::DrainReleasesSlotFirst,
        Fault::SteerInTwoSections,
        Fault::NoSecondLook,
        Fault::ClearBeforeCancel,
        Fault::DeferDespitePending,
        Fault::SignalBeforeData,
        Fault::ReleaseAnyonesSlot,
        Fault::MailBeforeInput,
        Fault::RefusedSteerIsQueued,
        Fault::AnswerIsForgotten,
        Fault::InputIsRecordedTwice,
    ];

    /// Its name in a policy, after the `+`.
    pub const fn name(self) -> &'static str {
        match self {
            Fault::DrainReleasesSlotFirst => "drain_releases_slot_first",
            Fault::SteerInTwoSections => "steer_in_two_sections",
            Fault::NoSecondLook => "no_second_look",
            Fault::ClearBeforeCancel => "clear_before_cancel",
            Fault::DeferDespitePending => "defer_despite_pending",
            Fault::SignalBeforeData => "signal_before_data",
            Fault::ReleaseAnyonesSlot => "release_anyones_slot",
            Fault::MailBeforeInput => "mail_before_input",
            Fault::RefusedSteerIsQueued => "refused_steer_is_queued",
            Fault::AnswerIsForgotten => "answer_is_forgotten",
            Fault::InputIsRecordedTwice => "input_is_recorded_twice",
        }
    }

    /// The fault of this name.
    pub fn named(name: &str) -> Option<Fault> {
        Fault::ALL.into_iter().find(|fault| fault.name() == name)
    }
}

/// A set of faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults(u16);

impl Faults {
    /// Whether this build can plant any.
    pub const AVAILABLE: bool = cfg!(feature = "faults");

    /// No fault.
    pub const fn none() -> Self {
        Faults(0)
    }

    /// This set and `fault`.
    #[must_use]
    pub const fn with(self, fault: Fault) -> Self {
        Faults(self.0 | 1 << fault as u8)
    }

    /// Whether `fault` is to be committed. Never, without the feature `faults`.
    pub const fn has(self, fault: Fault) -> bool {
        Faults::AVAILABLE && self.0 & 1 << fault as u8 != 0
    }

    /// Those in the set, in the order of [`Fault::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Fault> {
        Fault::ALL.into_iter().filter(move |fault| self.0 & 1 << *fault as u8 != 0)
    }
}
