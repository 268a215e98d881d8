//! All mistakes of one file, and how people are told about them.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Span;
use super::mistake::{Mistake, ScenarioError};

/// The widest line of a report, in characters.
const WIDTH: usize = 100;
/// Valid words are listed up to so many.
const LISTED: usize = 24;
/// So many words fit into a sentence.
const FEW: usize = 3;

/// The mistakes of one file, in file order.
///
/// Its `Display` is the report: for each mistake the file, line and column, the line itself
/// with the place underlined, and the nearest valid word. The same on every machine, without
/// colour.
#[derive(Clone, Debug)]
pub struct ScenarioErrors {
    /// The file.
    pub path: PathBuf,
    /// Its text as far as it could be read: nothing if it is too large, the part before the
    /// first bad byte if it is not UTF-8.
    pub source: Arc<str>,
    /// The mistakes; at least one.
    pub errors: Vec<ScenarioError>,
    /// Whether there may be more than are listed.
    pub truncated: bool,
}

impl ScenarioErrors {
    /// One mistake.
    pub(crate) fn one(path: &Path, source: Arc<str>, span: Span, mistake: Mistake) -> Self {
        let span = snap(&source, span);
        let errors = vec![ScenarioError { mistake, span }];
        ScenarioErrors { path: path.to_owned(), source, errors, truncated: false }
    }

    /// Line and column of a byte offset, both in characters and from 1.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let before = self.source.get(..offset).unwrap_or(&self.source);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
    }
}

impl fmt::Display for ScenarioErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.errors.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            self.write_error(f, error)?;
        }
        if self.truncated {
            writeln!(f, "\nthere may be more; only the first {} are shown", self.errors.len())?;
        }
        Ok(())
    }
}

impl std::error::Error for ScenarioErrors {}

impl ScenarioErrors {
    fn write_error(&self, f: &mut fmt::Formatter<'_>, error: &ScenarioError) -> fmt::Result {
        let (line, column) = self.position(error.span.start);
        writeln!(f, "error: {}", visible(&error.mistake.to_string()))?;
        let margin = line.to_string().len();
        let path = self.path.display();
        if error.mistake.is_about_the_whole_file() {
            writeln!(f, "{:margin$}--> {path}", "")?;
        } else {
            writeln!(f, "{:margin$}--> {path}:{line}:{column}", "")?;
            let (text, before, under) = self.excerpt(&error.span, WIDTH - margin - 3);
            writeln!(f, "{:margin$} |", "")?;
            writeln!(f, "{line} | {text}")?;
            writeln!(f, "{:margin$} | {:before$}{}", "", "", "^".repeat(under))?;
        }
        for note in self.notes(&error.mistake) {
            writeln!(f, "{:margin$} = {note}", "")?;
        }
        Ok(())
    }

    /// The line around a place, cut to `width`; how many characters stand before the place;
    /// how many to underline.
    fn excerpt(&self, span: &Span, width: usize) -> (String, usize, usize) {
        let source: &str = &self.source;
        let start = source[..span.start].rfind('\n').map_or(0, |newline| newline + 1);
        let end = source[span.start..].find('\n').map_or(source.len(), |at| span.start + at);
        let line = source[start..end].trim_end_matches('\r');
        let before = source[start..span.start].chars().count();
        let marked = source[span.start..span.end.clamp(span.start, end)].chars().count().max(1);
        // Show at least the beginning of the place, with what leads up to it.
        let skip = if before + marked <= width { 0 } else { before.saturating_sub(width / 4) };
        let text: String = line.chars().skip(skip).take(width).collect();
        let before = before - skip;
        (visible(&text), before, marked.min(width.saturating_sub(before)).max(1))
    }

    fn notes(&self, mistake: &Mistake) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some(word) = mistake.suggestion() {
            notes.push(format!("did you mean `{}`?", visible(word)));
        }
        match mistake {
            Mistake::MisplacedKey { verbs, .. } if verbs.len() > FEW => {
                notes.extend(list(verbs.iter().copied()));
            }
            Mistake::UnknownKey { valid, .. } | Mistake::NoVerb { valid, .. } => {
                notes.extend(list(valid.iter().copied()));
            }
            Mistake::Unknown { valid, .. } | Mistake::Unfinished { valid, .. } => {
                notes.extend(list(valid.iter().map(String::as_str)));
            }
            Mistake::Duplicate { first, .. } => {
                notes.push(format!("first on line {}", self.position(first.start).0));
            }
            Mistake::FileName { .. } => notes.push(
                "name it `<act>_<relation>_<other>.toml`, the relation one of races, during, \
                 before, after, overtakes, twice"
                    .to_owned(),
            ),
            _ => {}
        }
        notes
    }
}

