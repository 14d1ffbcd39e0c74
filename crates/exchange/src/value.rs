//! Reading JSON of which little is promised.

use crate::python;
use serde_json::{Map, Value};
use std::sync::LazyLock;

/// Empty fields, for what is no object.
static EMPTY: LazyLock<Map<String, Value>> = LazyLock::new(Map::new);

/// The fields of an object; none for anything else.
pub(crate) fn fields(value: &Value) -> &Map<String, Value> {
    value.as_object().unwrap_or_else(|| &EMPTY)
}

/// The elements of an array; none for anything else.
pub(crate) fn elements(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The first of these fields that holds something.
pub(crate) fn first<'a>(fields: &'a Map<String, Value>, names: &[&str]) -> Option<&'a Value> {
    names.iter().filter_map(|name| fields.get(*name)).find(|value| !value.is_null() && *value != "")
}

/// The first of these fields that is a text or a number, as text.
pub(crate) fn text(fields: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().filter_map(|name| fields.get(*name)).find_map(scalar)
}

/// A text, a number or a truth value as text; nothing for what is empty.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if text.trim().is_empty() => None,
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(truth.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The value at a path of names.
pub(crate) fn at<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
    path.iter().fold(value, |value, name| value.get(name).unwrap_or(&Value::Null))
}

/// The JSON that a text holds, where it holds an object or an array; else the value itself. Some tools write JSON into a JSON string,
/// and that once more; some write it as Python prints it.
pub(crate) fn opened(value: &Value) -> Value {
    const LAYERS: usize = 3;
    let mut value = value.clone();
    for _ in 0..LAYERS {
        let Value::String(text) = &value else { break };
        if !text.trim_start().starts_with(['{', '[', '"']) {
            break;
        }
        let Some(inner) = serde_json::from_str(text).ok().or_else(|| python::literal(text)) else { break };
        value = inner;
    }
    value
}

/// A value as people read it: a text as it is, anything else as JSON.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// An id of what a record holds: the same content, the same id.
pub(crate) fn id_of(kind: &str, parts: &[&Value]) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.to_string().as_bytes());
        hash.update([0]);
    }
    let digest = hash.finalize();
    let hex: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("{kind}-{hex}")
}

/// A time in RFC 3339: from a text with or without an offset (UTC then), from `[seconds, nanoseconds]`, or from a count since 1970 whose
/// unit its size tells.
pub(crate) fn time(value: &Value) -> Option<String> {
    use time::{OffsetDateTime, PrimitiveDateTime, format_description::well_known::Rfc3339};
    let of_nanoseconds = |nanoseconds: i128| {
        OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).ok()?.format(&Rfc3339).ok()
    };
    match value {
        Value::String(text) if text.chars().all(|digit| digit.is_ascii_digit()) => {
            of_nanoseconds(nanoseconds(text.parse().ok()?))
        }
        Value::String(text) => {
            let text = text.trim().replacen(' ', "T", 1);
            let with_offset = OffsetDateTime::parse(&text, &Rfc3339);
            let time = with_offset.ok().or_else(|| {
                Some(PrimitiveDateTime::parse(&format!("{text}Z"), &Rfc3339).ok()?.assume_utc())
            })?;
            time.format(&Rfc3339).ok()
        }
        Value::Array(parts) => {
            let seconds = i128::from(parts.first()?.as_i64()?);
            of_nanoseconds(seconds.checked_mul(1_000_000_000)? + i128::from(parts.get(1)?.as_i64()?))
        }
        Value::Number(number) => of_nanoseconds(nanoseconds(number.as_i64()?.into())),
        Value::Null | Value::Bool(_) | Value::Object(_) => None,
    }
}

/// A count since 1970 in nanoseconds: below 10^11 it is of seconds, below 10^14 of milliseconds, below 10^17 of microseconds.
fn nanoseconds(count: i128) -> i128 {
    if count < 100_000_000_000 {
        count * 1_000_000_000
    } else if count < 100_000_000_000_000 {
        count * 1_000_000
    } else if count < 100_000_000_000_000_000 {
        count * 1_000
    } else {
        count
    }
}
