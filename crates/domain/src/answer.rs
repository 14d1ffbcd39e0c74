//! A judge's answer, read by code: the structure first, then each value against its scale.

mod object;
#[cfg(test)]
mod tests;

use crate::{FailureKind, Outcome, Parser, Scale, ScaleKind};
use object::{Object, objects};
use serde::Serialize;
use serde_json::{Value, json};

/// What a model gave back, before anything is read from it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer<'a> {
    /// The text as it came.
    pub text: &'a str,
    /// Whether the provider says that it was cut off at a limit.
    pub cut_off: bool,
    /// What the provider gave in place of an answer, where it says that the model declined.
    pub refusal: Option<&'a str>,
}

/// A criterion that the answer is asked for, with its scale.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Id of the criterion.
    pub criterion: &'a str,
    /// The scale that it is answered on.
    pub scale: &'a Scale,
}

/// What was read for one criterion.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// Id of the criterion.
    pub criterion: String,
    /// A value on the scale, or an instrument failure.
    pub outcome: Outcome,
    /// The judge's reason, where there is one.
    pub reason: Option<String>,
}

/// Reads an answer: one reading for each criterion, in the order in which they were asked. Nothing is clamped, guessed or dropped: what
/// is no value on the scale is a failure that says why.
#[must_use]
pub fn read_answer(answer: &Answer<'_>, parser: Parser, asked: &[Asked<'_>]) -> Vec<Reading> {
    let readings: Vec<Reading> = match found(answer, parser, asked) {
        Ok(Found::Object(object)) => {
            let alone = asked.len() == 1;
            asked.iter().map(|asked| read_object(&object, parser, asked, alone)).collect()
        }
        Ok(Found::Line { score, reason }) => {
            let value = Value::from(score);
            asked.iter().map(|asked| reading(asked, score_of(&value, asked.scale), reason.clone())).collect()
        }
        Err(failure) => asked.iter().map(|asked| reading(asked, Err(failure.clone()), None)).collect(),
    };
    if answer.cut_off { readings.into_iter().map(cut_off).collect() } else { readings }
}

