//! The search for an order that explains a history.

use hashbrown::HashSet;

use super::{Observed, Operations, Place, Specification};

/// Sets of operations with a state that a search may reach: some hundreds of megabytes to
/// remember, and seconds.
const MOST: usize = 1 << 20;

/// Why a history cannot be explained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexplained<R> {
    /// The longest prefix that could be explained; of several, the one that was found first.
    pub prefix: Vec<Place>,
    /// What could not be placed: all that might come next.
    pub blocked: Vec<Blocked<R>>,
    /// The search became too large and was ended: an order that was not tried may explain it.
    pub gave_up: bool,
}

/// An operation that could not be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Blocked<R> {
    /// The operation.
    pub place: Place,
    /// Why not, for each place in the prefix: `n` is behind its first `n` operations.
    pub because: Vec<(usize, Why<R>)>,
}

/// Why an operation does not fit into a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why<R> {
    /// It is refused there.
    Refused(R),
    /// It can happen there, but then this later operation of the prefix is refused.
    ThenRefused(Place, R),
}

/// An order that explains `operations`, beginning in `initial`. `observed` is the order in which
/// they were seen to happen; it is tried first. What is said of a history that cannot be explained
/// does not depend on it.
///
/// # Errors
/// If no order explains them, or none was found before the search became too large.
pub fn explain<S: Specification>(
    specification: &S,
    initial: &S::State,
    operations: &Operations<S::Operation>,
    observed: &[Place],
) -> Result<Vec<Place>, Unexplained<S::Refusal>> {
    explain_within(MOST, specification, initial, operations, observed)
}

/// Like [`explain`], with at most so many sets and states to reach.
///
/// # Errors
/// As [`explain`].
pub fn explain_within<S: Specification>(
    most: usize,
    specification: &S,
    initial: &S::State,
    operations: &Operations<S::Operation>,
    observed: &[Place],
) -> Result<Vec<Place>, Unexplained<S::Refusal>> {
    if explains(specification, initial, operations, observed) {
        return Ok(observed.to_vec());
    }
    let mut search = Search::new(specification, operations, most);
    if search.run(initial.clone()) {
        return Ok(search.path);
    }
    Err(search.unexplained(initial))
}

/// Whether this very order is one that explains.
fn explains<S: Specification>(
    specification: &S,
    initial: &S::State,
    operations: &Operations<S::Operation>,
    order: &[Place],
) -> bool {
    let mut state = initial.clone();
    let mut placed = vec![0_u16; operations.chains().len()];
    for place in order {
        let at = operations.at(*place);
        let next = usize::from(placed[place.chain]) == place.position;
        if !next || !is_free(at, &placed) {
            return false;
        }
        if specification.apply(&mut state, &at.operation).is_err() {
            return false;
        }
        placed[place.chain] += 1;
    }
    is_whole(operations, &placed)
}

/// Whether all that comes before an operation has been placed.
fn is_free<O>(observed: &Observed<O>, placed: &[u16]) -> bool {
    observed.after.iter().zip(placed).all(|(needed, placed)| placed >= needed)
}

/// Whether nothing is left that must have happened.
fn is_whole<O>(operations: &Operations<O>, placed: &[u16]) -> bool {
    let left = |(chain, placed): (&Vec<Observed<O>>, &u16)| {
        chain[usize::from(*placed)..].iter().all(|observed| observed.optional)
    };
    operations.chains().iter().zip(placed).all(left)
}

/// Sets of placed operations as numbers: a few bits a chain.
struct Packing {
    /// None if a set does not fit. Then nothing is remembered, which costs time only.
    shifts: Option<Vec<u32>>,
}

impl Packing {
    fn new<O>(operations: &Operations<O>) -> Self {
        let mut used = 0;
        let mut shifts = Vec::new();
        for chain in operations.chains() {
            shifts.push(used);
            used += usize::BITS - chain.len().leading_zeros();
        }
        Packing { shifts: (used <= u128::BITS).then_some(shifts) }
    }

    fn pack(&self, placed: &[u16]) -> Option<u128> {
        let shifts = self.shifts.as_ref()?;
        Some(placed.iter().zip(shifts).fold(0, |set, (n, shift)| set | u128::from(*n) << shift))
    }
}

/// A set of placed operations, what it leads to, and what may come next.
struct Node<S> {
    state: S,
    /// The chains whose next operation has not been tried; the last is the next.
    untried: Vec<usize>,
}

struct Search<'a, S: Specification> {
    specification: &'a S,
    operations: &'a Operations<S::Operation>,
    packing: Packing,
    /// What has led nowhere. Only asked, never listed, so its order does not matter.
    seen: HashSet<(u128, S::State)>,
    /// How many sets with a state were reached, and how many may be.
    reached: usize,
    most: usize,
    placed: Vec<u16>,
    path: Vec<Place>,
    longest: Vec<Place>,
}

