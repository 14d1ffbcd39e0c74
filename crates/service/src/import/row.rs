//! Rows of files as labels, verdicts and conversations, checked against the rubric.

use super::unique::Unique;
use domain::{
    ContentHash, FailureKind, Fault, LabelRow, Outcome, Rubric, Scale, Unit, UnitKind, VerdictRow, hash_of,
};
use serde::Serialize;
use serde_json::{Map, Value};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Columns of `conversations.csv` that hold JSON.
const JSON_COLUMNS: [&str; 6] = ["messages", "routing", "passages", "answer", "expected", "metadata"];

/// A row of `conversations.csv` as the object that a line of `conversations.jsonl` would be.
pub(super) fn conversation_of_cells(mut fields: Map<String, Value>) -> Result<Map<String, Value>, Fault> {
    for (name, value) in &mut fields {
        let Value::String(text) = &*value else { continue };
        let is_json = text.trim_start().starts_with(['{', '[']);
        if name == "trial" {
            let number: i64 = text.trim().parse().map_err(|_| Fault::new("trial", text, "an integer"))?;
            *value = number.into();
        } else if name == "answer" && !is_json {
            *value = serde_json::json!({ "text": text });
        } else if JSON_COLUMNS.contains(&name.as_str()) {
            let Unique(json) = serde_json::from_str(text)
                .map_err(|error| Fault::new(name, text, format!("JSON ({error})")))?;
            *value = json;
        }
    }
    Ok(fields)
}

/// The fields of a row, asked for by name. In JSON Lines numbers and booleans are read as their text.
struct Cells<'a>(&'a Map<String, Value>);

impl Cells<'_> {
    fn text(&self, name: &str) -> Result<Option<String>, Fault> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.is_empty() => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(Some(value.to_string())),
            Some(other) => Err(Fault::new(name, other.to_string(), "a text or a number")),
        }
    }

    fn required(&self, name: &str) -> Result<String, Fault> {
        self.text(name)?.ok_or_else(|| Fault::new(name, "", "a value: this field is required"))
    }

    fn name(&self, name: &str) -> Result<String, Fault> {
        let text = self.required(name)?;
        if text.trim().is_empty() || text.chars().count() > 200 || text.chars().any(char::is_control) {
            return Err(Fault::new(name, text, "a name of 1 to 200 characters without control characters"));
        }
        Ok(text)
    }

    fn number(&self, name: &str) -> Result<Option<f64>, Fault> {
        let parse = |text: String| match text.trim().parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
            _ => Err(Fault::new(name, text, "a number from 0 on")),
        };
        self.text(name)?.map(parse).transpose()
    }

    fn count(&self, name: &str) -> Result<Option<u64>, Fault> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number between 0 and 2^53"
        )]
        let whole = |number: f64| (number.fract() == 0.0 && number < 9e15).then_some(number as u64);
        let Some(number) = self.number(name)? else { return Ok(None) };
        whole(number)
            .map(Some)
            .ok_or_else(|| Fault::new(name, number.to_string(), "a whole number from 0 on"))
    }

    fn small_count(&self, name: &str) -> Result<u32, Fault> {
        let count = self.count(name)?.unwrap_or(0);
        u32::try_from(count).map_err(|_| Fault::new(name, count.to_string(), "a whole number below 2^32"))
    }

    fn time(&self, name: &str) -> Result<Option<OffsetDateTime>, Fault> {
        let parse = |text: String| {
            OffsetDateTime::parse(text.trim(), &Rfc3339)
                .map_err(|_| Fault::new(name, text, "a time like 2026-11-30T08:15:00Z (RFC 3339)"))
        };
        self.text(name)?.map(parse).transpose()
    }

    fn truth(&self, name: &str) -> Result<bool, Fault> {
        match self.text(name)?.as_deref().map(str::trim) {
            None | Some("0" | "false" | "no") => Ok(false),
            Some("1" | "true" | "yes") => Ok(true),
            Some(other) => Err(Fault::new(name, other, "true or false")),
        }
    }
}

/// What a label and a verdict have in common: the item.
struct Place<'a> {
    conversation: String,
    unit: Unit,
    criterion: String,
    scale: &'a Scale,
}

fn place<'a>(cells: &Cells<'_>, rubric: &'a Rubric) -> Result<Place<'a>, Fault> {
    let conversation = cells.required("conversation")?;
    let id = cells.required("criterion")?;
    let known =
        || rubric.criteria.iter().map(|criterion| criterion.id.as_str()).collect::<Vec<_>>().join(", ");
    let (Some(criterion), Some(scale)) = (rubric.criterion(&id), rubric.scale_of(&id)) else {
        let expected =
            format!("a criterion of the rubric {}@{}: one of {}", rubric.name, rubric.version, known());
        return Err(Fault::new("criterion", id, expected));
    };
    let unit = match cells.text("unit")? {
        Some(text) => {
            text.parse().map_err(|error: domain::UnitError| Fault::new("unit", &text, error.to_string()))?
        }
        None if criterion.unit == UnitKind::Conversation => Unit::Conversation,
        None => return Err(Fault::new("unit", "", format!("a unit of kind {}", criterion.unit.word()))),
    };
    if unit.kind() != criterion.unit {
        let expected = format!("a unit of kind {}, which `{id}` is asked of", criterion.unit.word());
        return Err(Fault::new("unit", unit.to_string(), expected));
    }
    Ok(Place { conversation, unit, criterion: id, scale })
}

