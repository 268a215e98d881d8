//! The dependency table, entry by entry: what it calls independent commutes in every state that
//! was tried, and what it calls dependent does not commute in some.
//!
//! A trial: run a random program for a while, take two actors that may both move, move them in
//! both orders, run on in a fixed way, and compare everything that can be seen: what the two
//! steps did, who may move afterwards, what everybody noted, and what is in the objects at the
//! end.

use std::collections::BTreeSet;

use midturn::world::Mode;

use crate::commute::{Entry, Table, Use, prove};

fn the_table(one: &Use, other: &Use) -> bool {
    one.mode.conflicts_with(other.mode)
}

/// Dependent, although they commute wherever both may move: each costs classes and loses none.
/// (A wait for several things is another matter: it can tell how many of them are ready.)
const CONSERVATIVE: [(&str, &str, &str); 5] = [
    ("await Read", "set Write", "a latch that is set stays set"),
    ("notified Read", "notify Write", "a ticket stays ready"),
    ("notify Write", "notify Write", "only their number can be seen, but each stamps its step"),
    ("receiver dropped Write", "sender dropped Write", "nothing is left for anybody to see"),
    ("set Write", "set Write", "the second one changes nothing, but the first one is stamped"),
];

/// Dependent, and some pair of this kind does not commute.
const DEPENDENT: [(&str, &str); 18] = [
    ("abort Write", "task aborted Read among others"),
    ("call Call", "return Return"),
    ("changed Read", "send Write"),
    ("is set Read", "set Write"),
    ("latest Read", "send Write"),
    ("look Write", "look Write"),
    ("look Write", "peek Read"),
    ("look Write", "peek inside Read"),
    ("look Write", "section Write"),
    ("notified Read among others", "notify Write"),
    ("notified of race Read among others", "notify Write"),
    ("notify Write", "subscribe Read"),
    ("peek Read", "section Write"),
    ("peek inside Read", "section Write"),
    ("receiver dropped Write", "reply Write"),
    ("section Write", "section Write"),
    ("send Write", "send Write"),
    ("timer fires Write", "timer of race Read among others"),
];

/// On one object, and independent.
const INDEPENDENT: [(&str, &str); 8] = [
    ("await Read", "is set Read"),
    ("call Call", "call Call"),
    ("changed Read", "latest Read"),
    ("is set Read", "is set Read"),
    ("peek Read", "peek Read"),
    ("peek Read", "peek inside Read"),
    ("return Return", "return Return"),
    ("subscribe Read", "subscribe Read"),
];

/// One enables the other, so that they never may both move: no race, whatever the table says.
const ENABLING: [(&str, &str); 3] = [
    ("receive Read", "reply Write"),
    ("receive Read", "sender dropped Write"),
    ("join Read", "task ended Write"),
];

/// On different objects: abort of a task and what it does before its next wait, among others.
const APART: [(&str, &str); 6] = [
    ("abort Write", "section Write"),
    ("abort Write", "send Write"),
    ("peek Read", "section Write"),
    ("section Write", "section Write"),
    ("call Call", "section Write"),
    ("notify Write", "send Write"),
];

fn named(pair: (&str, &str)) -> Entry {
    (pair.0.to_owned(), pair.1.to_owned())
}

#[test]
fn every_entry_is_right() {
    let tally = prove(the_table, 30_000);
    println!(
        "{} trials, {} of them independent, {} with a spawn; {} kinds of pairs on one object, \
         {} on different ones",
        tally.trials,
        tally.independent,
        tally.spawning,
        tally.dependent.len() + tally.harmless.len(),
        tally.apart.len()
    );
    if let Some((entries, told)) = tally.refuted.first_key_value() {
        panic!("called independent, and do not commute: {entries:?}\n{told}");
    }
    assert!(tally.spawning > 1_000, "a spawn commutes with anything: {}", tally.spawning);
    let dependent: BTreeSet<Entry> = DEPENDENT.map(named).into_iter().collect();
    for entry in &dependent {
        let (trials, differ) = tally.dependent.get(entry).copied().unwrap_or_default();
        assert!(differ > 0, "{entry:?} commutes in all {trials} trials");
    }
    for (one, other, reason) in CONSERVATIVE {
        let (trials, differ) =
            tally.dependent.get(&named((one, other))).copied().unwrap_or_default();
        assert!(trials > 0 && differ == 0, "{one}, {other}: {differ} of {trials}, yet {reason}");
    }
    for (entry, (trials, differ)) in &tally.dependent {
        let listed = CONSERVATIVE.iter().any(|(one, other, _)| named((one, other)) == *entry);
        assert!(*differ > 0 || listed || *trials < 20, "{entry:?} commutes in {trials} trials");
    }
    for pair in INDEPENDENT {
        assert!(tally.harmless.contains_key(&named(pair)), "{pair:?} was never tried");
    }
    for pair in APART {
        assert!(tally.apart.contains_key(&named(pair)), "{pair:?} was never tried");
    }
    for pair in ENABLING {
        let entry = named(pair);
        assert!(!tally.dependent.contains_key(&entry), "{pair:?} can both move");
    }
}

fn refuted(table: Table, programs: u64) -> BTreeSet<Entry> {
    let refuted = prove(table, programs).refuted;
    refuted.into_keys().filter(|entries| entries.len() == 1).flatten().collect()
}

#[test]
fn a_table_in_which_looks_and_changes_commute_is_refuted() {
    let table: Table = |one, other| match (one.mode, other.mode) {
        (Mode::Read, Mode::Write) | (Mode::Write, Mode::Read) => false,
        (one, other) => one.conflicts_with(other),
    };
    let refuted = refuted(table, 5_000);
    for pair in [
        ("peek Read", "section Write"),
        ("latest Read", "send Write"),
        ("changed Read", "send Write"),
        ("is set Read", "set Write"),
        ("notify Write", "subscribe Read"),
    ] {
        assert!(refuted.contains(&named(pair)), "{pair:?} is not among {refuted:?}");
    }
}

#[test]
fn a_table_in_which_returns_and_calls_commute_is_refuted() {
    let table: Table = |one, other| match (one.mode, other.mode) {
        (Mode::Call, Mode::Return) | (Mode::Return, Mode::Call) => false,
        (one, other) => one.conflicts_with(other),
    };
    assert_eq!(refuted(table, 5_000), BTreeSet::from([named(("call Call", "return Return"))]));
}

#[test]
fn a_table_in_which_changes_commute_is_refuted() {
    let table: Table = |one, other| one.mode != other.mode && one.mode.conflicts_with(other.mode);
    let refuted = refuted(table, 5_000);
    for pair in [("section Write", "section Write"), ("send Write", "send Write")] {
        assert!(refuted.contains(&named(pair)), "{pair:?} is not among {refuted:?}");
    }
}

/// A section that only reads, but contains another operation, is a writer for the table: while
/// it is suspended inside, it keeps others out.
#[test]
fn a_table_in_which_looking_inside_is_only_reading_is_refuted() {
    fn table(one: &Use, other: &Use) -> bool {
        let mode = |usage: &Use| if usage.name == "look" { Mode::Read } else { usage.mode };
        mode(one).conflicts_with(mode(other))
    }
    let refuted = refuted(table, 12_000);
    for pair in [("look Write", "look Write"), ("look Write", "peek Read")] {
        assert!(refuted.contains(&named(pair)), "{pair:?} is not among {refuted:?}");
    }
}
