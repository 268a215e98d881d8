//! Everything in which the replay and the observation may differ, and why.
//!
//! Promises: nothing is forgiven anywhere else. Three parts: what Codex's server says where our
//! engine gives a reason; how the observer wrote down what it saw; the listed exceptions, each
//! of which some schedule needs.

use std::sync::Arc;

use midturn_engine::codex::Policy;
use midturn_protocol::{HistoryItem, Reason, Role, TaskKind, TurnEnd, TurnId};

use super::schedule::{Call, Does, Look, Sight, Status, Step, Told};

/// A release that was observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    V0149,
    V0171,
}

impl Release {
    pub const ALL: [Release; 2] = [Release::V0149, Release::V0171];

    pub fn version(self) -> &'static str {
        match self {
            Release::V0149 => "0.149.0",
            Release::V0171 => "0.171.0",
        }
    }

    pub fn policy(self) -> Policy {
        match self {
            Release::V0149 => Policy::codex_0_149(),
            Release::V0171 => Policy::codex_0_171(),
        }
    }

    pub fn data(self) -> &'static str {
        match self {
            Release::V0149 => include_str!("../../data/observed_0_149_0.toml"),
            Release::V0171 => include_str!("../../data/observed_0_171_0.toml"),
        }
    }

    /// What a child knows when it starts: the history of its parent as the request held it that
    /// spawned the child, in 0.171.0 with the call that did (which the engine answers). Not the
    /// engine's doing: who makes the session decides.
    pub fn fork(self, asked: &[HistoryItem], call: &Arc<str>) -> Vec<HistoryItem> {
        let call = match self {
            Release::V0149 => None,
            Release::V0171 => Some(HistoryItem { role: Role::ToolCall, text: call.clone() }),
        };
        asked.iter().cloned().chain(call).collect()
    }
}

/// The code and text with which the server answers a call that the engine refused. `None`: this
/// refusal was never observed.
pub fn error(
    call: &Call,
    reason: Reason,
    name: impl Fn(TurnId) -> String,
) -> Option<(i64, String)> {
    const INVALID_REQUEST: i64 = -32600;
    const INTERNAL_ERROR: i64 = -32603;
    let (code, text) = match (call, reason) {
        (Call::Steer { .. }, Reason::NoActiveTurn) => {
            (INVALID_REQUEST, "no active turn to steer".to_owned())
        }
        (Call::Steer { .. }, Reason::ExpectedTurnMismatch { expected, actual }) => {
            let (expected, actual) = (name(expected), name(actual));
            (INVALID_REQUEST, format!("expected active turn id `{expected}` but found `{actual}`"))
        }
        (Call::Steer { .. }, Reason::EmptyInput) => {
            (INVALID_REQUEST, "input must not be empty".to_owned())
        }
        (Call::Steer { .. }, Reason::ActiveTurnNotSteerable(kind)) => {
            let kind = kind_name(kind).to_lowercase();
            (INVALID_REQUEST, format!("cannot steer a {kind} turn"))
        }
        (Call::Start(_), Reason::ActiveTurnNotSteerable(kind)) => {
            let reason = format!("ActiveTurnNotSteerable {{ turn_kind: {} }}", kind_name(kind));
            (INTERNAL_ERROR, format!("failed to submit turn input: {reason}"))
        }
        (Call::Interrupt { .. }, Reason::NoActiveTurn) => {
            (INVALID_REQUEST, "no active turn to interrupt".to_owned())
        }
        (Call::Interrupt { .. }, Reason::ExpectedTurnMismatch { expected, actual }) => {
            let (expected, actual) = (name(expected), name(actual));
            (INVALID_REQUEST, format!("expected active turn id {expected} but found {actual}"))
        }
        (
            Call::Start(_)
            | Call::Steer { .. }
            | Call::Interrupt { .. }
            | Call::Inject(_)
            | Call::Review(_)
            | Call::Compact,
            _,
        ) => return None,
    };
    Some((code, text))
}

fn kind_name(kind: TaskKind) -> &'static str {
    match kind {
        TaskKind::Regular => "Regular",
        TaskKind::Review => "Review",
        TaskKind::Compact => "Compact",
    }
}

/// `None`: a turn that ended so was never observed.
pub fn status(how: TurnEnd) -> Option<Status> {
    match how {
        TurnEnd::Completed => Some(Status::Completed),
        TurnEnd::Interrupted => Some(Status::Interrupted),
        TurnEnd::Failed | TurnEnd::Replaced => None,
    }
}

/// The marker of an interrupted turn, to which the observer cut whatever holds it.
const MARKER: &str = "<turn_aborted>";

