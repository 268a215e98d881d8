//! One turn with a steer in the middle: where did each message land?
//!
//! `cargo run -p midturn-engine-tokio --example one_turn [POLICY]`

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::Arc;

use midturn_engine::codex::{Codex, Front, Policy};
use midturn_engine_tokio::{Agent, ItemSender, TokioEnv, channel};
use midturn_protocol::{
    BoxFuture, Event, Input, InputId, InputKind, Mode, ModelItem, ModelStream, QueueEngine,
    Request, SessionSetup, Submission, ToolCall,
};
use tokio::runtime::{Handle, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const NAMES: [(u32, &str); 2] = [(1, "build the config"), (2, "use YAML")];

/// Hands every request to the main task, which plays the model.
struct ByHand(UnboundedSender<(Request, ItemSender)>);

impl Agent for ByHand {
    fn sample(&self, request: Request) -> BoxFuture<'static, Box<dyn ModelStream>> {
        let (items, stream) = channel();
        let played = self.0.send((request, items)).is_ok();
        assert!(played, "main plays the model until the turn has ended");
        Box::pin(std::future::ready(stream))
    }

    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>> {
        Box::pin(std::future::ready(format!("{} ran", call.tool).into()))
    }
}

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_else(|| "hardened".to_owned());
    let Some(policy) = Policy::named(&name) else {
        eprintln!("no policy {name:?}; there are {}", Policy::NAMES.join(", "));
        return ExitCode::from(2);
    };
    let runtime = match Runtime::new() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("no runtime: {error}");
            return ExitCode::FAILURE;
        }
    };
    runtime.block_on(one_turn(policy));
    ExitCode::SUCCESS
}

async fn one_turn(policy: Policy) {
    let (model, requests) = unbounded_channel();
    let (facts, mut seen) = unbounded_channel();
    let env = TokioEnv::new(Handle::current(), ByHand(model)).observed_by(move |event| {
        // After the turn has ended nobody listens any more.
        let _ = facts.send(event);
    });
    let engine = Codex::new(env.shared(), policy, Front::Concurrent, SessionSetup::default());

    println!("policy {policy}");
    println!("prompt answered: {:?}", engine.submit(submission(Mode::StartOrSteer, 0)).await);
    let playing = tokio::spawn(play(engine.clone(), requests));
    let mut landings = BTreeMap::new();
    while let Some(event) = seen.recv().await {
        match event {
            Event::RequestBegan { turn, request, new, .. } => {
                landings.extend(new.into_iter().map(|input| (input, (turn, request))));
            }
            Event::TurnEnded { turn, how } => {
                println!("turn {} ended: {how:?}", turn.origin.0);
                break;
            }
            _ => {}
        }
    }
    playing.abort();
    for (id, text) in NAMES {
        match landings.get(&InputId(id)) {
            Some((turn, request)) => {
                println!("{text:?}: sampled in request {request} of turn {}", turn.origin.0);
            }
            None => println!("{text:?}: never sampled"),
        }
    }
}

/// The model: comments, is steered, answers; then answers once more.
async fn play(engine: Codex, mut requests: UnboundedReceiver<(Request, ItemSender)>) {
    while let Some((request, items)) = requests.recv().await {
        if request.request == 1 {
            let commented = items.send(ModelItem::Commentary("looking at the files".into()));
            let steer = engine.submit(submission(Mode::Steer { expected: None }, 1)).await;
            println!("steer answered: {steer:?} (request still open: {})", commented.is_ok());
        }
        // An interrupted request takes no more items.
        let _ = items.send(ModelItem::Final("done".into()));
    }
}

fn submission(mode: Mode, index: usize) -> Submission {
    let (id, text) = NAMES[index];
    Submission::new(mode, Input::new(InputId(id), InputKind::User, text))
}
