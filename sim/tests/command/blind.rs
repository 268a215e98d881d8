//! A design that waits for what nobody announces is called blind, with the actor and the place;
//! the same design without that holds.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use midturn::check::{Effort, Finding, Word, check};
use midturn::cli::Exit;
use midturn::design::{CodexDesign, Design};
use midturn_engine::codex::Codex;
use midturn_lock::Lock;
use midturn_properties::scenario;
use midturn_protocol::{Command, Env, Observation, QueueEngine, Reply, SessionSetup};

use crate::subjects::{scenario, under};

const MAIL_AFTER_PROMPT: &str = r#"
schema  = 1
promise = "Mail is delivered."

[model]
requests = [[{ final = "done" }], [{ final = "done" }], [{ final = "done" }]]

[[actor]]
name = "child"
does = [
  { id = "hint", inject = "use make", form = "no_new_turn" },
  { id = "news", mail = "the tests pass" },
]

[[actor]]
name = "user"
does = [{ id = "more", start_or_steer = "and test" }]
"#;

/// What a delivery waits for first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum First {
    Nothing,
    /// Something that never comes.
    Never,
    /// Something that a later submission brings, behind the explorer's back.
    ASubmission,
}

/// Something that is not ours: it comes, or not, and tells wakers alone.
#[derive(Clone)]
struct Foreign {
    first: First,
    state: Arc<Lock<(bool, Option<Waker>)>>,
}

impl Foreign {
    fn bring(&self) {
        let waker = self.state.with(|(came, waker)| {
            *came = true;
            waker.take()
        });
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Future for Foreign {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.state.with(|(came, waker)| match self.first {
            First::Nothing => Poll::Ready(()),
            First::ASubmission if *came => Poll::Ready(()),
            First::ASubmission | First::Never => {
                *waker = Some(context.waker().clone());
                Poll::Pending
            }
        })
    }
}

/// Codex behind something foreign.
#[derive(Clone)]
struct Behind {
    codex: Codex,
    foreign: Foreign,
}

impl QueueEngine for Behind {
    fn call(&self, command: Command) -> impl Future<Output = Reply> + Send + 'static {
        let foreign = self.foreign.clone();
        let (waits, brings) = match &command {
            Command::Deliver(_) => (true, false),
            Command::Submit(_) => (false, true),
            _ => (false, false),
        };
        let call = self.codex.call(command);
        async move {
            if waits {
                foreign.clone().await;
            }
            let reply = call.await;
            if brings {
                foreign.bring();
            }
            reply
        }
    }

    fn observe(&self) -> Observation {
        self.codex.observe()
    }
}

struct BehindDesign(First);

impl Design for BehindDesign {
    type Engine = Behind;

    fn name(&self) -> &'static str {
        "behind"
    }

    fn policy(&self, name: &str) -> Option<String> {
        CodexDesign.policy(name)
    }

    fn create(
        &self,
        env: Arc<dyn Env>,
        policy: &str,
        front: scenario::Front,
        setup: SessionSetup,
    ) -> Behind {
        let codex = CodexDesign.create(env, policy, front, setup);
        let foreign = Foreign { first: self.0, state: Arc::new(Lock::new((false, None))) };
        Behind { codex, foreign }
    }
}

fn found(first: First) -> Finding {
    let subject = under(&scenario("mail_after_prompt", MAIL_AFTER_PROMPT), "hardened");
    let finding = check(&BehindDesign(first), subject, &Effort::default());
    finding.unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn a_design_that_announces_all_its_waits_holds() {
    let finding = found(First::Nothing);
    assert_eq!(finding.word, Word::Held);
    assert!(finding.complete);
    assert_eq!(Exit::of(&finding, false), Exit::Expected);
}

#[test]
fn a_wait_that_nobody_ends_is_blind() {
    let finding = found(First::Never);
    let Word::Blind(why) = &finding.word else { panic!("{:?}", finding.word) };
    assert!(why.starts_with("child waits for something that was never announced"), "{why}");
    assert!(why.contains("after `") && why.contains("engine/src/codex/"), "{why}");
    assert!(!finding.complete && !finding.is_expected());
    assert_eq!(Exit::of(&finding, true) as u8, 4);
}

#[test]
fn a_wait_that_something_foreign_ends_is_blind_too() {
    let finding = found(First::ASubmission);
    assert!(matches!(finding.word, Word::Blind(_)), "{:?}", finding.word);
    assert!(!finding.complete);
    assert_eq!(Exit::of(&finding, false), Exit::Unseen);
}
