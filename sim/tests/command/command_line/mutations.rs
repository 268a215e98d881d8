//! Tokens and files with random mistakes: never a panic, never a token that reads itself wrong.

use midturn::check::{Effort, check};
use midturn::cli::Exit;
use midturn::design::CodexDesign;
use midturn::search::Budget;
use midturn::token::Token;

use super::{file, in_process};
use crate::subjects::{all, expected, token};

/// Tokens of violations, with values, relations and suspensions of all kinds.
fn tokens() -> Vec<Token> {
    let mut tokens = Vec::new();
    for scenario in all() {
        for subject in expected(&scenario) {
            let budget = Budget { runs: Some(60), time: None };
            let effort = Effort { budget, bound: None, random: Some(3) };
            let finding = check(&CodexDesign, subject, &effort);
            let finding = finding.unwrap_or_else(|errors| panic!("{errors}"));
            let found = finding.broken.iter().map(|broken| token(&finding, broken));
            tokens.extend(found.take(1));
        }
    }
    tokens
}

fn mutated(text: &str, random: &mut fastrand::Rng) -> String {
    const LETTERS: &[u8] = b":@.=+,-e1290aruTm\x00 \xff'/";
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.usize(..3) {
        let at = random.usize(..bytes.len().max(1)).min(bytes.len().saturating_sub(1));
        let letter = LETTERS[random.usize(..LETTERS.len())];
        match random.u32(..5) {
            0 if !bytes.is_empty() => drop(bytes.remove(at)),
            1 if !bytes.is_empty() => bytes[at] = letter,
            2 => bytes.insert(at, letter),
            3 => bytes.truncate(at),
            _ => {
                let from = random.usize(..=bytes.len().saturating_sub(1));
                let piece: Vec<u8> = bytes.iter().skip(from).take(12).copied().collect();
                bytes.splice(at..at, piece);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn tokens_are_read_as_they_are_written() {
    let tokens = tokens();
    assert!(tokens.len() >= 20, "{} tokens", tokens.len());
    for token in tokens {
        let text = token.to_string();
        assert_eq!(text.parse::<Token>().as_ref(), Ok(&token), "{text}");
        assert!(text.chars().all(|letter| letter.is_ascii_graphic()), "{text}");
        assert!(
            !text.contains(['\'', '"', '\\', '$', '`', '*', '?', '!', '&', '|', ';']),
            "{text}"
        );
    }
}

#[test]
fn tokens_with_mistakes_never_panic() {
    let tokens: Vec<String> = tokens().iter().map(Token::to_string).collect();
    let mut random = fastrand::Rng::with_seed(11);
    let (mut read, mut ends) = (0, [0u32; 3]);
    for _ in 0..10_000 {
        let text = mutated(&tokens[random.usize(..tokens.len())], &mut random);
        let Ok(token) = text.parse::<Token>() else { continue };
        read += 1;
        assert_eq!(token.to_string().parse::<Token>().as_ref(), Ok(&token), "{text}");
        if ends.iter().sum::<u32>() < 600 && !text.starts_with('-') && !text.contains('\0') {
            let (exit, out, err) = in_process(&["replay", &text]);
            ends[exit as usize] += 1;
            match exit {
                Exit::Usage => assert!(out.is_empty() && err.starts_with("error: "), "{text}"),
                Exit::Expected | Exit::Violated => assert!(!out.is_empty(), "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
    println!("{read} of 10000 mutated tokens are read; replayed, by exit code: {ends:?}");
    assert!(read >= 600 && ends[1] > 0 && ends[2] > 0, "{read} read, {ends:?}");
}

#[test]
fn files_with_mistakes_never_panic() {
    let texts: Vec<&str> = midturn::catalogue::SCENARIOS.iter().map(|(_, text)| *text).collect();
    let mut random = fastrand::Rng::with_seed(12);
    let mut ends = [0u32; 8];
    for _ in 0..1_500 {
        let text = texts[random.usize(..texts.len())];
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..=random.usize(..2) {
            let (at, other) = (random.usize(..lines.len()), random.usize(..lines.len()));
            match random.u32(..4) {
                0 if lines.len() > 1 => drop(lines.remove(at)),
                1 => lines.swap(at, other),
                2 => lines[at] = mutated(&lines[at], &mut random),
                _ => lines[at] = lines[other].clone(),
            }
        }
        let path = file("mutations", "mutant_races_mutant.toml", lines.join("\n"));
        let path = path.to_str().expect("a plain path");
        let (exit, out, err) =
            in_process(&["check", path, "--policy", "hardened", "--budget", "5runs"]);
        ends[exit as usize] += 1;
        match exit {
            Exit::Usage => assert!(err.starts_with("error: "), "{err}\n{}", lines.join("\n")),
            _ => assert!(!out.is_empty(), "{}", lines.join("\n")),
        }
    }
    println!("1500 mutated files, by exit code: {ends:?}");
    assert!(ends[2] > 100 && ends[6] > 100, "{ends:?}");
}
