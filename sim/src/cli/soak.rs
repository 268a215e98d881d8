//! `midturn soak`.

use std::fmt::Write as _;
use std::io::Write;
use std::time::Duration;

use super::arguments::{BudgetArgument, SoakArguments};
use super::check::{resolve, subjects};
use super::load::{all, load};
use super::{CliError, Exit, print};
use crate::design::{CodexDesign, Design};
use crate::generated;
use crate::search::deadline::Deadline;
use crate::soak::{Seen, Soak, Soaked, Unjudged};
use crate::story::last_words;

/// Rounds of one scenario before the next has its turn.
const ROUNDS_AT_ONCE: u64 = 20;

/// Between two words about the progress.
const PROGRESS: Duration = Duration::from_secs(5);

pub(super) fn run(
    arguments: &SoakArguments,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Exit, CliError> {
    let policy = resolve(&CodexDesign, &arguments.policy)?;
    let soak = Soak::new(arguments.threads.into(), arguments.seed).map_err(no_threads)?;
    let (time, rounds) = match arguments.budget {
        BudgetArgument::Time(time) => (Some(time), u64::MAX),
        BudgetArgument::Runs(rounds) => (None, rounds),
    };
    let (deadline, progress) = (Deadline::after(time), Deadline::after(Some(PROGRESS)));
    let mut session = Session { soak, deadline, left: rounds, progress, err };
    if arguments.generated {
        session.generated(&policy, arguments.seed, out)
    } else {
        session.named(arguments, &policy, out)
    }
}

fn no_threads(error: std::io::Error) -> CliError {
    CliError::new(format!("no threads can be had: {error}"))
}

struct Session<'a> {
    soak: Soak,
    deadline: Deadline,
    /// Rounds that may still be played.
    left: u64,
    progress: Deadline,
    err: &'a mut dyn Write,
}

impl Session<'_> {
    fn is_over(&self) -> bool {
        self.left == 0 || self.deadline.has_passed()
    }

    /// The scenarios that were asked for, in turn.
    fn named(
        &mut self,
        arguments: &SoakArguments,
        policy: &str,
        out: &mut dyn Write,
    ) -> Result<Exit, CliError> {
        let design = CodexDesign;
        let loaded = match &arguments.scenarios[..] {
            [] => all(design.name())?,
            some => some.iter().map(|word| load(word, design.name())).collect::<Result<_, _>>()?,
        };
        let mut soaked = Vec::new();
        for loaded in &loaded {
            let subjects = subjects(&design, &loaded.scenario, Some(policy))?;
            soaked.extend(subjects.into_iter().map(Soaked::new));
        }
        while !self.is_over() {
            for at in 0..soaked.len() {
                self.rounds(&mut soaked[at])?;
                let (rounds, violated) = count(&soaked);
                let all = soaked.len();
                self.say(|| {
                    format!("{rounds} rounds, {violated} of {all} scenarios violated so far\n")
                });
            }
        }
        let mut exit = Exit::Expected;
        for (soaked, loaded) in soaked.iter().zip(&loaded) {
            let word = loaded.file.as_deref().unwrap_or(&loaded.scenario.name);
            print(out, &told(soaked, word))?;
            if soaked.unexpected().next().is_some() {
                exit = Exit::Violated;
            }
        }
        print(out, &last_line(&soaked))?;
        Ok(exit)
    }

    /// New scenarios, until one is violated.
    fn generated(
        &mut self,
        policy: &str,
        seed: u64,
        out: &mut dyn Write,
    ) -> Result<Exit, CliError> {
        // Whoever saves the text that is printed gives it its name.
        let file = format!("{}.toml", generated::NAME);
        let (mut rounds, mut programs) = (0, 0);
        while !self.is_over() {
            let drawn = generated::case(seed.wrapping_add(programs));
            programs += 1;
            let Some((program, _)) = drawn else { continue };
            let subject = generated::subject(&program, policy);
            let subject = subject.map_err(|errors| CliError::new(errors.to_string()))?;
            let mut soaked = Soaked::new(subject);
            self.rounds(&mut soaked)?;
            rounds += soaked.rounds;
            if !soaked.seen.is_empty() {
                print(out, &format!("{}\n{}", generated::text(&program), told(&soaked, &file)))?;
                return Ok(Exit::Violated);
            }
            self.say(|| format!("{rounds} rounds of {programs} generated scenarios\n"));
        }
        let last = "no violation seen, which proves nothing";
        print(out, &format!("{rounds} rounds of {programs} generated scenarios: {last}\n"))?;
        Ok(Exit::Expected)
    }

    /// Some rounds of one scenario.
    fn rounds(&mut self, soaked: &mut Soaked) -> Result<(), CliError> {
        for _ in 0..ROUNDS_AT_ONCE {
            if self.is_over() {
                break;
            }
            self.left -= 1;
            self.soak.round(&CodexDesign, soaked).map_err(|unjudged| match unjudged {
                Unjudged::Uncovered(found) => {
                    let scenario = &soaked.subject.scenario;
                    let errors = scenario.uncovered_request(found.session, found.turn, found.nth);
                    CliError::new(errors.to_string())
                }
                Unjudged::NoThreads(error) => no_threads(error),
            })?;
        }
        Ok(())
    }

    /// A word about the progress, from time to time.
    fn say(&mut self, line: impl FnOnce() -> String) {
        if self.progress.has_passed() {
            self.progress = Deadline::after(Some(PROGRESS));
            // Whoever does not listen to progress still wants the result.
            let _ = self.err.write_all(line().as_bytes());
        }
    }
}

