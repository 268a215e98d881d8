//! Finds and reads scenarios.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use midturn_properties::driver::refuse_unplayable;
use midturn_properties::scenario::{MAX_BYTES, Scenario, parse};

use super::{CliError, nearest};
use crate::catalogue;
use crate::design::with_known;

/// A scenario with where it came from.
pub(super) struct Loaded {
    pub(super) scenario: Arc<Scenario>,
    /// The file, if it is not built in.
    pub(super) file: Option<String>,
}

fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let wrong = |error: std::io::Error| {
        CliError::new(format!("{} cannot be read: {error}", path.display()))
    };
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(wrong)?;
    // One byte more than allowed is enough to know that a file is too large.
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes).map_err(wrong)?;
    Ok(bytes)
}

fn parsed(path: &Path, bytes: &[u8], design: &str) -> Result<Arc<Scenario>, CliError> {
    let scenario = with_known(|known| parse(path, bytes, known))
        .map_err(|errors| CliError::new(errors.to_string()))?;
    refuse_unplayable(&scenario, design).map_err(|errors| CliError::new(errors.to_string()))?;
    Ok(Arc::new(scenario))
}

/// The scenario that `word` names: a file if it looks like one, else a built-in scenario.
pub(super) fn load(word: &str, design: &str) -> Result<Loaded, CliError> {
    let path = Path::new(word);
    if let Some(text) = catalogue::find(word) {
        let path = Path::new("properties/scenarios").join(format!("{word}.toml"));
        return Ok(Loaded { scenario: parsed(&path, text.as_bytes(), design)?, file: None });
    }
    let is_file = path.extension().is_some() || word.contains(std::path::MAIN_SEPARATOR);
    if is_file || path.exists() {
        let scenario = parsed(path, &read(path)?, design)?;
        return Ok(Loaded { scenario, file: Some(word.to_owned()) });
    }
    let names = catalogue::SCENARIOS.iter().map(|(name, _)| *name);
    let all = format!("`midturn list` prints all {}", catalogue::SCENARIOS.len());
    let hint = match nearest(word, names) {
        Some(near) => format!("did you mean `{near}`? {all}"),
        None => all,
    };
    Err(CliError::new(format!("no scenario is called `{word}`")).hint(hint))
}

/// All built-in scenarios.
pub(super) fn all(design: &str) -> Result<Vec<Loaded>, CliError> {
    catalogue::SCENARIOS.iter().map(|(name, _)| load(name, design)).collect()
}
