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
    /// A drain takes what waits on the turn, lets go, and then takes the mailbox.
    DrainInTwoSections,
    /// A steer that is refused is queued all the same.
    RefusedSteerIsQueued,
    /// A turn does not remember that it has shown its answer.
    AnswerIsForgotten,
    /// An input that a hook accepts enters history twice.
    InputIsRecordedTwice,
    /// A start or steer waits for the log before it answers.
    VerdictWaitsForTheLog,
    /// The settings of a submission that is refused are applied all the same.
    RefusedEditIsApplied,
    /// The settings of a steer reach the running turn.
    SteerChangesTheTurn,
    /// The context of a steer is queued in a section of its own, before the input.
    ContextApart,
    /// An abort keeps those who wait for an answer waiting.
    WaitersAreForgotten,
    /// A client's view goes on to show a turn that was aborted.
    ViewKeepsTheTurn,
    /// When a hook blocks an input, what was taken with it is dropped.
    BlockStrandsTheBatch,
    /// A review can be steered.
    ReviewTakesSteers,
    /// A turn whose request was cut for waiting input stops there.
    CutForgetsFollowUp,
    /// An interrupt that names a turn ends whichever runs.
    InterruptHitsAnyone,
    /// A steer goes to whichever turn runs.
    ExpectedIsIgnored,
    /// A start for mail does not look whether the mail is still there.
    StartsWithoutLooking,
    /// A session that was ended starts turns for mail that waits.
    CloseIsForgotten,
    /// An abort does not look whether its task has ended before it waits.
    DoneIsNotRemembered,
    /// A tool that waits for activity does not look what is there already.
    WaitDoesNotLook,
    /// After a compaction in the middle of a tool exchange, what waits is taken first.
    SteerGoesBeforeTheResume,
    /// Whether the mode allows an automatic start is decided before the start is made.
    PlanIsDecidedEarly,
    /// A turn that ends before its first request says nothing of its input.
    BlockedStartIsForgotten,
    /// Who waits for activity looks first and subscribes then.
    LooksBeforeSubscribing,
    /// A start does not look whether its reservation is still there.
    StartIgnoresReservation,
    /// A turn that is done does not look whether it is the one that runs.
    FinishTakesAnyone,
    /// A start decides in one section and takes the slot in another.
    StartInTwoSections,
    /// A turn looks for what waits in one section and leaves in another.
    LastLookInTwoSections,
    /// The end of an interrupted turn is told before its marker is recorded.
    EndIsToldFirst,
    /// A continuation does not look which turn started last.
    PreviousIsNotChecked,
    /// A turn that is stopped or fails keeps the mail that it has taken.
    MailIsNotPutBack,
    /// A suspension looks for its turn in one section and stops whichever runs in another.
    SuspendTakesAnyone,
    /// An injection is queued on a turn that has no task.
    InjectionNeedsNoTask,
    /// A turn starts in the place of one that has not ended.
    SuccessorStartsAtOnce,
    /// Who frees the slot does not look for mail that could start a turn.
    FreedSlotIsNotLookedAt,
    /// A start that is refused does not look for mail that it kept from starting a turn.
    RefusedStartForgetsMail,
    /// A turn does not remember what it has taken and not recorded yet.
    DrainedIsForgotten,
    /// The task of a turn that was stopped may go on changing things.
    FenceIsLeftOpen,
    /// The settings of a steer are applied after its input was queued.
    SettingsAfterTheSteer,
    /// Input that is cleared is not reported.
    ClearedIsNotTold,
    /// A final answer does not defer delivery.
    AnswerDoesNotDefer,
    /// A start does not ask, when it is made, whether the host still takes one.
    DrainIsForgotten,
    /// Context that was cleared counts as told.
    ClearedContextStaysKnown,
    /// A hook that stops a start drops its context too, which a waiting steer has left out.
    StoppedStartTakesItsContext,
    /// A task runs before it is in the slot.
    PublishedAfterTheTask,
    /// The mail that a failed turn has taken is not recorded.
    FailedTurnForgetsMail,
    /// A start asks only when it is called whether its settings are allowed.
    ConstraintsAreAskedEarly,
    /// The end of an interrupted turn is told before its marker is in the log.
    MarkerIsNotFlushed,
    /// A compaction takes out input that no request has held.
    CompactionTakesTheUnread,
    /// After a recovery a turn for mail has the name of an earlier one.
    NamesAreUsedTwice,
    /// A caller that goes away leaves its reservation in the slot.
    ReservationIsLeft,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 58] = [
        Fault::DrainReleasesSlotFirst,
        Fault::SteerInTwoSections,
        Fault::NoSecondLook,
        Fault::ClearBeforeCancel,
        Fault::DeferDespitePending,
        Fault::SignalBeforeData,
        Fault::ReleaseAnyonesSlot,
        Fault::MailBeforeInput,
        Fault::DrainInTwoSections,
        Fault::RefusedSteerIsQueued,
        Fault::AnswerIsForgotten,
        Fault::InputIsRecordedTwice,
        Fault::VerdictWaitsForTheLog,
        Fault::RefusedEditIsApplied,
        Fault::SteerChangesTheTurn,
        Fault::ContextApart,
        Fault::WaitersAreForgotten,
        Fault::ViewKeepsTheTurn,
        Fault::BlockStrandsTheBatch,
        Fault::ReviewTakesSteers,
        Fault::CutForgetsFollowUp,
        Fault::InterruptHitsAnyone,
        Fault::ExpectedIsIgnored,
        Fault::StartsWithoutLooking,
        Fault::CloseIsForgotten,
        Fault::DoneIsNotRemembered,
        Fault::WaitDoesNotLook,
        Fault::SteerGoesBeforeTheResume,
        Fault::PlanIsDecidedEarly,
        Fault::BlockedStartIsForgotten,
        Fault::LooksBeforeSubscribing,
        Fault::StartIgnoresReservation,
        Fault::FinishTakesAnyone,
        Fault::StartInTwoSections,
        Fault::LastLookInTwoSections,
        Fault::EndIsToldFirst,
        Fault::PreviousIsNotChecked,
        Fault::MailIsNotPutBack,
        Fault::SuspendTakesAnyone,
        Fault::InjectionNeedsNoTask,
        Fault::SuccessorStartsAtOnce,
        Fault::FreedSlotIsNotLookedAt,
        Fault::RefusedStartForgetsMail,
        Fault::DrainedIsForgotten,
        Fault::FenceIsLeftOpen,
        Fault::SettingsAfterTheSteer,
        Fault::ClearedIsNotTold,
        Fault::AnswerDoesNotDefer,
        Fault::DrainIsForgotten,
        Fault::ClearedContextStaysKnown,
        Fault::StoppedStartTakesItsContext,
        Fault::PublishedAfterTheTask,
        Fault::FailedTurnForgetsMail,
        Fault::ConstraintsAreAskedEarly,
        Fault::MarkerIsNotFlushed,
        Fault::CompactionTakesTheUnread,
        Fault::NamesAreUsedTwice,
        Fault::ReservationIsLeft,
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
            Fault::DrainInTwoSections => "drain_in_two_sections",
            Fault::RefusedSteerIsQueued => "refused_steer_is_queued",
            Fault::AnswerIsForgotten => "answer_is_forgotten",
            Fault::InputIsRecordedTwice => "input_is_recorded_twice",
            Fault::VerdictWaitsForTheLog => "verdict_waits_for_the_log",
            Fault::RefusedEditIsApplied => "refused_edit_is_applied",
            Fault::SteerChangesTheTurn => "steer_changes_the_turn",
            Fault::ContextApart => "context_apart",
            Fault::WaitersAreForgotten => "waiters_are_forgotten",
            Fault::ViewKeepsTheTurn => "view_keeps_the_turn",
            Fault::BlockStrandsTheBatch => "block_strands_the_batch",
            Fault::ReviewTakesSteers => "review_takes_steers",
            Fault::CutForgetsFollowUp => "cut_forgets_follow_up",
            Fault::InterruptHitsAnyone => "interrupt_hits_anyone",
            Fault::ExpectedIsIgnored => "expected_is_ignored",
            Fault::StartsWithoutLooking => "starts_without_looking",
            Fault::CloseIsForgotten => "close_is_forgotten",
            Fault::DoneIsNotRemembered => "done_is_not_remembered",
            Fault::WaitDoesNotLook => "wait_does_not_look",
            Fault::SteerGoesBeforeTheResume => "steer_goes_before_the_resume",
            Fault::PlanIsDecidedEarly => "plan_is_decided_early",
            Fault::BlockedStartIsForgotten => "blocked_start_is_forgotten",
            Fault::LooksBeforeSubscribing => "looks_before_subscribing",
            Fault::StartIgnoresReservation => "start_ignores_reservation",
            Fault::FinishTakesAnyone => "finish_takes_anyone",
            Fault::StartInTwoSections => "start_in_two_sections",
            Fault::LastLookInTwoSections => "last_look_in_two_sections",
            Fault::EndIsToldFirst => "end_is_told_first",
            Fault::PreviousIsNotChecked => "previous_is_not_checked",
            Fault::MailIsNotPutBack => "mail_is_not_put_back",
            Fault::SuspendTakesAnyone => "suspend_takes_anyone",
            Fault::InjectionNeedsNoTask => "injection_needs_no_task",
            Fault::SuccessorStartsAtOnce => "successor_starts_at_once",
            Fault::FreedSlotIsNotLookedAt => "freed_slot_is_not_looked_at",
            Fault::RefusedStartForgetsMail => "refused_start_forgets_mail",
            Fault::DrainedIsForgotten => "drained_is_forgotten",
            Fault::FenceIsLeftOpen => "fence_is_left_open",
            Fault::SettingsAfterTheSteer => "settings_after_the_steer",
            Fault::ClearedIsNotTold => "cleared_is_not_told",
            Fault::AnswerDoesNotDefer => "answer_does_not_defer",
            Fault::DrainIsForgotten => "drain_is_forgotten",
            Fault::ClearedContextStaysKnown => "cleared_context_stays_known",
            Fault::StoppedStartTakesItsContext => "stopped_start_takes_its_context",
            Fault::PublishedAfterTheTask => "published_after_the_task",
            Fault::FailedTurnForgetsMail => "failed_turn_forgets_mail",
            Fault::ConstraintsAreAskedEarly => "constraints_are_asked_early",
            Fault::MarkerIsNotFlushed => "marker_is_not_flushed",
            Fault::CompactionTakesTheUnread => "compaction_takes_the_unread",
            Fault::NamesAreUsedTwice => "names_are_used_twice",
            Fault::ReservationIsLeft => "reservation_is_left",
        }
    }

    /// The fault of this name.
    pub fn named(name: &str) -> Option<Fault> {
        Fault::ALL.into_iter().find(|fault| fault.name() == name)
    }
}

/// A set of faults.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults(u64);

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
        Faults(self.0 | 1 << fault as u64)
    }

    /// Whether `fault` is to be committed. Never, without the feature `faults`.
    pub const fn has(self, fault: Fault) -> bool {
        Faults::AVAILABLE && self.0 & 1 << fault as u64 != 0
    }

    /// Those in the set, in the order of [`Fault::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Fault> {
        Fault::ALL.into_iter().filter(move |fault| self.0 & 1 << *fault as u64 != 0)
    }
}
