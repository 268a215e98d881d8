//! One mutual exclusion lock, over loom: the same names as `midturn-lock`, which it replaces.
//!
//! Promises: what `midturn-lock` promises, and that loom sees every entry and every exit. Lives
//! inside a loom model only; one that outlives its execution must not be used again.
#![forbid(unsafe_code)]

use loom::sync::Mutex;

/// A lock without a name and without a hook.
#[derive(Debug, Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// A new lock around `value`.
    pub fn new(value: T) -> Self {
        Lock(Mutex::new(value))
    }

    /// Runs `body` with exclusive access.
    pub fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        let mut guard = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        body(&mut guard)
    }
}
