//! Label Studio exports: JSON with the annotations of each task, of one annotator or several, and JSON_MIN.

use crate::{
    Findings, Place, Turns,
    dialogue::asked,
    input::Input,
    messages::{Speaker, messages},
    row, table,
    value::{at, elements, fields, first, opened, scalar, text, time},
};
use domain::Fault;
use serde_json::{Map, Value, json};

/// Whether tasks stand in the file.
pub(crate) fn wrote(input: &Input) -> bool {
    input.first().is_some_and(|first| {
        let map = fields(first);
        (map.contains_key("data") && map.contains_key("annotations")) || map.contains_key("annotation_id")
    })
}

/// Reads tasks.
pub(crate) fn read(input: Input, findings: &mut Findings) -> Result<(), Fault> {
    for (place, task) in input.records() {
        findings.records += 1;
        let map = fields(&task);
        let id = text(map, &["id"]).unwrap_or_else(|| crate::value::id_of("task", &[at(&task, &["data"])]));
        let place = place.within(&format!("task {id}"));
        if map.contains_key("annotation_id") {
            minimal(&place, &id, map, findings);
        } else {
            one(&place, &id, map, findings);
        }
    }
    findings.must_hold("tasks whose `data` hold a question and an answer")
}

const TASK: [(&str, &str); 5] = [
    ("id", "id"),
    ("data", "question, answer, passages, messages; the rest metadata"),
    ("annotations", "labels"),
    ("predictions", "verdicts"),
    ("created_at", "at"),
];

const USUAL: [(&str, &[&str]); 5] = [
    ("id", &["conversation_id", "conversation"]),
    ("question", &["prompt", "query", "user_input", "input"]),
    ("answer", &["response", "output", "completion", "model_answer"]),
    ("passages", &["contexts", "documents", "retrieved_contexts"]),
    ("messages", &["dialogue", "dialog", "chat", "input_chat", "conversation_history"]),
];

fn one(place: &Place, task: &str, map: &Map<String, Value>, findings: &mut Findings) {
    findings.tally.record("task", map, &TASK);
    let data = map.get("data").map(fields).cloned().unwrap_or_default();
    let annotations = map.get("annotations").map(elements).unwrap_or_default();
    let chats: Vec<&Value> = annotations.iter().filter(|annotation| !chat(annotation).is_empty()).collect();
    if chats.is_empty() {
        let id = recorded(place, task, &data, map, findings);
        for annotation in annotations {
            labels(place, &id, fields(annotation), findings);
        }
        for prediction in map.get("predictions").map(elements).unwrap_or_default() {
            verdicts(place, &id, fields(prediction), findings);
        }
        return;
    }
    for annotation in chats {
        held_with_annotator(place, task, &data, annotation, findings);
    }
}

/// A task whose data hold the exchange. Gives the id of its conversation, whether or not it is one: labels may be about a conversation
/// that is there already.
fn recorded(
    place: &Place,
    task: &str,
    data: &Map<String, Value>,
    map: &Map<String, Value>,
    findings: &mut Findings,
) -> String {
    let mut data = data.clone();
    if let Some(turns) = ["messages", "dialogue", "dialog", "chat"]
        .iter()
        .find_map(|name| data.get(*name))
        .map(|turns| messages(turns, Speaker::User))
        && let Some(asked) = asked(&turns, Turns::Whole).pop()
        && !data.contains_key("question")
    {
        data.extend(asked.fields());
    }
    let id = text(&data, &["id", "conversation_id"]).unwrap_or_else(|| format!("label-studio-{task}"));
    match table::mapped(&data, &USUAL, findings) {
        Ok(mut conversation) => {
            conversation.insert("id".to_owned(), id.clone().into());
            if let Some(at) = map.get("created_at").and_then(time) {
                conversation.entry("at").or_insert_with(|| at.into());
            }
            findings.conversation(place.clone(), conversation);
        }
        Err(fault) => {
            findings.refuse(place.clone(), Fault { field: format!("data: {}", fault.field), ..fault })
        }
    }
    id
}

/// The messages of a chat that an annotator held.
fn chat(annotation: &Value) -> Vec<Value> {
    let results = elements(at(annotation, &["result"])).iter();
    results
        .map(|result| at(result, &["value", "chatmessage"]))
        .filter(|message| message.is_object())
        .cloned()
        .collect()
}

fn held_with_annotator(
    place: &Place,
    task: &str,
    data: &Map<String, Value>,
    annotation: &Value,
    findings: &mut Findings,
) {
    let map = fields(annotation);
    let annotation_id = text(map, &["id"]).unwrap_or_default();
    let turns = messages(&Value::Array(chat(annotation)), Speaker::User);
    let all = asked(&turns, findings.turns);
    let several = all.len() > 1;
    let base = format!("label-studio-{task}-{annotation_id}");
    let mut last = base.clone();
    findings.tally.read("annotations.result.chatmessage", "messages, question, answer");
    for (index, asked) in all.iter().enumerate() {
        last = if several { format!("{base}#{}", index + 1) } else { base.clone() };
        let mut conversation = asked.fields();
        let rest: Map<String, Value> = data
            .iter()
            .filter(|(_, value)| !value.is_array())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        conversation.extend(row([
            ("id", Some(last.clone().into())),
            ("cluster", several.then(|| base.clone().into())),
            ("at", map.get("created_at").and_then(time).map(Value::from)),
            ("metadata", (!rest.is_empty()).then_some(Value::Object(rest))),
        ]));
        findings.conversation(place.within(&format!("annotation {annotation_id}")), conversation);
    }
    labels(place, &last, map, findings);
}

