//! One response of the model, written by the replay and read by an engine.
//!
//! Promises: an item is taken once or stays; the writer learns whether the reader went away
//! before the end.

use std::collections::VecDeque;
use std::sync::Arc;

use midturn_protocol::{BoxFuture, ModelItem, ModelStream};
use midturn_sync::{Mutex, Watch, WatchReceiver};

/// The writing end of a response.
#[derive(Clone)]
pub struct Response(Arc<Shared>);

struct Shared {
    items: Mutex<Items>,
    written: Watch<()>,
}

#[derive(Default)]
struct Items {
    waiting: VecDeque<ModelItem>,
    closed: bool,
    /// The reader went away before the end.
    cut: bool,
}

pub fn response() -> (Response, Reader) {
    let items = Mutex::new("response", Items::default());
    let shared = Arc::new(Shared { items, written: Watch::new("response written", ()) });
    let written = shared.written.subscribe("response: read");
    (Response(shared.clone()), Reader { shared, written, at_end: false })
}

impl Response {
    pub fn is_cut(&self) -> bool {
        self.0.items.peek("response: is cut", |items| items.cut)
    }

    /// Whether something can still be said in it.
    pub fn is_over(&self) -> bool {
        self.0.items.peek("response: is over", |items| items.cut || items.closed)
    }

    pub fn write(&self, item: ModelItem) {
        self.0.items.section("response: write", |items| items.waiting.push_back(item));
        self.0.written.send("response: written", ());
    }

    pub fn close(&self) {
        self.0.items.section("response: close", |items| items.closed = true);
        self.0.written.send("response: closed", ());
    }
}

/// The reading end of a response.
pub struct Reader {
    shared: Arc<Shared>,
    written: WatchReceiver<()>,
    at_end: bool,
}

impl ModelStream for Reader {
    fn next(&mut self) -> BoxFuture<'_, Option<ModelItem>> {
        Box::pin(async move {
            loop {
                let next = self.shared.items.section("response: next", |items| {
                    match items.waiting.pop_front() {
                        Some(item) => Some(Some(item)),
                        None => items.closed.then_some(None),
                    }
                });
                if let Some(next) = next {
                    self.at_end = next.is_none();
                    return next;
                }
                self.written.changed("response: wait").await;
            }
        })
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let early = !self.at_end;
        self.shared.items.section_on_drop("response: let go", |items| items.cut = early);
    }
}
