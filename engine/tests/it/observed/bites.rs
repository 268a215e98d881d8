//! The replay notices: an observation that is changed anywhere no longer agrees.

use std::time::Duration;

use super::mapping::{Exceptions, Release};
use super::observed;
use super::replay::replay;
use super::schedule::{Agent, Call, Does, Look, Schedule, Sight, Status, Step, Told};

/// What could stand in the place of a step if something else had been seen.
fn changed(step: &Step) -> Vec<Vec<Step>> {
    match step {
        Step::Called(call, told) => other_replies(told)
            .into_iter()
            .map(|told| vec![Step::Called(call.clone(), told)])
            .collect(),
        Step::Saw(by, sight) => {
            let sees = |sight| Step::Saw(*by, sight);
            let mut other: Vec<Vec<Step>> =
                other_sights(sight).into_iter().map(|sight| vec![sees(sight)]).collect();
            match sight {
                Sight::Looks(_) => {}
                Sight::Started(_) | Sight::Ended(..) => {
                    other.push(Vec::new());
                    other.push(vec![step.clone(), step.clone()]);
                    other.push(vec![Step::Saw(other_agent(*by), sight.clone())]);
                }
                Sight::Request(_) => {
                    other.push(Vec::new());
                    other.push(vec![step.clone(), step.clone()]);
                    other.push(vec![Step::Saw(other_agent(*by), sight.clone())]);
                    other.push(vec![Step::NoRequest(Duration::from_secs(8)), step.clone()]);
                }
            }
            other
        }
        Step::Model(..) | Step::NoRequest(_) | Step::Note(_) => Vec::new(),
    }
}

fn other_replies(told: &Told) -> Vec<Told> {
    let error = |code, text: &str| Told::Error { code, text: text.to_owned() };
    let nothing = Told::Nothing { within: Duration::from_secs(15) };
    match told {
        Told::Done => vec![error(-32600, "no active turn to interrupt"), nothing],
        Told::Turn(_) => vec![Told::Turn("turn9".to_owned()), Told::Done, nothing],
        Told::Error { code, text } => {
            vec![error(code + 1, text), error(*code, "something else"), Told::Done, nothing]
        }
        Told::Nothing { .. } => vec![Told::Done, error(-32600, "no active turn to interrupt")],
    }
}

fn other_sights(sight: &Sight) -> Vec<Sight> {
    match sight {
        Sight::Started(turn) => {
            vec![Sight::Started("turn9".to_owned()), Sight::Ended(turn.clone(), Status::Completed)]
        }
        Sight::Ended(turn, how) => {
            let other = match how {
                Status::Completed => Status::Interrupted,
                Status::Interrupted => Status::Completed,
            };
            vec![Sight::Ended("turn9".to_owned(), *how), Sight::Ended(turn.clone(), other)]
        }
        Sight::Request(new) => other_requests(new).into_iter().map(Sight::Request).collect(),
        Sight::Looks(Look::Open) => vec![Sight::Looks(Look::Cut)],
        Sight::Looks(Look::Cut) => vec![Sight::Looks(Look::Open)],
    }
}

/// One item less, one more, another text, another speaker, another order.
fn other_requests(new: &[String]) -> Vec<Vec<String>> {
    let mut other = Vec::new();
    for at in 0..new.len() {
        let mut without = new.to_vec();
        let item = without.remove(at);
        other.push(without);
        for instead in [format!("{item}!"), format!("mail: {item}")] {
            let mut with = new.to_vec();
            with[at] = instead;
            other.push(with);
        }
    }
    other.push(new.iter().cloned().chain(["user: S9".to_owned()]).collect());
    other.extend((new.len() > 1).then(|| new.iter().rev().cloned().collect()));
    other
}

fn other_agent(agent: Agent) -> Agent {
    match agent {
        Agent::Root => Agent::Child,
        Agent::Child => Agent::Root,
    }
}

/// How a request looks right after an interrupt is not looked at: see the exceptions.
fn is_forgiven(schedule: &Schedule, at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| &schedule.steps[before]);
    matches!(
        (before, &schedule.steps[at]),
        (Some(Step::Saw(_, Sight::Ended(_, Status::Interrupted))), Step::Saw(_, Sight::Looks(_)))
    )
}

