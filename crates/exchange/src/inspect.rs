//! Inspect logs as JSON: `{eval, samples}`; each sample is a conversation, each of its scores a verdict.

use crate::{
    Findings, Place,
    dialogue::{Asked, asked},
    input::Input,
    messages::{Speaker, Turn, messages},
    row,
    value::{at, elements, fields, first, scalar, shown, text, time},
};
use domain::Fault;
use serde_json::{Map, Value, json};

/// Whether a log stands in the file.
pub(crate) fn wrote(input: &Input) -> bool {
    input.first().is_some_and(|first| first.get("eval").is_some_and(|eval| eval.get("task").is_some()))
}

/// Reads logs.
pub(crate) fn read(input: Input, findings: &mut Findings) -> Result<(), Fault> {
    for (place, log) in input.records() {
        findings.tally.record("", fields(&log), &LOG);
        let eval = fields(at(&log, &["eval"]));
        let samples = elements(at(&log, &["samples"]));
        if samples.is_empty() {
            let status = text(fields(&log), &["status"]).unwrap_or_default();
            return Err(Fault::new(
                "samples",
                format!("no sample (status {status})"),
                "a log with its samples: write it with `inspect log dump`",
            ));
        }
        for (index, sample) in samples.iter().enumerate() {
            one(&place.within(&format!("samples[{index}]")), eval, fields(sample), findings);
        }
    }
    findings.must_hold("samples with `input` and `output`")
}

const LOG: [(&str, &str); 4] = [
    ("eval", "system, metadata"),
    ("samples", "conversations"),
    ("version", "version of the format"),
    ("status", "whether the run ended"),
];

const SAMPLE: [(&str, &str); 11] = [
    ("id", "case"),
    ("epoch", "trial"),
    ("uuid", "id"),
    ("input", "messages, question"),
    ("target", "expected.answer"),
    ("messages", "messages, question, answer, tool calls"),
    ("output", "answer, metadata.model"),
    ("scores", "verdicts"),
    ("score", "verdicts"),
    ("metadata", "metadata"),
    ("started_at", "at"),
];

fn one(place: &Place, eval: &Map<String, Value>, sample: &Map<String, Value>, findings: &mut Findings) {
    findings.records += 1;
    findings.tally.record("sample", sample, &SAMPLE);
    let Some(asked) = dialogue(sample, findings) else {
        let error = sample.get("error").and_then(|error| text(fields(error), &["message"]));
        let found =
            error.map_or_else(|| "a sample without output".to_owned(), |error| format!("the error {error}"));
        return findings
            .refuse(place.clone(), Fault::new("", found, "`input` and `output`, to be a conversation"));
    };
    let case = text(sample, &["id"]);
    let epoch = sample.get("epoch").and_then(Value::as_i64);
    let run = text(eval, &["run_id", "eval_id", "task"]).unwrap_or_default();
    let own = format!("{run}/{}/{}", case.as_deref().unwrap_or_default(), epoch.unwrap_or(1));
    let id = text(sample, &["uuid"]).unwrap_or(own);
    let target =
        sample.get("target").and_then(|target| scalar(target).or_else(|| target.get(0).and_then(scalar)));
    let mut metadata = sample.get("metadata").map(fields).cloned().unwrap_or_default();
    let task = text(eval, &["task"]);
    metadata
        .extend(row([("task", task.map(Value::from)), ("run_id", text(eval, &["run_id"]).map(Value::from))]));
    let mut conversation = asked.fields();
    conversation.extend(row([
        ("id", Some(id.clone().into())),
        ("case", case.map(Value::from)),
        ("trial", epoch.map(Value::from)),
        (
            "at",
            first(sample, &["started_at"]).or_else(|| eval.get("created")).and_then(time).map(Value::from),
        ),
        ("system", text(eval, &["model"]).map(Value::from)),
        ("expected", target.map(|answer| json!({ "answer": answer }))),
        ("metadata", Some(Value::Object(metadata))),
    ]));
    findings.conversation(place.clone(), conversation);
    for (scorer, score) in
        sample.get("scores").or_else(|| sample.get("score")).map(fields).into_iter().flatten()
    {
        verdicts(place, &id, scorer, fields(score), eval, findings);
    }
}

/// The messages of a sample, or else its input and the completion.
fn dialogue(sample: &Map<String, Value>, findings: &mut Findings) -> Option<Asked> {
    let mut turns = messages(sample.get("messages").unwrap_or(&Value::Null), Speaker::User);
    if !turns.iter().any(|turn| turn.speaker == Speaker::Assistant) {
        turns = messages(sample.get("input").unwrap_or(&Value::Null), Speaker::User);
        let completion = at(sample.get("output").unwrap_or(&Value::Null), &["completion"]);
        turns.extend(scalar(completion).map(|text| Turn::of_text(Speaker::Assistant, text)));
    }
    for turn in &turns {
        turn.left_out.iter().for_each(|what| findings.tally.left_out("messages", what));
    }
    // A sample is asked and scored once, however many turns it has.
    asked(&turns, crate::Turns::Whole).pop().filter(Asked::is_answered)
}

/// A score as a verdict; a score of several values as one for each, under `scorer.value`.
fn verdicts(
    place: &Place,
    id: &str,
    scorer: &str,
    score: &Map<String, Value>,
    eval: &Map<String, Value>,
    findings: &mut Findings,
) {
    const SCORE: [(&str, &str); 3] = [("value", "value"), ("explanation", "reason"), ("answer", "raw")];
    findings.tally.record("score", score, &SCORE);
    let declared = elements(eval.get("scorers").unwrap_or(&Value::Null))
        .iter()
        .find(|known| at(known, &["name"]) == scorer);
    let model = declared.and_then(|known| text(fields(at(known, &["options"])), &["model"]));
    let value = score.get("value").unwrap_or(&Value::Null);
    let values: Vec<(String, &Value)> = match value {
        Value::Object(several) => {
            several.iter().map(|(name, value)| (format!("{scorer}.{name}"), value)).collect()
        }
        one => vec![(scorer.to_owned(), one)],
    };
    for (criterion, value) in values {
        let (value, error) = graded(value);
        let place = place.within(&format!("score {criterion}"));
        let verdict = row([
            ("judge", Some(scorer.into())),
            ("conversation", Some(id.into())),
            ("criterion", Some(criterion.into())),
            ("value", value),
            ("error", error.map(Value::from)),
            ("reason", text(score, &["explanation"]).map(Value::from)),
            ("raw", text(score, &["answer"]).map(Value::from)),
            ("model", model.clone().map(Value::from)),
        ]);
        findings.verdict(place, verdict);
    }
}

/// Inspect's letters as its own numbers: C correct 1, P partial 0.5, I incorrect 0; N, no answer, is none.
fn graded(value: &Value) -> (Option<Value>, Option<String>) {
    match value {
        Value::String(letter) if letter == "C" => (Some(1.into()), None),
        Value::String(letter) if letter == "P" => (Some(0.5.into()), None),
        Value::String(letter) if letter == "I" => (Some(0.into()), None),
        Value::String(letter) if letter == "N" => (None, Some("no answer (N)".to_owned())),
        Value::Null => (None, Some("missing: the score has no value".to_owned())),
        Value::Array(_) | Value::Object(_) => (None, Some(format!("parsing: the score is {}", shown(value)))),
        other => (Some(other.clone()), None),
    }
}