/// The JSON schema of the answer, for endpoints that hold a model to one.
#[must_use]
pub fn answer_schema(parser: Parser, asked: &[Asked<'_>]) -> Value {
    let object = |properties: Value| {
        let required: Vec<&String> =
            properties.as_object().map(|fields| fields.keys().collect()).unwrap_or_default();
        json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
    };
    match (parser, asked) {
        (Parser::Claims, _) => {
            let claim = object(json!({ "claim": { "type": "string" }, "supported": { "type": "boolean" } }));
            object(json!({ "claims": { "type": "array", "items": claim } }))
        }
        (Parser::Scores, [one]) => object(scored(one.scale)),
        (Parser::Scores, several) => {
            let fields =
                several.iter().map(|asked| (asked.criterion.to_owned(), object(scored(asked.scale))));
            object(Value::Object(fields.collect()))
        }
    }
}

/// `reason` comes before `score`: the fields of an object are in alphabetical order.
fn scored(scale: &Scale) -> Value {
    let score = if scale.kind == ScaleKind::Continuous {
        let (low, high) = scale.bounds();
        json!({ "type": "number", "minimum": low, "maximum": high })
    } else {
        json!({ "type": "number", "enum": scale.levels.iter().map(|level| plain(level.value)).collect::<Vec<_>>() })
    };
    json!({ "reason": { "type": "string" }, "score": score })
}

/// Whole numbers without a decimal point, as people and models write them.
fn plain(value: f64) -> Value {
    serde_json::from_str(&value.to_string()).unwrap_or_else(|_| Value::from(value))
}

#[derive(Clone)]
struct Failure {
    kind: FailureKind,
    says: String,
}

fn failure<T>(kind: FailureKind, says: impl Into<String>) -> Result<T, Failure> {
    Err(Failure { kind, says: says.into() })
}

fn reading(asked: &Asked<'_>, value: Result<f64, Failure>, reason: Option<String>) -> Reading {
    let outcome = match value {
        Ok(value) => Outcome::Value(value),
        Err(Failure { kind, says }) => Outcome::Failure { kind, says },
    };
    Reading { criterion: asked.criterion.to_owned(), outcome, reason }
}

/// What cannot be read of an answer that was cut off cannot be read for that reason.
fn cut_off(reading: Reading) -> Reading {
    match reading.outcome {
        Outcome::Failure { kind: FailureKind::Unparsable | FailureKind::Missing, says } => {
            let says = format!("the answer was cut off at the token limit ({says})");
            Reading { outcome: Outcome::Failure { kind: FailureKind::Truncated, says }, ..reading }
        }
        _ => reading,
    }
}

/// Where the score stands in an answer.
enum Found {
    Object(Object),
    Line { score: String, reason: Option<String> },
}

fn found(answer: &Answer<'_>, parser: Parser, asked: &[Asked<'_>]) -> Result<Found, Failure> {
    if let Some(refusal) = answer.refusal {
        return failure(
            FailureKind::Refused,
            format!("the provider says that the model declined: {refusal}"),
        );
    }
    let text = answer.text.trim();
    if text.is_empty() {
        return failure(FailureKind::Missing, "the answer is empty");
    }
    let (objects, unfinished) = objects(text);
    let mut answers: Vec<Object> =
        objects.into_iter().filter(|object| is_answer(object, parser, asked)).collect();
    let lines = score_lines(text);
    // A line that begins with the word need not give a score: "Score: see below".
    let is_number = |line: &&str| line.parse::<f64>().is_ok();
    match (answers.len(), lines.as_slice()) {
        (1.., _) if unfinished => failure(FailureKind::Truncated, "after an answer, JSON that breaks off"),
        (1, _) if lines.iter().any(is_number) => {
            failure(FailureKind::Unparsable, "a score in the JSON and one in a line: which counts?")
        }
        (1, _) => Ok(Found::Object(answers.remove(0))),
        (2.., _) => {
            failure(FailureKind::Unparsable, format!("{} answers in one: which counts?", answers.len()))
        }
        (0, [score]) if asked.len() == 1 && parser == Parser::Scores => {
            Ok(Found::Line { score: (*score).to_owned(), reason: rest_of(text, score) })
        }
        (0, [_, _, ..]) => failure(FailureKind::Unparsable, format!("{} scores in one answer", lines.len())),
        _ if unfinished => failure(FailureKind::Truncated, "the JSON breaks off"),
        _ if refuses(text) => failure(FailureKind::Refused, "the model declined"),
        _ => failure(FailureKind::Unparsable, format!("no score: {}", expected(parser, asked))),
    }
}

