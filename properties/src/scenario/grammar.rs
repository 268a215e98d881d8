//! Reads events, conditions and turns from their words.

use midturn_protocol::{Phase, SlotShape, TurnEnd, TurnId};

use super::Span;
use super::condition::{Condition, State};
use super::mistake::{Mistake, What};
use super::names::{Names, SLOT};
use super::pattern::{EventPattern, INPUT_VERBS, InputEvent, RequestEvent, TURN_VERBS, TurnEvent};
use super::word::{ReasonKind, Word};

/// Words that begin or join phrases, and so cannot be names. So is `slot`.
pub(crate) const RESERVED: &[&str] =
    &["slot", "turn", "request", "answer", "tool", "never", "before", "while"];

/// A mistake at a place within the phrase.
pub(crate) struct Misread {
    pub(crate) mistake: Mistake,
    pub(crate) at: Span,
}

type Read<T> = Result<T, Misread>;

/// A phrase, word by word.
pub(crate) struct Phrase<'a> {
    text: &'a str,
    words: Vec<(usize, &'a str)>,
    names: &'a Names,
}

impl<'a> Phrase<'a> {
    pub(crate) fn new(text: &'a str, names: &'a Names) -> Self {
        let start = text.as_ptr() as usize;
        let words = text.split_whitespace().map(|w| (w.as_ptr() as usize - start, w)).collect();
        Phrase { text, words, names }
    }

    /// `turn of <id>`, `turn after <id>` or `turn <n> after <id>`, and nothing else.
    pub(crate) fn turn(&self) -> Read<TurnId> {
        let part = self.part(What::Turn, 0, self.words.len());
        let (turn, next) = part.turn(0)?;
        part.end(next)?;
        Ok(turn)
    }

    /// An event, and nothing else.
    pub(crate) fn event(&self) -> Read<EventPattern> {
        self.part(What::Event, 0, self.words.len()).event()
    }

    /// A condition, and nothing else.
    pub(crate) fn condition(&self, initial: SlotShape) -> Read<Condition> {
        let end = self.words.len();
        let whole = self.part(What::Condition, 0, end);
        if whole.word(0) == Some("never") {
            return Ok(Condition::Never(self.part(What::Event, 1, end).event()?));
        }
        let joint = |word: &str| self.words.iter().position(|(_, found)| *found == word);
        if let Some(at) = joint("before") {
            let first = self.part(What::Event, 0, at).event()?;
            let then = self.part(What::Event, at + 1, end).event()?;
            return Ok(Condition::Before { first, then });
        }
        if let Some(at) = joint("while") {
            let event = self.part(What::Event, 0, at).event()?;
            let state = self.part(What::Condition, at + 1, end).state()?;
            return Ok(Condition::While { event, state, initial });
        }
        if whole.word(1) == Some("ends") && whole.word(0) != Some("turn") {
            let input = whole.id(0)?;
            let landing = whole.choice(2)?;
            whole.end(3)?;
            return Ok(Condition::Ends { input, landing });
        }
        Ok(Condition::Happens(whole.event()?))
    }

    fn part(&self, what: What, from: usize, to: usize) -> Part<'_> {
        let from = from.min(to);
        Part { phrase: self, what, from, words: &self.words[from..to] }
    }
}

/// Some words of a phrase that belong together.
struct Part<'a> {
    phrase: &'a Phrase<'a>,
    what: What,
    from: usize,
    words: &'a [(usize, &'a str)],
}

