//! Small programs over everything in `midturn-sync`, as data. Promises that what one actor does
//! depends only on what it was given and what it saw.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use midturn::world::World;
use midturn_sync::task::{AbortHandle, JoinHandle, abortable, joinable};
use midturn_sync::{Either, Latch, Mutex, Signal, Site, Watch, oneshot, race};

/// One operation of a toy actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Enters a lock and does these inside.
    Section(usize, Vec<Op>),
    /// Looks at a lock's value.
    Peek(usize),
    /// Sends on the watch.
    Send,
    /// Waits for a send after the actor began, then looks at the value.
    Changed,
    /// Notifies the signal.
    Notify,
    /// Subscribes to the signal and waits, or gives up when the timer fires.
    NotifiedOrTimer,
    /// Sends on the program's one oneshot, if nobody did before.
    Reply,
    /// Receives from it, if nobody else does.
    Receive,
    /// Sleeps.
    Sleep,
    /// Spawns a child.
    Spawn(Vec<Op>),
    /// Waits for the last child.
    Join,
    /// Aborts the last child.
    Abort,
    /// Does these, in a call whose future may be dropped at any await.
    Droppable(Vec<Op>),
    /// Chooses one of so many values.
    Choose(u8),
    /// Calls, does these, returns.
    Call(Vec<Op>),
}

/// A program: one list of operations an actor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toy {
    /// How many locks there are.
    pub locks: usize,
    /// The actors.
    pub actors: Vec<Vec<Op>>,
}

impl fmt::Display for Toy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for actor in &self.actors {
            writeln!(formatter, "  {actor:?}")?;
        }
        Ok(())
    }
}

struct Shared {
    locks: Vec<Mutex<u64>>,
    watch: Watch<u64>,
    signal: Signal,
    sender: Mutex<Option<midturn_sync::Sender<u64>>>,
    receiver: Mutex<Option<midturn_sync::Receiver<u64>>>,
}

impl Shared {
    fn new(locks: usize) -> Self {
        let (sender, receiver) = oneshot("oneshot");
        Shared {
            locks: (0..locks).map(|_| Mutex::new("lock", 1)).collect(),
            watch: Watch::new("watch", 0),
            signal: Signal::new("signal"),
            sender: Mutex::new("sender", Some(sender)),
            receiver: Mutex::new("receiver", Some(receiver)),
        }
    }
}

/// What an actor has of its own.
struct Local {
    world: World,
    shared: Arc<Shared>,
    id: u64,
    next_child: u64,
    watch: Option<midturn_sync::WatchReceiver<u64>>,
    join: Option<JoinHandle>,
    abort: Option<AbortHandle>,
}

impl Local {
    fn new(world: World, shared: Arc<Shared>, id: u64, ops: &[Op]) -> Self {
        let watches = ops.contains(&Op::Changed);
        let watch = watches.then(|| shared.watch.subscribe("subscribe"));
        Local { world, shared, id, next_child: 0, watch, join: None, abort: None }
    }

    fn section(&self, lock: usize, inside: &[Op]) {
        let shared = &self.shared;
        shared.locks[lock].section("section", |value| {
            self.world.note(*value);
            *value = value.wrapping_mul(31).wrapping_add(self.id);
            for op in inside {
                match op {
                    Op::Section(lock, inside) => self.section(*lock, inside),
                    Op::Peek(lock) => self.peek(*lock),
                    Op::Send => shared.watch.send("send", self.id),
                    Op::Notify => shared.signal.notify("notify"),
                    _ => unreachable!("only synchronous operations stand in a section"),
                }
            }
            *value = value.wrapping_mul(17).wrapping_add(self.id);
        });
    }

    fn peek(&self, lock: usize) {
        self.shared.locks[lock].peek("peek", |value| self.world.note(*value));
    }

