//! One session on a real runtime, with several threads: what has to hold whoever comes first.

use std::sync::Arc;
use std::time::Duration;

use midturn_engine::codex::{Codex, Front, Policy};
use midturn_engine_tokio::{Agent, ItemSender, TokioEnv, channel};
use midturn_protocol::{
    BoxFuture, Command, Event, Input, InputId, InputKind, Mode, ModelItem, ModelStream,
    QueueEngine, Reply, Request, SessionSetup, Submission, ToolCall, TurnEnd, TurnId, Verdict,
};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

const POLICIES: [Policy; 4] =
    [Policy::codex_0_149(), Policy::codex_0_171(), Policy::seed(), Policy::hardened()];

struct ByHand(UnboundedSender<(Request, ItemSender)>);

impl Agent for ByHand {
    fn sample(&self, request: Request) -> BoxFuture<'static, Box<dyn ModelStream>> {
        let (items, stream) = channel();
        // Nobody plays a request that comes after the test has seen enough.
        let _ = self.0.send((request, items));
        Box::pin(std::future::ready(stream))
    }

    fn run_tool(&self, call: ToolCall) -> BoxFuture<'static, Arc<str>> {
        Box::pin(std::future::ready(call.tool))
    }
}

struct Session {
    engine: Codex,
    requests: UnboundedReceiver<(Request, ItemSender)>,
    events: UnboundedReceiver<Event>,
}

impl Session {
    fn new(policy: Policy) -> Self {
        let (model, requests) = unbounded_channel();
        let (facts, events) = unbounded_channel();
        let env = TokioEnv::new(Handle::current(), ByHand(model)).observed_by(move |event| {
            let _ = facts.send(event);
        });
        let engine = Codex::new(env.shared(), policy, Front::Serial, SessionSetup::default());
        Session { engine, requests, events }
    }

    async fn until_ended(&mut self) -> (TurnId, TurnEnd) {
        let ended = async {
            loop {
                match self.events.recv().await {
                    Some(Event::TurnEnded { turn, how }) => return (turn, how),
                    Some(_) => {}
                    None => panic!("the engine is gone"),
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(60), ended).await.expect("the turn ends")
    }

    async fn submit(&self, mode: Mode, id: u32, text: &str) -> Reply {
        let input = Input::new(InputId(id), InputKind::User, text);
        self.engine.submit(Submission::new(mode, input)).await
    }
}

fn turn() -> TurnId {
    TurnId::of(InputId(1))
}

#[test]
fn a_steer_during_a_request_is_in_a_request_of_the_same_turn() {
    for policy in POLICIES {
        Runtime::new().expect("a runtime").block_on(async {
            let mut session = Session::new(policy);
            let started = session.submit(Mode::StartOrSteer, 1, "build").await;
            assert_eq!(started, Reply::Verdict(Verdict::Started(turn())));
            let (_, items) = session.requests.recv().await.expect("a request");
            let steered = session.submit(Mode::Steer { expected: Some(turn()) }, 2, "YAML").await;
            assert_eq!(steered, Reply::Verdict(Verdict::Steered(turn())), "{policy}");
            // A request that the steer has cut takes no more items.
            let _ = items.send(ModelItem::Commentary("looking".into()));
            drop(items);
            let (second, items) = session.requests.recv().await.expect("another request");
            assert_eq!((second.turn, second.request), (turn(), 2), "{policy}");
            assert!(second.history.iter().any(|item| &*item.text == "YAML"), "{policy}");
            items.send(ModelItem::Final("done".into())).expect("it is open");
            drop(items);
            assert_eq!(session.until_ended().await, (turn(), TurnEnd::Completed), "{policy}");
        });
    }
}

#[test]
fn an_interrupt_goes_on_after_the_runtime_of_its_caller_has_ended() {
    for policy in POLICIES {
        Runtime::new().expect("a runtime").block_on(async {
            let mut session = Session::new(policy);
            session.submit(Mode::StartOrSteer, 1, "build").await;
            let (_, _items) = session.requests.recv().await.expect("a request");
            let engine = session.engine.clone();
            tokio::task::spawn_blocking(move || {
                let short = Builder::new_current_thread().build().expect("a runtime");
                let command = Command::Interrupt { id: InputId(2), turn: Some(turn()) };
                let call = short.spawn(engine.call(command));
                // Polled once, and then its runtime is gone.
                short.block_on(tokio::task::yield_now());
                drop((call, short));
            })
            .await
            .expect("the caller's thread");
            assert_eq!(session.until_ended().await, (turn(), TurnEnd::Interrupted), "{policy}");
        });
    }
}
