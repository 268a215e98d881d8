//! Real threads, judged like the search: silent where it is silent, and awake.

use midturn::design::CodexDesign;
use midturn::faults::{Place, Row};
use midturn::soak::{Soak, Soaked};
use midturn_engine::codex::Fault;

use crate::faults::table;
use crate::subjects::{all, built_in, under};

/// Of each scenario, under `hardened`.
const ROUNDS: u64 = 100;

/// In which a fault has to show, in the scenario where the search finds it.
const FAULTY_ROUNDS: u64 = 5_000;

#[test]
fn what_the_search_holds_threads_hold() {
    let mut soak = Soak::new(4, 1).expect("threads");
    for scenario in all() {
        let mut soaked = Soaked::new(under(&scenario, "hardened"));
        for _ in 0..ROUNDS {
            soak.round(&CodexDesign, &mut soaked).expect("a round that can be judged");
        }
        assert!(soaked.seen.is_empty(), "{}: {:#?}", scenario.name, soaked.seen);
    }
}

/// Nobody can promise which rounds threads play, so that at least half is asked for and not all.
#[test]
fn threads_show_at_least_half_of_the_faults() {
    let mut soak = Soak::new(4, 2).expect("threads");
    let mut missed = Vec::new();
    for (fault, Row { search: Place { scenario, property }, .. }) in table() {
        let policy = format!("hardened+{}", fault.name());
        let mut soaked = Soaked::new(under(&built_in(&scenario), &policy));
        while soaked.rounds < FAULTY_ROUNDS && !soaked.seen.contains_key(property.as_str()) {
            soak.round(&CodexDesign, &mut soaked).expect("a round that can be judged");
        }
        match soaked.seen.contains_key(property.as_str()) {
            true => println!("{} after {} rounds", fault.name(), soaked.rounds),
            false => missed.push(fault),
        }
    }
    println!("missed: {missed:?}");
    assert!(missed.len() * 2 <= Fault::ALL.len(), "{missed:?}");
}
