//! Plays a schedule and compares what happens with what was seen, step by step.
//!
//! Promises: a call gets the reply that was observed, before anybody else moves if another call
//! stands directly behind it; what a step makes happen has to be what was seen before the next
//! one, in that order, and at the end nothing is left over.
//! Notices to the client and requests to the model came on different ways, and are each compared
//! in their own order.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use midturn_protocol::{
    BoxFuture, Command, Injection, Input, InputId, InputKind, Mode, ModelItem, QueueEngine, Reason,
    Reply, SpecialTask, Submission, Verdict,
};

use super::mapping::{self, Exceptions, Release};
use super::names::Names;
use super::response::Response;
use super::schedule::{Agent, Call, Does, Look, Schedule, Sight, Status, Step, Told};
use super::stage::{Notice, SPAWN_AGENT};
use super::world::World;

/// How long the observer waited for a reply, a request, a notice.
const REPLY: Duration = Duration::from_secs(15);
const SIGHT: Duration = Duration::from_secs(8);
/// Longer than anything in a schedule takes.
const AFTERWARDS: Duration = Duration::from_secs(60);

/// `Err`: where they disagree, and how.
pub fn replay(
    schedule: &Schedule,
    release: Release,
    exceptions: &Exceptions,
) -> Result<(), String> {
    let mut steps = exceptions.in_order(&schedule.steps);
    steps.retain(|step| !matches!(step, Step::Note(_)));
    let is_call = |at: usize| matches!(steps.get(at), Some(Step::Called(..)));
    let mut replay = Replay::new(schedule.spawns, release, exceptions);
    for (at, step) in steps.iter().enumerate() {
        replay
            .step(step, is_call(at + 1))
            .map_err(|what| format!("step {} of {}, {step:?}:\n  {what}", at + 1, steps.len()))?;
    }
    replay.end().map_err(|what| format!("after the last step:\n  {what}"))
}

struct Replay<'a> {
    world: World,
    names: Names,
    exceptions: &'a Exceptions,
    spawns: bool,
    /// The request of each agent that was seen last, and whether its turn was interrupted.
    open: BTreeMap<Agent, (Response, bool)>,
    never_answered: usize,
}

impl<'a> Replay<'a> {
    fn new(spawns: bool, release: Release, exceptions: &'a Exceptions) -> Self {
        Replay {
            world: World::new(release, exceptions.hide_marker(spawns)),
            names: Names::default(),
            exceptions,
            spawns,
            open: BTreeMap::new(),
            never_answered: 0,
        }
    }

    /// `joined`: another call stands directly behind it.
    fn step(&mut self, step: &Step, joined: bool) -> Result<(), String> {
        match step {
            Step::Called(call, told) => {
                self.nothing_unseen(true)?;
                self.call(call, told)?;
                if !joined {
                    self.world.settle();
                }
                Ok(())
            }
            Step::Model(by, does) => {
                self.nothing_unseen(!self.exceptions.may_wait_over(does))?;
                self.model(*by, does)?;
                self.world.settle();
                Ok(())
            }
            Step::Saw(by, Sight::Request(new)) => self.saw_request(*by, new),
            Step::Saw(by, Sight::Looks(look)) => self.saw_connection(*by, *look),
            Step::Saw(by, Sight::Started(name)) => self.saw_notice(*by, name, None),
            Step::Saw(by, Sight::Ended(name, how)) => self.saw_notice(*by, name, Some(*how)),
            Step::NoRequest(within) => {
                self.world.wait(*within, |_| false);
                self.nothing_unseen(true)
            }
            Step::Note(_) => Ok(()),
        }
    }

    fn call(&mut self, call: &Call, told: &Told) -> Result<(), String> {
        let made = {
            let future = self.future(call)?;
            self.world.call(future)
        };
        if self.world.reply(made).is_none() {
            let within = match told {
                Told::Nothing { within } => *within,
                Told::Done | Told::Turn(_) | Told::Error { .. } => REPLY,
            };
            self.world.wait(within, |world| world.reply(made).is_some());
        }
        match (self.world.reply(made), told) {
            (None, Told::Nothing { .. }) => {
                self.never_answered += 1;
                Ok(())
            }
            (None, _) => Err("never answered".to_owned()),
            (Some(reply), _) => self.replied(call, &reply, told),
        }
    }

