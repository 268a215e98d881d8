//! The command: verbs, flags, exit codes.
//!
//! Promises: bad input never panics and never becomes a verdict; the exit code says the same as
//! the words. Output is made of findings alone, so that two runs print the same.

mod arguments;
mod check;
mod exit;
mod load;
mod replay;
mod show;

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
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are not errors; clap knows which stream each belongs to.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Expected.into() };
        }
    };
    let result = match arguments.verb() {
        Verb::Check(check) => check::run(&check),
        Verb::Replay(replay) => replay::run(&replay),
        Verb::List(list) => show::list(&list),
        Verb::Show(show) => show::show(&show),
    };
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            let mut text = format!("error: {}\n", error.message.trim_end());
            if let Some(hint) = &error.hint {
                text.push_str(&format!("  hint: {hint}\n"));
            }
            let _ = std::io::stderr().write_all(text.as_bytes());
            Exit::Usage.into()
        }
    }
}

/// Writes to standard output. A reader that went away is no error.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(CliError::new(format!("standard output cannot be written: {error}")))
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
