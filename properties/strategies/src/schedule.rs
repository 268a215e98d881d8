//! Who moves when.

use proptest::prelude::*;

/// A stretch of a schedule. Whoever follows it lets the `actor`-th of those who may move go on
/// for `steps` steps and one, as long as it can; where a step chooses, it takes `value`. After the
/// last stretch everybody goes on as long as they can, in the order in which they came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "said above")]
pub struct Stretch {
    pub actor: u8,
    pub steps: u8,
    pub value: u8,
}

/// At most `length` stretches; fewer and shorter ones are simpler.
pub fn schedules(length: usize) -> impl Strategy<Value = Vec<Stretch>> {
    // Short stretches race, long ones let a turn come and go in between.
    let steps = prop_oneof![6 => 0_u8..8, 2 => 8_u8..32, 1 => 32_u8..96];
    let stretch = (any::<u8>(), steps, 0_u8..2).prop_map(|(actor, steps, value)| Stretch {
        actor,
        steps,
        value,
    });
    prop::collection::vec(stretch, 0..=length)
}