/// The criterion of a row that another tool wrote, and why the rubric does not ask for it; `None` where it does.
pub(super) fn not_asked(fields: &Map<String, Value>, rubric: Option<&Rubric>) -> Option<(String, String)> {
    let id = fields.get("criterion").and_then(Value::as_str).unwrap_or_default();
    let Some(rubric) = rubric else {
        return Some((domain::visible(id), "the project has no rubric".to_owned()));
    };
    let unit = match rubric.criterion(id) {
        None => {
            let why = format!("the rubric {}@{} has no such criterion", rubric.name, rubric.version);
            return Some((domain::visible(id), why));
        }
        Some(criterion) => criterion.unit,
    };
    let has_unit = unit == UnitKind::Conversation || fields.contains_key("unit");
    let why = || format!("it is asked of each {}, and the file says it of the conversation", unit.word());
    (!has_unit).then(|| (domain::visible(id), why()))
}

/// A label, or `None` where the value is empty: missing, never a category.
pub(super) fn label(fields: &Map<String, Value>, rubric: &Rubric) -> Result<Option<LabelRow>, Fault> {
    let cells = Cells(fields);
    let annotator = cells.name("annotator")?;
    let place = place(&cells, rubric)?;
    let Some(value) = cells.text("value")? else { return Ok(None) };
    Ok(Some(LabelRow {
        annotator,
        conversation: place.conversation,
        unit: place.unit,
        criterion: place.criterion,
        value: place.scale.parse(&value)?,
        pass: cells.small_count("pass")?,
        comment: cells.text("comment")?,
        flag: cells.truth("flag")?,
        labelled_at: cells.time("labelled_at")?,
        seconds: cells.number("seconds")?,
    }))
}

/// A verdict and its fingerprint.
pub(super) fn verdict(fields: &Map<String, Value>, rubric: &Rubric) -> Result<(VerdictRow, Declared), Fault> {
    let cells = Cells(fields);
    let judge = cells.name("judge")?;
    if judge.contains('@') {
        return Err(Fault::new("judge", judge, "a name without `@`, which separates name and version"));
    }
    let place = place(&cells, rubric)?;
    let raw = cells.text("raw")?;
    let (outcome, raw) = match (cells.text("value")?, cells.text("error")?) {
        (Some(value), None) => {
            let outcome = outcome(&value, place.scale);
            let kept = if outcome.value().is_some() { raw } else { raw.or(Some(value)) };
            (outcome, kept)
        }
        (None, Some(error)) => (Outcome::Failure { kind: FailureKind::of_error(&error), says: error }, raw),
        (Some(value), Some(_)) => return Err(Fault::new("value", value, "a value or an error, not both")),
        (None, None) => {
            return Err(Fault::new("value", "", "a value, or an `error` that says why there is none"));
        }
    };
    let row = VerdictRow {
        judge,
        judge_version: if cells.text("judge_version")?.is_some() {
            cells.name("judge_version")?
        } else {
            "1".to_owned()
        },
        model: cells.text("model")?,
        reported_model: cells.text("reported_model")?,
        conversation: place.conversation,
        unit: place.unit,
        criterion: place.criterion,
        repeat: cells.small_count("repeat")?,
        outcome,
        reason: cells.text("reason")?,
        raw,
        latency_ms: cells.number("latency_ms")?,
        input_tokens: cells.count("input_tokens")?,
        output_tokens: cells.count("output_tokens")?,
        total_tokens: cells.count("total_tokens")?,
        cost_usd: cells.number("cost_usd")?,
        judged_at: cells.time("judged_at")?,
    };
    let declared = Declared {
        judge: row.judge.clone(),
        judge_version: row.judge_version.clone(),
        model: row.model.clone(),
        reported_model: row.reported_model.clone(),
        scale: place.scale.id.clone(),
    };
    Ok((row, declared))
}

/// A value off the scale is an instrument failure: never clamped, never zero, never dropped.
fn outcome(value: &str, scale: &Scale) -> Outcome {
    match scale.parse(value) {
        Ok(value) => Outcome::Value(value),
        Err(fault) => {
            let kind = if value.trim().parse::<f64>().is_ok() {
                FailureKind::OffScale
            } else {
                FailureKind::Unparsable
            };
            Outcome::Failure { kind, says: format!("found {}, expected {}", fault.found, fault.expected) }
        }
    }
}

/// What an imported verdict says of the instrument behind it.
#[derive(Clone, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Declared {
    judge: String,
    judge_version: String,
    model: Option<String>,
    reported_model: Option<String>,
    scale: String,
}

impl Declared {
    /// Hash of (judge, version, model, reported model, rubric, scale).
    pub(super) fn fingerprint(&self, rubric: &Rubric) -> Result<ContentHash, Fault> {
        #[derive(Serialize)]
        struct Instrument<'a> {
            #[serde(flatten)]
            declared: &'a Declared,
            rubric: (&'a str, u32),
            levels: Option<&'a Scale>,
        }
        let instrument = Instrument {
            declared: self,
            rubric: (&rubric.name, rubric.version),
            levels: rubric.scale(&self.scale),
        };
        hash_of(&instrument).map_err(|error| Fault::new("judge", error.to_string(), "plain values"))
    }
}
