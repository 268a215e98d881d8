//! Tokens that people paste: each shows again what it was printed for, or says why it cannot.

use super::{file, midturn, ran, steer};

/// The tokens that a check prints.
fn tokens(out: &str) -> Vec<&str> {
    let lines = out.lines().filter_map(|line| line.trim().strip_prefix("midturn replay "));
    lines.filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn a_replay_shows_the_same_violation() {
    let names = ["steer_races_turn_end", "interrupt_races_drain", "prompt_races_prompt"];
    for name in names {
        let checked = midturn(&["check", name, "--policy", "upstream"]);
        let tokens = tokens(&checked.out);
        assert!(checked.code == 1 && !tokens.is_empty(), "{name}: {}", checked.out);
        for token in tokens {
            let told = checked.out.split(token).next().unwrap_or_default();
            let violated = told.rsplit("violated: ").next().unwrap_or_default();
            let property = violated.split_whitespace().next().unwrap_or_default();
            let replayed = midturn(&["replay", token]);
            assert_eq!(replayed.code, 1, "{token}: {}{}", replayed.out, replayed.err);
            let shows = format!("violated: {property}\n");
            assert!(replayed.out.contains(&shows), "{token}: no {shows}{}", replayed.out);
            assert!(!replayed.out.contains("note:"), "{token}: {}", replayed.out);
            let again = midturn(&["replay", token]);
            assert_eq!(replayed.out, again.out);
            let places = midturn(&["replay", token, "--places"]);
            assert!(places.out.contains("engine/src/codex/"), "{}", places.out);
        }
    }
}

#[test]
fn a_replay_of_what_holds_ends_well() {
    let shown = midturn(&["show", "steer_races_turn_end", "--policy", "hardened"]);
    let tokens = tokens(&shown.out);
    assert!(tokens.len() >= 2, "{}", shown.out);
    for token in tokens {
        let replayed = midturn(&["replay", token]);
        assert_eq!(replayed.code, 0, "{token}: {}{}", replayed.out, replayed.err);
        assert!(replayed.out.contains("nothing is violated"), "{}", replayed.out);
    }
}

/// Runs a printed line as a person would.
fn paste(line: &str) -> super::Ran {
    let line = line.trim().replacen("midturn", env!("CARGO_BIN_EXE_midturn"), 1);
    let output = std::process::Command::new("sh").args(["-c", &line]).output();
    ran(output.expect("a shell"))
}

#[test]
fn a_line_can_be_pasted_also_for_a_file_of_ones_own() {
    let content = steer("[expect.codex.codex_0_149]\nholds = \"all\"");
    for folder in ["pasted", "pasted 'twice' and $more"] {
        let path = file(folder, "steer_races_me.toml", &content);
        let checked = midturn(&["check", path.to_str().expect("a plain path")]);
        assert_eq!(checked.code, 1, "{}{}", checked.out, checked.err);
        let lines: Vec<&str> =
            checked.out.lines().filter(|line| line.contains("midturn replay ")).collect();
        assert!(!lines.is_empty(), "{}", checked.out);
        for line in lines {
            let replayed = paste(line);
            assert_eq!(replayed.code, 1, "{line}: {}{}", replayed.out, replayed.err);
            assert!(replayed.out.contains("violated: "), "{}", replayed.out);
        }
    }
}

#[test]
fn a_token_that_does_not_fit_says_why() {
    let checked = midturn(&["check", "steer_races_turn_end", "--policy", "upstream"]);
    let token = tokens(&checked.out).first().copied().expect("a token").to_owned();
    let other = file("unfit", "steer_races_other.toml", steer(""));
    let other = other.to_str().expect("a plain path");
    let site = token.split('@').nth(1).and_then(|rest| rest.split('.').next()).expect("a place");
    let cases = [
        (token.replacen("m1:", "m2:", 1), "version `m2`"),
        (token.replacen(":codex:", ":dsh:", 1), "design `dsh`"),
        (token.replacen("codex_0_149", "codex_0_148", 1), "did you mean `codex_0_149`?"),
        (token.replacen("turn_end", "turn_ends", 1), "no scenario is called"),
        (token.replacen(":a:", ":b:", 1), "`b` is not a token's relation"),
        (token.replacen(".1=", ".0=", 1), "is not a token's deviation"),
        (token.replacen(".1=", ".99999999999=", 1), "is not a token's deviation"),
        (token.replacen(site, "aaaaa", 1), "the engine changed since the token was made"),
        (token.replacen("=user", "=nobody", 1), "`nobody` cannot move there"),
        (token.replacen(":a:", "a:", 1), "a token has 7 fields"),
        (String::new(), "a token has 7 fields"),
        ("midturn".to_owned(), "a token has 7 fields"),
    ];
    for (tampered, why) in cases {
        assert_ne!(tampered, token);
        let replayed = midturn(&["replay", &tampered]);
        assert_eq!(replayed.code, 2, "{tampered}: {}{}", replayed.out, replayed.err);
        assert!(replayed.err.contains(why), "{tampered}: no `{why}`: {}", replayed.err);
    }
    let replayed = midturn(&["replay", &token, "--file", other]);
    assert!(replayed.code == 2 && replayed.err.contains("the token is of scenario"));
    let cut = token.rsplit_once(':').map(|(head, _)| format!("{head}:zzzzzz")).expect("a digest");
    let replayed = midturn(&["replay", &cut]);
    assert!(replayed.code == 1 && replayed.out.contains("note: some steps"), "{}", replayed.out);
}
