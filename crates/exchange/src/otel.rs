//! OpenTelemetry spans: OTLP as JSON, and spans as the SDKs and Phoenix write them, with OpenInference, GenAI or AI SDK attributes.

use crate::{
    Findings, Place,
    input::Input,
    messages::{Speaker, Turn, messages},
    trace::{Kind, Span, Trace},
    value::{at, elements, fields, first, opened, scalar, text, time},
};
use domain::Fault;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Whether spans stand in the file.
pub(crate) fn wrote(input: &Input) -> bool {
    let Some(first) = input.first() else { return false };
    let map = fields(first);
    let is_span = map.contains_key("attributes")
        && ["spanContext", "context", "spanId", "span_id", "context.span_id"]
            .iter()
            .any(|name| map.contains_key(*name));
    is_span || map.contains_key("resourceSpans") || map.contains_key("resource_spans")
}

/// Reads spans, trace by trace.
pub(crate) fn read(input: Input, findings: &mut Findings) -> Result<(), Fault> {
    let mut traces: BTreeMap<String, Trace> = BTreeMap::new();
    let mut order = Vec::new();
    for (place, record) in input.records() {
        for (resource, span) in spans_of(&record) {
            findings.records += 1;
            findings.tally.record("span", fields(span), &SPAN);
            let map = fields(span);
            let Some(trace) = trace_id(span) else {
                let found = map.keys().take(8).cloned().collect::<Vec<_>>().join(", ");
                return Err(Fault::new(
                    place.record,
                    found,
                    "a span with `traceId` or `spanContext.traceId`",
                ));
            };
            let attributes = Attributes::of(map.get("attributes").unwrap_or(&Value::Null));
            if !traces.contains_key(&trace) {
                order.push(trace.clone());
            }
            let known = traces.entry(trace.clone()).or_insert_with(|| begin(&place, trace, resource));
            known.session = known.session.take().or_else(|| attributes.text(&SESSION));
            let start = first(map, &START).and_then(time);
            if known.at.is_none()
                || start.as_ref().is_some_and(|start| known.at.as_ref().is_some_and(|at| start < at))
            {
                known.at = start;
            }
            attributes.tally(findings);
            known.spans.push(span_of(map, &attributes));
        }
    }
    if traces.is_empty() {
        return Err(Fault::new("resourceSpans", "no span", "at least one span"));
    }
    for id in order {
        if let Some(trace) = traces.get_mut(&id) {
            trace.conversations(findings);
        }
    }
    findings.must_hold("a span of a model, or a trace whose root holds the question and the answer (`input.value`, `output.value`)")
}

const SESSION: [&str; 4] = ["session.id", "gen_ai.conversation.id", "langfuse.session.id", "thread_id"];
const START: [&str; 4] = ["startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time"];

const SPAN: [(&str, &str); 18] = [
    ("name", "name of the step"),
    ("spanContext", "trace, span"),
    ("context", "trace, span"),
    ("traceId", "request_id, id"),
    ("trace_id", "request_id, id"),
    ("spanId", "order of steps"),
    ("span_id", "order of steps"),
    ("parentSpanId", "order of steps"),
    ("parent_span_id", "order of steps"),
    ("parent_id", "order of steps"),
    ("parentSpanContext", "order of steps"),
    ("attributes", "see the attributes"),
    ("startTimeUnixNano", "at"),
    ("startTime", "at"),
    ("start_time", "at"),
    ("events", "messages, where they carry some"),
    ("status", "error of a tool"),
    ("span_kind", "kind of the step"),
];

/// The spans of a record, each with the attributes of its resource.
fn spans_of(record: &Value) -> Vec<(&Value, &Value)> {
    let resources = record.get("resourceSpans").or_else(|| record.get("resource_spans"));
    let Some(resources) = resources else {
        return vec![(at(record, &["resource", "attributes"]), record)];
    };
    let mut spans = Vec::new();
    for resource in elements(resources) {
        let attributes = at(resource, &["resource", "attributes"]);
        let scopes = first(fields(resource), &["scopeSpans", "scope_spans", "instrumentationLibrarySpans"]);
        for scope in scopes.map(elements).unwrap_or_default() {
            spans.extend(elements(at(scope, &["spans"])).iter().map(|span| (attributes, span)));
        }
    }
    spans
}

