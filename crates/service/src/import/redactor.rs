//! Private data out of rows, before anything of them is stored or hashed: each value becomes a placeholder, the same one in the whole
//! project.

mod finder;

use super::Kind;
use crate::ServiceError;
use domain::{ORDER, Redacted, RedactionRules};
use finder::{Finder, Numbers, expression};
use hmac::{Hmac, KeyInit, Mac};
use regex::Regex;
use serde_json::{Map, Value};
use sha2::Sha256;
use std::{
    collections::{HashMap, HashSet},
    fmt,
    ops::Range,
    sync::{Mutex, PoisonError},
};
use store::{Placeholder, StoredRedaction};

/// Most rules of a project's own, and most patterns of orders.
const MOST_RULES: usize = 20;

/// Longest name of a rule, in characters.
const LONGEST_NAME: usize = 40;

/// Takes private data out of rows.
pub(crate) struct Redactor {
    rules: Vec<(String, Finder)>,
    /// What earlier redaction left: exported texts come back as they are.
    placeholders: Regex,
    secret: [u8; 32],
    taken_out: Mutex<TakenOut>,
}

/// What was taken out so far.
#[derive(Default)]
struct TakenOut {
    numbers: HashMap<(usize, [u8; 32]), u64>,
    last: Vec<u64>,
    new: Vec<Placeholder>,
    places: Vec<u64>,
    values: Vec<HashSet<[u8; 32]>>,
}

/// Checks rules as they are to be kept.
pub(crate) fn check(rules: &RedactionRules) -> Result<(), ServiceError> {
    finders(rules).map(|_| ())
}

/// The rules by name, in the order in which they are asked: what is checked by its digits first, what is found by its form alone last.
fn finders(rules: &RedactionRules) -> Result<Vec<(String, Finder)>, ServiceError> {
    let invalid = |field: &str, reason: String| ServiceError::Invalid { field: field.to_owned(), reason };
    if rules.own.len() > MOST_RULES || rules.orders.len() > MOST_RULES {
        return Err(invalid("own", format!("more than {MOST_RULES} rules: a text is searched for each")));
    }
    let mut all: Vec<(String, Finder)> = Vec::new();
    for own in &rules.own {
        let is_plain =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | ' ');
        let is_taken = all.iter().any(|(name, _)| *name == own.name)
            || own.name == ORDER
            || domain::PrivateKind::ALL.iter().any(|kind| kind.word() == own.name);
        if own.name.is_empty() || own.name.len() > LONGEST_NAME || !own.name.chars().all(is_plain) || is_taken
        {
            let reason = format!(
                "found {}, expected a name of its own, of 1 to {LONGEST_NAME} letters, digits, hyphens and spaces",
                domain::visible(&own.name)
            );
            return Err(invalid("own", reason));
        }
        let found = expression(&own.expression)
            .map_err(|reason| invalid("own", format!("{}: {reason}", own.name)))?;
        all.push((own.name.clone(), found));
    }
    if !rules.orders.is_empty() {
        let orders = finder::orders(&rules.orders).map_err(|reason| invalid("orders", reason))?;
        all.push((ORDER.to_owned(), orders));
    }
    for kind in [
        domain::PrivateKind::EMail,
        domain::PrivateKind::Iban,
        domain::PrivateKind::Card,
        domain::PrivateKind::Phone,
    ] {
        if rules.kinds.contains(&kind) {
            let found = Finder::of(kind).map_err(|error| ServiceError::Internal(error.to_string()))?;
            all.push((kind.word().to_owned(), found));
        }
    }
    Ok(all)
}

impl Redactor {
    /// By the rules of a project, with the placeholders that it has.
    pub(crate) fn new(stored: &StoredRedaction, known: Vec<Placeholder>) -> Result<Redactor, ServiceError> {
        let rules = finders(&stored.rules)?;
        let names: Vec<String> = rules.iter().map(|(name, _)| regex::escape(name)).collect();
        // So long as no rule has more values than fit, what stands in brackets is no private number.
        let placeholders = Regex::new(&format!(r"\[(?:{}) [0-9]{{1,6}}\]", names.join("|")));
        let mut taken_out = TakenOut {
            last: vec![0; rules.len()],
            places: vec![0; rules.len()],
            values: vec![HashSet::new(); rules.len()],
            ..TakenOut::default()
        };
        for Placeholder { rule, value_hash, number } in known {
            if let Some(index) = rules.iter().position(|(name, _)| *name == rule) {
                taken_out.numbers.insert((index, value_hash), number);
                if let Some(last) = taken_out.last.get_mut(index) {
                    *last = (*last).max(number);
                }
            }
        }
        Ok(Redactor {
            placeholders: placeholders.map_err(|error| ServiceError::Internal(error.to_string()))?,
            secret: stored.secret,
            taken_out: Mutex::new(taken_out),
            rules,
        })
    }

    /// Takes private data out of a row.
    pub(super) fn row(&self, kind: Kind, fields: &mut Map<String, Value>) {
        for (name, value) in fields.iter_mut() {
            match place(kind, name, value) {
                Place::Format => {}
                Place::Text => self.value(value, false),
                Place::Free => self.value(value, true),
            }
        }
        // Fields that the format does not know become metadata, whose names may be anything.
        if kind == Kind::Conversations {
            *fields = self.names(std::mem::take(fields));
        }
    }

