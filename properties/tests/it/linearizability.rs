//! The checker against brute force, on histories that know no queue.

mod generated;
mod register;

use midturn_properties::linearizability::{
    Observed, Operations, Place, Why, explain, explain_within,
};

use register::{Did, Register};

fn did(operation: Did, after: &[u16]) -> Observed<Did> {
    Observed { operation, after: after.to_vec(), optional: false }
}

fn in_a_row(chains: &[&[Did]]) -> Operations<Did> {
    let mut operations = Operations::default();
    for (chain, all) in chains.iter().enumerate() {
        for operation in *all {
            operations.push(chain, did(*operation, &[]));
        }
    }
    operations
}

#[test]
fn a_read_may_come_before_or_after_what_overlaps_it() {
    for read in [0, 1] {
        let operations = in_a_row(&[&[Did::Write(1)], &[Did::Read(read)]]);
        assert!(explain(&Register, &0, &operations, &[]).is_ok(), "{read}");
    }
    let operations = in_a_row(&[&[Did::Write(1)], &[Did::Read(2)]]);
    assert!(explain(&Register, &0, &operations, &[]).is_err());
}

#[test]
fn what_came_first_stays_first() {
    let mut operations = in_a_row(&[&[Did::Write(1)]]);
    operations.push(1, did(Did::Read(0), &[1]));
    assert!(explain(&Register, &0, &operations, &[]).is_err());
}

#[test]
fn who_went_away_may_have_acted_or_not() {
    for read in [0, 1] {
        let mut operations = in_a_row(&[&[Did::Read(read)]]);
        let gone = Observed { operation: Did::Write(1), after: Vec::new(), optional: true };
        operations.push(1, gone);
        assert!(explain(&Register, &0, &operations, &[]).is_ok(), "{read}");
    }
}

/// Who went away cannot have acted before it was called.
#[test]
fn who_went_away_did_not_act_early() {
    let mut operations = in_a_row(&[&[Did::Read(1)]]);
    operations.push(1, Observed { operation: Did::Write(1), after: vec![1], optional: true });
    assert!(explain(&Register, &0, &operations, &[]).is_err());
}

#[test]
fn ten_writes_at_once_and_an_impossible_read_are_refused() {
    let mut operations = Operations::default();
    for write in 0..10 {
        operations.push(usize::from(write), did(Did::Write(write), &[]));
    }
    operations.push(10, did(Did::Read(99), &[1; 10]));
    let unexplained = explain(&Register, &0, &operations, &[]).expect_err("no one wrote 99");
    assert_eq!(unexplained.prefix.len(), 10, "all writes can be explained");
    let [blocked] = unexplained.blocked.as_slice() else { panic!("{unexplained:?}") };
    assert_eq!(blocked.place, Place { chain: 10, position: 0 });
    assert_eq!(blocked.because.len(), 1, "behind all writes is the only place");
}

/// Why at each place: it is refused there, or what is behind that place is.
#[test]
fn a_refusal_names_each_place_with_its_reason() {
    let taken = |to| Did::Swap(0, to, true);
    let operations = in_a_row(&[&[taken(2), Did::Read(2)], &[taken(1)]]);
    let unexplained = explain(&Register, &0, &operations, &[]).expect_err("one of two takes it");
    let place = |chain, position| Place { chain, position };
    assert_eq!(unexplained.prefix, [place(0, 0), place(0, 1)]);
    let [blocked] = unexplained.blocked.as_slice() else { panic!("{unexplained:?}") };
    assert_eq!(blocked.place, place(1, 0));
    let first = (0, Why::ThenRefused(place(0, 0), 1));
    assert_eq!(blocked.because, [first, (1, Why::Refused(2)), (2, Why::Refused(2))]);
}

/// The order that was observed decides nothing but how long it takes.
#[test]
fn a_wrong_observation_does_no_harm() {
    let operations = in_a_row(&[&[Did::Write(1), Did::Read(2)], &[Did::Write(2)]]);
    let place = |chain, position| Place { chain, position };
    for observed in [
        vec![],
        vec![place(0, 1), place(0, 0), place(1, 0)],
        vec![place(0, 0), place(0, 1), place(1, 0)],
        vec![place(0, 0), place(1, 0)],
        vec![place(0, 0), place(0, 0), place(1, 0), place(0, 1)],
    ] {
        let order = explain(&Register, &0, &operations, &observed).expect("1, 2, then the read");
        assert_eq!(order, [place(0, 0), place(1, 0), place(0, 1)], "{observed:?}");
    }
}

#[test]
fn no_history_is_explained_by_nothing() {
    assert_eq!(explain(&Register, &0, &Operations::default(), &[]), Ok(Vec::new()));
}

#[test]
fn a_reason_is_the_refusal_of_the_specification() {
    let operations = in_a_row(&[&[Did::Read(7)]]);
    let unexplained = explain(&Register, &3, &operations, &[]).expect_err("it holds 3");
    assert_eq!(unexplained.blocked[0].because, [(0, Why::Refused(3))]);
}

/// Ten writes at once and a read of what nobody wrote: too many orders, and said so.
#[test]
fn a_search_that_is_too_large_is_given_up_and_not_called_a_proof() {
    let writes: Vec<[Did; 1]> = (1..=10).map(|value| [Did::Write(value)]).collect();
    let mut chains: Vec<&[Did]> = writes.iter().map(|write| &write[..]).collect();
    chains.push(&[Did::Read(11)]);
    let operations = in_a_row(&chains);
    let gave_up = |most| {
        explain_within(most, &Register, &0, &operations, &[]).expect_err("nobody wrote 11").gave_up
    };
    assert_eq!((gave_up(1_000), gave_up(100_000)), (true, false));
    let legal = in_a_row(&chains[..10]);
    assert!(explain_within(1_000, &Register, &0, &legal, &[]).is_ok());
}
