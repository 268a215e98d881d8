//! Operations with what is known of their order.

/// Where an operation stands: the chain, and its position there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The chain.
    pub chain: usize,
    /// The position, from 0.
    pub position: usize,
}

/// An operation of a history.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Observed<O> {
    /// What was done, and what was answered.
    pub operation: O,
    /// How much of each chain comes before it: so many of its operations. Chains that are not
    /// named here may come in any order.
    pub after: Vec<u16>,
    /// Its caller went away: it may have had no effect, or have one at any later time. So it never
    /// ends, and nothing comes behind it: it is the last of its chain.
    pub optional: bool,
}

/// A history: chains of operations, each in its own order, with what orders them besides.
///
/// Two that have the same operations under the same order are equal, whatever else differed
/// between the runs that they come from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operations<O> {
    chains: Vec<Vec<Observed<O>>>,
}

impl<O> Default for Operations<O> {
    fn default() -> Self {
        Operations { chains: Vec::new() }
    }
}

impl<O> Operations<O> {
    /// Adds an operation to the end of a chain. A chain that is used for the first time begins.
    pub fn push(&mut self, chain: usize, observed: Observed<O>) -> Place {
        if self.chains.len() <= chain {
            self.chains.resize_with(chain + 1, Vec::new);
        }
        self.chains[chain].push(observed);
        Place { chain, position: self.chains[chain].len() - 1 }
    }

    /// The chains, each in its own order.
    pub fn chains(&self) -> &[Vec<Observed<O>>] {
        &self.chains
    }

    /// The operation at a place.
    pub fn at(&self, place: Place) -> &Observed<O> {
        &self.chains[place.chain][place.position]
    }

    /// How many operations there are.
    pub fn len(&self) -> usize {
        self.chains.iter().map(Vec::len).sum()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.chains.iter().all(Vec::is_empty)
    }
}