/// Whether two neighbours may stand in either order: an interrupt and the end of its turn, which
/// is an exception, and the end of one agent's response and another's request, which the
/// observer looked for when it wanted to. A look at a connection is no fact of its own, and
/// notices and requests reached the observer on different ways.
fn may_change_places(one: &Step, other: &Step) -> bool {
    match (one, other) {
        (Step::Called(..) | Step::Model(..), Step::Saw(..))
        | (Step::Saw(..), Step::Called(..) | Step::Model(..)) => {
            let is = |wanted: &dyn Fn(&Step) -> bool| wanted(one) || wanted(other);
            let ends =
                is(&|step| matches!(step, Step::Saw(_, Sight::Ended(_, Status::Interrupted))));
            let looks = is(&|step| matches!(step, Step::Saw(_, Sight::Looks(_))));
            let closes = is(&|step| matches!(step, Step::Model(Agent::Root, Does::Closes)));
            let asks = is(&|step| matches!(step, Step::Saw(Agent::Child, Sight::Request(_))));
            let interrupts = is(&|step| matches!(step, Step::Called(Call::Interrupt { .. }, _)));
            looks || closes && asks || ends && interrupts
        }
        (Step::Saw(_, Sight::Request(_)), Step::Saw(_, Sight::Request(_))) => false,
        _ => true,
    }
}

/// Every schedule that differs from this one in one place, with the number of that step.
fn variants(schedule: &Schedule) -> Vec<(usize, Schedule)> {
    let mut variants = Vec::new();
    let mut add = |at: usize, many: usize, instead: Vec<Step>| {
        let mut variant = schedule.clone();
        variant.steps.splice(at..at + many, instead);
        variants.push((at, variant));
    };
    for (at, step) in schedule.steps.iter().enumerate() {
        if !is_forgiven(schedule, at) {
            changed(step).into_iter().for_each(|instead| add(at, 1, instead));
        }
        match schedule.steps.get(at + 1) {
            Some(next) if !may_change_places(step, next) => {
                add(at, 2, vec![next.clone(), step.clone()]);
            }
            Some(_) | None => {}
        }
    }
    variants
}

#[test]
fn every_change_of_an_observation_is_noticed() {
    let exceptions = Exceptions::all();
    for release in Release::ALL {
        let (mut tried, mut unnoticed) = (0, Vec::new());
        for schedule in observed(release) {
            let agrees = replay(&schedule, release, &exceptions).is_ok();
            assert!(agrees, "{} disagrees as it is", schedule.name);
            for (at, variant) in variants(&schedule) {
                tried += 1;
                if replay(&variant, release, &exceptions).is_ok() {
                    let now = &variant.steps[at..variant.steps.len().min(at + 2)];
                    unnoticed.push(format!("{} step {}: {now:?}", variant.name, at + 1));
                }
            }
        }
        assert!(tried > 1000, "only {tried} changes were tried");
        let version = release.version();
        assert!(unnoticed.is_empty(), "{version} not noticed:\n{}", unnoticed.join("\n"));
    }
}

/// The same, by hand: another reply, another item, another end.
#[test]
fn a_changed_reply_item_or_end_is_named() {
    let release = Release::V0171;
    let all = observed(release);
    let disagrees = |name: &str, at: usize, instead: Step| {
        let mut schedule = all.iter().find(|one| one.name == name).expect("a schedule").clone();
        schedule.steps[at] = instead;
        replay(&schedule, release, &Exceptions::all()).expect_err("it disagrees")
    };
    let error = Told::Error { code: -32600, text: "no active turn to interrupt".to_owned() };
    let interrupt = Call::Interrupt { turn: "turn1".to_owned() };
    let what = disagrees("interrupt_wrong_and_idle", 8, Step::Called(interrupt, Told::Done));
    assert!(what.contains(&format!("answered {error:?}")), "{what}");
    let request = Sight::Request(vec!["user: S1".to_owned()]);
    let what = disagrees("two_steers_while_sampling", 7, Step::Saw(Agent::Root, request));
    assert!(what.contains("user: S2"), "{what}");
    let end = Sight::Ended("turn1".to_owned(), Status::Interrupted);
    let what = disagrees("start_answer_complete", 5, Step::Saw(Agent::Root, end));
    assert!(what.contains("Completed"), "{what}");
}