fn expected(parser: Parser, asked: &[Asked<'_>]) -> String {
    match (parser, asked) {
        (Parser::Claims, _) => r#"expected {"claims": [{"claim": …, "supported": …}]}"#.to_owned(),
        (Parser::Scores, [_]) => r#"expected {"reason": …, "score": …}"#.to_owned(),
        (Parser::Scores, _) => r#"expected {"CRITERION": {"reason": …, "score": …}, …}"#.to_owned(),
    }
}

/// Whether an object is meant as the answer: it has a field that only the answer has.
fn is_answer(object: &Object, parser: Parser, asked: &[Asked<'_>]) -> bool {
    match (parser, asked) {
        (Parser::Claims, _) => object.has("claims"),
        (Parser::Scores, [one]) => object.has("score") || object.has(one.criterion),
        (Parser::Scores, several) => several.iter().any(|asked| object.has(asked.criterion)),
    }
}

/// One criterion of an object; one that is asked alone may stand without its name.
fn read_object(object: &Object, parser: Parser, asked: &Asked<'_>, alone: bool) -> Reading {
    if let Some(field) = object.repeated() {
        let says = format!("the field `{field}` stands twice in the answer");
        return reading(asked, failure(FailureKind::Unparsable, says), None);
    }
    if parser == Parser::Claims {
        return read_claims(object, asked);
    }
    let scored = match object.get(asked.criterion) {
        Some(Value::Object(fields)) => Some(fields),
        _ if alone && object.has("score") => Some(object.fields()),
        _ => None,
    };
    let Some(scored) = scored else {
        let says = format!("the answer has no `{}` with a reason and a score", asked.criterion);
        return reading(asked, failure(FailureKind::Missing, says), None);
    };
    let reason = match scored.get("reason") {
        Some(Value::String(reason)) if !reason.trim().is_empty() => reason.clone(),
        other => {
            let found = other.map_or_else(|| "no reason".to_owned(), |found| format!("the reason {found}"));
            let says = format!("found {found}, expected a reason in words");
            return reading(asked, failure(FailureKind::Unparsable, says), None);
        }
    };
    let score = match scored.get("score") {
        Some(score) => score_of(score, asked.scale),
        None => failure(FailureKind::Missing, "the answer has a reason and no score"),
    };
    reading(asked, score, Some(reason))
}

/// A number, or a number or the exact name of a level as text, that the scale has.
fn score_of(score: &Value, scale: &Scale) -> Result<f64, Failure> {
    let text = match score {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_owned(),
        other => {
            return failure(
                FailureKind::Unparsable,
                format!("found {other}, expected {}", scale.expectation()),
            );
        }
    };
    scale.parse(&text).or_else(|fault| {
        let kind = if text.parse::<f64>().is_ok() { FailureKind::OffScale } else { FailureKind::Unparsable };
        failure(kind, format!("found {}, expected {}", fault.found, fault.expected))
    })
}

/// The share of claims that are supported; without a claim nothing is unsupported.
fn read_claims(object: &Object, asked: &Asked<'_>) -> Reading {
    let wrong = |says: String| reading(asked, failure(FailureKind::Unparsable, says), None);
    let Some(Value::Array(claims)) = object.get("claims") else {
        return wrong("`claims` is no list".to_owned());
    };
    let (mut supported, mut unsupported) = (0_u32, Vec::new());
    for claim in claims {
        match (claim.get("claim"), claim.get("supported")) {
            (Some(Value::String(text)), Some(Value::Bool(held))) if !text.trim().is_empty() => {
                if *held {
                    supported += 1;
                } else {
                    unsupported.push(text.trim());
                }
            }
            _ => return wrong(format!("found the claim {claim}, expected its text and true or false")),
        }
    }
    let total = claims.len();
    let reason = match (total, unsupported.as_slice()) {
        (0, _) => "no claims".to_owned(),
        (_, []) => format!("{supported} of {total} claims are supported"),
        (_, left) => format!("{supported} of {total} claims are supported; not: {}", left.join(" · ")),
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "an answer of at most a megabyte holds far fewer claims than 2^53"
    )]
    let share = if total == 0 { 1.0 } else { f64::from(supported) / total as f64 };
    reading(asked, score_of(&Value::from(share), asked.scale), Some(reason))
}

/// What follows `SCORE:` on each line that begins with it.
fn score_lines(text: &str) -> Vec<&str> {
    let score = |line: &'_ str| -> Option<(usize, usize)> {
        let bare = line.trim_start_matches(['*', '#', ' ', '\t', '>', '-', '_']);
        let word = bare.get(..5).filter(|word| word.eq_ignore_ascii_case("score"))?;
        let after = bare[word.len()..].trim_start_matches(['*', '_', ' ']);
        let value = after.strip_prefix([':', '='])?.trim_matches(['*', '_', ' ', '\t', '`']);
        let start = value.as_ptr() as usize - line.as_ptr() as usize;
        Some((start, start + value.len()))
    };
    text.lines().filter_map(|line| score(line).map(|(start, end)| &line[start..end])).collect()
}

/// What stands around the line of the score.
fn rest_of(text: &str, score: &str) -> Option<String> {
    let lines = text.lines().filter(|line| score_lines(line).first() != Some(&score));
    let rest = lines.collect::<Vec<_>>().join("\n");
    Some(rest.trim().to_owned()).filter(|rest| !rest.is_empty())
}

/// How models decline, at the start of an answer that holds no score.
const REFUSALS: [&str; 12] = [
    "i'm sorry",
    "i’m sorry",
    "i am sorry",
    "sorry,",
    "i cannot",
    "i can't",
    "i can’t",
    "i won't",
    "i'm unable",
    "i am unable",
    "i must decline",
    "as an ai",
];

fn refuses(text: &str) -> bool {
    let start: String = text.chars().take(200).collect::<String>().to_lowercase();
    REFUSALS.iter().any(|words| start.starts_with(words))
}
