//! The command.

use std::path::Path;
use std::sync::Arc;

use crate::check::{Effort, Subject, check};
use crate::design::{CodexDesign, Design, with_known};
use midturn_properties::scenario::{Holds, parse};

/// Temporary.
pub fn main() {
    let mut args = std::env::args().skip(1);
    let file = args.next().unwrap();
    let policy = args.next().unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let scenario = match with_known(|known| parse(Path::new(&file), &bytes, known)) {
        Ok(s) => s,
        Err(e) => {
            println!("{e}");
            return;
        }
    };
    let terms = scenario.terms.clone();
    let subject = Subject {
        scenario: Arc::new(scenario),
        policy: CodexDesign.policy(&policy).unwrap(),
        terms,
        holds: Holds::All,
        pinned: vec![],
    };
    let mut effort = Effort::default();
    effort.budget.runs = args.next().map(|x| x.parse().unwrap());
    let finding = match check(&CodexDesign, subject, &effort) {
        Ok(f) => f,
        Err(e) => {
            println!("{e}");
            return;
        }
    };
    println!(
        "{:?} classes {} abandoned {} steps {}",
        finding.word, finding.summary.executions, finding.summary.abandoned, finding.summary.steps
    );
    for b in &finding.broken {
        println!("  {} x{}: {}", b.property, b.runs, b.what);
    }
    println!("  reached {:?}\n  missing {:?}", finding.reached, finding.missing);
    for o in &finding.outcomes {
        let l: Vec<_> = o
            .landings
            .iter()
            .map(|(i, l)| {
                format!(
                    "{} {}",
                    finding.subject.scenario.names.input(*i),
                    finding.subject.scenario.names.landing(*l)
                )
            })
            .collect();
        println!("  {:6} {}", o.runs, l.join(" | "));
    }
}
