//! A turn is ended from outside.
//!
//! Promises: cancel, then done or 100 ms, then the fence with all that is cleared, then the
//! marker, then the event, then the slot. Runs in a task of its own: whoever asked may go away.

use std::sync::Arc;
use std::time::Duration;

use midturn_protocol::{ClearedBy, Event, GraceEnd, TurnEnd, TurnId};
use midturn_sync::{Either, Sender, Site, race};

use crate::codex::Fault;
use crate::codex::hardened::finish::clear_unsampled;
use crate::codex::hardened::{Hardened, Running};
use crate::codex::pending_work::start_pending_work;
use crate::codex::session::Session;

const GRACE: Duration = Duration::from_millis(100);

impl Hardened {
    /// Ends `running`, which was taken out of the slot; then answers.
    pub(super) async fn abort(
        self,
        session: Arc<Session>,
        running: Running,
        answer: Sender<TurnId>,
    ) {
        let Running { turn, state, cancel, done, abort, kind: _ } = running;
        let too_early = session.policy.faults.has(Fault::ClearBeforeCancel);
        if too_early {
            clear_unsampled(&session, &state, ClearedBy::Interrupt, turn);
        }
        cancel.cancel("abort: cancel");
        session.observe(Event::CancelRequested { turn });
        let grace = race(done.wait(Site::here("abort: done")), session.env.sleep(GRACE)).await;
        let how = match grace {
            Either::First(()) => GraceEnd::Done,
            Either::Second(()) => GraceEnd::TimedOut,
        };
        session.observe(Event::GraceEnded { turn, how });
        abort.abort("abort: abort future");
        if !too_early {
            clear_unsampled(&session, &state, ClearedBy::Interrupt, turn);
        }
        session.state.section("abort: record marker", |history| {
            history.record_marker(&*session.env, turn);
        });
        session.flush(turn).await;
        let ended = Event::TurnEnded { turn, how: TurnEnd::Interrupted };
        session.send_event("send_event: TurnAborted", ended);
        session.flush(turn).await;
        let idle = self.clear(&session);
        // Whoever asked may have gone away.
        let _ = answer.send("abort: answer", turn);
        if idle {
            start_pending_work(&session, turn.next()).await;
        }
    }
}
