//! What a test keeps beside a model and loom does not see.

/// A std lock. Nothing of loom may be done inside, so it is never contended.
#[derive(Debug, Default)]
#[expect(clippy::disallowed_types, reason = "beside the model, where loom is meant to be blind")]
pub struct Unseen<T>(std::sync::Mutex<T>);

#[expect(clippy::disallowed_types, reason = "beside the model, where loom is meant to be blind")]
impl<T> Unseen<T> {
    pub fn new(value: T) -> Self {
        Unseen(std::sync::Mutex::new(value))
    }

    pub fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        body(&mut self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

/// What a model notes down, shared by its threads.
#[derive(Debug, Default)]
pub struct Notes<T>(std::sync::Arc<Unseen<T>>);

impl<T: Default> Notes<T> {
    pub fn note(&self, write: impl FnOnce(&mut T)) {
        self.0.with(write);
    }

    /// Tells what was noted.
    pub fn teller(&self) -> impl FnOnce() -> T + Send + use<T>
    where
        T: Send + 'static,
    {
        let notes = self.clone();
        move || notes.0.with(std::mem::take)
    }
}

impl<T> Clone for Notes<T> {
    fn clone(&self) -> Self {
        Notes(self.0.clone())
    }
}