fn trace_id(span: &Value) -> Option<String> {
    let map = fields(span);
    let context = first(map, &["spanContext", "context"]).map(fields);
    text(map, &["traceId", "trace_id", "context.trace_id"])
        .or_else(|| context.and_then(|context| text(context, &["traceId", "trace_id"])))
        .map(|id| id.trim_start_matches("0x").to_owned())
}

fn begin(place: &Place, id: String, resource: &Value) -> Trace {
    let resource = Attributes::of(resource);
    let service = resource.text(&["service.name"]).filter(|name| !name.starts_with("unknown_service"));
    Trace {
        place: place.within(&format!("trace {id}")),
        id,
        session: None,
        system: service.map(|name| match resource.text(&["service.version"]) {
            Some(version) => format!("{name} {version}"),
            None => name,
        }),
        at: None,
        input: Value::Null,
        output: Value::Null,
        spans: Vec::new(),
        metadata: Map::new(),
    }
}

fn span_of(map: &Map<String, Value>, attributes: &Attributes) -> Span {
    let context = first(map, &["spanContext", "context"]).map_or(map, fields);
    let id =
        text(context, &["spanId", "span_id"]).or_else(|| text(map, &["context.span_id"])).unwrap_or_default();
    let parent = text(map, &["parentSpanId", "parent_span_id", "parent_id"])
        .or_else(|| map.get("parentSpanContext").and_then(|parent| text(fields(parent), &["spanId"])));
    let status = at(map.get("status").unwrap_or(&Value::Null), &["message"]);
    let name = text(map, &["name"]).unwrap_or_default();
    let mut turns = attributes.turns();
    if turns.is_empty() {
        turns = turns_of_events(map.get("events").unwrap_or(&Value::Null));
    }
    let is_error = matches!(status_code(map).as_str(), "2" | "ERROR" | "STATUS_CODE_ERROR");
    Span {
        parent,
        kind: text(map, &["span_kind"]).map_or_else(
            || attributes.kind(),
            |word| match Kind::of(&word) {
                Kind::Other => attributes.kind(),
                kind => kind,
            },
        ),
        start: first(map, &START).and_then(time).unwrap_or_default(),
        turns,
        input: attributes.input(),
        output: attributes.output(),
        tool: attributes.text(&TOOL_NAME),
        passages: attributes.passages(),
        error: is_error.then(|| scalar(status).unwrap_or_else(|| "failed".to_owned())),
        model: attributes.text(&[
            "gen_ai.response.model",
            "ai.response.model",
            "llm.model_name",
            "gen_ai.request.model",
            "ai.model.id",
        ]),
        agent: attributes.text(&["gen_ai.agent.name", "agent.name", "agent_name"]),
        response: attributes.response(),
        id: id.trim_start_matches("0x").to_owned(),
        name,
    }
}

fn status_code(map: &Map<String, Value>) -> String {
    text(map, &["status_code"])
        .or_else(|| map.get("status").and_then(|status| text(fields(status), &["code", "status_code"])))
        .unwrap_or_default()
}

const TOOL_NAME: [&str; 3] = ["tool.name", "gen_ai.tool.name", "ai.toolCall.name"];

