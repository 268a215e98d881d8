//! Random toys.

use crate::toy::{Op, Toy};

/// Nested sections in any order, as the programs on which textbook DPOR loses classes.
pub fn nested(random: &mut fastrand::Rng) -> Toy {
    let locks = random.usize(2..4);
    let actors = (0..random.usize(2..4))
        .map(|_| {
            (0..random.usize(1..3))
                .map(|_| {
                    let lock = random.usize(..locks);
                    let mut inside = Vec::new();
                    if random.bool() {
                        for _ in 0..random.usize(1..3) {
                            let inner = random.usize(..locks);
                            if inner != lock {
                                inside.push(Op::Section(inner, Vec::new()));
                            }
                        }
                    }
                    Op::Section(lock, inside)
                })
                .collect()
        })
        .collect();
    Toy { locks, actors }
}

/// Programs over everything that `midturn-sync` and the world offer.
pub fn mixed(random: &mut fastrand::Rng) -> Toy {
    let actors = (0..random.usize(2..4)).map(|_| mixed_ops(random, 0)).collect();
    Toy { locks: 2, actors }
}

fn mixed_ops(random: &mut fastrand::Rng, depth: usize) -> Vec<Op> {
    (0..random.usize(1..4 - depth.min(1))).map(|_| mixed_op(random, depth)).collect()
}

fn mixed_op(random: &mut fastrand::Rng, depth: usize) -> Op {
    let lock = random.usize(..2);
    let pick = random.usize(..if depth == 0 { 17 } else { 12 });
    match pick {
        0 => Op::Section(lock, Vec::new()),
        1 => Op::Section(0, vec![Op::Section(1, Vec::new())]),
        2 => Op::Section(0, vec![Op::Section(1, Vec::new()), Op::Peek(1), Op::Send]),
        3 | 4 => Op::Peek(lock),
        5 => Op::Send,
        6 => Op::Changed,
        7 => Op::Notify,
        8 => Op::NotifiedOrTimer,
        9 => Op::Reply,
        10 => Op::Receive,
        11 => Op::Choose(2),
        12 => Op::Sleep,
        13 => Op::Spawn(mixed_ops(random, depth + 1)),
        14 => Op::Join,
        15 => {
            if random.bool() {
                Op::Abort
            } else {
                Op::Droppable(mixed_ops(random, depth + 1))
            }
        }
        _ => Op::Call(mixed_ops(random, depth + 1)),
    }
}

/// Programs on which a search once lost classes, smallest first: each was found among tens of
/// thousands of random ones, and cut down by hand.
fn corpus() -> Vec<Toy> {
    let s = |lock, inside: &[Op]| Op::Section(lock, inside.to_vec());
    let leaf = |lock| Op::Section(lock, Vec::new());
    let two_in_one = vec![leaf(0), s(3, &[leaf(2), leaf(1)])];
    let chain = vec![s(3, &[leaf(2), s(1, &[leaf(0)])])];
    let actors = [
        vec![two_in_one, vec![leaf(1)], vec![leaf(0), s(3, &[leaf(1)])]],
        vec![
            vec![leaf(0)],
            vec![s(2, &[leaf(3), leaf(1)])],
            vec![leaf(1)],
            vec![s(3, &[leaf(0)]), s(2, &[leaf(1)])],
        ],
        vec![vec![s(2, &[leaf(3)])], vec![s(1, &[leaf(3)])], chain, vec![leaf(0)]],
    ];
    actors.into_iter().map(|actors| Toy { locks: 4, actors }).collect()
}

/// One of the corpus, changed in up to three places.
pub fn near_corpus(random: &mut fastrand::Rng) -> Toy {
    let mut corpus = corpus();
    let mut toy = corpus.swap_remove(random.usize(..corpus.len()));
    random.shuffle(&mut toy.actors);
    for _ in 0..random.usize(..4) {
        let actor = random.usize(..toy.actors.len());
        change(random, &mut toy.actors[actor], &mut Vec::new());
    }
    toy
}

/// Renames, adds or removes one section; never nests a lock in itself.
fn change(random: &mut fastrand::Rng, ops: &mut Vec<Op>, held: &mut Vec<usize>) {
    let place = random.usize(..ops.len() + 1);
    let fresh: Vec<usize> = (0..4).filter(|lock| !held.contains(lock)).collect();
    let Some(lock) = random.choice(fresh) else { return };
    match ops.get_mut(place) {
        None => ops.push(Op::Section(lock, Vec::new())),
        Some(Op::Section(outer, inside)) if random.bool() => {
            held.push(*outer);
            change(random, inside, held);
        }
        Some(Op::Section(outer, inside)) if inside.is_empty() => *outer = lock,
        Some(_) => drop(ops.remove(place)),
    }
}
