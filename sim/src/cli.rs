//! The command: verbs, flags, exit codes.
//!
//! Promises: bad input never panics and never becomes a verdict; the exit code says the same as
//! the words. Output is made of findings alone, so that two runs print the same.

mod arguments;
mod check;
mod exit;
mod faults;
mod load;
mod replay;
mod show;
mod soak;

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

pub use exit::Exit;

use arguments::{Arguments, Verb};

/// Why a verb could not do its work. Words are put on here, at the edge.
pub(crate) struct CliError {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl CliError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        CliError { message: message.into(), hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Runs the command with the arguments of the process.
pub fn main() -> ExitCode {
    let (mut out, mut err) = (std::io::stdout(), std::io::stderr());
    run(std::env::args_os(), &mut out, &mut err).into()
}

/// Runs the command with these arguments, the first of which is its own name, and writes to
/// `out` and `err`.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Exit {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are not errors; clap knows which stream each belongs to.
            let (stream, exit): (&mut dyn Write, Exit) = match error.use_stderr() {
                true => (err, Exit::Usage),
                false => (out, Exit::Expected),
            };
            // Nobody is left to be told that this cannot be written.
            let _ = write!(stream, "{}", error.render());
            return exit;
        }
    };
    let result = match arguments.verb() {
        Verb::Check(check) => check::run(&check, out),
        Verb::Replay(replay) => replay::run(&replay, out),
        Verb::List(list) => show::list(&list, out),
        Verb::Show(show) => show::show(&show, out),
        Verb::Faults(faults) => faults::run(&faults, out),
        Verb::Soak(soak) => soak::run(&soak, out, err),
    };
    result.unwrap_or_else(|error| {
        // A report on a scenario file heads each of its mistakes itself.
        let head = if error.message.starts_with("error:") { "" } else { "error: " };
        let mut text = format!("{head}{}\n", error.message.trim_end());
        if let Some(hint) = &error.hint {
            text.push_str(&format!("  hint: {hint}\n"));
        }
        let _ = err.write_all(text.as_bytes());
        Exit::Usage
    })
}

/// Writes to the output. A reader that went away is no error.
pub(crate) fn print(out: &mut dyn Write, text: &str) -> Result<(), CliError> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(CliError::new(format!("the output cannot be written: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The name most like `word`, if one is close.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let scored = names.map(|name| (strsim::jaro_winkler(word, name), name));
    let best = scored.max_by(|left, right| left.0.total_cmp(&right.0))?;
    (best.0 > 0.75).then_some(best.1)
}