/// What is read of attributes, by the beginning of their names.
const READ: [(&str, &str); 22] = [
    ("llm.input_messages", "messages, question"),
    ("llm.output_messages", "answer, tool calls"),
    ("gen_ai.input.messages", "messages, question"),
    ("gen_ai.output.messages", "answer, tool calls"),
    ("gen_ai.system_instructions", "messages"),
    ("gen_ai.prompt", "messages, question"),
    ("gen_ai.completion", "answer, tool calls"),
    ("ai.prompt", "messages, question"),
    ("ai.response", "answer, tool calls"),
    ("ai.toolCall", "tool calls"),
    ("gen_ai.tool", "tool calls"),
    ("tool.", "tool calls"),
    ("retrieval.documents", "passages"),
    ("reranker.output_documents", "passages"),
    ("gen_ai.retrieval", "passages, refined_query"),
    ("input.value", "question, tool arguments, refined_query"),
    ("output.value", "answer, tool result"),
    ("session.id", "cluster"),
    ("gen_ai.conversation.id", "cluster"),
    ("openinference.span.kind", "kind of the step"),
    ("gen_ai.agent.name", "routing.agent"),
    ("gen_ai.operation.name", "kind of the step"),
];

/// The attributes of a span under their full names, whether the file nests them, lists them, or writes them as they are.
#[derive(Debug, Default)]
pub(crate) struct Attributes(BTreeMap<String, Value>);

impl Attributes {
    /// From an object, or from OTLP's list of keys and values.
    pub(crate) fn of(value: &Value) -> Attributes {
        let mut flat = BTreeMap::new();
        if let Value::Array(pairs) = value {
            for pair in pairs {
                if let Some(key) = pair.get("key").and_then(Value::as_str) {
                    flatten(key.to_owned(), otlp(at(pair, &["value"])), &mut flat);
                }
            }
        } else {
            for (name, value) in fields(value) {
                flatten(name.clone(), value.clone(), &mut flat);
            }
        }
        Attributes(flat)
    }

    /// Counts what is read and what is left out, the indices of lists left aside.
    pub(crate) fn tally(&self, findings: &mut Findings) {
        for name in self.0.keys() {
            let plain: Vec<&str> =
                name.split('.').filter(|part| !part.chars().all(|c| c.is_ascii_digit())).collect();
            let plain = plain.join(".");
            let shown = READ.iter().find(|(known, _)| name.starts_with(known));
            match shown {
                Some((known, what)) => findings.tally.read(known.trim_end_matches('.'), what),
                None if plain.contains(".model") => findings.tally.read(&plain, "metadata.model"),
                None => findings.tally.left_out(&plain, "no part of the exchange"),
            }
        }
    }

    /// The first of these that is a text or a number.
    pub(crate) fn text(&self, names: &[&str]) -> Option<String> {
        names.iter().filter_map(|name| self.0.get(*name)).find_map(scalar)
    }

    fn value(&self, names: &[&str]) -> Value {
        names
            .iter()
            .filter_map(|name| self.0.get(*name))
            .find(|value| !value.is_null())
            .map_or(Value::Null, opened)
    }

    /// The elements of a list that is written as `prefix.0.field`, in order, nested again.
    fn list(&self, prefix: &str) -> Vec<Value> {
        let mut found: BTreeMap<u64, Value> = BTreeMap::new();
        let begin = format!("{prefix}.");
        for (name, value) in self.0.range(begin.clone()..).take_while(|(name, _)| name.starts_with(&begin)) {
            let rest = &name[begin.len()..];
            let (index, path) = rest.split_once('.').unwrap_or((rest, ""));
            let Ok(index) = index.parse() else { continue };
            nest(found.entry(index).or_insert_with(|| json!({})), path, value.clone());
        }
        found.into_values().collect()
    }

    /// What the span did.
    pub(crate) fn kind(&self) -> Kind {
        if let Some(word) =
            self.text(&["openinference.span.kind", "gen_ai.operation.name", "traceloop.span.kind"])
        {
            return Kind::of(&word);
        }
        match self.text(&["ai.operationId"]).as_deref() {
            Some("ai.toolCall") => Kind::Tool,
            Some(operation) if operation.ends_with(".doGenerate") || operation.ends_with(".doStream") => {
                Kind::Model
            }
            _ if self.0.contains_key("gen_ai.tool.name") => Kind::Tool,
            _ => Kind::Other,
        }
    }

