//! Where an input ended.

use crate::{ClearedBy, Reason, TurnId};

/// The one place in which an input is found when nobody can move any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Landing {
    /// The model read it.
    Sampled {
        /// In which turn.
        turn: TurnId,
        /// In which request of that turn, counted from 1.
        request: u32,
    },
    /// It is in history, and no request ever held it.
    Recorded,
    /// It still waits, in the mailbox or on a turn that has not ended.
    Queued,
    /// It was handed back to its caller.
    Returned,
    /// It was dropped, and that was reported.
    Cleared(ClearedBy),
    /// It was refused.
    Refused(Reason),
    /// It is nowhere. Never a legal landing.
    Lost,
}
