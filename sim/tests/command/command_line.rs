//! The real command in a process of its own: what it prints, and how it ends.

mod bad_input;
mod exit_codes;
mod kills;
mod mutations;
mod output;
mod replays;
mod soaks;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A run that is over.
struct Ran {
    code: i32,
    out: String,
    err: String,
}

fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command writes text");
    let code = output.status.code().expect("the command ends by itself");
    let ran = Ran { code, out: text(output.stdout), err: text(output.stderr) };
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    ran
}

/// Runs `midturn` with these arguments.
fn midturn(arguments: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_midturn")).args(arguments).output();
    ran(output.expect("the command starts"))
}

/// A new file of this test alone. Every name needs a folder of its own.
pub fn file(folder: &str, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join(name);
    fs::write(&path, content).expect("a file for the test");
    path
}

/// A small race that is lost by 0.149.0: `[reach]` and what is expected follow it.
const STEER: &str = r#"
schema  = 1
promise = "A steer is sampled, or refused."

[session]
slot = "running"

[model]
requests = [[{ final = "done" }], [{ final = "done, in YAML" }]]

[[actor]]
name = "user"
does = [{ id = "yaml", steer = "use YAML" }]
"#;

fn steer(rest: &str) -> String {
    format!("{STEER}\n{rest}\n")
}

/// The command as a program that is given its arguments, in this process.
pub fn in_process(arguments: &[&str]) -> (midturn::cli::Exit, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let named = std::iter::once("midturn").chain(arguments.iter().copied());
    let exit = midturn::cli::run(named.map(Into::into), &mut out, &mut err);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the command writes text");
    (exit, text(out), text(err))
}
