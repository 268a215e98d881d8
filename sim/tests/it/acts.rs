//! Small programs in which every kind of visible operation stands by itself, so that any two of
//! them can be compared. What an actor does depends only on what it was given and what it saw.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use midturn::world::World;
use midturn_sync::task::{AbortHandle, JoinHandle, abortable, joinable};
use midturn_sync::{
    Either, Latch, Mutex, Receiver, Sender, Signal, Site, Ticket, Watch, WatchReceiver, oneshot,
    race,
};

/// One thing that an actor does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// A section that writes.
    Section(usize),
    /// A section that only reads.
    Peek(usize),
    /// A section that only reads the first lock, and in it a peek at the second.
    Look(usize, usize),
    Send,
    Latest,
    Changed,
    Notify,
    Subscribe,
    Notified,
    Set,
    IsSet,
    Await,
    Reply,
    DropSender,
    Receive,
    DropReceiver,
    Spawn(Vec<Act>),
    Join,
    Abort,
    Sleep,
    NotifiedOrSleep,
    Call,
    Return,
}

/// A program: the acts of each actor. The first one owns the sender, the second the receiver.
pub type Acts = Vec<Vec<Act>>;

const LOCKS: usize = 2;

/// What all share.
pub struct Shared {
    locks: Vec<Mutex<u64>>,
    watch: Watch<u64>,
    signal: Signal,
    latch: Latch,
}

impl Shared {
    /// What is in the objects once nobody moves any more.
    pub fn values(&self) -> Vec<u64> {
        let locks = self.locks.iter().map(|lock| lock.peek("after the run", |value| *value));
        let watch = self.watch.subscribe("after the run").latest("after the run");
        let latch = u64::from(self.latch.is_set(Site::here("after the run")));
        locks.chain([watch, latch]).collect()
    }
}

struct Actor {
    world: World,
    shared: Arc<Shared>,
    id: u64,
    children: u64,
    watch: WatchReceiver<u64>,
    ticket: Option<Ticket>,
    sender: Option<Sender<u64>>,
    receiver: Option<Receiver<u64>>,
    join: Option<JoinHandle>,
    abort: Option<AbortHandle>,
}

impl Actor {
    fn new(world: World, shared: Arc<Shared>, watch: WatchReceiver<u64>, id: u64) -> Self {
        let (ticket, sender, receiver, join, abort) = Default::default();
        Actor { world, shared, id, children: 0, watch, ticket, sender, receiver, join, abort }
    }

    async fn run(mut self, acts: Vec<Act>) {
        for act in &acts {
            if !self.act_at_once(act) {
                self.act(act).await;
            }
        }
        if let Some(abort) = self.abort.take() {
            abort.detach();
        }
    }

    fn spawn(&mut self, acts: Vec<Act>) {
        self.children += 1;
        let id = self.id * 10 + self.children;
        let (world, shared) = (self.world.clone(), self.shared.clone());
        let watch = self.watch.clone();
        let child: Pin<Box<dyn Future<Output = ()>>> =
            Box::pin(async move { Actor::new(world, shared, watch, id).run(acts).await });
        let (child, abort) = abortable("abort latch", child);
        let (child, join) = joinable("end latch", async move {
            child.await;
        });
        if let Some(previous) = self.abort.replace(abort) {
            previous.detach();
        }
        self.join = Some(join);
        self.world.spawn(&format!("child {id}"), child);
    }

    /// Does what needs no waiting; false if this act is of another kind.
    fn act_at_once(&mut self, act: &Act) -> bool {
        let shared = self.shared.clone();
        let note = |value: u64| self.world.note(value);
        match act {
            Act::Section(lock) => shared.locks[*lock].section("section", |value| {
                note(*value);
                *value = value.wrapping_mul(31).wrapping_add(self.id);
            }),
            Act::Peek(lock) => shared.locks[*lock].peek("peek", |value| note(*value)),
            Act::Look(outer, inner) => shared.locks[*outer].section("look", |value| {
                note(*value);
                shared.locks[*inner].peek("peek inside", |value| note(*value));
            }),
            Act::Send => shared.watch.send("send", self.id * 1_000 + self.children),
            Act::Latest => note(self.watch.latest("latest")),
            Act::Notify => shared.signal.notify("notify"),
            Act::Subscribe => self.ticket = Some(shared.signal.subscribe("subscribe")),
            Act::Set => shared.latch.set(Site::here("set")),
            Act::IsSet => note(u64::from(shared.latch.is_set(Site::here("is set")))),
            Act::Reply => {
                if let Some(sender) = self.sender.take() {
                    note(70 + u64::from(sender.send("reply", 7).is_ok()));
                }
            }
            Act::DropSender => drop(self.sender.take()),
            Act::DropReceiver => drop(self.receiver.take()),
            Act::Spawn(acts) => self.spawn(acts.clone()),
            Act::Abort => {
                if let Some(abort) = self.abort.take() {
                    abort.abort("abort");
                }
            }
            Act::Call => self.world.call("call"),
            Act::Return => self.world.answer("return"),
            _ => return false,
        }
        true
    }

