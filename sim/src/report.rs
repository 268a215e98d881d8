//! Findings in words and as data. The data's shape is the one that `docs/formats.md` states.

use serde::Serialize;

use crate::check::{Broken, Finding, Witness, Word, replay};
use crate::design::Design;
use crate::story;
use crate::token::{self, Token};

/// A violation with what people act on.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) property: &'static str,
    pub(crate) what: String,
    pub(crate) runs: u64,
    pub(crate) token: String,
    pub(crate) minimal: bool,
    pub(crate) expected: bool,
    pub(crate) story: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Document {
    pub(crate) schema: u32,
    pub(crate) relation: char,
    pub(crate) scenarios: Vec<Entry>,
}

/// One scenario under one policy.
#[derive(Debug, Serialize)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) design: &'static str,
    pub(crate) policy: String,
    pub(crate) verdict: String,
    pub(crate) complete: bool,
    pub(crate) bound: Option<u32>,
    pub(crate) relation: char,
    pub(crate) classes: Option<u64>,
    pub(crate) executions: u64,
    pub(crate) abandoned: u64,
    pub(crate) steps: u64,
    pub(crate) reached: Vec<String>,
    pub(crate) missing: Vec<String>,
    pub(crate) expected: bool,
    pub(crate) pinned_but_not_seen: Vec<String>,
    pub(crate) violations: Vec<Shown>,
}

/// The word for a person.
pub(crate) fn word(word: &Word) -> String {
    match word {
        Word::Held => "held".to_owned(),
        Word::HeldToBound(bound) => format!("held to bound {bound}"),
        Word::NotRefuted(runs) => format!("not refuted in {runs} runs"),
        Word::Violated => "violated".to_owned(),
        Word::Vacuous => "vacuous".to_owned(),
        Word::Blind(_) => "blind".to_owned(),
        Word::NotDeterministic(_) => "not deterministic".to_owned(),
    }
}

/// The token of `witness`, and the story that it tells.
pub(crate) fn token_and_story<D: Design>(
    design: &D,
    finding: &Finding,
    witness: &Witness,
) -> (String, Vec<String>) {
    let subject = &finding.subject;
    let replayed = replay(design, subject, witness.suspension, &witness.schedule);
    let digest = replayed.as_ref().map_or_else(String::new, |run| token::digest(&run.execution));
    let token = Token {
        scenario: subject.scenario.name.clone(),
        design: finding.design.to_owned(),
        policy: subject.policy.clone(),
        relation: finding.relation,
        suspension: witness.suspension,
        schedule: witness.schedule.clone(),
        digest,
    };
    let story = replayed.map_or_else(Vec::new, |run| {
        story::tell(&subject.scenario, &run.execution, &run.history, &run.violations, false)
    });
    (token.to_string(), story)
}

/// A finding as data; stories are told for what `tells` accepts.
pub(crate) fn entry<D: Design>(
    design: &D,
    finding: &Finding,
    expected: bool,
    tells: &dyn Fn(&Broken) -> bool,
) -> Entry {
    let shown = finding.broken.iter().map(|broken| {
        let (token, story) = token_and_story(design, finding, &broken.witness);
        Shown {
            property: broken.property,
            what: broken.what.clone(),
            runs: broken.runs,
            token,
            minimal: broken.witness.minimal,
            expected: !finding.unexpected().any(|other| other.property == broken.property),
            story: if tells(broken) { story } else { Vec::new() },
        }
    });
    Entry {
        name: finding.subject.scenario.name.clone(),
        design: finding.design,
        policy: finding.subject.policy.clone(),
        verdict: word(&finding.word),
        complete: finding.complete,
        bound: finding.bound,
        relation: finding.relation.letter(),
        classes: finding.complete.then_some(finding.summary.executions),
        executions: finding.summary.executions,
        abandoned: finding.summary.abandoned,
        steps: finding.summary.steps,
        reached: finding.reached.clone(),
        missing: finding.missing.clone(),
        expected,
        pinned_but_not_seen: finding.unpinned.clone(),
        violations: shown.collect(),
    }
}

/// How much of the program was looked at, in words.
pub(crate) fn extent(entry: &Entry) -> String {
    let runs = if entry.executions == 1 { "run" } else { "runs" };
    match (entry.classes, entry.bound) {
        (Some(1), _) => format!("1 class ({})", entry.relation),
        (Some(classes), _) => format!("{classes} classes ({})", entry.relation),
        (None, Some(bound)) => format!("{} {runs}, bound {bound}", entry.executions),
        (None, None) => format!("{} {runs}, not complete", entry.executions),
    }
}

/// One line on a finding.
pub(crate) fn line(entry: &Entry, finding: &Finding) -> String {
    let mut line =
        format!("{:<18} {:<36} {:<40} {}", entry.verdict, entry.name, entry.policy, extent(entry));
    let expected: Vec<&str> = entry
        .violations
        .iter()
        .filter(|shown| shown.expected)
        .map(|shown| shown.property)
        .collect();
    if !expected.is_empty() {
        line.push_str(&format!("\n{:<18}   as expected: {}", "", expected.join(", ")));
    }
    match &finding.word {
        Word::Blind(why) => line.push_str(&format!("\n  blind: {why}")),
        Word::NotDeterministic(diverged) => {
            let place = diverged.site.map_or_else(String::new, |site| {
                format!(" before `{}` ({})", site.name, crate::place(site))
            });
            line.push_str(&format!(
                "\n  not deterministic: step {} is the first that differs, {}{place}. Usual \
                 suspects: HashMap order, a clock, a thread id, an address, a static that survives",
                diverged.step, diverged.actor
            ));
        }
        _ => {}
    }
    for missing in &entry.missing {
        let never = if finding.is_whole() { "never reached" } else { "not reached in these runs" };
        line.push_str(&format!("\n  {never}: {missing}"));
    }
    for pinned in &entry.pinned_but_not_seen {
        let gone = if finding.is_whole() { "any more" } else { "in these runs" };
        line.push_str(&format!("\n  pinned, and not violated {gone}: {pinned}"));
    }
    if finding.is_whole() {
        for waiver in &finding.subject.terms.waive {
            if !finding.broken.iter().any(|broken| broken.property == waiver.property) {
                line.push_str(&format!(
                    "\n  waived, and not violated any more: {}",
                    waiver.property
                ));
            }
        }
    }
    line
}

/// A path as a shell reads it back.
fn quoted(path: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-".contains(letter);
    if !path.is_empty() && path.chars().all(plain) {
        return path.to_owned();
    }
    format!("'{}'", path.replace('\'', r"'\''"))
}

/// The story of a violation with its last words.
pub(crate) fn tell(shown: &Shown, file: Option<&str>) -> String {
    let mut text = String::new();
    for line in &shown.story {
        text.push_str(line);
        text.push('\n');
    }
    let minimal = if shown.minimal { "" } else { "   (a smaller schedule may exist)" };
    text.push_str(&format!("violated: {}{minimal}\n", shown.property));
    for line in story::last_words(&shown.what) {
        text.push_str(&line);
        text.push('\n');
    }
    let file = file.map_or_else(String::new, |file| format!(" --file {}", quoted(file)));
    text.push_str(&format!("  midturn replay {}{file}\n", shown.token));
    text
}
