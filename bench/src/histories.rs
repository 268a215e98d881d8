//! Histories of one register, for each tester in its own form.

use midturn_properties::linearizability::{Observed, Operations, Specification, explain};
use stateright::semantics::register::{Register, RegisterOp, RegisterRet};
use stateright::semantics::{ConsistencyTester, LinearizabilityTester};
use todc_utils::linearizability::WGLChecker;
use todc_utils::linearizability::history::{Action, History as TodcHistory};
use todc_utils::specifications::register::{RegisterOperation, RegisterSpecification};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Did {
    Write(u8),
    Read(u8),
}

/// One end of an operation: who, what, and whether it is the call.
#[derive(Clone, Copy, Debug)]
struct Event {
    caller: usize,
    did: Did,
    calls: bool,
}

/// Events in the order of time.
pub struct History(Vec<Event>);

/// So many writes at once and, behind them, a read of what nobody wrote.
pub fn refused(writes: u8) -> History {
    let event = |calls| move |n: u8| Event { caller: n.into(), did: Did::Write(n), calls };
    let mut events: Vec<Event> = (0..writes).map(event(true)).collect();
    events.extend((0..writes).map(event(false)));
    events.extend([true, false].map(|calls| Event { caller: 0, did: Did::Read(200), calls }));
    History(events)
}

/// So many operations of so many callers that overlap; each takes effect when it returns.
pub fn accepted(operations: usize, callers: usize) -> History {
    let (mut events, mut value, mut seed) = (Vec::new(), 0, 1_u64);
    let mut open: Vec<Option<usize>> = vec![None; callers];
    let (mut begun, mut ended) = (0, 0);
    while ended < operations {
        // A linear congruence is random enough for who is next.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let caller = (seed >> 33) as usize % callers;
        let at = |did, calls| Event { caller, did, calls };
        match open[caller].take() {
            Some(place) => {
                let did = match events[place] {
                    Event { did: Did::Read(_), .. } => Did::Read(value),
                    Event { did, .. } => did,
                };
                if let Did::Write(written) = did {
                    value = written;
                }
                events[place] = at(did, true);
                events.push(at(did, false));
                ended += 1;
            }
            None if begun < operations => {
                let did =
                    if seed >> 62 == 0 { Did::Write((begun % 100) as u8) } else { Did::Read(0) };
                open[caller] = Some(events.len());
                events.push(at(did, true));
                begun += 1;
            }
            None => {}
        }
    }
    History(events)
}

struct One;

impl Specification for One {
    type State = u8;
    type Operation = Did;
    type Refusal = ();

    fn apply(&self, state: &mut u8, did: &Did) -> Result<(), ()> {
        match did {
            Did::Write(value) => *state = *value,
            Did::Read(value) if value == state => {}
            Did::Read(_) => return Err(()),
        }
        Ok(())
    }
}

/// Whether our checker finds an order. No observed order is given.
pub fn explained(operations: &Operations<Did>) -> bool {
    explain(&One, &0, operations, &[]).is_ok()
}

pub type Theirs = TodcHistory<RegisterOperation<u32>>;

pub fn todc_accepts(history: Theirs) -> bool {
    WGLChecker::<RegisterSpecification<u32>>::is_linearizable(history)
}

pub type Tester = LinearizabilityTester<usize, Register<u8>>;

pub fn stateright_accepts(tester: &Tester) -> bool {
    tester.is_consistent()
}

impl History {
    pub fn for_midturn(&self) -> Operations<Did> {
        let mut operations = Operations::default();
        let callers = self.0.iter().map(|event| event.caller + 1).max().unwrap_or(0);
        let mut returned = vec![0_u16; callers];
        for Event { caller, did, calls } in &self.0 {
            if *calls {
                let after = returned.clone();
                operations.push(*caller, Observed { operation: *did, after, optional: false });
            } else {
                returned[*caller] += 1;
            }
        }
        operations
    }

    pub fn for_todc(&self) -> Theirs {
        let actions = self.0.iter().map(|Event { caller, did, calls }| {
            let done = match did {
                Did::Write(value) => RegisterOperation::Write(u32::from(*value)),
                Did::Read(value) => RegisterOperation::Read(Some(u32::from(*value))),
            };
            (*caller, if *calls { Action::Call(done) } else { Action::Response(done) })
        });
        TodcHistory::from_actions(actions.collect())
    }

    pub fn for_stateright(&self) -> Tester {
        let mut tester = LinearizabilityTester::new(Register(0));
        for Event { caller, did, calls } in &self.0 {
            let said = match (did, calls) {
                (Did::Write(value), true) => tester.on_invoke(*caller, RegisterOp::Write(*value)),
                (Did::Read(_), true) => tester.on_invoke(*caller, RegisterOp::Read),
                (Did::Write(_), false) => tester.on_return(*caller, RegisterRet::WriteOk),
                (Did::Read(value), false) => tester.on_return(*caller, RegisterRet::ReadOk(*value)),
            };
            said.expect("calls and returns alternate");
        }
        tester
    }
}
