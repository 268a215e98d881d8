//! Reads expectations and the terms under which properties are judged.

use toml::de::DeValue;

use super::{Fields, Keys, Reader, Value};
use crate::scenario::Span;
use crate::scenario::expectation::{Bound, Expectation, Holds, Terms, Waiver};
use crate::scenario::known::KnownDesign;
use crate::scenario::mistake::{Mistake, What};

pub(super) const EXPECTATION: Keys = Keys {
    place: "an expectation",
    words: &["holds", "violates", "parked", "assume", "bound", "waive", "relation"],
};
pub(super) const BOUND: Keys = Keys { place: "a bound", words: &["deviations"] };
pub(super) const WAIVER: Keys = Keys { place: "a waiver", words: &["property", "because", "url"] };

impl Reader<'_> {
    /// `[expect.<design>.<policy>]`, in file order.
    pub(crate) fn expectations(&mut self, top: Fields<'_>, terms: &Terms) -> Vec<Expectation> {
        let mut expectations = Vec::new();
        let Some(value) = top.get("expect") else { return expectations };
        let DeValue::Table(designs) = value.get_ref() else {
            self.wrong("expect", "tables by design and policy", value);
            return expectations;
        };
        let known = self.known;
        for (name, policies) in designs.iter() {
            let word: &str = name.get_ref();
            let design = known.designs.iter().find(|design| design.name == word);
            if design.is_none() {
                let valid = known.designs.iter().map(|design| design.name);
                self.unknown(name.span(), What::Design, word, valid);
            }
            let DeValue::Table(policies) = policies.get_ref() else {
                self.wrong(word, "tables by policy", policies);
                continue;
            };
            for (key, value) in policies.iter() {
                let place = (word, key.get_ref().as_ref(), key.span());
                expectations.extend(self.expectation(design, place, value, terms));
            }
        }
        expectations.sort_by_key(|expectation| expectation.span.start);
        expectations
    }

    fn expectation(
        &mut self,
        design: Option<&KnownDesign<'_>>,
        (name, key, span): (&str, &str, Span),
        value: &Value<'_>,
        outer: &Terms,
    ) -> Option<Expectation> {
        let mut words = key.split('+').map(str::trim);
        let policy = words.next().unwrap_or_default();
        let faults: Vec<_> = words.map(str::to_owned).collect();
        if let Some(design) = design {
            if !design.policies.contains(&policy) {
                self.unknown(span.clone(), What::Policy, policy, design.policies.iter().copied());
            }
            for fault in faults.iter().filter(|fault| !design.faults.contains(&fault.as_str())) {
                self.unknown(span.clone(), What::Fault, fault, design.faults.iter().copied());
            }
        }
        let fields = self.fields(key, value, &EXPECTATION)?;
        if fields.get("holds").is_none() && fields.get("violates").is_none() {
            let place = EXPECTATION.place;
            self.fail(span.clone(), Mistake::MissingKey { key: "holds", place });
        }
        let holds = self.holds(fields);
        let violates = self.properties(fields, "violates");
        if let Holds::Listed(held) = &holds
            && let Some(property) = held.iter().find(|property| violates.contains(property))
        {
            let mistake = Mistake::Contradiction { property: property.clone() };
            self.fail(span.clone(), mistake);
        }
        let terms = self.terms(fields).or(outer);
        let (design, policy) = (name.to_owned(), policy.to_owned());
        Some(Expectation { design, policy, faults, holds, violates, terms, span })
    }

    fn holds(&mut self, fields: Fields<'_>) -> Holds {
        match fields.get("holds").map(|value| (value, value.get_ref())) {
            None => Holds::Unsaid,
            Some((value, DeValue::String(word))) => {
                if word != "all" {
                    self.unknown(self.inside(value), What::Value("holds"), word, ["all"]);
                }
                Holds::All
            }
            Some((value, DeValue::Array(list))) if list.is_empty() => {
                self.wrong("holds", "\"all\" or at least one property", value);
                Holds::Unsaid
            }
            Some((_, DeValue::Array(_))) => Holds::Listed(self.properties(fields, "holds")),
            Some((value, _)) => {
                self.wrong("holds", "\"all\" or a list of properties", value);
                Holds::Unsaid
            }
        }
    }

    fn properties(&mut self, fields: Fields<'_>, key: &str) -> Vec<String> {
        let values = self.list(fields, key);
        values.iter().filter_map(|value| self.property(key, value)).collect()
    }

    fn property(&mut self, key: &str, value: &Value<'_>) -> Option<String> {
        let word = self.text(key, value)?;
        if !self.known.properties.contains(&word) {
            let valid = self.known.properties.iter().copied();
            self.unknown(self.inside(value), What::Property, word, valid);
        }
        Some(word.to_owned())
    }

    /// The terms that stand in this table.
    pub(crate) fn terms(&mut self, fields: Fields<'_>) -> Terms {
        let parked = self.list(fields, "parked");
        let parked = parked.iter().filter_map(|actor| self.parked(actor)).collect();
        let assume = self.list(fields, "assume");
        let assume = assume.iter().filter_map(|word| self.choice_of("assume", word)).collect();
        let waive = self.list(fields, "waive");
        let waive = waive.iter().filter_map(|waiver| self.waiver(waiver)).collect();
        let relation = self.choice(fields, "relation");
        Terms { parked, assume, bound: self.bound(fields), waive, relation }
    }

    fn parked(&mut self, value: &Value<'_>) -> Option<usize> {
        let name = self.text("parked", value)?;
        let found = self.actors.iter().position(|actor| actor == name);
        if found.is_none() && !self.is_full() {
            let valid = self.actors.clone();
            let mistake = Mistake::Unknown { what: What::Actor, word: name.to_owned(), valid };
            self.fail(self.inside(value), mistake);
        }
        found
    }

    fn bound(&mut self, fields: Fields<'_>) -> Option<Bound> {
        let fields = self.fields("bound", fields.get("bound")?, &BOUND)?;
        let value = self.need(fields, "deviations")?;
        let number = value.get_ref().as_integer();
        let number = number.and_then(|n| u32::from_str_radix(n.as_str(), n.radix()).ok());
        let Some(deviations) = number else {
            self.wrong("deviations", "a whole number from 0 to 4294967295", value);
            return None;
        };
        Some(Bound { deviations })
    }

    fn waiver(&mut self, value: &Value<'_>) -> Option<Waiver> {
        let fields = self.fields("waive", value, &WAIVER)?;
        let property = self.need(fields, "property");
        let property = property.and_then(|value| self.property("property", value));
        let because = self.need_text(fields, "because").map(str::to_owned);
        let url = self.need_text(fields, "url").map(str::to_owned);
        Some(Waiver { property: property?, because: because?, url: url? })
    }
}

impl Terms {
    /// These terms, and where they say nothing, or may be added to, the outer ones.
    fn or(mut self, outer: &Terms) -> Terms {
        let parked = outer.parked.iter().filter(|actor| !self.parked.contains(actor));
        self.parked.extend(parked.copied().collect::<Vec<_>>());
        let assume = outer.assume.iter().filter(|word| !self.assume.contains(word));
        self.assume.extend(assume.copied().collect::<Vec<_>>());
        self.waive.extend(outer.waive.iter().cloned());
        self.bound = self.bound.or(outer.bound);
        self.relation = self.relation.or(outer.relation);
        self
    }
}
