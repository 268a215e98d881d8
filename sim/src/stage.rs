//! The simulated world as what runs a scenario.
//!
//! Promises: whatever the world decides (which of two ready things comes first, what a hook
//! says, when a timer fires) is a decision that the search can take back.

use std::cell::RefCell;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use midturn_properties::scenario::{Scenario, Session, Time};
use midturn_protocol::{BoxFuture, Env, Event};
use midturn_stage::{Backend, Production};
use midturn_sync::{Latch, Site};

use crate::design::Design;
use crate::world::{self, World};

/// The time of a scenario.
pub(crate) fn time_of(scenario: &Scenario) -> world::Time {
    match scenario.sessions.first().map(|session| session.time) {
        Some(Time::Patient) => world::Time::Patient,
        Some(Time::Hostile) | None => world::Time::Hostile,
    }
}

/// Sets `scenario` up in a new world. What is needed to judge the run is left in `played`.
pub(crate) fn set_up<D: Design>(
    world: &World,
    design: &D,
    policy: &str,
    scenario: &Arc<Scenario>,
    played: &RefCell<Option<Production<D::Engine>>>,
) {
    let backend = || Arc::new(Simulated::new()) as Arc<dyn Backend>;
    let create = |env: Arc<dyn Env>, session: &Session| {
        design.create(env, policy, session.front, session.setup())
    };
    let production = Production::new(scenario, backend, create);
    for engine in &production.engines {
        world.keep(engine.clone());
    }
    world.keep(production.disconnect());
    for (name, actor) in production.actors() {
        world.spawn(&name, actor);
    }
    *played.borrow_mut() = Some(production);
}

/// The world that runs on this thread.
struct Simulated {
    /// Always ready: every await of the outside is a step at which an abort may strike.
    ready: Latch,
}

impl Simulated {
    fn new() -> Self {
        let ready = Latch::new("ready");
        ready.set_unannounced();
        Simulated { ready }
    }
}

impl Backend for Simulated {
    fn spawn(&self, name: &str, task: BoxFuture<'static, ()>) {
        if let Some(world) = World::current() {
            world.spawn(name, task);
        }
    }

    fn sleep(&self, duration: Duration, site: Site) -> BoxFuture<'static, ()> {
        match World::current() {
            Some(world) => Box::pin(world.sleep(duration, site)),
            None => Box::pin(ready(())),
        }
    }

    fn pause(&self, site: Site) -> BoxFuture<'static, ()> {
        Box::pin(self.ready.wait(site))
    }

    fn choose(&self, among: u8) -> u8 {
        World::current().map_or(0, |world| world.choose(among))
    }

    fn chance(&self, name: &str, latch: Latch, site: Site) {
        if let Some(world) = World::current() {
            world.spawn_chance(name, latch, site);
        }
    }

    fn take_note(&self, session: usize, event: Event, happened: &[Latch]) {
        if let Some(world) = World::current() {
            world.observe(session, event);
            happened.iter().for_each(|latch| world.also_set(latch));
        }
    }

    fn calls(&self) {
        if let Some(world) = World::current() {
            world.call("call");
        }
    }

    fn returns(&self) {
        if let Some(world) = World::current() {
            world.answer("return");
        }
    }
}
