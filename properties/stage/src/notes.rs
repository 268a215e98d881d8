//! What is written down beside the program that is explored.

/// A std lock, which no backend sees: what is noted is noted inside the steps of others. Nothing
/// else may be done inside, so it is never held for long.
#[derive(Debug, Default)]
#[expect(clippy::disallowed_types, reason = "beside the program that is explored")]
pub(crate) struct Notes<T>(std::sync::Mutex<T>);

#[expect(clippy::disallowed_types, reason = "beside the program that is explored")]
impl<T> Notes<T> {
    pub(crate) fn new(value: T) -> Self {
        Notes(std::sync::Mutex::new(value))
    }

    pub(crate) fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        body(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}
