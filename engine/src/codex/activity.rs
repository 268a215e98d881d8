//! Waiting until something may be there for the model.
//!
//! Promises: subscribed first, then looked, so nothing that comes in between is missed. Takes
//! nothing.

use std::sync::Arc;

use midturn_protocol::{Event, InputId, Reply};

use crate::codex::Fault;
use crate::codex::session::Session;

/// Codex: `subscribe_activity`, and a wait for what it brings.
pub(crate) async fn await_activity(session: &Arc<Session>, command: InputId) -> Reply {
    let too_late = session.policy.faults.has(Fault::LooksBeforeSubscribing);
    let seen = too_late && look(session, command, false);
    let mut activity = session.activity.subscribe("subscribe_activity: subscribe");
    if !seen && (too_late || !look(session, command, false)) {
        activity.changed("await_activity: wait").await;
        let found = look(session, command, true);
        return Reply::Woken { found };
    }
    Reply::Woken { found: true }
}

/// Looks at the active turn, then at the mailbox.
fn look(session: &Session, command: InputId, last: bool) -> bool {
    let woken = |found| session.observe(Event::Woken { command, found });
    if session.slot.explicit_waits(&|| woken(true)) {
        return true;
    }
    session.mailbox.peek("subscribe_activity: mailbox", |mailbox| {
        let found = !mailbox.is_empty();
        if found || last {
            woken(found);
        }
        found
    })
}