    /// Takes private data out of a text.
    pub(crate) fn text(&self, text: &str) -> Option<String> {
        let numbers = Numbers::of(text);
        let mut taken: Vec<(Range<usize>, Option<usize>)> =
            self.placeholders.find_iter(text).map(|found| (found.range(), None)).collect();
        for (index, (_, finder)) in self.rules.iter().enumerate() {
            let mut found = finder.find(text, &numbers);
            found.retain(|range| {
                let next = taken.partition_point(|(other, _)| other.end <= range.start);
                taken.get(next).is_none_or(|(other, _)| range.end <= other.start)
            });
            taken.extend(found.into_iter().map(|range| (range, Some(index))));
            taken.sort_unstable_by_key(|(range, _)| range.start);
        }
        taken.retain(|(_, rule)| rule.is_some());
        if taken.is_empty() {
            return None;
        }
        let mut clean = String::with_capacity(text.len());
        let mut end = 0;
        for (range, rule) in taken {
            let Some((rule, (name, finder))) = rule.and_then(|rule| Some((rule, self.rules.get(rule)?)))
            else {
                continue;
            };
            clean.push_str(text.get(end..range.start).unwrap_or_default());
            end = range.end;
            let value = finder.normal(text.get(range).unwrap_or_default());
            clean.push_str(&format!("[{name} {}]", self.number(rule, name, &value)));
        }
        clean.push_str(text.get(end..).unwrap_or_default());
        Some(clean)
    }

    /// The new placeholders, to be kept, and what was taken out.
    pub(crate) fn finish(&self) -> (Vec<Placeholder>, Vec<Redacted>) {
        let taken_out = self.taken_out.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = self.rules.iter().zip(&taken_out.places).zip(&taken_out.values);
        let redacted = counts
            .filter(|((_, places), _)| **places > 0)
            .map(|(((rule, _), places), values)| Redacted {
                rule: rule.clone(),
                values: values.len() as u64,
                places: *places,
            })
            .collect();
        (taken_out.new.clone(), redacted)
    }

    /// A value of JSON; in what is free, numbers and names of fields too.
    fn value(&self, value: &mut Value, is_free: bool) {
        match value {
            Value::String(text) => {
                if let Some(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Number(number) if is_free && !number.is_f64() => {
                if let Some(clean) = self.text(&number.to_string()) {
                    *value = clean.into();
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(value, is_free)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|value| self.value(value, is_free));
                if is_free {
                    *fields = self.names(std::mem::take(fields));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Names of fields; two that become one stay two.
    fn names(&self, fields: Map<String, Value>) -> Map<String, Value> {
        let mut clean = Map::new();
        for (name, value) in fields {
            let mut name = self.text(&name).unwrap_or(name);
            while clean.contains_key(&name) {
                name.push('\'');
            }
            clean.insert(name, value);
        }
        clean
    }

    /// The number of a value among those of its rule.
    fn number(&self, rule: usize, name: &str, value: &str) -> u64 {
        let hash = self.hash(name, value);
        let mut taken_out = self.taken_out.lock().unwrap_or_else(PoisonError::into_inner);
        let TakenOut { numbers, last, new, places, values } = &mut *taken_out;
        if let (Some(places), Some(values)) = (places.get_mut(rule), values.get_mut(rule)) {
            *places += 1;
            values.insert(hash);
        }
        *numbers.entry((rule, hash)).or_insert_with(|| {
            let number = last.get_mut(rule).map_or(1, |last| {
                *last += 1;
                *last
            });
            new.push(Placeholder { rule: name.to_owned(), value_hash: hash, number });
            number
        })
    }

    /// HMAC-SHA256 of the rule's name and the value, under the project's secret.
    fn hash(&self, name: &str, value: &str) -> [u8; 32] {
        // A key of any length is a key of this code.
        let Ok(mut code) = Hmac::<Sha256>::new_from_slice(&self.secret) else { return [0; 32] };
        code.update(name.as_bytes());
        code.update(&[0]);
        code.update(value.as_bytes());
        code.finalize().into_bytes().into()
    }
}

/// What stands in a field.
enum Place {
    /// What the format itself names or counts.
    Format,
    /// Texts of people and machines.
    Text,
    /// Any JSON.
    Free,
}

fn place(kind: Kind, name: &str, value: &Value) -> Place {
    let is_number = || value.as_str().is_none_or(|text| text.trim().parse::<f64>().is_ok());
    match (kind, name) {
        (Kind::Conversations, "at" | "trial") => Place::Format,
        (
            Kind::Conversations,
            "id" | "cluster" | "case" | "request_id" | "category" | "corpus" | "system" | "language"
            | "messages" | "question" | "refined_query" | "passages" | "context" | "answer",
        ) => Place::Text,
        (Kind::Conversations, _) => Place::Free,
        (
            Kind::Labels | Kind::Verdicts,
            "criterion" | "pass" | "flag" | "repeat" | "labelled_at" | "judged_at" | "seconds" | "latency_ms"
            | "input_tokens" | "output_tokens" | "total_tokens" | "cost_usd",
        ) => Place::Format,
        (Kind::Labels | Kind::Verdicts, "value") if is_number() => Place::Format,
        (Kind::Labels | Kind::Verdicts, _) => Place::Text,
    }
}

impl fmt::Debug for Redactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redactor").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
