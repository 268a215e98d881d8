//! Those of a turn who wait for an answer from outside: five tables of one-shot answers.
//!
//! Promises: an answer reaches the one who waits under its key in its table, once; whoever is
//! displaced or cleared sees its channel closed. Never touches input or phase.

use std::collections::BTreeMap;
use std::sync::Arc;

use midturn_protocol::{Answer, WaiterTable};
use midturn_sync::Sender;

/// Who waits, by table and key.
#[derive(Debug, Default)]
pub(crate) struct Waiters(BTreeMap<(WaiterTable, Arc<str>), Sender<Arc<str>>>);

impl Waiters {
    /// The one that was there before, if any, is the caller's to drop: outside of the section.
    #[must_use]
    pub(crate) fn open(
        &mut self,
        table: WaiterTable,
        key: Arc<str>,
        sender: Sender<Arc<str>>,
    ) -> Option<Sender<Arc<str>>> {
        self.0.insert((table, key), sender)
    }

    pub(crate) fn has(&self, answer: &Answer) -> bool {
        self.0.contains_key(&(answer.table, answer.key.clone()))
    }

    pub(crate) fn take(&mut self, table: WaiterTable, key: &Arc<str>) -> Option<Sender<Arc<str>>> {
        self.0.remove(&(table, key.clone()))
    }

    /// Everybody, to be dropped outside of the section.
    #[must_use]
    pub(crate) fn take_all(&mut self) -> Vec<(WaiterTable, Arc<str>, Sender<Arc<str>>)> {
        let all = std::mem::take(&mut self.0);
        all.into_iter().map(|((table, key), sender)| (table, key, sender)).collect()
    }
}
