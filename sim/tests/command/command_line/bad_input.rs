//! Bad input ends with 2, says what is wrong and where, and is never a verdict.

use super::{STEER, file, midturn, steer};

/// `arguments` end with 2, print nothing as a result, and say all of `says`.
fn refuses(arguments: &[&str], says: &[&str]) {
    let ran = midturn(arguments);
    assert_eq!(ran.code, 2, "{arguments:?}: {}{}", ran.out, ran.err);
    assert_eq!(ran.out, "", "{arguments:?} has a result");
    for said in says {
        assert!(ran.err.contains(said), "{arguments:?} does not say `{said}`:\n{}", ran.err);
    }
}

/// A file with this content is refused in these words.
fn refuses_file(name: &str, content: impl AsRef<[u8]>, says: &[&str]) {
    let path = file("bad_input", &format!("{name}.toml"), content);
    refuses(&["check", path.to_str().expect("a plain path"), "--policy", "hardened"], says);
}

#[test]
fn names_that_nothing_has() {
    refuses(
        &["check", "steer_races_turn_ends"],
        &["no scenario is called `steer_races_turn_ends`", "did you mean `steer_races_turn_end`?"],
    );
    refuses(&["show", "steer_race_turn_end"], &["did you mean `steer_races_turn_end`?"]);
    refuses(&["check", "zzz"], &["no scenario is called `zzz`", "`midturn list` prints all"]);
    let name = "steer_races_turn_end";
    refuses(&["check", name, "--policy", "hardend"], &["did you mean `hardened`?"]);
    refuses(
        &["check", name, "--policy", "hardened+no_second_lok"],
        &["did you mean `hardened+no_second_look`?"],
    );
    refuses(&["check", name, "--policy", "zzz"], &["the policies are", "codex_0_149"]);
    refuses(&["check", name, "--design", "dsh"], &["no design is called `dsh`", "`codex`"]);
}

#[test]
fn flags_and_values_that_mean_nothing() {
    let name = "steer_races_turn_end";
    refuses(&["check", name, "--budget", "soon"], &["`soon` is no budget", "`10000runs`"]);
    refuses(&["check", name, "--budget", "0runs"], &["`0runs` is no budget"]);
    refuses(&["check", name, "--budget", "99999999999999999999s"], &["is no budget"]);
    refuses(&["check", name, "--bound", "few"], &["few", "--bound"]);
    refuses(&["check", name, "--bund", "1"], &["--bund", "--bound"]);
    refuses(&["check", name, "--format", "yaml"], &["yaml", "text", "json"]);
    refuses(&["check", name, "--random"], &["never end", "--budget 10000runs"]);
    refuses(&["replay"], &["TOKEN"]);
}

#[test]
fn files_that_cannot_be_read() {
    refuses(&["check", "nowhere/steer_races_end.toml"], &["nowhere/steer_races_end.toml"]);
    refuses(&["check", env!("CARGO_MANIFEST_DIR")], &["cannot be read"]);
    refuses_file("steer_races_not_toml", "schema = = 1", &["steer_races_not_toml.toml:1:"]);
    refuses_file(
        "steer_races_latin",
        b"promise = \"caf\xe9\"",
        &["steer_races_latin.toml", "UTF-8"],
    );
    refuses_file("steer_races_nothing", "", &["steer_races_nothing.toml", "schema", "promise"]);
    let junk: Vec<u8> =
        (0..10_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    refuses_file(
        "steer_races_junk",
        junk,
        &["steer_races_junk.toml", "no scenario may have more than 1048576"],
    );
    refuses_file("steer_2", STEER, &["steer_2", "letters"]);
    refuses_file("steer_and_turn", STEER, &["steer_and_turn", "races"]);
}

#[test]
fn words_that_the_format_does_not_have() {
    let cases = [
        ("steer_races_key", STEER.replace("promise", "promiss"), &["promiss", "promise`?"][..]),
        ("steer_races_actor", format!("parked = [\"usr\"]\n{STEER}"), &["usr", "user`?"]),
        (
            "steer_races_id",
            steer("[reach]\nsometimes = [\"yml sampled\"]"),
            &["steer_races_id.toml:16:15", "yml", "yaml`?"],
        ),
        (
            "steer_races_event",
            steer("[reach]\nsometimes = [\"yaml samplet\"]"),
            &["steer_races_event.toml:16:20", "samplet", "sampled`?"],
        ),
        ("steer_races_type", STEER.replace("\"running\"", "7"), &["steer_races_type.toml:6:8"]),
        (
            "steer_races_verb",
            STEER.replace("steer =", "stear ="),
            &["steer_races_verb.toml:13:", "stear", "steer`?"],
        ),
        (
            "steer_races_property",
            steer("[expect.codex.hardened]\nviolates = [\"no_silent_los\"]"),
            &["no_silent_los", "no_silent_loss`?"],
        ),
        (
            "steer_races_policy",
            steer("[expect.codex.hardend]\nholds = \"all\""),
            &["hardend", "hardened`?"],
        ),
    ];
    for (name, content, says) in cases {
        refuses_file(name, content, says);
    }
    let nobody = STEER.split("[[actor]]").next().unwrap_or_default();
    refuses_file("steer_races_nobody", nobody, &["steer_races_nobody.toml", "actor"]);
}

#[test]
fn a_request_that_no_script_covers() {
    let content = STEER.replace(", [{ final = \"done, in YAML\" }]", "");
    refuses_file(
        "steer_races_request",
        content,
        &["nothing covers request 2", "turn of slot", "steer_races_request.toml:9:12"],
    );
}

#[test]
fn what_codex_does_not_do_yet() {
    let fair = format!("assume = [\"fifo_locks\"]\n{STEER}");
    refuses_file("steer_races_fair", fair, &["`fifo_locks`", "steer_races_fair.toml:1:12"]);
}

#[test]
fn a_file_that_expects_nothing() {
    let path = file("bad_input", "steer_races_silence.toml", STEER);
    let path = path.to_str().expect("a plain path");
    refuses(&["check", path], &["expects nothing", "--policy"]);
    refuses(&["check", "steer_races_turn_end", path], &["expects nothing"]);
}