impl Part<'_> {
    fn word(&self, index: usize) -> Option<&str> {
        self.words.get(index).map(|(_, word)| *word)
    }

    fn need(&self, index: usize, valid: impl FnOnce() -> Vec<String>) -> Read<&str> {
        self.word(index).ok_or_else(|| {
            let from = self.words.first().or(self.phrase.words.get(self.from)).map_or(0, |w| w.0);
            let end = self.words.last().map_or(from, |(at, word)| at + word.len());
            let text = self.phrase.text.get(from..end).unwrap_or_default().to_owned();
            Misread {
                mistake: Mistake::Unfinished { what: self.what, text, valid: valid() },
                at: if from < end { from..end } else { 0..self.phrase.text.len() },
            }
        })
    }

    fn at(&self, index: usize) -> Span {
        self.words.get(index).map_or(0..0, |(at, word)| *at..at + word.len())
    }

    fn unknown(&self, index: usize, valid: Vec<String>) -> Misread {
        self.unknown_as(self.what, index, valid)
    }

    fn unknown_as(&self, what: What, index: usize, valid: Vec<String>) -> Misread {
        let word = self.word(index).unwrap_or_default().to_owned();
        Misread { mistake: Mistake::Unknown { what, word, valid }, at: self.at(index) }
    }

    fn end(&self, index: usize) -> Read<()> {
        match self.word(index) {
            None => Ok(()),
            Some(word) => Err(Misread {
                mistake: Mistake::Superfluous { what: self.what, word: word.to_owned() },
                at: self.at(index),
            }),
        }
    }

    fn ids(&self) -> Vec<String> {
        self.phrase.names.all().map(str::to_owned).collect()
    }

    fn id(&self, index: usize) -> Read<midturn_protocol::InputId> {
        let word = self.need(index, || self.ids())?;
        self.phrase.names.find(word).ok_or_else(|| self.unknown_as(What::Id, index, self.ids()))
    }

    fn choice<T: Word>(&self, index: usize) -> Read<T> {
        let word = self.need(index, T::words)?;
        T::from_word(word).ok_or_else(|| self.unknown(index, T::words()))
    }

    /// The turn whose words begin at `index`, and the index after it.
    fn turn(&self, index: usize) -> Read<(TurnId, usize)> {
        if self.need(index, || vec!["turn".to_owned()])? != "turn" {
            return Err(self.unknown_as(What::Turn, index, vec!["turn".to_owned()]));
        }
        let ways = || vec!["of".to_owned(), "after".to_owned()];
        let way = self.need(index + 1, ways)?;
        if let Ok(successor) = way.parse::<u32>()
            && successor > 0
        {
            if self.need(index + 2, || vec!["after".to_owned()])? != "after" {
                return Err(self.unknown(index + 2, vec!["after".to_owned()]));
            }
            let origin = self.id(index + 3)?;
            return Ok((TurnId { origin, successor }, index + 4));
        }
        match way {
            "of" => Ok((TurnId::of(self.id(index + 2)?), index + 3)),
            "after" => Ok((TurnId::of(self.id(index + 2)?).next(), index + 3)),
            _ => Err(self.unknown(index + 1, ways())),
        }
    }

    fn event(&self) -> Read<EventPattern> {
        let beginnings = || {
            let mut words = self.ids();
            // A preset turn's input is called `slot` too.
            words.retain(|word| word != SLOT);
            words.extend(["turn", "request", "answer", "tool", SLOT].map(str::to_owned));
            words
        };
        match self.need(0, beginnings)? {
            "turn" => self.turn_event(),
            "request" => self.request_event(),
            "answer" => self.fixed("shown", EventPattern::AnswerShown),
            "tool" => self.fixed("called", EventPattern::ToolCalled),
            // The preset turn's input is called `slot` too: `slot recorded`.
            SLOT if !self.is_about_preset() => {
                let shape = self.choice::<SlotShape>(1)?;
                self.end(2)?;
                Ok(EventPattern::Slot(shape))
            }
            _ => self.input_event(beginnings),
        }
    }

    fn is_about_preset(&self) -> bool {
        let verb = self.word(1);
        self.phrase.names.has_preset() && INPUT_VERBS.iter().any(|(word, _)| verb == Some(*word))
    }

    fn fixed(&self, word: &str, event: EventPattern) -> Read<EventPattern> {
        if self.need(1, || vec![word.to_owned()])? != word {
            return Err(self.unknown(1, vec![word.to_owned()]));
        }
        self.end(2)?;
        Ok(event)
    }

    fn request_event(&self) -> Read<EventPattern> {
        let number = self.need(1, || vec!["1".to_owned(), "2".to_owned()])?;
        let nth = number.parse::<u32>().ok().filter(|nth| *nth > 0);
        let nth = nth.ok_or_else(|| self.unknown(1, vec!["1".to_owned(), "2".to_owned()]))?;
        let what = self.choice::<RequestEvent>(2)?;
        self.end(3)?;
        Ok(EventPattern::Request { nth, what })
    }

    fn turn_event(&self) -> Read<EventPattern> {
        let (turn, next) = self.turn(0)?;
        let verbs = || TURN_VERBS.iter().map(|(word, _)| (*word).to_owned()).collect();
        let verb = self.need(next, verbs)?;
        let found = TURN_VERBS.iter().find(|(word, _)| *word == verb);
        let mut what = found.ok_or_else(|| self.unknown(next, verbs()))?.1;
        let mut end = next + 1;
        if what == TurnEvent::Ended(None) && self.word(end).is_some() {
            what = TurnEvent::Ended(Some(self.choice::<TurnEnd>(end)?));
            end += 1;
        }
        self.end(end)?;
        Ok(EventPattern::Turn { turn, what })
    }

    fn input_event(&self, beginnings: impl Fn() -> Vec<String>) -> Read<EventPattern> {
        let id = self.id(0).map_err(|_| self.unknown_as(What::Id, 0, beginnings()))?;
        let verbs = || {
            let mut verbs: Vec<_> =
                INPUT_VERBS.iter().map(|(word, _)| (*word).to_owned()).collect();
            if self.what == What::Condition {
                verbs.push("ends".to_owned());
            }
            verbs
        };
        let verb = self.need(1, verbs)?;
        let found = INPUT_VERBS.iter().find(|(word, _)| *word == verb);
        let mut what = found.ok_or_else(|| self.unknown(1, verbs()))?.1;
        let mut end = 2;
        if self.word(end).is_some() {
            match what {
                InputEvent::Refused(_) => {
                    what = InputEvent::Refused(Some(self.choice::<ReasonKind>(end)?));
                    end += 1;
                }
                InputEvent::Sampled(_) if self.word(end) == Some("in") => {
                    let (turn, next) = self.turn(end + 1)?;
                    what = InputEvent::Sampled(Some(turn));
                    end = next;
                }
                _ => {}
            }
        }
        self.end(end)?;
        Ok(EventPattern::Input { id, what })
    }

    /// `slot <shape>` or `phase <phase>`.
    fn state(&self) -> Read<State> {
        let kinds = || vec!["slot".to_owned(), "phase".to_owned()];
        let state = match self.need(0, kinds)? {
            "slot" => State::Slot(self.choice::<SlotShape>(1)?),
            "phase" => State::Phase(self.choice::<Phase>(1)?),
            _ => return Err(self.unknown(0, kinds())),
        };
        self.end(2)?;
        Ok(state)
    }
}
