//! A budget of time.

/// The only reader of a clock: a budget of time, which takes the word `complete` away.
pub(crate) struct Deadline(Option<(std::time::Instant, std::time::Duration)>);

#[expect(clippy::disallowed_methods, reason = "a budget of time is the command's, not a run's")]
impl Deadline {
    pub(crate) fn after(time: Option<std::time::Duration>) -> Self {
        Deadline(time.map(|time| (std::time::Instant::now(), time)))
    }

    pub(crate) fn has_passed(&self) -> bool {
        self.0.is_some_and(|(start, time)| start.elapsed() >= time)
    }
}
