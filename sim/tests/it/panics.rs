//! What goes wrong inside a run stays inside it: it is reported, the others are cleaned up, and
//! nothing aborts or hangs. Whether backtraces are on makes no difference.

use std::panic::{AssertUnwindSafe, catch_unwind};

use midturn::search::Strategy;
use midturn::world::{Failure, MAX_ACTORS, Stuck, World};

use crate::runs::{all_runs, locks};

/// Two that nest locks, and one that panics inside a section at some point.
fn panics_in_section(world: &World) {
    let locks = locks(world, &["a", "b"]);
    for (name, outer) in [("upwards", 0), ("downwards", 1)] {
        let locks = locks.clone();
        world.spawn(name, async move {
            locks[outer].section("outer", |value| {
                *value += 1;
                locks[1 - outer].section("inner", |value| *value += 1);
                locks[1 - outer].section("inner again", |value| *value += 1);
            });
        });
    }
    world.spawn("panics", async move {
        locks[0].section("first", |value| *value += 1);
        locks[1].section("second", |value| {
            *value += 1;
            panic!("number {}", *value);
        });
    });
}

#[test]
fn a_panic_in_a_section_is_reported_with_message_and_place() {
    let (mut panicked, mut suspended_inside, mut messages) = (0, 0, Vec::new());
    all_runs(&panics_in_section, &mut |run| match &run.failure {
        Some(Failure::Panicked { actor, message, place }) => {
            panicked += 1;
            assert_eq!(actor, "panics");
            assert!(place.contains("panics.rs:"), "{place}");
            messages.push(message.clone());
            suspended_inside += usize::from(run.stuck.iter().any(|stuck| {
                stuck.waits_for.iter().any(|(_, site)| site.name.starts_with("inner"))
            }));
        }
        Some(other) => panic!("{other:?}"),
        None => assert!(!run.stuck.is_empty(), "only a deadlock ends without the panic"),
    });
    messages.sort();
    messages.dedup();
    println!("{panicked} runs panicked, in {suspended_inside} others were inside; {messages:?}");
    assert!(suspended_inside > 10, "others must be suspended inside sections: {suspended_inside}");
    assert!(messages.len() > 1, "the message is that of this run: {messages:?}");
}

#[test]
fn a_failed_search_does_not_call_itself_complete() {
    for (summary, strategy) in all_runs(&panics_in_section, &mut |_| ()).iter().zip([
        Strategy::BruteForce,
        Strategy::SourceDpor,
        Strategy::BruteForce,
        Strategy::SourceDpor,
    ]) {
        assert_eq!(summary.complete, strategy == Strategy::BruteForce, "{strategy:?}");
    }
}

/// A caught panic is the program's own business, and the lock that it left can be used.
#[test]
fn a_lock_whose_holder_panicked_serves_the_others() {
    let program = |world: &World| {
        let locks = locks(world, &["a"]);
        let (inside, shared) = (world.clone(), locks.clone());
        world.spawn("panics", async move {
            let result = catch_unwind(AssertUnwindSafe(|| {
                shared[0].section("panics", |value| {
                    *value = 40;
                    panic!("caught");
                })
            }));
            inside.note(u64::from(result.is_err()));
        });
        let inside = world.clone();
        world.spawn("other", async move {
            let value = locks[0].section("other", |value| {
                *value += 2;
                *value
            });
            inside.note(value);
        });
    };
    let mut notes = Vec::new();
    all_runs(&program, &mut |run| {
        assert_eq!((&run.failure, &run.stuck), (&None, &Vec::new()));
        notes.push(format!("{:?}", run.observed.iter().map(|note| &note.what).collect::<Vec<_>>()));
    });
    notes.sort();
    notes.dedup();
    assert_eq!(notes, ["[Note(1), Note(42)]", "[Note(2), Note(1)]"], "the order of two sections");
}

#[test]
fn a_message_is_not_taken_from_an_earlier_panic() {
    let program = |world: &World| {
        let locks = locks(world, &["a"]);
        world.spawn("actor", async move {
            let result = catch_unwind(|| panic!("swallowed"));
            locks[0].section("later", |_| ());
            drop(result);
            std::panic::resume_unwind(Box::new("raised"));
        });
    };
    all_runs(&program, &mut |run| {
        let Some(Failure::Panicked { message, .. }) = &run.failure else { panic!("{run:?}") };
        assert_eq!(message, "raised");
    });
}

#[test]
fn a_deadlock_by_lock_order_names_the_holder() {
    let program = |world: &World| {
        let locks = locks(world, &["a", "b"]);
        for (name, outer) in [("upwards", 0), ("downwards", 1)] {
            let locks = locks.clone();
            world.spawn(name, async move {
                locks[outer].section("outer", |value| {
                    *value += 1;
                    locks[1 - outer].section("inner", |value| *value += 1);
                });
            });
        }
    };
    let mut deadlocks = 0;
    all_runs(&program, &mut |run| {
        assert_eq!(run.failure, None);
        if run.stuck.is_empty() {
            return;
        }
        deadlocks += 1;
        let told = |stuck: &Stuck| {
            let (lock, site) = stuck.waits_for[0];
            (stuck.actor.clone(), lock, site.name, stuck.held_by.clone())
        };
        let expected = [("upwards", "b", "downwards"), ("downwards", "a", "upwards")]
            .map(|(actor, lock, holder)| (actor.into(), lock, "inner", Some(holder.into())));
        assert_eq!(run.stuck.iter().map(told).collect::<Vec<_>>(), expected);
    });
    assert!(deadlocks >= 2, "brute force and the search both find it: {deadlocks}");
}

