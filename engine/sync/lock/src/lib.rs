//! One mutual exclusion lock, over std. Everything in `midturn-sync` is written on it, and
//! loom's build puts a package with the same names in its place.
//!
//! Promises: no poisoning; a value whose holder panicked is handed on as it is. Does nothing
//! else: names, hooks and waits live above.
#![forbid(unsafe_code)]

/// A lock without a name and without a hook.
#[derive(Debug, Default)]
#[expect(clippy::disallowed_types, reason = "the one place where std's lock is used")]
pub struct Lock<T>(std::sync::Mutex<T>);

#[expect(clippy::disallowed_types, reason = "the one place where std's lock is used")]
impl<T> Lock<T> {
    /// A new lock around `value`.
    pub fn new(value: T) -> Self {
        Lock(std::sync::Mutex::new(value))
    }

    /// Runs `body` with exclusive access.
    pub fn with<R>(&self, body: impl FnOnce(&mut T) -> R) -> R {
        let mut guard = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        body(&mut guard)
    }
}
