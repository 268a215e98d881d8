//! The step language of the data; the head of a data file says what its words mean.
//!
//! Promises: a word that is not known, missing or of the wrong kind is a mistake, never ignored.

use std::time::Duration;

use toml::{Table, Value};

/// What was seen of one release.
pub struct Observed {
    pub codex: String,
    pub schedules: Vec<Schedule>,
}

#[derive(Clone, Debug)]
pub struct Schedule {
    pub name: String,
    /// Whether the root agent was given the tools to spawn others.
    pub spawns: bool,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    Called(Call, Told),
    Model(Agent, Does),
    Saw(Agent, Sight),
    NoRequest(Duration),
    Note(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Agent {
    Root,
    Child,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    Start(String),
    Steer { text: String, expects: String },
    Interrupt { turn: String },
    Inject(String),
    Review(String),
    Compact,
}

/// What a call was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    Done,
    Turn(String),
    Error { code: i64, text: String },
    Nothing { within: Duration },
}

/// What the model does in the request of its agent that was seen last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    Says(String),
    Comments(String),
    Calls { tool: String, takes: Duration },
    Closes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    Started(String),
    Ended(String, Status),
    Request(Vec<String>),
    Looks(Look),
}

/// How a turn ended, as the client is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Completed,
    Interrupted,
}

/// What the mock of the model saw of the connection of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Open,
    Cut,
}

/// The schedules of a data file.
pub fn read(text: &str) -> Result<Observed, String> {
    let mut file = Line(text.parse().map_err(|mistake| format!("{mistake}"))?);
    let codex = file.need("codex", Line::text)?;
    file.need("observed", Line::text)?;
    let schedules = file.need("schedule", Line::list)?;
    file.used_up()?;
    let schedules = schedules.into_iter().map(schedule).collect::<Result<_, _>>()?;
    Ok(Observed { codex, schedules })
}

fn schedule(value: Value) -> Result<Schedule, String> {
    let mut line = Line::of(value)?;
    let name = line.need("name", Line::text)?;
    let flags: Vec<String> =
        line.need("flags", Line::list)?.into_iter().map(text).collect::<Result<_, _>>()?;
    let spawns = match flags.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["multi_agent_v2"] => true,
        _ => return Err(format!("{name}: unknown flags {flags:?}")),
    };
    let steps = line.need("steps", Line::list)?;
    line.used_up()?;
    let steps = steps
        .into_iter()
        .map(|value| step(value).map_err(|mistake| format!("{name}: {mistake}")))
        .collect::<Result<_, _>>()?;
    Ok(Schedule { name, spawns, steps })
}

fn step(value: Value) -> Result<Step, String> {
    let mut line = Line::of(value)?;
    let shown = format!("{:?}", line.0);
    let by = match line.text("by")?.as_deref() {
        None => Agent::Root,
        Some("child") => Agent::Child,
        Some(_) => return Err(format!("unknown agent: {shown}")),
    };
    let step = if let Some(call) = call(&mut line)? {
        Step::Called(call, told(&mut line)?)
    } else if let Some(does) = does(&mut line)? {
        Step::Model(by, does)
    } else if let Some(sight) = sight(&mut line)? {
        Step::Saw(by, sight)
    } else if let Some(seconds) = line.number("no_request_for")? {
        Step::NoRequest(Duration::from_secs(seconds.unsigned_abs()))
    } else {
        Step::Note(line.need("note", Line::text)?)
    };
    line.used_up()?;
    Ok(step)
}

fn call(line: &mut Line) -> Result<Option<Call>, String> {
    Ok(Some(if let Some(text) = line.text("start")? {
        Call::Start(text)
    } else if let Some(text) = line.text("steer")? {
        Call::Steer { text, expects: line.need("expects", Line::text)? }
    } else if let Some(turn) = line.text("interrupt")? {
        Call::Interrupt { turn }
    } else if let Some(item) = line.text("inject")? {
        Call::Inject(item)
    } else if let Some(text) = line.text("review")? {
        Call::Review(text)
    } else if line.is_set("compact")? {
        Call::Compact
    } else {
        return Ok(None);
    }))
}