    fn future(&mut self, call: &Call) -> Result<BoxFuture<'static, Reply>, String> {
        let engine = self.world.stage.engine(Agent::Root).ok_or("no root session")?;
        let id = self.world.stage.next_id();
        let user = |text: &str| Input::new(id, InputKind::User, text);
        let command = match call {
            Call::Start(text) => Command::Submit(Submission::new(Mode::StartOrSteer, user(text))),
            Call::Steer { text, expects } => {
                let expected = Some(self.names.meant(expects, self.exceptions));
                Command::Submit(Submission::new(Mode::Steer { expected }, user(text)))
            }
            Call::Interrupt { turn } => {
                Command::Interrupt { id, turn: Some(self.names.meant(turn, self.exceptions)) }
            }
            Call::Inject(item) => {
                Command::Inject { input: injected(id, item)?, form: Injection::Client }
            }
            Call::Review(text) => {
                Command::Begin { id, task: SpecialTask::Review(text.as_str().into()) }
            }
            Call::Compact => Command::Begin { id, task: SpecialTask::Compact },
        };
        Ok(Box::pin(engine.call(command)))
    }

    fn replied(&mut self, call: &Call, reply: &Reply, told: &Told) -> Result<(), String> {
        let refused = |reason: Reason| {
            mapping::error(call, reason, |turn| self.names.name(turn))
                .map(|(code, text)| Told::Error { code, text })
                .ok_or(format!("refused as was never observed: {reason:?}"))
        };
        let turn = match (call, reply) {
            (Call::Start(_), Reply::Verdict(Verdict::Started(turn) | Verdict::Steered(turn)))
            | (Call::Steer { .. }, Reply::Verdict(Verdict::Steered(turn))) => *turn,
            (Call::Interrupt { turn: name }, Reply::Interrupted(Some(turn))) => {
                self.names.see(*turn, name, self.exceptions)?;
                return same(told, &Told::Done);
            }
            (Call::Inject(_), Reply::Injected | Reply::RecordedOnly) => {
                return same(told, &Told::Done);
            }
            (Call::Review(_), Reply::Began(turn)) => {
                self.names.begin_review(*turn);
                return same(told, &Told::Done);
            }
            (Call::Compact, Reply::Began(_)) => return same(told, &Told::Done),
            (_, Reply::Verdict(Verdict::NotSubmitted(reason)) | Reply::Refused(reason)) => {
                return same(told, &refused(*reason)?);
            }
            (_, other) => return Err(format!("answered {other:?}")),
        };
        match told {
            Told::Turn(name) => self.names.see(turn, name, self.exceptions),
            Told::Done | Told::Error { .. } | Told::Nothing { .. } => {
                Err(format!("answered with {}", self.names.name(turn)))
            }
        }
    }

    fn model(&mut self, by: Agent, does: &Does) -> Result<(), String> {
        let (response, _) = self.open.get(&by).ok_or("no request to answer")?;
        if *does != Does::Closes && response.is_over() {
            return Err("the request is over".to_owned());
        }
        match does {
            Does::Says(text) => response.write(ModelItem::Untagged(text.as_str().into())),
            Does::Comments(text) => response.write(ModelItem::Commentary(text.as_str().into())),
            Does::Calls { tool, takes } => {
                if tool == SPAWN_AGENT && !self.spawns {
                    return Err("the agent has no such tool".to_owned());
                }
                self.world.stage.tools.section("call", |tools| tools.push_back(*takes));
                response.write(ModelItem::tool(tool.as_str()));
            }
            Does::Closes => response.close(),
        }
        Ok(())
    }

    fn saw_request(&mut self, by: Agent, new: &[String]) -> Result<(), String> {
        let requests = |world: &World| world.stage.requests.peek("some", VecDeque::len);
        self.world.wait(SIGHT, |world| requests(world) > 0);
        let asked = self.world.stage.requests.section("seen", VecDeque::pop_front);
        let asked = asked.ok_or("no request")?;
        if (asked.by, &asked.new[..]) != (by, new) {
            return Err(format!("the request is by {:?}, new in it: {:?}", asked.by, asked.new));
        }
        self.open.insert(by, (asked.response, false));
        Ok(())
    }

    fn saw_connection(&self, by: Agent, look: Look) -> Result<(), String> {
        let (response, interrupted) = self.open.get(&by).ok_or("no request to look at")?;
        let is = if response.is_cut() { Look::Cut } else { Look::Open };
        match self.exceptions.looks(look, is, *interrupted) {
            true => Ok(()),
            false => Err(format!("it is {is:?}")),
        }
    }

    /// `ended`: how, if the notice is of an end.
    fn saw_notice(&mut self, by: Agent, name: &str, ended: Option<Status>) -> Result<(), String> {
        let notices = |world: &World| world.stage.notices.peek("some", VecDeque::len);
        self.world.wait(SIGHT, |world| notices(world) > 0);
        let notice = self.world.stage.notices.section("seen", VecDeque::pop_front);
        let notice = notice.ok_or("the client is told nothing")?;
        let (agent, turn, how) = match notice {
            Notice::Started(agent, turn) => (agent, turn, None),
            Notice::Ended(agent, turn, how) => {
                let seen = mapping::status(how);
                (agent, turn, Some(seen.ok_or(format!("the turn ended as {how:?}"))?))
            }
        };
        if (agent, how) != (by, ended) {
            return Err(format!("the client is told of {agent:?}: {:?}", notice));
        }
        if let (Some(Status::Interrupted), Some((_, interrupted))) = (how, self.open.get_mut(&by)) {
            *interrupted = true;
        }
        self.names.see(turn, name, self.exceptions)
    }

    /// Nothing happened but what was seen.
    fn nothing_unseen(&self, requests_too: bool) -> Result<(), String> {
        let notices = self.world.stage.notices.peek("left", Clone::clone);
        let requests = self.world.stage.requests.peek("left", |requests| {
            requests.iter().map(|asked| (asked.by, asked.new.clone())).collect::<Vec<_>>()
        });
        if !notices.is_empty() {
            return Err(format!("the client was also told: {notices:?}"));
        }
        if requests_too && !requests.is_empty() {
            return Err(format!("there was also a request: {requests:?}"));
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        self.world.settle();
        self.nothing_unseen(true)?;
        self.world.wait(AFTERWARDS, |_| false);
        self.nothing_unseen(true)?;
        match self.world.unanswered() == self.never_answered {
            true => Ok(()),
            false => Err("a call was answered after all".to_owned()),
        }
    }
}

fn injected(id: InputId, item: &str) -> Result<Input, String> {
    match item.split_once(": ") {
        Some(("user", text)) => Ok(Input::new(id, InputKind::Response, text)),
        _ => Err(format!("an item that nobody injected: {item}")),
    }
}

fn same(told: &Told, is: &Told) -> Result<(), String> {
    if told == is { Ok(()) } else { Err(format!("answered {is:?}")) }
}
