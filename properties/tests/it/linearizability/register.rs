//! One number that is written, read, and compared and set.

use midturn_properties::linearizability::Specification;

/// What was done, with what was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Did {
    Write(u8),
    Read(u8),
    /// Whether the number was the first, and so became the second.
    Swap(u8, u8, bool),
}

pub struct Register;

impl Specification for Register {
    type State = u8;
    type Operation = Did;
    /// What it holds.
    type Refusal = u8;

    fn apply(&self, state: &mut u8, operation: &Did) -> Result<(), u8> {
        let agrees = match operation {
            Did::Write(_) => true,
            Did::Read(read) => read == state,
            Did::Swap(from, _, swapped) => (from == state) == *swapped,
        };
        if !agrees {
            return Err(*state);
        }
        match operation {
            Did::Write(to) | Did::Swap(_, to, true) => *state = *to,
            Did::Read(_) | Did::Swap(_, _, false) => {}
        }
        Ok(())
    }
}