/// Goes on after it was unwound, a few times or for ever.
fn catches(times: usize) -> impl Fn(&World) {
    move |world: &World| {
        let locks = locks(world, &["a", "b"]);
        for (name, outer) in [("upwards", 0), ("downwards", 1)] {
            let locks = locks.clone();
            world.spawn(name, async move {
                let mut tries = 0;
                while tries < times {
                    tries += 1;
                    let done = catch_unwind(AssertUnwindSafe(|| {
                        locks[outer].section("outer", |_| {
                            locks[1 - outer].section("inner", |_| ());
                        })
                    }));
                    if done.is_ok() {
                        return;
                    }
                }
            });
        }
    }
}

#[test]
fn an_actor_that_catches_unwinding_hangs_nothing() {
    for times in [1, 5, usize::MAX] {
        let mut deadlocks = 0;
        all_runs(&catches(times), &mut |run| {
            assert_eq!(run.failure, None);
            assert_eq!(run.blind, Vec::new(), "a run that is over waits for nothing");
            deadlocks += usize::from(!run.stuck.is_empty());
        });
        assert!(deadlocks >= 2, "{deadlocks}");
    }
}

/// As before, but it waits afterwards for something that never comes.
#[test]
fn an_actor_that_waits_after_it_was_unwound_hangs_nothing() {
    let program = |world: &World| {
        let locks = locks(world, &["a", "b"]);
        for (name, outer) in [("upwards", 0), ("downwards", 1)] {
            let (locks, inside) = (locks.clone(), world.clone());
            world.spawn(name, async move {
                let done = catch_unwind(AssertUnwindSafe(|| {
                    locks[outer].section("outer", |_| locks[1 - outer].section("inner", |_| ()));
                }));
                if done.is_err() {
                    inside.spawn("late", async {});
                    inside.sleep(std::time::Duration::ZERO, midturn_sync::Site::here("late")).await;
                    std::future::pending::<()>().await;
                }
            });
        }
    };
    all_runs(&program, &mut |run| {
        assert_eq!((&run.failure, &run.blind), (&None, &Vec::new()));
        assert_eq!(run.actors.len(), 2, "nobody is added to a run that is over");
    });
}

#[test]
fn an_endless_actor_meets_the_step_limit() {
    let program = |world: &World| {
        let locks = locks(world, &["a"]);
        world.spawn("endless", async move {
            loop {
                locks[0].section("again", |value| *value += 1);
            }
        });
    };
    all_runs(&program, &mut |run| {
        assert_eq!(run.failure, Some(Failure::StepLimit { steps: 200 }));
        assert_eq!(run.steps, 200);
    });
}

#[test]
fn too_many_actors_are_reported() {
    let at_once = |world: &World| {
        for number in 0..MAX_ACTORS + 3 {
            world.spawn(&format!("actor {number}"), async {});
        }
    };
    fn spawn_for_ever(world: &World) {
        let inside = world.clone();
        world.spawn("spawner", async move { spawn_for_ever(&inside) });
    }
    let in_steps = |world: &World| {
        let locks = locks(world, &["a"]);
        let inside = world.clone();
        world.spawn("spawner", async move {
            loop {
                locks[0].section("before one more", |_| ());
                inside.spawn("child", async {});
            }
        });
    };
    all_runs(&at_once, &mut |run| {
        let name = format!("actor {MAX_ACTORS}");
        assert_eq!(run.failure, Some(Failure::TooManyActors { name }));
    });
    all_runs(&spawn_for_ever, &mut |run| {
        assert_eq!(run.failure, Some(Failure::TooManyActors { name: "spawner".into() }));
    });
    all_runs(&in_steps, &mut |run| {
        assert_eq!(run.failure, Some(Failure::TooManyActors { name: "child".into() }));
    });
}

#[test]
fn an_operation_inside_a_peek_is_reported() {
    let program = |world: &World| {
        let locks = locks(world, &["a", "b"]);
        world.spawn("looks", async move {
            locks[0].peek("outer", |_| locks[1].peek("inner", |_| ()));
        });
    };
    all_runs(&program, &mut |run| {
        let Some(Failure::OperationInsideRead { site }) = run.failure else { panic!("{run:?}") };
        assert_eq!(site.name, "inner");
    });
}

#[test]
fn a_panic_of_the_program_itself_puts_the_world_back() {
    let result = catch_unwind(|| {
        all_runs(&|_| panic!("while setting up"), &mut |_| ());
    });
    assert!(result.is_err());
    assert!(World::current().is_none(), "the failed world is not the current one any more");
    all_runs(&panics_in_section, &mut |_| ());
}
