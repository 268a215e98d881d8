//! Panics of actors: reported with their run, not printed as they happen.

use std::cell::RefCell;
use std::panic;
use std::sync::Once;

use super::coroutine::inside_fiber;

thread_local! {
    /// Message and place of the last panic inside a fiber of this thread.
    pub(super) static LAST_PANIC: RefCell<Option<(String, String)>> = const { RefCell::new(None) };
}

/// Installs, once a process, a panic hook that is silent inside fibers.
pub(super) fn quiet_panics_of_actors() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if inside_fiber() {
                let message = info.payload_as_str().unwrap_or("a panic without a message");
                let place = info
                    .location()
                    .map_or_else(|| "unknown".into(), |at| format!("{}:{}", at.file(), at.line()));
                LAST_PANIC.with(|last| *last.borrow_mut() = Some((message.to_owned(), place)));
            } else {
                previous(info);
            }
        }));
    });
}