fn count(all: &[Soaked]) -> (u64, usize) {
    let violated = all.iter().filter(|soaked| !soaked.seen.is_empty()).count();
    (all.iter().map(|soaked| soaked.rounds).sum(), violated)
}

fn last_line(all: &[Soaked]) -> String {
    let (rounds, violated) = count(all);
    let scenarios = if all.len() == 1 { "scenario" } else { "scenarios" };
    match violated {
        0 => format!(
            "\n{rounds} rounds of {} {scenarios}: no violation seen, which proves nothing\n",
            all.len()
        ),
        some => format!("\n{rounds} rounds of {} {scenarios}: {some} violated\n", all.len()),
    }
}

/// What was seen of a scenario that `midturn check` finds under `word`.
fn told(soaked: &Soaked, word: &str) -> String {
    let subject = &soaked.subject;
    let verdict = if soaked.seen.is_empty() { "not refuted" } else { "violated" };
    let reached = soaked.reached.iter().filter(|reached| **reached).count();
    let mut text = format!(
        "{verdict:<18} {:<36} {:<40} {} rounds, {reached} of {} reached\n",
        subject.scenario.name,
        subject.policy,
        soaked.rounds,
        soaked.reached.len()
    );
    for (property, seen) in &soaked.seen {
        let _ = write!(text, "\n{}", tell(soaked, property, seen, word));
    }
    text
}

/// What happened in the first round that violated a property.
fn tell(soaked: &Soaked, property: &str, seen: &Seen, word: &str) -> String {
    let subject = &soaked.subject;
    let names = &subject.scenario.names;
    let several = subject.scenario.sessions.len() > 1;
    let mut text = String::new();
    for (at, record) in seen.records.iter().enumerate() {
        let told = names.event(&record.event);
        if told.is_empty() {
            continue;
        }
        let session = match subject.scenario.sessions.get(record.session) {
            Some(session) if several => format!("{}: ", session.name),
            _ => String::new(),
        };
        let mark = if seen.at == Some(at) { " <-" } else { "" };
        let _ = writeln!(text, "  {:>3} {session}{told}{mark}", at + 1);
    }
    let _ = writeln!(text, "violated: {property}, in {} of {} rounds", seen.rounds, soaked.rounds);
    for line in last_words(&seen.what) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "  for a token: midturn check {word} --policy {}", subject.policy);
    text
}