    fn spawn(&mut self, ops: Vec<Op>) {
        self.next_child += 1;
        let id = self.id * 10 + self.next_child;
        let (world, shared) = (self.world.clone(), self.shared.clone());
        let child = async move {
            Local::new(world, shared, id, &ops).run(&ops).await;
        };
        let (child, abort) = abortable("abort", child);
        let (child, join) = joinable("join", async move {
            child.await;
        });
        if let Some(previous) = self.abort.replace(abort) {
            previous.detach();
        }
        self.join = Some(join);
        self.world.spawn(&format!("child {id}"), child);
    }

    fn run<'a>(&'a mut self, ops: &'a [Op]) -> Pin<Box<dyn Future<Output = ()> + 'a>> {
        Box::pin(async move {
            for op in ops {
                self.step(op).await;
            }
            if let Some(abort) = self.abort.take() {
                abort.detach();
            }
        })
    }

    async fn step(&mut self, op: &Op) {
        let shared = self.shared.clone();
        match op {
            Op::Section(lock, inside) => self.section(*lock, inside),
            Op::Peek(lock) => self.peek(*lock),
            Op::Send => shared.watch.send("send", self.id),
            Op::Changed => {
                if let Some(watch) = &mut self.watch {
                    let value = watch.changed("changed").await;
                    self.world.note(value);
                }
            }
            Op::Notify => shared.signal.notify("notify"),
            Op::NotifiedOrTimer => {
                let ticket = shared.signal.subscribe("subscribe to signal");
                let timer = self.world.sleep(Duration::from_millis(1), Site::here("timer"));
                match race(ticket.notified("notified"), timer).await {
                    Either::First(()) => self.world.note(71),
                    Either::Second(()) => self.world.note(72),
                }
            }
            Op::Reply => {
                let sender = shared.sender.section("take sender", Option::take);
                let sent = sender.map(|sender| sender.send("reply", self.id).is_ok());
                self.world.note(80 + sent.map_or(0, u64::from));
            }
            Op::Receive => {
                let receiver = shared.receiver.section("take receiver", Option::take);
                if let Some(receiver) = receiver {
                    let received = receiver.receive("receive").await;
                    self.world.note(received.map_or(90, |value| 900 + value));
                }
            }
            Op::Sleep => {
                self.world.sleep(Duration::from_millis(2), Site::here("sleep")).await;
            }
            Op::Spawn(ops) => self.spawn(ops.clone()),
            Op::Join => {
                if let Some(join) = &self.join {
                    join.join("join").await;
                }
            }
            Op::Abort => {
                if let Some(abort) = self.abort.take() {
                    abort.abort("abort");
                }
            }
            Op::Droppable(ops) => {
                let dropped = Latch::new("dropped");
                self.world.spawn_chance("dropper", dropped.clone(), Site::here("drop caller"));
                let gone = dropped.wait(Site::here("caller dropped"));
                match race(gone, self.run(ops)).await {
                    Either::First(()) => self.world.note(61),
                    Either::Second(()) => self.world.note(62),
                }
            }
            Op::Choose(arity) => {
                // A choice needs a step to belong to.
                self.peek(0);
                let value = self.world.choose(*arity);
                self.world.note(50 + u64::from(value));
            }
            Op::Call(ops) => {
                self.world.call("call");
                self.run(ops).await;
                self.world.answer("return");
            }
        }
    }
}

/// Sets `toy` up in a world.
pub fn program(toy: &Toy) -> impl Fn(&World) + '_ {
    move |world: &World| {
        let shared = Arc::new(Shared::new(toy.locks));
        world.keep(shared.clone());
        for (index, ops) in toy.actors.iter().enumerate() {
            let (actor_world, shared, ops) = (world.clone(), shared.clone(), ops.clone());
            let id = index as u64 + 1;
            world.spawn(&format!("actor {id}"), async move {
                Local::new(actor_world, shared, id, &ops).run(&ops).await;
            });
        }
    }
}
