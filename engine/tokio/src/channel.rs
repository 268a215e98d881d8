//! A model request fed by hand: one end for whoever has the items, one for the engine.

use midturn_protocol::{BoxFuture, ModelItem, ModelStream};
use tokio::sync::mpsc;

/// Feeds a request. Dropping it completes the response.
#[derive(Clone, Debug)]
pub struct ItemSender(mpsc::UnboundedSender<ModelItem>);

struct Items(mpsc::UnboundedReceiver<ModelItem>);

/// A request and the sender that feeds it.
pub fn channel() -> (ItemSender, Box<dyn ModelStream>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    (ItemSender(sender), Box::new(Items(receiver)))
}

impl ItemSender {
    /// Sends a completed item; gives it back once the engine has dropped the request.
    pub fn send(&self, item: ModelItem) -> Result<(), ModelItem> {
        self.0.send(item).map_err(|error| error.0)
    }
}

impl ModelStream for Items {
    fn next(&mut self) -> BoxFuture<'_, Option<ModelItem>> {
        Box::pin(self.0.recv())
    }
}