/// An item of a request as the observer wrote it down. It left out reasoning (and the host's
/// environment and developer items, which our engine does not have), left out what a tool put
/// out, cut texts, and wrote line ends as ` / `.
pub fn shown(item: &HistoryItem, hides_marker: bool) -> Option<String> {
    const TEXT: usize = 60;
    const MAIL: usize = 90;
    let cut = |length| item.text.chars().take(length).collect::<String>();
    match item.role {
        Role::User if hides_marker && &*item.text == MARKER => None,
        Role::User => Some(format!("user: {}", cut(TEXT))),
        Role::Assistant => Some(format!("assistant: {}", cut(TEXT))),
        Role::ToolCall => Some(format!("function_call: {}", item.text)),
        Role::ToolOutput => Some("function_call_output".to_owned()),
        Role::Mail => Some(format!("mail: {}", cut(MAIL).replace('\n', " / "))),
        // Never in an observed request, and not left out: it would have to be explained.
        Role::Context => Some(format!("context: {}", item.text)),
        Role::Reasoning => None,
    }
}

/// The mail with which a parent gives its child a task. What the task is travels in a part that
/// the observer did not see.
pub fn new_task() -> String {
    envelope("NEW_TASK", "/root/worker", "/root", "")
}

/// The mail in which a child reports its answer.
pub fn final_answer(answer: &str) -> String {
    envelope("FINAL_ANSWER", "/root", "/root/worker", answer)
}

fn envelope(kind: &str, to: &str, from: &str, payload: &str) -> String {
    format!("Message Type: {kind}\nTask name: {to}\nSender: {from}\nPayload:\n{payload}")
}

/// Where the observation is not taken at its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exception {
    InterruptsReply,
    OpenAfterInterrupt,
    ReviewNamesTwoTurns,
    ReviewsOwnId,
    DevelopersMarker,
    RequestFetchedLater,
}

impl Exception {
    pub const ALL: [Exception; 6] = [
        Exception::InterruptsReply,
        Exception::OpenAfterInterrupt,
        Exception::ReviewNamesTwoTurns,
        Exception::ReviewsOwnId,
        Exception::DevelopersMarker,
        Exception::RequestFetchedLater,
    ];

    pub fn why(self) -> &'static str {
        match self {
            Exception::InterruptsReply => {
                "The reply to an interrupt and the end of its turn leave the server at the same \
                 moment and on two ways; the observer saw them in either order."
            }
            Exception::OpenAfterInterrupt => {
                "A request that is still open right after an interrupt only says that the mock \
                 had not yet noticed that its peer was gone."
            }
            Exception::ReviewNamesTwoTurns => {
                "The server tells of the start of a review under another id than of its end."
            }
            Exception::ReviewsOwnId => {
                "The steer of the review names the turn by the id in the review's own reply, \
                 which the observer had not yet seen on any turn."
            }
            Exception::DevelopersMarker => {
                "With the tools for other agents the marker of an interrupted turn speaks as the \
                 developer, and the observer left such items out."
            }
            Exception::RequestFetchedLater => {
                "The mock kept requests in a queue until the observer fetched the next one, which \
                 it did after it had ended the response before, even if that had been cut."
            }
        }
    }
}

/// The exceptions that are made.
pub struct Exceptions(Vec<Exception>);

impl Exceptions {
    pub fn all() -> Self {
        Exceptions(Exception::ALL.to_vec())
    }

    pub fn all_but(exception: Exception) -> Self {
        Exceptions(Exception::ALL.into_iter().filter(|other| *other != exception).collect())
    }

    fn make(&self, exception: Exception) -> bool {
        self.0.contains(&exception)
    }

    /// [`Exception::InterruptsReply`]: the call stands where it was made, before what it did.
    pub fn in_order(&self, steps: &[Step]) -> Vec<Step> {
        let mut steps = steps.to_vec();
        if self.make(Exception::InterruptsReply) {
            for at in 1..steps.len() {
                let Step::Saw(_, Sight::Ended(ended, Status::Interrupted)) = &steps[at - 1] else {
                    continue;
                };
                let Step::Called(Call::Interrupt { turn }, Told::Done) = &steps[at] else {
                    continue;
                };
                if ended == turn {
                    steps.swap(at - 1, at);
                }
            }
        }
        steps
    }

    /// [`Exception::OpenAfterInterrupt`].
    pub fn looks(&self, seen: Look, is: Look, interrupted: bool) -> bool {
        seen == is || interrupted && seen == Look::Open && self.make(Exception::OpenAfterInterrupt)
    }

    /// [`Exception::ReviewNamesTwoTurns`].
    pub fn may_have_second_name(&self, turn: TurnId, review: Option<TurnId>) -> bool {
        review == Some(turn) && self.make(Exception::ReviewNamesTwoTurns)
    }

    /// [`Exception::ReviewsOwnId`]: the turn that a call means by a name that no turn has.
    pub fn means_the_review(&self, name: &str, review: Option<TurnId>) -> Option<TurnId> {
        let stands_for_it = name == "some-turn-id" && self.make(Exception::ReviewsOwnId);
        review.filter(|_| stands_for_it)
    }

    /// [`Exception::DevelopersMarker`]. `spawns`: whether the schedule has those tools.
    pub fn hide_marker(&self, spawns: bool) -> bool {
        spawns && self.make(Exception::DevelopersMarker)
    }

    /// [`Exception::RequestFetchedLater`]: whether a request may have come before this.
    pub fn may_wait_over(&self, does: &Does) -> bool {
        *does == Does::Closes && self.make(Exception::RequestFetchedLater)
    }
}
