//! What the model says.

use proptest::prelude::*;

/// An item of a response. See the scenario format for what each means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the words of the scenario format")]
pub enum Item {
    Final,
    Untagged,
    Commentary,
    Reasoning,
    Tool,
    RefusedTool,
    NotEnded,
    Full,
    Waits,
    Sleeps,
    Asks,
    Error,
    /// Until a command that is certain to be called was called; an index among those.
    Hold(u8),
}

impl Item {
    /// Whether the turn may ask the model again because of it.
    pub(crate) fn word(self) -> Option<&'static str> {
        Some(match self {
            Item::Final => "{ final = \"done\" }",
            Item::Untagged => "{ untagged = \"so\" }",
            Item::Commentary => "{ commentary = \"looking\" }",
            Item::Reasoning => "{ reasoning = true }",
            Item::Tool => "{ tool = \"shell\" }",
            Item::RefusedTool => "{ refused_tool = \"rm\" }",
            Item::NotEnded => "{ not_ended = true }",
            Item::Full => "{ full = true }",
            Item::Waits => "{ tool = \"wait\", waits = true }",
            Item::Sleeps => "{ tool = \"sleep\", sleeps = true }",
            Item::Asks => "{ tool = \"edit\", asks = \"approval\" }",
            Item::Error => "{ error = \"overloaded\" }",
            Item::Hold(_) => return None,
        })
    }
}

/// Every item, a final answer more often.
pub fn items() -> BoxedStrategy<Item> {
    prop_oneof![
        6 => Just(Item::Final),
        1 => Just(Item::Untagged),
        1 => Just(Item::Commentary),
        1 => Just(Item::Reasoning),
        2 => Just(Item::Tool),
        1 => Just(Item::RefusedTool),
        1 => Just(Item::NotEnded),
        1 => Just(Item::Full),
        1 => Just(Item::Waits),
        1 => Just(Item::Sleeps),
        1 => Just(Item::Asks),
        1 => Just(Item::Error),
        2 => any::<u8>().prop_map(Item::Hold),
    ]
    .boxed()
}