    /// Its messages, those that went in before those that came out.
    pub(crate) fn turns(&self) -> Vec<Turn> {
        let mut turns = messages(&self.value(&["gen_ai.system_instructions"]), Speaker::System);
        let listed = |prefix: &str, inner: &str| -> Vec<Value> {
            let of = |value: Value| value.get(inner).cloned().unwrap_or(value);
            self.list(prefix).into_iter().map(of).map(unindexed).collect()
        };
        let asked = [
            Value::Array(listed("llm.input_messages", "message")),
            self.value(&["gen_ai.input.messages"]),
            Value::Array(listed("gen_ai.prompt", "message")),
            self.value(&["ai.prompt.messages", "ai.prompt", "gen_ai.prompt"]),
        ];
        let answered = [
            Value::Array(listed("llm.output_messages", "message")),
            self.value(&["gen_ai.output.messages"]),
            Value::Array(listed("gen_ai.completion", "message")),
            self.response_of_sdk(),
        ];
        for (values, speaker) in [(&asked, Speaker::User), (&answered, Speaker::Assistant)] {
            let read = values.iter().map(|value| messages(value, speaker)).find(|read| !read.is_empty());
            turns.extend(read.unwrap_or_default());
        }
        turns
    }

    fn response_of_sdk(&self) -> Value {
        let answer = self.text(&["ai.response.text", "ai.response.object", "gen_ai.completion"]);
        let calls = self.value(&["ai.response.toolCalls"]);
        if answer.is_none() && calls.is_null() {
            return Value::Null;
        }
        json!({ "role": "assistant", "content": answer, "tool_calls": calls })
    }

    /// What went in: the arguments of a tool, the query of a retriever, the question of a trace.
    pub(crate) fn input(&self) -> Value {
        self.value(&[
            "gen_ai.tool.call.arguments",
            "ai.toolCall.args",
            "gcp.vertex.agent.tool_call_args",
            "tool.parameters",
            "tool_arguments",
            "gen_ai.retrieval.query.text",
            "ai.prompt",
            "input.value",
        ])
    }

    /// What came out.
    pub(crate) fn output(&self) -> Value {
        let of_sdk = self.response_of_sdk();
        let own = self.value(&[
            "gen_ai.tool.call.result",
            "ai.toolCall.result",
            "gcp.vertex.agent.tool_response",
            "tool_response",
        ]);
        if !own.is_null() {
            own
        } else if of_sdk.is_null() {
            self.value(&["output.value"])
        } else {
            of_sdk
        }
    }

    /// The documents of a retriever or reranker.
    pub(crate) fn passages(&self) -> Vec<Value> {
        let reranked = self.list("reranker.output_documents");
        let listed = if reranked.is_empty() { self.list("retrieval.documents") } else { reranked };
        if !listed.is_empty() {
            return listed.iter().map(|item| passage(item.get("document").unwrap_or(item))).collect();
        }
        let held = self.value(&["gen_ai.retrieval.documents", "output.value"]);
        let held = held.get("documents").cloned().unwrap_or(held);
        elements(&held).iter().filter(|item| item.is_object()).map(passage).collect()
    }

    /// The provider's id of the answer.
    pub(crate) fn response(&self) -> Option<String> {
        let inside = self.value(&["ai.response.providerMetadata"]);
        let inside = fields(&inside).values().find_map(|provider| text(fields(provider), &["responseId"]));
        self.text(&["gen_ai.response.id", "ai.response.id"]).or(inside)
    }
}