    async fn act(&mut self, act: &Act) {
        let sleep = |name| self.world.sleep(Duration::from_millis(self.id), Site::here(name));
        match act {
            Act::Changed => {
                let value = self.watch.changed("changed").await;
                self.world.note(value);
            }
            Act::Notified => {
                let subscribe = || self.shared.signal.subscribe("subscribe");
                let ticket = self.ticket.take().unwrap_or_else(subscribe);
                ticket.notified("notified").await;
            }
            Act::Await => self.shared.latch.wait(Site::here("await")).await,
            Act::Receive => {
                if let Some(receiver) = self.receiver.take() {
                    let received = receiver.receive("receive").await;
                    self.world.note(received.unwrap_or(90));
                }
            }
            Act::Join => {
                if let Some(join) = &self.join {
                    join.join("join").await;
                }
            }
            Act::Sleep => sleep("timer").await,
            Act::NotifiedOrSleep => {
                if let Some(ticket) = self.ticket.take() {
                    let timer = sleep("timer of race");
                    let first = race(ticket.notified("notified of race"), timer).await;
                    self.world.note(60 + u64::from(matches!(first, Either::First(()))));
                }
            }
            other => unreachable!("{other:?} needs no waiting"),
        }
    }
}

/// Sets `acts` up; leaves what they share in `shared`, to be looked at after the run.
pub fn program<'a>(
    acts: &'a Acts,
    shared: &'a RefCell<Option<Arc<Shared>>>,
) -> impl Fn(&World) + 'a {
    move |world: &World| {
        let objects = Arc::new(Shared {
            locks: (0..LOCKS).map(|_| Mutex::new("lock", 1)).collect(),
            watch: Watch::new("watch", 0),
            signal: Signal::new("signal"),
            latch: Latch::new("latch"),
        });
        *shared.borrow_mut() = Some(objects.clone());
        world.keep(objects.clone());
        let (sender, receiver) = oneshot("oneshot");
        let (mut sender, mut receiver) = (Some(sender), Some(receiver));
        for (index, acts) in acts.iter().enumerate() {
            let id = index as u64 + 1;
            let (inside, objects, acts) = (world.clone(), objects.clone(), acts.clone());
            let sender = sender.take_if(|_| index == 0);
            let receiver = receiver.take_if(|_| index == 1);
            let watch = objects.watch.subscribe("before the run");
            world.spawn(&format!("actor {id}"), async move {
                let mut actor = Actor::new(inside, objects, watch, id);
                (actor.sender, actor.receiver) = (sender, receiver);
                actor.run(acts).await;
            });
        }
    }
}

/// A random program.
pub fn draw(random: &mut fastrand::Rng) -> Acts {
    (0..random.usize(2..4)).map(|actor| draw_acts(random, actor, 6)).collect()
}

fn draw_acts(random: &mut fastrand::Rng, actor: usize, most: usize) -> Vec<Act> {
    (0..random.usize(1..most)).map(|_| draw_act(random, actor, most)).collect()
}

fn draw_act(random: &mut fastrand::Rng, actor: usize, most: usize) -> Act {
    let lock = random.usize(..LOCKS);
    match random.u8(..if most > 4 { 28 } else { 21 }) {
        0 => Act::Section(lock),
        1 => Act::Peek(lock),
        2 => Act::Look(lock, 1 - lock),
        3 => Act::Send,
        4 => Act::Latest,
        5 => Act::Changed,
        6 => Act::Notify,
        7 => Act::Subscribe,
        8 => Act::Notified,
        9 => Act::Set,
        10 => Act::IsSet,
        11 => Act::Await,
        12 if actor == 0 => Act::Reply,
        12 => Act::Receive,
        13 if actor == 0 => Act::DropSender,
        13 => Act::DropReceiver,
        14 => Act::Sleep,
        15 => Act::NotifiedOrSleep,
        16 => Act::Call,
        17 => Act::Return,
        18 => Act::Subscribe,
        19 => Act::Notify,
        20 => Act::Send,
        21..24 => Act::Spawn(draw_acts(random, 2, 4)),
        24 => Act::Join,
        _ => Act::Abort,
    }
}