fn told(line: &mut Line) -> Result<Told, String> {
    if let Some(seconds) = line.number("unanswered_for")? {
        return Ok(Told::Nothing { within: Duration::from_secs(seconds.unsigned_abs()) });
    }
    if let Some(error) = line.list("error")? {
        return match &error[..] {
            [Value::Integer(code), Value::String(text)] => {
                Ok(Told::Error { code: *code, text: text.clone() })
            }
            _ => Err(format!("an error is a code and a text, not {error:?}")),
        };
    }
    match line.need("ok", Line::any)? {
        Value::Boolean(true) => Ok(Told::Done),
        Value::String(turn) => Ok(Told::Turn(turn)),
        other => Err(format!("`ok` is true or a turn, not {other}")),
    }
}

fn does(line: &mut Line) -> Result<Option<Does>, String> {
    Ok(Some(if let Some(text) = line.text("says")? {
        Does::Says(text)
    } else if let Some(text) = line.text("comments")? {
        Does::Comments(text)
    } else if let Some(tool) = line.text("calls")? {
        let takes = match line.any("seconds")? {
            None => Duration::ZERO,
            Some(Value::Float(seconds)) => Duration::from_secs_f64(seconds),
            Some(other) => return Err(format!("`seconds` is a float, not {other}")),
        };
        Does::Calls { tool, takes }
    } else if line.is_set("closes")? {
        Does::Closes
    } else {
        return Ok(None);
    }))
}

fn sight(line: &mut Line) -> Result<Option<Sight>, String> {
    Ok(Some(if let Some(turn) = line.text("started")? {
        Sight::Started(turn)
    } else if let Some(turn) = line.text("completed")? {
        Sight::Ended(turn, Status::Completed)
    } else if let Some(turn) = line.text("interrupted")? {
        Sight::Ended(turn, Status::Interrupted)
    } else if let Some(items) = line.list("request")? {
        Sight::Request(items.into_iter().map(text).collect::<Result<_, _>>()?)
    } else if let Some(look) = line.text("looks")? {
        match &*look {
            "open" => Sight::Looks(Look::Open),
            "cut" => Sight::Looks(Look::Cut),
            _ => return Err(format!("a request looks open or cut, not {look}")),
        }
    } else {
        return Ok(None);
    }))
}

/// A table of which every entry has to be read.
struct Line(Table);

impl Line {
    fn of(value: Value) -> Result<Line, String> {
        match value {
            Value::Table(table) => Ok(Line(table)),
            other => Err(format!("expected a table, not {other}")),
        }
    }

    fn any(&mut self, key: &str) -> Result<Option<Value>, String> {
        Ok(self.0.remove(key))
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        self.0.remove(key).map(text).transpose()
    }

    fn list(&mut self, key: &str) -> Result<Option<Vec<Value>>, String> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(other) => Err(format!("`{key}` is a list, not {other}")),
        }
    }

    fn number(&mut self, key: &str) -> Result<Option<i64>, String> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(Value::Integer(number)) => Ok(Some(number)),
            Some(other) => Err(format!("`{key}` is a number, not {other}")),
        }
    }

    fn is_set(&mut self, key: &str) -> Result<bool, String> {
        match self.0.remove(key) {
            None => Ok(false),
            Some(Value::Boolean(true)) => Ok(true),
            Some(other) => Err(format!("`{key}` is true, not {other}")),
        }
    }

    fn need<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&mut Line, &str) -> Result<Option<T>, String>,
    ) -> Result<T, String> {
        read(self, key)?.ok_or_else(|| format!("`{key}` is missing in {:?}", self.0))
    }

    fn used_up(&self) -> Result<(), String> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("unknown word `{key}`")),
        }
    }
}

fn text(value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(format!("expected a text, not {other}")),
    }
}