/// A document of a retriever as a passage.
pub(crate) fn passage(document: &Value) -> Value {
    let map = fields(document);
    let metadata = opened(map.get("metadata").unwrap_or(&Value::Null));
    let metadata = fields(&metadata);
    let source = ["document", "source", "document_id", "doc_id", "file_name", "url", "title"];
    let passage = crate::row([
        (
            "id",
            text(map, &["id", "documentId", "chunk_id"])
                .or_else(|| text(metadata, &["id", "chunk_id"]))
                .map(Value::from),
        ),
        ("document", text(metadata, &source).or_else(|| text(map, &source)).map(Value::from)),
        ("collection", text(metadata, &["collection", "index", "namespace"]).map(Value::from)),
        ("score", first(map, &["score", "relevance_score"]).filter(|score| score.is_number()).cloned()),
        (
            "text",
            Some(text(map, &["content", "page_content", "text", "pageContent"]).unwrap_or_default().into()),
        ),
    ]);
    Value::Object(passage)
}

fn turns_of_events(events: &Value) -> Vec<Turn> {
    let mut turns = Vec::new();
    for event in elements(events) {
        let name = event.get("name").and_then(Value::as_str).unwrap_or_default();
        let attributes = Attributes::of(at(event, &["attributes"]));
        let role = match name {
            "gen_ai.system.message" => "system",
            "gen_ai.user.message" => "user",
            "gen_ai.assistant.message" | "gen_ai.choice" => "assistant",
            "gen_ai.tool.message" => "tool",
            _ => {
                turns.extend(attributes.turns());
                continue;
            }
        };
        let message = attributes.value(&["message"]);
        let content =
            first(fields(&message), &["content"]).cloned().unwrap_or_else(|| attributes.value(&["content"]));
        let calls = first(fields(&message), &["tool_calls"])
            .cloned()
            .unwrap_or_else(|| attributes.value(&["tool_calls"]));
        let message = json!({ "role": role, "content": content, "tool_calls": calls, "tool_call_id": attributes.text(&["id"]) });
        turns.extend(messages(&Value::Array(vec![message]), Speaker::User));
    }
    turns
}

/// An OTLP value as plain JSON.
fn otlp(value: &Value) -> Value {
    let Some((kind, held)) = fields(value).iter().next() else { return Value::Null };
    match kind.as_str() {
        "intValue" => {
            held.as_str().and_then(|text| text.parse::<i64>().ok()).map_or_else(|| held.clone(), Value::from)
        }
        "arrayValue" => elements(at(held, &["values"])).iter().map(otlp).collect(),
        "kvlistValue" => {
            let pair =
                |pair: &Value| Some((pair.get("key")?.as_str()?.to_owned(), otlp(at(pair, &["value"]))));
            Value::Object(elements(at(held, &["values"])).iter().filter_map(pair).collect())
        }
        _ => held.clone(),
    }
}

fn flatten(name: String, value: Value, flat: &mut BTreeMap<String, Value>) {
    match value {
        Value::Object(fields) => {
            for (inner, value) in fields {
                flatten(format!("{name}.{inner}"), value, flat);
            }
        }
        Value::Array(values) if values.iter().any(Value::is_object) => {
            for (index, value) in values.into_iter().enumerate() {
                flatten(format!("{name}.{index}"), value, flat);
            }
        }
        other => {
            flat.insert(name, other);
        }
    }
}

fn nest(into: &mut Value, path: &str, value: Value) {
    let Value::Object(fields) = into else { return };
    match path.split_once('.') {
        Some((name, rest)) => nest(fields.entry(name).or_insert_with(|| json!({})), rest, value),
        None if path.is_empty() => *into = value,
        None => {
            fields.insert(path.to_owned(), value);
        }
    }
}

/// Objects whose names are all numbers as the lists that they stand for.
fn unindexed(value: Value) -> Value {
    match value {
        Value::Object(fields)
            if !fields.is_empty() && fields.keys().all(|name| name.parse::<u64>().is_ok()) =>
        {
            let mut items: Vec<(u64, Value)> = fields
                .into_iter()
                .filter_map(|(name, value)| Some((name.parse().ok()?, unindexed(value))))
                .collect();
            items.sort_by_key(|(index, _)| *index);
            items.into_iter().map(|(_, value)| value).collect()
        }
        Value::Object(fields) => fields.into_iter().map(|(name, value)| (name, unindexed(value))).collect(),
        other => other,
    }
}
