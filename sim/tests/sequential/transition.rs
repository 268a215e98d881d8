//! What can happen next.

use proptest::prelude::*;

/// One thing that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transition {
    StartOrSteer(Text),
    Steer { expects: Expects, text: Text },
    StartIfIdle { automatic: bool, text: Text },
    Mail { trigger: bool },
    Inject { else_recorded: bool },
    Interrupt { named: Expects },
    AwaitActivity,
    Review,
    Compact,
    Plan(bool),
    Effort { forbidden: bool },
    Drain,
    ShutDown,
    Answer,
    Item(Said),
    EndOfResponse,
}

/// What a submission says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    Plain,
    Empty,
    /// The hook blocks it.
    Blocked,
}

/// Which turn a command means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expects {
    Any,
    Running,
    Another,
}

/// An item of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    Final,
    Untagged,
    Reasoning,
    Blank,
    Tool,
    RefusedTool,
    /// A tool that asks for approval.
    Asks,
    NotEnded,
    /// The context window is full.
    Full,
    Error,
}

pub fn texts() -> impl Strategy<Value = Text> {
    prop_oneof![6 => Just(Text::Plain), 1 => Just(Text::Empty), 2 => Just(Text::Blocked)]
}

pub fn expectations() -> impl Strategy<Value = Expects> {
    prop_oneof![2 => Just(Expects::Any), 2 => Just(Expects::Running), 1 => Just(Expects::Another)]
}

pub fn all() -> BoxedStrategy<Transition> {
    use Transition::*;
    let said = prop_oneof![
        4 => Just(Said::Final),
        1 => Just(Said::Untagged),
        1 => Just(Said::Reasoning),
        1 => Just(Said::Blank),
        3 => Just(Said::Tool),
        1 => Just(Said::RefusedTool),
        1 => Just(Said::Asks),
        1 => Just(Said::NotEnded),
        2 => Just(Said::Full),
        1 => Just(Said::Error),
    ];
    prop_oneof![
        8 => texts().prop_map(StartOrSteer),
        5 => (expectations(), texts()).prop_map(|(expects, text)| Steer { expects, text }),
        3 => (any::<bool>(), texts())
            .prop_map(|(automatic, text)| StartIfIdle { automatic, text }),
        6 => any::<bool>().prop_map(|trigger| Mail { trigger }),
        2 => any::<bool>().prop_map(|else_recorded| Inject { else_recorded }),
        3 => expectations().prop_map(|named| Interrupt { named }),
        2 => Just(AwaitActivity),
        1 => Just(Review),
        1 => Just(Compact),
        2 => any::<bool>().prop_map(Plan),
        1 => any::<bool>().prop_map(|forbidden| Effort { forbidden }),
        1 => Just(Drain),
        1 => Just(ShutDown),
        3 => Just(Answer),
        12 => said.prop_map(Item),
        10 => Just(EndOfResponse),
    ]
    .boxed()
}
