//! One response of the scripted model. Each item is a step at which a cancel may strike.

use std::sync::Arc;

use midturn_properties::scenario::{ScriptKind, ScriptTool};
use midturn_protocol::{BoxFuture, ModelItem, ModelStream, ToolWork, TurnId};
use midturn_sync::{Latch, Site};

use crate::backend::Backend;
use crate::notes::Notes;

/// The tools that were called and that the world has yet to run, each with its turn. A turn calls
/// and runs them in one actor, so that their order is that of its steps.
#[derive(Clone, Default)]
pub(crate) struct CalledTools(Arc<Notes<Vec<(TurnId, ScriptTool)>>>);

impl CalledTools {
    fn call(&self, turn: TurnId, tool: &ScriptTool) {
        match tool.call.work {
            ToolWork::Run | ToolWork::Ask(_) => {
                self.0.with(|called| called.push((turn, tool.clone())));
            }
            // The queue itself is what these wait for.
            ToolWork::AwaitActivity | ToolWork::SleepUntilMail => {}
        }
    }

    /// Forgets what an earlier request of the turn called and never ran.
    pub(crate) fn forget(&self, turn: TurnId) {
        self.0.with(|called| called.retain(|(of, _)| *of != turn));
    }

    /// The first of this name that the turn called and has not yet run.
    pub(crate) fn run(&self, turn: TurnId, name: &str) -> Option<ScriptTool> {
        self.0.with(|called| {
            let first =
                called.iter().position(|(of, tool)| *of == turn && *tool.call.tool == *name);
            first.map(|at| called.remove(at).1)
        })
    }
}

pub(crate) struct ScriptedStream {
    pub(crate) turn: TurnId,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) script: Vec<ScriptKind>,
    /// For each item, the event until which it is held back.
    pub(crate) awaited: Vec<Option<Latch>>,
    pub(crate) next: usize,
    pub(crate) called: CalledTools,
}

impl ModelStream for ScriptedStream {
    fn next(&mut self) -> BoxFuture<'_, Option<ModelItem>> {
        Box::pin(async move {
            loop {
                match self.awaited.get(self.next) {
                    Some(Some(until)) => {
                        self.backend.until(until.clone(), Site::here("model: hold")).await;
                    }
                    Some(None) | None => self.backend.pause(Site::here("model: next item")).await,
                }
                let kind = self.script.get(self.next);
                self.next += 1;
                match kind {
                    Some(ScriptKind::Item(item)) => return Some(item.clone()),
                    Some(ScriptKind::Tool(tool)) => {
                        self.called.call(self.turn, tool);
                        return Some(ModelItem::Tool(tool.call.clone()));
                    }
                    Some(ScriptKind::Hold(_)) => {}
                    None => return None,
                }
            }
        })
    }
}
