//! One response of the scripted model. Each item is a step at which a cancel may strike.

use midturn_properties::scenario::ScriptKind;
use midturn_protocol::{BoxFuture, ModelItem, ModelStream};
use midturn_sync::{Latch, Site};

pub(super) struct ScriptedStream {
    pub(super) ready: Latch,
    pub(super) script: Vec<ScriptKind>,
    /// For each item, the event until which it is held back.
    pub(super) awaited: Vec<Option<Latch>>,
    pub(super) next: usize,
}

impl ModelStream for ScriptedStream {
    fn next(&mut self) -> BoxFuture<'_, Option<ModelItem>> {
        Box::pin(async move {
            loop {
                let wait = match self.awaited.get(self.next) {
                    Some(Some(until)) => until.wait(Site::here("model: hold")),
                    Some(None) | None => self.ready.wait(Site::here("model: next item")),
                };
                wait.await;
                let kind = self.script.get(self.next);
                self.next += 1;
                match kind {
                    Some(ScriptKind::Item(item)) => return Some(item.clone()),
                    Some(ScriptKind::Tool { tool, .. }) => {
                        return Some(ModelItem::Tool(tool.clone()));
                    }
                    Some(ScriptKind::Hold(_)) => {}
                    None => return None,
                }
            }
        })
    }
}