const ANNOTATION: [(&str, &str); 7] = [
    ("id", "place in the file"),
    ("completed_by", "annotator"),
    ("result", "criterion, value"),
    ("created_at", "labelled_at"),
    ("lead_time", "seconds"),
    ("was_cancelled", "whether it is left out"),
    ("ground_truth", "whether it is left out"),
];

fn labels(place: &Place, conversation: &str, map: &Map<String, Value>, findings: &mut Findings) {
    findings.tally.record("annotation", map, &ANNOTATION);
    if at(map.get("was_cancelled").unwrap_or(&Value::Null), &[]) == &Value::Bool(true) {
        return findings.tally.left_out("annotation", "it was cancelled");
    }
    let annotator = map
        .get("completed_by")
        .and_then(table::person)
        .unwrap_or_else(|| "label-studio-annotator".to_owned());
    for result in elements(map.get("result").unwrap_or(&Value::Null)) {
        let Some((criterion, value)) = said(result, findings) else { continue };
        // What an export of ours says beside the value.
        let beside = |name: &str| at(result, &["meta", name]).clone();
        let label = row([
            ("annotator", Some(annotator.clone().into())),
            ("conversation", Some(conversation.into())),
            ("unit", Some(beside("unit")).filter(Value::is_string)),
            ("criterion", Some(criterion.clone().into())),
            ("value", Some(value)),
            ("pass", Some(beside("pass")).filter(Value::is_u64)),
            ("comment", Some(beside("comment")).filter(Value::is_string)),
            ("flag", Some(beside("flag")).filter(Value::is_boolean)),
            ("labelled_at", map.get("created_at").and_then(time).map(Value::from)),
            ("seconds", map.get("lead_time").filter(|seconds| seconds.is_number()).cloned()),
        ]);
        findings.label(place.within(&criterion), label);
    }
}

fn verdicts(place: &Place, conversation: &str, map: &Map<String, Value>, findings: &mut Findings) {
    for result in elements(map.get("result").unwrap_or(&Value::Null)) {
        let Some((criterion, value)) = said(result, findings) else { continue };
        let verdict = row([
            ("judge", Some("label-studio-prediction".into())),
            ("judge_version", text(map, &["model_version"]).map(Value::from)),
            ("conversation", Some(conversation.into())),
            ("criterion", Some(criterion.clone().into())),
            ("value", Some(value)),
            ("judged_at", map.get("created_at").and_then(time).map(Value::from)),
        ]);
        findings.verdict(place.within(&criterion), verdict);
    }
}

/// What a result says of its criterion, where that is one value.
fn said(result: &Value, findings: &mut Findings) -> Option<(String, Value)> {
    let map = fields(result);
    let kind = text(map, &["type"]).unwrap_or_default();
    let value = at(result, &["value"]);
    let one = match kind.as_str() {
        "choices" => match elements(at(value, &["choices"])) {
            [choice] => Some(choice.clone()),
            _ => {
                findings
                    .tally
                    .left_out("result of type choices", "several choices at once are no value of a scale");
                return None;
            }
        },
        "rating" => first(fields(value), &["rating"]).cloned(),
        "number" => first(fields(value), &["number"]).cloned(),
        "chatmessage" => return None,
        _ => None,
    };
    let criterion = text(map, &["from_name"]);
    match (criterion, one) {
        (Some(criterion), Some(value)) => {
            findings.tally.read(&format!("result of type {kind}"), "criterion (`from_name`), value");
            Some((criterion, value))
        }
        _ => {
            findings.tally.left_out(&format!("result of type {kind}"), "it is no value of a scale");
            None
        }
    }
}

/// A row of JSON_MIN: data, and what one annotator said, side by side.
fn minimal(place: &Place, task: &str, map: &Map<String, Value>, findings: &mut Findings) {
    const AROUND: [&str; 7] =
        ["id", "annotation_id", "annotator", "created_at", "updated_at", "lead_time", "agreement"];
    let mut data: Map<String, Value> = map
        .iter()
        .filter(|(name, _)| !AROUND.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), opened(value)))
        .collect();
    let known: Vec<&str> =
        USUAL.iter().flat_map(|(ours, theirs)| theirs.iter().copied().chain([*ours])).collect();
    let said = |name: &str, value: &Value| {
        let is_choice =
            scalar(value).is_some_and(|text| text.chars().count() <= 60) || value.get("rating").is_some();
        is_choice && !known.contains(&name) && !findings.columns.values().any(|column| column == name)
    };
    let criteria: Vec<String> =
        data.iter().filter(|(name, value)| said(name, value)).map(|(name, _)| name.clone()).collect();
    let answers: Vec<(String, Value)> =
        criteria.into_iter().filter_map(|name| data.remove_entry(&name)).collect();
    let id = recorded(place, task, &data, map, findings);
    let annotator =
        map.get("annotator").and_then(table::person).unwrap_or_else(|| "label-studio-annotator".to_owned());
    for (criterion, value) in answers {
        let value = value.get("rating").cloned().unwrap_or(value);
        findings.tally.read(&criterion, "label");
        let label =
            json!({ "annotator": annotator, "conversation": id, "criterion": criterion, "value": value });
        findings.label(place.within(&criterion), fields(&label).clone());
    }
}
