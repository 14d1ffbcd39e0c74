//! Langfuse: `{trace, observations}` as its interface exports them, traces with their observations inside as its API gives them, one or
//! many; scores of evaluators are verdicts, those of people labels.

use crate::{
    Findings, Place,
    input::Input,
    messages::{Speaker, messages},
    otel::Attributes,
    row,
    trace::{Kind, Span, Trace},
    value::{elements, fields, first, opened, text, time},
};
use domain::Fault;
use serde_json::{Map, Value};

/// Whether traces stand in the file.
pub(crate) fn wrote(input: &Input) -> bool {
    input.first().is_some_and(|first| {
        let map = fields(first);
        let list = map.get("data").and_then(|data| data.get(0)).map(fields);
        (map.contains_key("trace") && map.contains_key("observations"))
            || is_trace(map)
            || list.is_some_and(is_trace)
    })
}

fn is_trace(map: &Map<String, Value>) -> bool {
    map.contains_key("timestamp")
        && map.contains_key("projectId")
        && map.contains_key("input")
        && map.contains_key("output")
}

/// Reads traces.
pub(crate) fn read(input: Input, findings: &mut Findings) -> Result<(), Fault> {
    for (place, record) in input.records() {
        let listed = record.get("data").filter(|data| data.is_array());
        let records = listed.map_or(std::slice::from_ref(&record), elements);
        for record in records {
            let map = record.get("trace").map_or_else(|| fields(record), fields);
            let observations = record.get("observations").or_else(|| map.get("observations"));
            one(&place, map, observations.map(elements).unwrap_or_default(), findings)?;
        }
    }
    findings.must_hold("a trace with `input` and `output`, or observations of type GENERATION with theirs")
}

const TRACE: [(&str, &str); 14] = [
    ("id", "id, request_id"),
    ("name", "system"),
    ("version", "system"),
    ("release", "metadata"),
    ("timestamp", "at"),
    ("sessionId", "cluster"),
    ("userId", "metadata"),
    ("tags", "metadata"),
    ("environment", "metadata"),
    ("input", "messages, question"),
    ("output", "answer"),
    ("observations", "steps"),
    ("scores", "verdicts, labels"),
    ("metadata", "metadata, but for the attributes of the trace"),
];

const OBSERVATION: [(&str, &str); 12] = [
    ("id", "order of steps"),
    ("parentObservationId", "order of steps"),
    ("traceId", "request_id"),
    ("type", "kind of the step"),
    ("name", "name of a tool"),
    ("startTime", "order of steps"),
    ("input", "messages, question; tool arguments; refined_query"),
    ("output", "answer; tool result; passages"),
    ("level", "error of a tool"),
    ("statusMessage", "error of a tool"),
    ("model", "metadata.model"),
    ("metadata", "messages and tools among its attributes"),
];

fn one(
    place: &Place,
    map: &Map<String, Value>,
    observations: &[Value],
    findings: &mut Findings,
) -> Result<(), Fault> {
    findings.records += 1;
    findings.tally.record("trace", map, &TRACE);
    let id = text(map, &["id"]).ok_or_else(|| Fault::new("trace.id", "", "the id of the trace"))?;
    let name = text(map, &["name"]);
    let metadata = opened(map.get("metadata").unwrap_or(&Value::Null));
    let kept = fields(&metadata)
        .iter()
        .filter(|(name, _)| !["attributes", "resourceAttributes", "scope"].contains(&name.as_str()));
    let mut metadata: Map<String, Value> = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    for name in ["userId", "tags", "environment", "release"] {
        if let Some(value) = map
            .get(name)
            .filter(|value| !value.is_null() && elements(value).len() + usize::from(!value.is_array()) > 0)
        {
            metadata.insert(name.to_owned(), value.clone());
        }
    }
    let mut trace = Trace {
        place: place.within(&format!("trace {id}")),
        session: text(map, &["sessionId"]),
        system: name.map(|name| match text(map, &["version"]) {
            Some(version) => format!("{name} {version}"),
            None => name,
        }),
        at: map.get("timestamp").and_then(time),
        input: map.get("input").map_or(Value::Null, opened),
        output: map.get("output").map_or(Value::Null, opened),
        spans: observations.iter().map(|observation| span(fields(observation), findings)).collect(),
        metadata,
        id,
    };
    let conversation = trace.conversations(findings);
    for value in elements(map.get("scores").unwrap_or(&Value::Null)) {
        match &conversation {
            Some(conversation) => score(&trace.place, conversation, fields(value), findings),
            None => findings.tally.left_out("score", "its trace is no conversation"),
        }
    }
    Ok(())
}

