//! A CSV whose columns are mapped to fields of a conversation. The mapping serves the data of other tools' tasks as well.

use crate::{
    Findings, Place,
    input::{Input, Table},
    python, row,
    value::{elements, fields, first, id_of, opened, scalar, shown, text, time},
};
use domain::Fault;
use serde_json::{Map, Value, json};

/// Whether a header or an object has fields of one of our own files.
pub(crate) fn is_ours(has: &dyn Fn(&str) -> bool) -> bool {
    let conversation = has("id") && (has("question") || has("messages")) && !has("annotations");
    conversation || (has("conversation") && (has("criterion") || has("value")))
}

/// Fields that a column may be mapped to.
pub const MAPPED_FIELDS: [&str; 16] = [
    "id",
    "cluster",
    "case",
    "at",
    "request_id",
    "category",
    "corpus",
    "system",
    "language",
    "messages",
    "question",
    "refined_query",
    "passages",
    "context",
    "answer",
    "expected",
];

/// Reads a table by the mapping of its columns; what is not mapped is kept as metadata.
pub(crate) fn read(input: Input, findings: &mut Findings) -> Result<(), Fault> {
    let Input::Table(Table { header, rows }) = input else {
        return Err(Fault::new("", "a file that is no CSV", "a CSV with a header row, named *.csv"));
    };
    for (field, column) in &findings.columns {
        if !MAPPED_FIELDS.contains(&field.as_str()) {
            return Err(Fault::new("--column", field, format!("one of {}", MAPPED_FIELDS.join(", "))));
        }
        if !header.contains(column) {
            return Err(Fault::new(
                "--column",
                column,
                format!("a column of the file: one of {}", header.join(", ")),
            ));
        }
    }
    for (line, cells) in rows {
        findings.records += 1;
        let place = Place::line(line);
        match mapped(&cells, &[], findings) {
            Ok(mut conversation) => {
                conversation
                    .entry("id")
                    .or_insert_with(|| id_of("row", &[&Value::Object(cells.clone())]).into());
                findings.conversation(place, conversation);
            }
            Err(fault) => findings.refuse(place, fault),
        }
    }
    findings.must_hold("a row with a question")
}

/// A record's fields as those of a conversation: by the mapping, or else by the names that are usual (`usual`: ours, theirs). All
/// others are metadata.
pub(crate) fn mapped(
    record: &Map<String, Value>,
    usual: &[(&str, &[&str])],
    findings: &mut Findings,
) -> Result<Map<String, Value>, Fault> {
    let mut conversation = Map::new();
    let mut taken = Vec::new();
    for field in MAPPED_FIELDS {
        let theirs =
            usual.iter().find(|(ours, _)| *ours == field).map_or(&[] as &[&str], |(_, theirs)| theirs);
        let mapping = findings.columns.get(field).map(String::as_str);
        let names: Vec<&str> = mapping.map_or_else(|| [&[field], theirs].concat(), |column| vec![column]);
        let Some((name, value)) =
            names.iter().find_map(|name| first(record, &[name]).map(|value| (*name, value)))
        else {
            continue;
        };
        if elements(value).is_empty() && value.is_array() {
            continue;
        }
        findings.tally.read(name, field);
        taken.push(name.to_owned());
        conversation.insert(field.to_owned(), field_of(field, value)?);
    }
    let rest =
        record.iter().filter(|(name, value)| !taken.contains(name) && !value.is_null() && !name.is_empty());
    let metadata: Map<String, Value> = rest.map(|(name, value)| (name.clone(), value.clone())).collect();
    metadata.keys().for_each(|name| findings.tally.read(name, "metadata"));
    let lacks_question = !conversation.contains_key("question") && !conversation.contains_key("messages");
    if lacks_question || !conversation.contains_key("answer") {
        let lacking = if lacks_question { "question" } else { "answer" };
        let found = format!("the fields {}", record.keys().cloned().collect::<Vec<_>>().join(", "));
        let expected = format!(
            "the {lacking}, without which there is no conversation: say with --column {lacking}=FIELD where it stands"
        );
        return Err(Fault::new(lacking, found, expected));
    }
    conversation.extend(row([("metadata", (!metadata.is_empty()).then_some(Value::Object(metadata)))]));
    Ok(conversation)
}

fn field_of(field: &str, value: &Value) -> Result<Value, Fault> {
    let opened = opened(value);
    Ok(match field {
        "answer" if opened.get("text").is_some() => opened,
        "answer" => json!({ "text": shown(value) }),
        "expected" if opened.is_object() => opened,
        "expected" => json!({ "answer": shown(value) }),
        "passages" => passages(&opened),
        "messages" => opened,
        "at" => time(value)
            .ok_or_else(|| Fault::new("at", shown(value), "a time like 2026-11-30T08:15:00Z"))?
            .into(),
        _ => shown(value).into(),
    })
}

/// Passages from a list of texts or documents, from Python's way of writing a list of texts, or from one text.
pub(crate) fn passages(value: &Value) -> Value {
    let numbered = |texts: Vec<String>| -> Value {
        texts
            .into_iter()
            .enumerate()
            .map(|(index, text)| json!({ "id": format!("p{}", index + 1), "text": text }))
            .collect()
    };
    match value {
        Value::Array(items) => {
            let one = |(index, item): (usize, &Value)| {
                let id = format!("p{}", index + 1);
                if let Some(text) = scalar(item) {
                    return json!({ "id": id, "text": text });
                }
                let mut passage = crate::otel::passage(item);
                if let Value::Object(map) = &mut passage {
                    map.entry("id").or_insert_with(|| id.into());
                }
                passage
            };
            items.iter().enumerate().map(one).collect()
        }
        Value::String(text) => match python::literal(text).as_ref().and_then(Value::as_array) {
            Some(texts) => numbered(texts.iter().filter_map(scalar).collect()),
            None => numbered(vec![text.clone()]),
        },
        _ => Value::Array(Vec::new()),
    }
}

/// Whether a value is a number, or a text that is one.
pub(crate) fn is_number(value: &Value) -> bool {
    match value {
        Value::Number(_) | Value::Bool(_) => true,
        Value::String(text) => text.trim().parse::<f64>().is_ok_and(f64::is_finite),
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

/// A person's name from an account that a tool writes as an id, or as an object with id and address.
pub(crate) fn person(value: &Value) -> Option<String> {
    scalar(value).or_else(|| text(fields(value), &["email", "username", "name", "id"]))
}
