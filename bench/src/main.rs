//! Linearizability against rivals, and its share of a search. Ratios of one run on one machine;
//! the medians of several rounds, taken in turns.

mod histories;
mod search;

use std::hint::black_box;
use std::time::{Duration, Instant};

use histories::{History, accepted, refused};

/// Rounds of each measurement.
const ROUNDS: usize = 21;

/// Above so many writes stateright is not asked: it takes a second at nine.
const STATERIGHT_UP_TO: u8 = 8;

fn main() {
    println!("c writes at once, then a read of what nobody wrote: refused");
    println!("{:>4} {:>12} {:>22} {:>22}", "c", "midturn", "todc-utils", "stateright");
    for writes in [4, 6, 8, 9, 10] {
        compare(&writes.to_string(), &refused(writes), false, writes <= STATERIGHT_UP_TO);
    }
    println!("\n160 events of four callers: accepted");
    compare("160", &accepted(80, 4), true, true);
    println!();
    search::share();
}

fn compare(name: &str, history: &History, expected: bool, with_stateright: bool) {
    let ours = history.for_midturn();
    let [midturn, todc] =
        race([&mut || timed(expected, || histories::explained(&ours)), &mut || {
            let theirs = history.for_todc();
            timed(expected, || histories::todc_accepts(theirs))
        }]);
    let stateright = with_stateright.then(|| {
        let theirs = history.for_stateright();
        let [stateright] =
            race([&mut || timed(expected, || histories::stateright_accepts(&theirs))]);
        stateright
    });
    let against = |rival: Option<Duration>| match rival {
        Some(rival) => {
            let ratio = rival.as_secs_f64() / midturn.as_secs_f64();
            format!("{:.1} us ({ratio:.1}x)", rival.as_secs_f64() * 1e6)
        }
        None => "-".to_owned(),
    };
    println!(
        "{name:>4} {:>9.1} us {:>22} {:>22}",
        midturn.as_secs_f64() * 1e6,
        against(Some(todc)),
        against(stateright)
    );
}

fn timed(expected: bool, judge: impl FnOnce() -> bool) -> Duration {
    let begun = Instant::now();
    let said = black_box(judge());
    let took = begun.elapsed();
    assert_eq!(said, expected, "the history has one verdict");
    took
}

/// The medians, each round in the same order.
fn race<const N: usize>(mut rivals: [&mut dyn FnMut() -> Duration; N]) -> [Duration; N] {
    let mut all: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::new());
    for _ in 0..ROUNDS {
        for (rival, times) in rivals.iter_mut().zip(&mut all) {
            times.push(rival());
        }
    }
    all.map(|mut times| {
        times.sort();
        times[times.len() / 2]
    })
}
