//! LangSmith: runs as its SDKs send and export them, and the events of agent sessions that its SDK records.

use crate::{
    Findings, Place,
    dialogue::asked,
    input::Input,
    messages::{Call, Reply, Speaker, Turn, messages},
    trace::{Kind, Span, Trace},
    value::{at, elements, fields, first, opened, shown, text, time},
};
use domain::Fault;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Whether runs stand in the file.
pub(crate) fn wrote(input: &Input) -> bool {
    let Some(first) = input.first() else { return false };
    let map = fields(first);
    let is_list = ["post", "patch", "runs"]
        .iter()
        .any(|name| map.get(*name).and_then(|list| list.get(0)).is_some_and(|run| is_run(fields(run))));
    is_run(map) || is_list || is_event(first)
}

fn is_run(map: &Map<String, Value>) -> bool {
    map.contains_key("run_type") || (map.contains_key("dotted_order") && map.contains_key("trace_id"))
}

fn is_event(value: &Value) -> bool {
    value.get(0).and_then(Value::as_str).is_some_and(|call| call.starts_with("client.beta.sessions."))
}

/// Reads runs, trace by trace.
pub(crate) fn read(input: Input, findings: &mut Findings) -> Result<(), Fault> {
    let records = input.records();
    if records.first().is_some_and(|(_, value)| is_event(value)) {
        return events(&records, findings);
    }
    let mut runs: BTreeMap<String, (Place, Map<String, Value>)> = BTreeMap::new();
    let mut order = Vec::new();
    for (place, record) in records {
        let lists = ["post", "patch", "runs"].map(|name| record.get(name).map(elements).unwrap_or_default());
        let alone =
            if lists.iter().all(|list| list.is_empty()) { std::slice::from_ref(&record) } else { &[] };
        for run in lists.into_iter().flatten().chain(alone) {
            let map = fields(run);
            let id = text(map, &["id"])
                .ok_or_else(|| Fault::new("id", "", format!("the id of the run ({})", place.record)))?;
            if !runs.contains_key(&id) {
                order.push(id.clone());
            }
            merge(&mut runs.entry(id).or_insert_with(|| (place.clone(), Map::new())).1, map);
        }
    }
    let mut traces: Vec<Trace> = Vec::new();
    for id in order {
        let Some((place, run)) = runs.get(&id) else { continue };
        findings.records += 1;
        findings.tally.record("run", run, &RUN);
        let trace = text(run, &["trace_id"]).unwrap_or(id);
        let known = match traces.iter().position(|known| known.id == trace) {
            Some(index) => index,
            None => {
                traces.push(begin(place, trace, run));
                traces.len() - 1
            }
        };
        if let Some(known) = traces.get_mut(known) {
            known.spans.push(span(run));
        }
    }
    for trace in &mut traces {
        trace.conversations(findings);
    }
    findings.must_hold("a run whose `inputs` hold a question and whose `outputs` hold the answer")
}

const RUN: [(&str, &str); 14] = [
    ("id", "order of steps"),
    ("trace_id", "id, request_id"),
    ("parent_run_id", "order of steps"),
    ("dotted_order", "order of steps"),
    ("name", "name of a tool"),
    ("run_type", "kind of the step"),
    ("inputs", "messages, question; tool arguments"),
    ("outputs", "answer; tool result; passages"),
    ("error", "error of a tool"),
    ("start_time", "at"),
    ("session_name", "system"),
    ("tags", "metadata"),
    ("extra", "metadata.model, cluster"),
    ("session_id", "system"),
];

/// A later record of a run adds to the earlier: empty fields do not overwrite.
fn merge(into: &mut Map<String, Value>, from: &Map<String, Value>) {
    for (name, value) in from {
        let is_empty = value.is_null() || fields(value).is_empty() && value.is_object();
        if !is_empty || !into.contains_key(name) {
            into.insert(name.clone(), value.clone());
        }
    }
}

fn begin(place: &Place, id: String, run: &Map<String, Value>) -> Trace {
    let metadata = at(run.get("extra").unwrap_or(&Value::Null), &["metadata"]);
    let tags = run.get("tags").filter(|tags| !elements(tags).is_empty());
    Trace {
        place: place.within(&format!("trace {id}")),
        session: text(fields(metadata), &["session_id", "thread_id", "conversation_id"]),
        system: text(run, &["session_name", "session_id"]),
        at: run.get("start_time").and_then(time),
        input: Value::Null,
        output: Value::Null,
        spans: Vec::new(),
        metadata: tags.map(|tags| ("tags".to_owned(), tags.clone())).into_iter().collect(),
        id,
    }
}