impl<'a, S: Specification> Search<'a, S> {
    fn new(specification: &'a S, operations: &'a Operations<S::Operation>, most: usize) -> Self {
        Search {
            specification,
            operations,
            packing: Packing::new(operations),
            seen: HashSet::new(),
            reached: 0,
            most,
            placed: vec![0; operations.chains().len()],
            path: Vec::new(),
            longest: Vec::new(),
        }
    }

    /// Whether everything could be placed; the order is then in `path`.
    fn run(&mut self, initial: S::State) -> bool {
        let mut nodes = vec![self.node(initial)];
        while let Some(node) = nodes.last_mut() {
            if is_whole(self.operations, &self.placed) {
                return true;
            }
            if self.gives_up() {
                return false;
            }
            let Some(chain) = node.untried.pop() else {
                nodes.pop();
                if let Some(place) = self.path.pop() {
                    self.placed[place.chain] -= 1;
                }
                continue;
            };
            let position = usize::from(self.placed[chain]);
            let operation = &self.operations.chains()[chain][position].operation;
            let mut state = node.state.clone();
            if self.specification.apply(&mut state, operation).is_err() {
                continue;
            }
            self.placed[chain] += 1;
            if self.is_known(&state) {
                self.placed[chain] -= 1;
                continue;
            }
            self.path.push(Place { chain, position });
            if self.path.len() > self.longest.len() {
                self.longest.clone_from(&self.path);
            }
            self.reached += 1;
            nodes.push(self.node(state));
        }
        false
    }

    fn gives_up(&self) -> bool {
        self.reached >= self.most
    }

    /// Whether this set and state were met before; they are remembered from now on.
    fn is_known(&mut self, state: &S::State) -> bool {
        match self.packing.pack(&self.placed) {
            Some(set) => !self.seen.insert((set, state.clone())),
            None => false,
        }
    }

    fn node(&self, state: S::State) -> Node<S::State> {
        let untried = self.free(&self.placed).collect();
        Node { state, untried }
    }

    /// The chains whose next operation may come now.
    fn free<'b>(&'b self, placed: &'b [u16]) -> impl Iterator<Item = usize> + 'b {
        self.operations.chains().iter().enumerate().filter_map(move |(chain, all)| {
            let next = all.get(usize::from(placed[chain]))?;
            is_free(next, placed).then_some(chain)
        })
    }

    fn unexplained(mut self, initial: &S::State) -> Unexplained<S::Refusal> {
        let prefix = std::mem::take(&mut self.longest);
        let mut placed = vec![0_u16; self.placed.len()];
        let mut states = vec![initial.clone()];
        for place in &prefix {
            let mut state = states[states.len() - 1].clone();
            // It was accepted when the prefix was found.
            let _ = self.specification.apply(&mut state, &self.operations.at(*place).operation);
            placed[place.chain] += 1;
            states.push(state);
        }
        let mandatory =
            |chain: &usize| !self.operations.chains()[*chain][usize::from(placed[*chain])].optional;
        let blocked = self.free(&placed).filter(mandatory).map(|chain| {
            let place = Place { chain, position: usize::from(placed[chain]) };
            Blocked { place, because: self.reasons(&prefix, &states, place) }
        });
        let blocked = blocked.collect();
        Unexplained { prefix, blocked, gave_up: self.gives_up() }
    }

    fn reasons(
        &self,
        prefix: &[Place],
        states: &[S::State],
        blocked: Place,
    ) -> Vec<(usize, Why<S::Refusal>)> {
        let operation = self.operations.at(blocked);
        let mut placed = vec![0_u16; self.placed.len()];
        let mut reasons = Vec::new();
        for (n, state) in states.iter().enumerate() {
            let is_next = usize::from(placed[blocked.chain]) == blocked.position;
            if is_next && is_free(operation, &placed) {
                reasons.extend(self.reason(&prefix[n..], state, blocked).map(|why| (n, why)));
            }
            if let Some(place) = prefix.get(n) {
                placed[place.chain] += 1;
            }
        }
        reasons
    }

    fn reason(&self, rest: &[Place], state: &S::State, blocked: Place) -> Option<Why<S::Refusal>> {
        let mut state = state.clone();
        let operation = &self.operations.at(blocked).operation;
        if let Err(refusal) = self.specification.apply(&mut state, operation) {
            return Some(Why::Refused(refusal));
        }
        rest.iter().find_map(|place| {
            let refused =
                self.specification.apply(&mut state, &self.operations.at(*place).operation);
            refused.err().map(|refusal| Why::ThenRefused(*place, refusal))
        })
    }
}
