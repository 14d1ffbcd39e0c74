//! Ragas: data sets and results as tables or JSON (`user_input`, `retrieved_contexts`, `response`, `reference`), with a column for each
//! metric; and annotated metrics, where a person accepted or edited what the judge said.

use crate::{
    Findings, Place,
    dialogue::asked,
    input::Input,
    messages::{Speaker, messages},
    row, table,
    value::{at, elements, fields, first, id_of, opened, scalar, shown, text},
};
use domain::Fault;
use serde_json::{Map, Value, json};

const QUESTION: [&str; 2] = ["user_input", "question"];
const ANSWER: [&str; 2] = ["response", "answer"];
const PASSAGES: [&str; 2] = ["retrieved_contexts", "contexts"];
const REFERENCE: [&str; 3] = ["reference", "ground_truth", "ground_truths"];

/// Whether Ragas wrote the file.
pub(crate) fn wrote(input: &Input) -> bool {
    match input {
        Input::Table(table) => is_row(&|name| table.header.iter().any(|column| column == name)),
        other => other.first().is_some_and(|first| {
            let map = fields(first);
            is_row(&|name| map.contains_key(name))
                || map.values().any(|list| list.get(0).is_some_and(is_annotated))
        }),
    }
}

fn is_row(has: &dyn Fn(&str) -> bool) -> bool {
    has("user_input") || (has("question") && has("contexts") && has("answer"))
}

fn is_annotated(value: &Value) -> bool {
    value.get("metric_input").is_some() && value.get("metric_output").is_some()
}

/// Reads rows, or annotated metrics.
pub(crate) fn read(input: Input, findings: &mut Findings) -> Result<(), Fault> {
    for (place, record) in input.records() {
        let map = fields(&record);
        let metrics: Vec<(&String, &[Value])> = map
            .iter()
            .map(|(name, list)| (name, elements(list)))
            .filter(|(_, list)| list.first().is_some_and(is_annotated))
            .collect();
        if metrics.is_empty() {
            findings.records += 1;
            one(&place, map, findings);
            continue;
        }
        for (metric, annotated) in metrics {
            for (index, item) in annotated.iter().enumerate() {
                findings.records += 1;
                annotation(&Place::record(index + 1).within(metric), metric, item, findings);
            }
        }
    }
    findings.must_hold("rows with `user_input` and `response`")
}

/// One row: its conversation, and a verdict for each column of a metric.
fn one(place: &Place, map: &Map<String, Value>, findings: &mut Findings) {
    let Some((id, conversation)) = conversation(place, map, findings) else { return };
    findings.conversation(place.clone(), conversation);
    let known = [&QUESTION[..], &ANSWER, &PASSAGES, &REFERENCE].concat();
    for (metric, value) in map.iter().filter(|(name, _)| !known.contains(&name.as_str())) {
        if !table::is_number(value) {
            findings.tally.left_out(metric, "no number, so no metric");
            continue;
        }
        findings.tally.read(metric, "verdict of the judge `ragas`");
        let verdict = row([
            ("judge", Some("ragas".into())),
            ("conversation", Some(id.clone().into())),
            ("criterion", Some(metric.clone().into())),
            ("value", Some(value.clone())),
        ]);
        findings.verdict(place.within(metric), verdict);
    }
}

