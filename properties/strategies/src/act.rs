//! What an actor does.

use proptest::prelude::*;
use proptest::strategy::Union;

/// How a prompt is submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Into the running turn, or as a new one.
    StartOrSteer,
    /// Into the running turn or not at all.
    Steer,
    /// As a new turn or not at all.
    StartIfIdle,
    /// As a new turn that nobody asked for.
    AutomaticStart,
}

/// What a submission carries beside its text. Names of turns are picked: an index among the turns
/// that there may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// Nothing.
    Nothing,
    /// The turn that is expected to run.
    Expected(u8),
    /// Settings.
    Overrides(Edit),
    /// Context, one of two.
    Context(bool),
}

/// A change of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// A setting.
    Effort,
    /// A value that the session forbids.
    Forbidden,
    /// The mode that refuses automatic starts.
    Plan,
    /// The mode that does not.
    Default,
}

/// What an injection asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Only into a running turn.
    IfRunning,
    /// As context from a hook.
    HookContext,
    /// Without a new turn.
    NoNewTurn,
    /// As a client.
    Client,
}

/// One command. See the scenario format for what each means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the scenario format")]
pub enum Act {
    Submit { mode: Mode, extra: Extra, empty: bool },
    Mail { trigger: bool },
    Inject(Form),
    Interrupt { named: Option<u8> },
    Wait,
    ToolOutput,
    Continue { previous: u8 },
    Settings(Edit),
    Forbid,
    Review,
    Compact,
    Answer { aborts: bool },
    Drain,
    Suspend,
    ShutDown,
    Recover,
}

impl Act {
    /// A submission with nothing but a text.
    pub fn submit(mode: Mode) -> Self {
        Act::Submit { mode, extra: Extra::Nothing, empty: false }
    }
}

/// A command with what it waits for, by index among the events of the script, and whether its
/// caller may go away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "said above")]
pub struct Step {
    pub act: Act,
    pub when: Option<u8>,
    pub drop: bool,
}

fn one_in(times: u32) -> impl Strategy<Value = bool> {
    prop::bool::weighted(1.0 / f64::from(times))
}

fn submits() -> impl Strategy<Value = Act> {
    let mode = prop_oneof![
        4 => Just(Mode::StartOrSteer),
        4 => Just(Mode::Steer),
        2 => Just(Mode::StartIfIdle),
        1 => Just(Mode::AutomaticStart),
    ];
    let edit = prop_oneof![Just(Edit::Effort), Just(Edit::Forbidden), Just(Edit::Plan)];
    let extra = prop_oneof![
        10 => Just(Extra::Nothing),
        2 => any::<u8>().prop_map(Extra::Expected),
        5 => edit.prop_map(Extra::Overrides),
        2 => any::<bool>().prop_map(Extra::Context),
    ];
    (mode, extra, one_in(16)).prop_map(|(mode, extra, empty)| Act::Submit { mode, extra, empty })
}

/// Every command, the frequent ones more often.
pub fn acts() -> BoxedStrategy<Act> {
    let form = prop::sample::select(vec![
        Form::IfRunning,
        Form::HookContext,
        Form::NoNewTurn,
        Form::Client,
    ]);
    let edit = prop::sample::select(vec![Edit::Effort, Edit::Plan, Edit::Default]);
    Union::new_weighted(vec![
        (20, submits().boxed()),
        (3, any::<bool>().prop_map(|trigger| Act::Mail { trigger }).boxed()),
        (2, form.prop_map(Act::Inject).boxed()),
        (
            3,
            prop::option::weighted(0.3, any::<u8>())
                .prop_map(|named| Act::Interrupt { named })
                .boxed(),
        ),
        (1, Just(Act::Wait).boxed()),
        (1, Just(Act::ToolOutput).boxed()),
        (1, any::<u8>().prop_map(|previous| Act::Continue { previous }).boxed()),
        (2, edit.prop_map(Act::Settings).boxed()),
        (1, Just(Act::Forbid).boxed()),
        (2, Just(Act::Review).boxed()),
        (2, Just(Act::Compact).boxed()),
        (2, any::<bool>().prop_map(|aborts| Act::Answer { aborts }).boxed()),
        (1, Just(Act::Drain).boxed()),
        (1, prop_oneof![Just(Act::Suspend), Just(Act::ShutDown)].boxed()),
        (2, Just(Act::Recover).boxed()),
    ])
    .boxed()
}

pub(crate) fn steps(acts: BoxedStrategy<Act>) -> impl Strategy<Value = Step> {
    (acts, prop::option::weighted(1.0 / 8.0, any::<u8>()), one_in(6))
        .prop_map(|(act, when, drop)| Step { act, when, drop })
}
