//! promptfoo results: `{results: {results: […]}}`, `{results: […]}` or one result a line. What model-graded assertions said are verdicts.

use crate::{
    Findings, Place, Turns,
    dialogue::asked,
    input::Input,
    messages::{Speaker, messages},
    row, table,
    value::{at, elements, fields, first, opened, scalar, shown, text, time},
};
use domain::Fault;
use serde_json::{Map, Value, json};

/// Whether results stand in the file.
pub(crate) fn wrote(input: &Input) -> bool {
    input.first().is_some_and(|first| results(first).first().is_some_and(is_result))
}

fn is_result(value: &Value) -> bool {
    value.get("vars").is_some()
        && (value.get("gradingResult").is_some()
            || value.get("testCase").is_some()
            || value.get("promptIdx").is_some())
}

fn results(record: &Value) -> &[Value] {
    let nested = at(record, &["results", "results"]);
    if nested.is_array() {
        return elements(nested);
    }
    record.get("results").filter(|results| results.is_array()).map_or(std::slice::from_ref(record), elements)
}

/// Reads results.
pub(crate) fn read(input: Input, findings: &mut Findings) -> Result<(), Fault> {
    for (place, record) in input.records() {
        let evaluation = text(fields(&record), &["evalId"]);
        let began = first(fields(at(&record, &["results"])), &["timestamp"]).and_then(time);
        for (index, result) in results(&record).iter().enumerate() {
            one(
                &place.within(&format!("results[{index}]")),
                evaluation.as_deref(),
                began.as_deref(),
                result,
                findings,
            );
        }
    }
    findings.must_hold("results with `vars` or `prompt`, and `response`")
}

const RESULT: [(&str, &str); 12] = [
    ("id", "request_id"),
    ("vars", "question, context, metadata"),
    ("prompt", "messages, question where no variable is one"),
    ("response", "answer"),
    ("provider", "system"),
    ("testCase", "case"),
    ("testIdx", "id, case"),
    ("promptIdx", "id"),
    ("error", "no answer"),
    ("gradingResult", "verdicts of model-graded assertions"),
    ("description", "case"),
    ("latencyMs", "metadata"),
];

const USUAL: [(&str, &[&str]); 4] = [
    ("question", &["query", "user_input", "input", "user_question", "message"]),
    ("context", &["documents"]),
    ("expected", &["expected_answer", "reference", "ground_truth", "golden"]),
    ("passages", &["contexts", "retrieved_contexts"]),
];

fn one(
    place: &Place,
    evaluation: Option<&str>,
    began: Option<&str>,
    result: &Value,
    findings: &mut Findings,
) {
    findings.records += 1;
    let map = fields(result);
    findings.tally.record("result", map, &RESULT);
    let output = at(result, &["response", "output"]);
    let index = |name: &str| map.get(name).and_then(Value::as_u64).unwrap_or_default();
    let id = format!("{}/{}/{}", evaluation.unwrap_or("promptfoo"), index("testIdx"), index("promptIdx"));
    let id = match at(result, &["provider", "id"]) {
        Value::String(provider) => format!("{id}/{provider}"),
        _ => id,
    };
    let Some(mut conversation) = dialogue(map, output, findings) else {
        let error = text(map, &["error"]).unwrap_or_else(|| "no question".to_owned());
        let expected = "a variable `question` or a prompt, and `response.output`, to be a conversation";
        return findings.refuse(place.clone(), Fault::new("", error, expected));
    };
    let case =
        text(fields(at(result, &["testCase"])), &["description"]).or_else(|| text(map, &["description"]));
    let provider = at(result, &["provider"]);
    let system = scalar(provider).or_else(|| text(fields(provider), &["label", "id"]));
    conversation.extend(row([
        ("id", Some(id.clone().into())),
        ("request_id", text(map, &["id"]).map(Value::from)),
        ("case", Some(case.unwrap_or_else(|| format!("test {}", index("testIdx"))).into())),
        ("at", began.map(Value::from)),
        ("system", system.map(Value::from)),
    ]));
    findings.conversation(place.clone(), conversation);
    for component in elements(at(result, &["gradingResult", "componentResults"])) {
        verdict(place, &id, component, findings);
    }
}

/// The question of a variable, or else the prompt as it was sent.
fn dialogue(map: &Map<String, Value>, output: &Value, findings: &mut Findings) -> Option<Map<String, Value>> {
    if output.is_null() || *output == "" {
        return None;
    }
    let mut variables = map.get("vars").map(fields).cloned().unwrap_or_default();
    variables.insert("answer".to_owned(), shown(output).into());
    if let Ok(conversation) = table::mapped(&variables, &USUAL, findings) {
        return Some(conversation);
    }
    let prompt = map.get("prompt")?;
    let prompt = prompt.get("raw").unwrap_or(prompt);
    let answer = json!([{ "role": "assistant", "content": shown(output) }]);
    let turns = [messages(&opened(prompt), Speaker::User), messages(&answer, Speaker::Assistant)].concat();
    asked(&turns, Turns::Whole).pop().filter(|asked| asked.is_answered()).map(|asked| asked.fields())
}

/// Beginnings of the types of assertions that a model grades.
const GRADED_BY_MODEL: [&str; 12] = [
    "llm-rubric",
    "model-graded",
    "factuality",
    "g-eval",
    "answer-relevance",
    "context-",
    "select-best",
    "search-rubric",
    "agent-rubric",
    "conversation-relevance",
    "trajectory:goal",
    "pi",
];

fn verdict(place: &Place, conversation: &str, component: &Value, findings: &mut Findings) {
    let assertion = fields(at(component, &["assertion"]));
    let kind = text(assertion, &["type"]).unwrap_or_default();
    let plain = kind.strip_prefix("not-").unwrap_or(&kind);
    if !GRADED_BY_MODEL.iter().any(|graded| plain.starts_with(graded)) {
        return findings.tally.left_out(&format!("assertion {kind}"), "no model graded it");
    }
    findings
        .tally
        .read(&format!("assertion {kind}"), "verdict: its metric is the criterion, its score the value");
    let criterion = text(assertion, &["metric"]).unwrap_or_else(|| kind.clone());
    let score = component.get("score").filter(|score| score.is_number()).cloned();
    let error = score.is_none().then(|| "missing: the assertion has no score".into());
    let fields = row([
        ("judge", Some(format!("promptfoo {kind}").into())),
        ("conversation", Some(conversation.into())),
        ("criterion", Some(criterion.clone().into())),
        ("value", score),
        ("error", error),
        ("reason", text(fields(component), &["reason"]).map(Value::from)),
        ("model", text(assertion, &["provider"]).map(Value::from)),
    ]);
    findings.verdict(place.within(&format!("assertion {criterion}")), fields);
}