/// The conversation of a row, or a refusal that says what it lacks.
fn conversation(
    place: &Place,
    map: &Map<String, Value>,
    findings: &mut Findings,
) -> Option<(String, Map<String, Value>)> {
    let question = first(map, &QUESTION);
    let answer = first(map, &ANSWER).map(shown);
    let dialogue = question.map(|question| messages(question, Speaker::User)).unwrap_or_default();
    let dialogue = match &answer {
        Some(answer) => {
            [dialogue, messages(&json!([{ "role": "assistant", "content": answer }]), Speaker::Assistant)]
                .concat()
        }
        None => dialogue,
    };
    let Some(asked) = asked(&dialogue, crate::Turns::Whole).pop().filter(|asked| asked.is_answered()) else {
        let found = format!("the columns {}", map.keys().cloned().collect::<Vec<_>>().join(", "));
        let lacking =
            if question.is_none() { "`user_input`, the question" } else { "`response`, what was answered" };
        findings.refuse(place.clone(), Fault::new("", found, format!("{lacking}, to be a conversation")));
        return None;
    };
    for (names, what) in [
        (&QUESTION[..], "messages, question"),
        (&ANSWER, "answer"),
        (&PASSAGES, "passages"),
        (&REFERENCE, "expected.answer"),
    ] {
        if let Some(name) = names.iter().find(|name| first(map, &[name]).is_some()) {
            findings.tally.read(name, what);
        }
    }
    let passages = first(map, &PASSAGES).map(opened);
    let reference =
        first(map, &REFERENCE).and_then(|value| scalar(value).or_else(|| value.get(0).and_then(scalar)));
    let null = Value::Null;
    let parts = [
        question.unwrap_or(&null),
        &answer.clone().map_or(Value::Null, Value::from),
        passages.as_ref().unwrap_or(&null),
    ];
    let id = id_of("ragas", &parts);
    let mut conversation = asked.fields();
    conversation.extend(row([
        ("id", Some(id.clone().into())),
        ("passages", passages.map(|passages| table::passages(&passages))),
        ("expected", reference.map(|answer| json!({ "answer": answer }))),
    ]));
    Some((id, conversation))
}

/// One annotated output of a metric: a conversation, the judge's verdict, and what the person made of it.
fn annotation(place: &Place, metric: &str, item: &Value, findings: &mut Findings) {
    let input = fields(at(item, &["metric_input"]));
    let Some((id, conversation)) = conversation(place, input, findings) else { return };
    let held = |names: &[&str]| {
        QUESTION.iter().chain(&ANSWER).chain(&PASSAGES).chain(&REFERENCE).any(|known| names.contains(known))
    };
    for name in input.keys().filter(|name| !held(&[name.as_str()])) {
        findings.tally.left_out(&format!("metric_input.{name}"), "a conversation has no place for it");
    }
    findings.conversation(place.clone(), conversation);
    let prompts: Vec<&Value> = fields(at(item, &["prompts"])).values().collect();
    let reason = prompts.iter().find_map(|prompt| text(fields(at(prompt, &["prompt_output"])), &["reason"]));
    let value = at(item, &["metric_output"]).clone();
    findings.tally.read("metric_output", "value of a verdict of the judge `ragas`");
    findings.tally.read("prompts.*.prompt_output.reason", "reason of the verdict");
    let about = [("conversation", Some(id.into())), ("criterion", Some(metric.into()))];
    let mut verdict = row(about.clone());
    let error = value.is_null().then(|| "missing: the metric gave no output".into());
    verdict.extend(row([
        ("judge", Some("ragas".into())),
        ("value", Some(value.clone())),
        ("error", error),
        ("reason", reason.map(Value::from)),
    ]));
    findings.verdict(place.clone(), verdict);
    let edited = prompts.iter().map(|prompt| at(prompt, &["edited_output"])).find(|edited| !edited.is_null());
    let own = edited.map(|edited| at(edited, &["verdict"])).filter(|verdict| !verdict.is_null());
    let said = match (own, at(item, &["is_accepted"]).as_bool()) {
        (Some(own), _) => own.clone(),
        (None, Some(true)) => value,
        _ => {
            return findings
                .tally
                .left_out("is_accepted", "the person refused the verdict and gave none of their own");
        }
    };
    findings.tally.read(
        "is_accepted",
        "label: the judge's value where it was accepted, the person's where it was edited",
    );
    let comment = edited.and_then(|edited| text(fields(edited), &["reason"]));
    let mut label = row(about);
    label.extend(row([
        ("annotator", Some("ragas-annotator".into())),
        ("value", Some(said)),
        ("comment", comment.map(Value::from)),
    ]));
    findings.label(place.clone(), label);
}
