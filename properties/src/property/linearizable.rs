//! Whether a run can be explained by the reference machine.

mod explanations;

use std::fmt::Write as _;

use super::Found;
use crate::history::History;
use crate::linearizability::{Blocked, Operations, Place, Unexplained, Why};
use crate::machine::codex::{Refusal, Step, observe, promise_of};
use crate::scenario::Names;

pub(crate) use explanations::Explanations;

/// Reads what a class fixes: each actor's own order and, with relation `r`, real time.
pub(super) fn linearizable(history: &History, names: &Names, found: &mut Found<'_>) {
    let observation = observe(history);
    let missing = found.explanations.missing(&promise_of(history), &observation, |unexplained| {
        in_words(&observation.steps, unexplained, names)
    });
    let Some(inexplicable) = missing else { return };
    let blocked = |place: &Place| inexplicable.blocked.contains(place);
    // The first of them in time is what a story has to show.
    let at = observation.order.iter().find(|(place, _)| blocked(place)).map(|(_, at)| *at);
    found.report(inexplicable.what, at);
}

/// The longest prefix, and for each step that cannot come next why not, a line a place.
fn in_words(steps: &Operations<Step>, unexplained: &Unexplained<Refusal>, names: &Names) -> String {
    let Unexplained { prefix, blocked, gave_up } = unexplained;
    let step = |place: Place| steps.at(place).operation.in_words(names);
    let mut words = match prefix.last() {
        Some(last) => format!(
            "{} steps can be explained, the last is `{}`. None of these can come:",
            prefix.len(),
            step(*last)
        ),
        None => "no step can be explained. None of these can come:".to_owned(),
    };
    if *gave_up {
        words.insert_str(
            0,
            "the search for an order became too large and was ended. As far as it went, ",
        );
    }
    for Blocked { place, because } in blocked {
        let _ = write!(words, "\n`{}`", step(*place));
        let mut told: Option<&Why<Refusal>> = None;
        for (n, why) in because {
            // The same reason at several places in a row is given for the first of them.
            if told.replace(why) == Some(why) {
                continue;
            }
            let behind = match n.checked_sub(1).and_then(|last| prefix.get(last)) {
                Some(last) => format!("after `{}`", step(*last)),
                None => "at first".to_owned(),
            };
            let why = match why {
                Why::Refused(refusal) => refusal.in_words(names),
                Why::ThenRefused(later, refusal) => {
                    format!("`{}` could not follow, {}", step(*later), refusal.in_words(names))
                }
            };
            let _ = write!(words, "\n  {behind}: {why}");
        }
    }
    words
}
