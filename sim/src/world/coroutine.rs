//! The stack switch: the one place of the project with `unsafe`.
//!
//! Promises: a [`Fiber`] runs a closure on a stack of its own; [`suspend`], called anywhere below
//! that closure, returns to whoever called [`Fiber::resume`]. A panic of the closure is caught
//! and handed over, and never crosses the switch.
//!
//! Does not unwind anything by itself: a fiber that must end early is resumed with
//! [`Resume::Discard`] and unwinds from inside.
#![allow(unsafe_code)]

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// Why a suspended fiber goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resume {
    /// Its step was chosen.
    Go,
    /// The run is over: unwind, touch nothing.
    Discard,
}

/// What a panic left behind.
pub(crate) type Payload = Box<dyn Any + Send>;

type Switch = Coroutine<Resume, (), Result<(), Payload>, DefaultStack>;

/// Enough for an engine's deepest async stack in a debug build with a backtrace on top.
const STACK_BYTES: usize = 256 * 1024;

/// Arbitrary: more fibers than any scenario has actors.
const POOLED_STACKS: usize = 64;

thread_local! {
    /// The yielder of the fiber that runs on this thread now; null outside of all fibers.
    static RUNNING: Cell<*const Yielder<Resume, ()>> = const { Cell::new(std::ptr::null()) };
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// A closure with a stack of its own.
pub(crate) struct Fiber {
    switch: Option<Switch>,
}

impl Fiber {
    /// A fiber that will run `body` when first resumed.
    pub(crate) fn new(body: impl FnOnce() + 'static) -> Self {
        // Boxed: the switch copies what it is given onto the new stack, and only so much of it.
        let body: Box<dyn FnOnce()> = Box::new(body);
        let stack = STACKS.with(|stacks| stacks.borrow_mut().pop());
        let stack = stack.unwrap_or_else(|| {
            DefaultStack::new(STACK_BYTES).expect("the system has memory for one more stack")
        });
        let switch = Coroutine::with_stack(stack, move |yielder: &Yielder<Resume, ()>, resume| {
            if resume == Resume::Discard {
                return Ok(());
            }
            RUNNING.set(std::ptr::from_ref(yielder));
            catch_unwind(AssertUnwindSafe(body))
        });
        Fiber { switch: Some(switch) }
    }

    /// Gives the fiber up for good, with its stack and whatever that owns.
    pub(crate) fn leak(self) {
        std::mem::forget(self.switch);
    }

    /// Runs the fiber until it suspends (`None`) or ends. Must not be called on an ended fiber.
    pub(crate) fn resume(&mut self, resume: Resume) -> Option<Result<(), Payload>> {
        let switch = self.switch.as_mut()?;
        let outer = RUNNING.get();
        let result = switch.resume(resume);
        RUNNING.set(outer);
        match result {
            CoroutineResult::Yield(()) => None,
            CoroutineResult::Return(result) => {
                let stack = self.switch.take().map(Coroutine::into_stack);
                STACKS.with(|stacks| {
                    let mut stacks = stacks.borrow_mut();
                    if stacks.len() < POOLED_STACKS {
                        stacks.extend(stack);
                    }
                });
                Some(result)
            }
        }
    }
}

/// Whether this code runs inside a fiber.
pub(crate) fn inside_fiber() -> bool {
    !RUNNING.get().is_null()
}

/// Suspends the running fiber until it is resumed.
pub(crate) fn suspend() -> Resume {
    let yielder = RUNNING.get();
    assert!(!yielder.is_null(), "suspend is called inside a fiber");
    // SAFETY: `RUNNING` is non-null only while the fiber whose closure set it runs: `resume`
    // saves and restores the outer value around every switch, and a fiber sets its own pointer
    // when it starts and again below when it goes on. The yielder lives on the stack of that
    // fiber's entry closure, which cannot return before the code that called us has returned.
    // The fiber and this pointer stay on one thread: `Fiber` is not `Send`, `RUNNING` is
    // thread-local.
    let resume = unsafe { (*yielder).suspend(()) };
    RUNNING.set(yielder);
    resume
}