fn span(run: &Map<String, Value>) -> Span {
    let kind = Kind::of(&text(run, &["run_type"]).unwrap_or_default());
    let input = run.get("inputs").map_or(Value::Null, opened);
    let output = run.get("outputs").map_or(Value::Null, opened);
    let name = text(run, &["name"]).unwrap_or_default();
    let metadata = at(run.get("extra").unwrap_or(&Value::Null), &["metadata"]);
    let documents =
        output.get("documents").or_else(|| output.get("output")).map(elements).unwrap_or_default();
    let model = text(fields(&output), &["model"]).or_else(|| text(fields(metadata), &["ls_model_name"]));
    let is_tool = kind == Kind::Tool;
    Span {
        id: text(run, &["id"]).unwrap_or_default(),
        parent: text(run, &["parent_run_id"]),
        kind,
        start: text(run, &["dotted_order"])
            .or_else(|| run.get("start_time").and_then(time))
            .unwrap_or_default(),
        turns: [messages(&input, Speaker::User), messages(&output, Speaker::Assistant)].concat(),
        tool: is_tool.then(|| name.clone()),
        input: if is_tool { only(&input, "input") } else { input },
        output: if is_tool { only(&output, "output") } else { output.clone() },
        passages: documents.iter().filter(|item| item.is_object()).map(crate::otel::passage).collect(),
        error: text(run, &["error"]),
        model,
        agent: None,
        response: text(fields(&output), &["id"]),
        name,
    }
}

/// What stands under the one name of an object; the object itself where it has others.
fn only(value: &Value, name: &str) -> Value {
    match (value.get(name), fields(value).len()) {
        (Some(inner), 1) => opened(inner),
        _ => value.clone(),
    }
}

/// The events of sessions, one conversation for each answered question.
fn events(records: &[(Place, Value)], findings: &mut Findings) -> Result<(), Fault> {
    let mut turns = Vec::new();
    let (mut session, mut model, mut began) = (None, None, None);
    for (_, record) in records {
        findings.records += 1;
        let event = at(record, &["1"]);
        let event = record.get(1).unwrap_or(event);
        let map = fields(event);
        let kind = text(map, &["type"]).unwrap_or_default();
        match (kind.as_str(), event_turn(&kind, map)) {
            (_, Some(turn)) => {
                findings.tally.read(&kind, "messages, question, answer, tool calls");
                began = began.or_else(|| map.get("processed_at").and_then(time));
                turns.push(turn);
            }
            ("session", _) => {
                findings.tally.read("session", "id, metadata.model");
                session = text(map, &["id"]);
                model = text(fields(at(event, &["agent", "model"])), &["id"]);
            }
            _ => findings.tally.left_out(
                if kind.is_empty() { "event sent" } else { &kind },
                "it says nothing of the exchange",
            ),
        }
    }
    let id = session.unwrap_or_else(|| crate::value::id_of("langsmith", &[&json!(format!("{turns:?}"))]));
    let all = asked(&turns, findings.turns);
    let several = all.len() > 1;
    for (index, asked) in all.iter().enumerate() {
        let mut row = asked.fields();
        row.insert("id".to_owned(), if several { format!("{id}#{}", index + 1) } else { id.clone() }.into());
        row.extend(crate::row([
            ("cluster", several.then(|| id.clone().into())),
            ("at", began.clone().map(Value::from)),
            ("metadata", model.as_ref().map(|model| json!({ "model": model }))),
        ]));
        findings.conversation(Place::record(index + 1), row);
    }
    findings.must_hold("events of type `user.message` and `agent.message`")
}

fn event_turn(kind: &str, map: &Map<String, Value>) -> Option<Turn> {
    let content = map.get("content").unwrap_or(&Value::Null);
    let id = text(map, &["id"]);
    match kind {
        "user.message" => messages(content, Speaker::User).pop(),
        "agent.message" => messages(content, Speaker::Assistant).pop(),
        "agent.tool_use" | "agent.mcp_tool_use" | "agent.custom_tool_use" => {
            let arguments = map.get("input").cloned().unwrap_or(Value::Null);
            let call = Call { id, name: text(map, &["name"])?, arguments };
            Some(Turn { calls: vec![call], ..Turn::of_text(Speaker::Assistant, "") })
        }
        "agent.tool_result" | "agent.mcp_tool_result" | "user.custom_tool_result" => {
            let said =
                messages(content, Speaker::Tool).pop().map_or_else(|| shown(content), |turn| turn.text);
            let call = first(map, &["tool_use_id", "mcp_tool_use_id", "custom_tool_use_id"]).map(shown);
            let is_error = map.get("is_error").and_then(Value::as_bool).unwrap_or(false);
            let reply = Reply { call, name: None, value: said.into(), is_error };
            Some(Turn { replies: vec![reply], ..Turn::of_text(Speaker::Tool, "") })
        }
        _ => None,
    }
}
