//! Whatever a file holds, it is read or refused, with places that exist, and never a panic.

use std::path::Path;

use midturn_properties::scenario::{MAX_BYTES, ScenarioErrors, parse as read};

use crate::documents::{EXAMPLE, FULL, KNOWN, SMALL};
use crate::published::accepts;

const MUTANTS: u64 = 10_000;

fn check(bytes: &[u8]) -> bool {
    let path = Path::new("steer_races_turn_end.toml");
    match read(path, bytes, &KNOWN) {
        Ok(scenario) => {
            for (_, span) in scenario.needs() {
                assert!(scenario.source.get(span).is_some());
            }
            assert!(accepts(&scenario.source), "the schema refuses:\n{}", scenario.source);
            true
        }
        Err(errors) => {
            check_report(&errors);
            false
        }
    }
}

fn check_report(errors: &ScenarioErrors) {
    assert!(!errors.errors.is_empty());
    for error in &errors.errors {
        assert!(errors.source.get(error.span.clone()).is_some(), "{:?}", error.span);
    }
    assert!(errors.errors.is_sorted_by_key(|error| error.span.start));
    let report = errors.to_string();
    assert!(!report.chars().any(|c| c.is_control() && c != '\n'), "{report:?}");
    assert_eq!(report, errors.to_string());
}

#[test]
fn mutants_are_read_or_refused() {
    let seeds = [EXAMPLE, FULL, SMALL];
    let mut good = 0;
    for seed in 0..MUTANTS {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut bytes = seeds[random.usize(..seeds.len())].as_bytes().to_vec();
        for _ in 0..random.usize(1..4) {
            mutate(&mut bytes, &mut random, &seeds);
        }
        good += usize::from(check(&bytes));
    }
    // Both answers must occur, or the mutants prove little.
    assert!((200..9_800).contains(&good), "{good} of {MUTANTS} were read");
}

fn mutate(bytes: &mut Vec<u8>, random: &mut fastrand::Rng, seeds: &[&str]) {
    if bytes.is_empty() {
        bytes.push(b'\n');
    }
    let at = random.usize(..bytes.len());
    match random.u8(..11) {
        0 => bytes[at] ^= 1 << random.u8(..8),
        1 => bytes[at] = random.u8(b' '..=b'~'),
        2 => bytes.truncate(at),
        3 => {
            let mut lines: Vec<_> =
                bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
            let line = random.usize(..lines.len());
            if random.bool() {
                lines.remove(line);
            } else {
                let copy = lines[line].clone();
                lines.insert(random.usize(..lines.len()), copy);
            }
            *bytes = lines.join(&b'\n');
        }
        4 => {
            let other = seeds[random.usize(..seeds.len())].as_bytes();
            let from = random.usize(..other.len());
            let to = random.usize(from..other.len()).min(from + 200);
            bytes.splice(at..at, other[from..to].iter().copied());
        }
        5 => {
            let text: String = (0..random.usize(1..6)).map(|_| random.char(..)).collect();
            bytes.splice(at..at, text.into_bytes());
        }
        6..=9 => swap_words(bytes, random),
        _ => {
            let to = random.usize(at..bytes.len());
            bytes.drain(at..to.min(at + 40));
        }
    }
}

/// Puts one word of the document in the place of another: mutants that are still TOML.
fn swap_words(bytes: &mut Vec<u8>, random: &mut fastrand::Rng) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let mut words = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
        if !word.is_empty() {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            words.push(start..start + word.len());
        }
    }
    if words.is_empty() {
        return;
    }
    let (a, b) = (random.usize(..words.len()), random.usize(..words.len()));
    let word = text[words[b].clone()].to_owned();
    let mut mutant = text;
    mutant.replace_range(words[a].clone(), &word);
    *bytes = mutant.into_bytes();
}

#[test]
fn junk_of_any_size_is_refused() {
    let mut random = fastrand::Rng::with_seed(7);
    let junk: Vec<u8> = (0..10_000_000).map(|_| random.u8(..)).collect();
    assert!(!check(&junk));
    assert!(!check(&junk[..MAX_BYTES]));
    // At the limit, and as bad as it can be for the parser and for the lists of valid words.
    let fill = |unit: &str| unit.repeat(MAX_BYTES / unit.len());
    for unit in ["[", "{", "a.", "\"", "a=[", "= \n", "\n[[a]]", "\u{10ffff}", "'''"] {
        assert!(!check(fill(unit).as_bytes()), "{unit}");
    }
    let header = "schema = 1\npromise = 'p'\n[[actor]]\nname = 'u'\ndoes = [";
    let mut many = header.to_owned();
    for n in 0.. {
        many += &format!("{{id='i{n}',steer='',when='j{n} called'}},");
        if many.len() > MAX_BYTES - 100 {
            break;
        }
    }
    many.push(']');
    assert!(!check(many.as_bytes()));
}

#[test]
fn what_is_empty_is_refused() {
    for text in ["", "\n", "\u{feff}", "#", "schema", "\0", "schema = 1"] {
        assert!(!check(text.as_bytes()), "{text:?}");
    }
    let marked = format!("\u{feff}{SMALL}");
    assert!(check(marked.as_bytes()), "a byte order mark is no mistake");
    assert!(check(SMALL.replace('\n', "\r\n").as_bytes()));
}