fn span(map: &Map<String, Value>, findings: &mut Findings) -> Span {
    findings.tally.record("observation", map, &OBSERVATION);
    let metadata = opened(map.get("metadata").unwrap_or(&Value::Null));
    let attributes = Attributes::of(&opened(metadata.get("attributes").unwrap_or(&Value::Null)));
    let name = text(map, &["name"]).unwrap_or_default();
    let kind = match Kind::of(&text(map, &["type"]).unwrap_or_default()) {
        Kind::Other => attributes.kind(),
        kind => kind,
    };
    let input = map.get("input").map(opened).filter(holds).unwrap_or_else(|| attributes.input());
    let output = map.get("output").map(opened).filter(holds).unwrap_or_else(|| attributes.output());
    let mut turns = attributes.turns();
    if !turns.iter().any(|turn| turn.speaker == Speaker::Assistant)
        || !turns.iter().any(|turn| turn.speaker == Speaker::User)
    {
        let own = [messages(&input, Speaker::User), messages(&output, Speaker::Assistant)].concat();
        turns = if own.len() > turns.len() {
            own
        } else {
            [turns, messages(&output, Speaker::Assistant)].concat()
        };
    }
    let documents = output.get("documents").cloned().unwrap_or_else(|| output.clone());
    let mut passages = attributes.passages();
    if kind == Kind::Retriever && passages.is_empty() {
        passages =
            elements(&documents).iter().filter(|item| item.is_object()).map(crate::otel::passage).collect();
    }
    let is_error = map.get("level").is_some_and(|level| level == "ERROR");
    Span {
        id: text(map, &["id"]).unwrap_or_default(),
        parent: text(map, &["parentObservationId"]),
        kind,
        start: map.get("startTime").and_then(time).unwrap_or_default(),
        turns,
        tool: attributes.text(&["tool.name", "gen_ai.tool.name", "ai.toolCall.name"]).or_else(|| {
            (kind == Kind::Tool && map.get("type").is_some_and(|kind| kind == "TOOL")).then(|| name.clone())
        }),
        input,
        output,
        passages,
        error: is_error.then(|| text(map, &["statusMessage"]).unwrap_or_else(|| "failed".to_owned())),
        model: text(map, &["model"]),
        agent: attributes.text(&["gen_ai.agent.name", "agent_name"]),
        response: attributes.response(),
        name,
    }
}

/// Whether a value says anything.
fn holds(value: &Value) -> bool {
    !value.is_null() && value.as_object().is_none_or(|fields| !fields.is_empty())
}

const SCORE: [(&str, &str); 10] = [
    ("name", "criterion"),
    ("value", "value"),
    ("stringValue", "value"),
    ("comment", "reason of a verdict, comment of a label"),
    ("source", "a person's label or a judge's verdict"),
    ("authorUserId", "annotator"),
    ("timestamp", "judged_at, labelled_at"),
    ("createdAt", "judged_at, labelled_at"),
    ("traceId", "conversation"),
    ("observationId", "the conversation of its trace"),
];

fn score(place: &Place, conversation: &str, map: &Map<String, Value>, findings: &mut Findings) {
    findings.tally.record("score", map, &SCORE);
    let criterion = text(map, &["name"]);
    let value = text(map, &["stringValue"]).map(Value::from).or_else(|| map.get("value").cloned());
    let said_at = first(map, &["timestamp", "createdAt"]).and_then(time).map(Value::from);
    let comment = text(map, &["comment"]).map(Value::from);
    let place = place.within(&format!("score {}", criterion.as_deref().unwrap_or("without a name")));
    let source = text(map, &["source"]).unwrap_or_default();
    let common = [("conversation", Some(conversation.into())), ("criterion", criterion.map(Value::from))];
    let mut fields = row(common);
    if source == "ANNOTATION" {
        let annotator = text(map, &["authorUserId"]).unwrap_or_else(|| "langfuse-annotator".to_owned());
        fields.extend(row([
            ("annotator", Some(annotator.into())),
            ("value", value),
            ("comment", comment),
            ("labelled_at", said_at),
        ]));
        findings.label(place, fields);
        return;
    }
    let judge = if source == "EVAL" { "langfuse-evaluator" } else { "langfuse-api" };
    let error = value.as_ref().is_none_or(Value::is_null).then(|| "missing: the score has no value".into());
    fields.extend(row([
        ("judge", Some(judge.into())),
        ("value", value),
        ("error", error),
        ("reason", comment),
        ("judged_at", said_at),
    ]));
    findings.verdict(place, fields);
}
