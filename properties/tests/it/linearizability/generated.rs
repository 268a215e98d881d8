//! Random small histories: what the checker says is what brute force says.

use midturn_properties::linearizability::{
    Observed, Operations, Place, Specification, Why, explain,
};

use super::register::{Did, Register};

const HISTORIES: u64 = 20_000;

/// Up to three chains of up to three operations, on few values, with a partial order that some
/// run could have had: each operation has an interval, and is behind what ended before it began. The
/// caller of a last one may have gone away, and then it never ends.
fn history(seed: u64) -> Operations<Did> {
    let mut random = fastrand::Rng::with_seed(seed);
    let chains = random.usize(1..=3);
    let mut ends: Vec<Vec<u32>> = vec![Vec::new(); chains];
    let gone: Vec<bool> = (0..chains).map(|_| random.u8(0..3) == 0).collect();
    let mut begins: Vec<Vec<u32>> = vec![Vec::new(); chains];
    for chain in 0..chains {
        let mut now = 0;
        for _ in 0..random.usize(0..=3) {
            begins[chain].push(now + random.u32(0..4));
            now = begins[chain][begins[chain].len() - 1] + random.u32(1..6);
            ends[chain].push(now);
        }
        if let Some(last) = ends[chain].last_mut().filter(|_| gone[chain]) {
            *last = u32::MAX;
        }
    }
    let mut operations = Operations::default();
    for chain in 0..chains {
        for (nth, begin) in begins[chain].iter().enumerate() {
            let before = |ends: &Vec<u32>| ends.iter().filter(|end| *end < begin).count();
            let after = ends.iter().map(|ends| u16::try_from(before(ends)).unwrap()).collect();
            let (from, to) = (random.u8(0..3), random.u8(0..3));
            let operation = match random.u8(0..3) {
                0 => Did::Write(to),
                1 => Did::Read(to),
                _ => Did::Swap(from, to, random.bool()),
            };
            let optional = gone[chain] && nth + 1 == begins[chain].len();
            operations.push(chain, Observed { operation, after, optional });
        }
    }
    operations
}

/// The order that brute force finds first, and the length of the longest prefix.
fn brute_force(operations: &Operations<Did>) -> (bool, usize) {
    fn go(
        operations: &Operations<Did>,
        placed: &mut Vec<u16>,
        state: u8,
        longest: &mut usize,
    ) -> bool {
        *longest = (*longest).max(placed.iter().map(|n| usize::from(*n)).sum());
        let chains = operations.chains();
        let whole = chains.iter().zip(placed.iter());
        if whole.clone().all(|(all, n)| all[usize::from(*n)..].iter().all(|o| o.optional)) {
            return true;
        }
        for chain in 0..chains.len() {
            let Some(next) = chains[chain].get(usize::from(placed[chain])) else { continue };
            if next.after.iter().zip(placed.iter()).any(|(needed, placed)| placed < needed) {
                continue;
            }
            let mut then = state;
            if Register.apply(&mut then, &next.operation).is_err() {
                continue;
            }
            placed[chain] += 1;
            let found = go(operations, placed, then, longest);
            placed[chain] -= 1;
            if found {
                return true;
            }
        }
        false
    }
    let mut longest = 0;
    let mut placed = vec![0; operations.chains().len()];
    let explained = go(operations, &mut placed, 0, &mut longest);
    (explained, longest)
}

/// Carries an order out; how far it comes.
fn replay(operations: &Operations<Did>, order: &[Place]) -> Option<(u8, Vec<u16>)> {
    let (mut state, mut placed) = (0, vec![0; operations.chains().len()]);
    for place in order {
        let next = operations.at(*place);
        let in_turn = usize::from(placed[place.chain]) == place.position;
        let free = next.after.iter().zip(&placed).all(|(needed, placed)| placed >= needed);
        if !in_turn || !free || Register.apply(&mut state, &next.operation).is_err() {
            return None;
        }
        placed[place.chain] += 1;
    }
    Some((state, placed))
}

#[test]
fn the_checker_agrees_with_brute_force() {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..HISTORIES {
        let operations = history(seed);
        let (explained, longest) = brute_force(&operations);
        match explain(&Register, &0, &operations, &[]) {
            Ok(order) => {
                assert!(explained, "history {seed} has no order, and {order:?} was found");
                let (_, placed) = replay(&operations, &order).expect("the order is one");
                let left = operations.chains().iter().zip(placed);
                for (all, placed) in left {
                    assert!(all[usize::from(placed)..].iter().all(|o| o.optional), "{seed}");
                }
                yes += 1;
            }
            Err(unexplained) => {
                assert!(!explained, "history {seed} has an order");
                assert_eq!(unexplained.prefix.len(), longest, "history {seed}");
                let (state, placed) = replay(&operations, &unexplained.prefix).expect("a prefix");
                for blocked in &unexplained.blocked {
                    let place = blocked.place;
                    assert_eq!(usize::from(placed[place.chain]), place.position, "{seed}");
                    let (last, why) = blocked.because.last().expect("a reason");
                    assert_eq!(*last, unexplained.prefix.len(), "history {seed}");
                    assert_eq!(*why, Why::Refused(state), "history {seed}");
                }
                assert!(!unexplained.blocked.is_empty(), "history {seed}");
                no += 1;
            }
        }
    }
    assert!(yes > HISTORIES / 10 && no > HISTORIES / 10, "{yes} explained, {no} not");
}

/// What was observed first decides no verdict and no word of a refusal.
#[test]
fn the_observed_order_decides_nothing() {
    for seed in 0..HISTORIES / 10 {
        let operations = history(seed);
        let chains = operations.chains().iter().enumerate();
        let in_chains: Vec<Place> = chains
            .flat_map(|(chain, all)| (0..all.len()).map(move |position| Place { chain, position }))
            .collect();
        let with = explain(&Register, &0, &operations, &in_chains);
        let without = explain(&Register, &0, &operations, &[]);
        match (with, without) {
            (Ok(_), Ok(_)) => {}
            (Err(with), Err(without)) => assert_eq!(with, without, "history {seed}"),
            (with, without) => panic!("history {seed}: {with:?} and {without:?}"),
        }
    }
}