/// The valid words, in lines that are not too wide.
fn list<'a>(words: impl Iterator<Item = &'a str>) -> Vec<String> {
    let words: Vec<_> = words.collect();
    let mut lines = Vec::new();
    let mut line = "valid:".to_owned();
    for word in words.iter().take(LISTED) {
        let word = visible(word);
        if line.chars().count() + word.chars().count() + 2 > WIDTH - 8 {
            lines.push(std::mem::replace(&mut line, "      ".to_owned()));
        }
        let _ = write!(line, " {word}");
    }
    if words.len() > LISTED {
        let _ = write!(line, " and {} more", words.len() - LISTED);
    }
    if !words.is_empty() {
        lines.push(line);
    }
    lines
}

/// The text with one visible character for each character, so that what stands below it
/// lines up and no terminal is steered from within a file.
fn visible(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() || is_invisible(c) => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// Marks that change the direction of text or have no width.
fn is_invisible(c: char) -> bool {
    let ranges = [
        '\u{200b}'..='\u{200f}',
        '\u{202a}'..='\u{202e}',
        '\u{2060}'..='\u{2069}',
        '\u{feff}'..='\u{feff}',
    ];
    ranges.iter().any(|range| range.contains(&c))
}

/// The nearest place that lies within the text, on character boundaries.
pub(crate) fn snap(source: &str, span: Span) -> Span {
    let down = |mut at: usize| {
        at = at.min(source.len());
        while !source.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = down(span.start);
    start..down(span.end).max(start)
}

impl Mistake {
    fn is_about_the_whole_file(&self) -> bool {
        matches!(self, Mistake::TooLarge { .. } | Mistake::FileName { .. })
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mistake::TooLarge { bytes, limit } => {
                write!(f, "the file has {bytes} bytes, and no scenario may have more than {limit}")
            }
            Mistake::NotUtf8 { offset } => write!(f, "not UTF-8 from byte {offset} on"),
            Mistake::NotToml { message } => write!(f, "not TOML: {message}"),
            Mistake::UnknownKey { key, place, .. } => write!(f, "unknown key `{key}` in {place}"),
            Mistake::MisplacedKey { key, verbs } if verbs.len() > FEW => {
                write!(f, "`{key}` only goes with some verbs, and this is none of them")
            }
            Mistake::MisplacedKey { key, verbs } => {
                write!(f, "`{key}` only goes with {}", verbs.join(" or "))
            }
            Mistake::Unknown { what, word, .. } => write!(f, "unknown {} `{word}`", what.word()),
            Mistake::WrongType { key, expected, found } => {
                write!(f, "`{key}` must be {expected}, not {found}")
            }
            Mistake::MissingKey { key, place } => write!(f, "`{key}` is missing in {place}"),
            Mistake::NoActors => write!(f, "nobody acts: a scenario needs at least one [[actor]]"),
            Mistake::NoVerb { place, .. } => write!(f, "{place} without a verb"),
            Mistake::SeveralVerbs { place, verbs } => {
                write!(f, "{place} with several verbs: {}", verbs.join(", "))
            }
            Mistake::Duplicate { what, name, .. } => {
                write!(f, "the {} `{name}` is there twice", what.word())
            }
            Mistake::BadName { what, name, why } => {
                write!(f, "`{name}` cannot name {} {}: {why}", article(what.word()), what.word())
            }
            Mistake::SchemaVersion { found } => {
                write!(f, "this is schema {found}, and only schema 1 can be read")
            }
            Mistake::FileName { name, why } => write!(f, "`{name}` does not name a race: {why}"),
            Mistake::Unfinished { what, text, .. } if text.is_empty() => {
                write!(f, "an empty {}", what.word())
            }
            Mistake::Unfinished { what, text, .. } => {
                write!(f, "the {} breaks off after `{text}`", what.word())
            }
            Mistake::Superfluous { what, word } => {
                write!(f, "`{word}` stands after the end of the {}", what.word())
            }
            Mistake::Contradiction { property } => {
                write!(f, "`{property}` cannot both hold and be violated")
            }
            Mistake::SeveralPresets => {
                write!(f, "only one session may preset its slot, or `slot` names several turns")
            }
            Mistake::NotHere { key, why } => write!(f, "`{key}` cannot stand here: {why}"),
            Mistake::Needs { key, other } => write!(f, "`{key}` needs `{other}`"),
            Mistake::Together { first, second } => {
                write!(f, "`{first}` and `{second}` exclude each other")
            }
            Mistake::NobodyAsks { table } => write!(
                f,
                "no tool of the session asks in the table `{table}`: say with `to` who is answered"
            ),
            Mistake::UncoveredRequest { session, turn, request, scripted } => {
                write!(f, "nothing covers request {request}")?;
                if let Some(session) = session {
                    write!(f, " of session {session}")?;
                }
                write!(f, ", asked by the {turn}: requests has {scripted}")
            }
            Mistake::Unsupported { design, feature } => {
                write!(f, "design {design} does not do `{feature}` yet")
            }
        }
    }
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}
