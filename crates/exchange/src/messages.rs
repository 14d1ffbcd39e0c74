//! Chat messages, in the shapes that providers and frameworks write them, as turns of one shape.

use crate::value::{at, elements, fields, first, opened, scalar, shown, text};
use serde_json::{Map, Value};

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    System,
    User,
    Assistant,
    Tool,
}

impl Speaker {
    /// The word for it in a conversation's messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Speaker::System => "system",
            Speaker::User => "user",
            Speaker::Assistant => "assistant",
            Speaker::Tool => "tool",
        }
    }

    fn of(role: &str) -> Option<Speaker> {
        match role.to_ascii_lowercase().as_str() {
            "user" | "human" | "humanmessage" | "humanmessagechunk" => Some(Speaker::User),
            "assistant" | "ai" | "model" | "bot" | "agent" | "aimessage" | "aimessagechunk" => {
                Some(Speaker::Assistant)
            }
            "system" | "developer" | "systemmessage" => Some(Speaker::System),
            "tool" | "function" | "toolmessage" | "functionmessage" => Some(Speaker::Tool),
            _ => None,
        }
    }
}

/// A call of a tool that a message asks for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) arguments: Value,
}

/// What a tool returned, as a message carries it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Reply {
    pub(crate) call: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) value: Value,
    pub(crate) is_error: bool,
}

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    pub(crate) speaker: Speaker,
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
    pub(crate) replies: Vec<Reply>,
    /// Kinds of parts that are no text and no tool call: images, reasoning.
    pub(crate) left_out: Vec<String>,
}

impl Turn {
    /// A message of text alone.
    pub(crate) fn of_text(speaker: Speaker, text: impl Into<String>) -> Turn {
        Turn { speaker, text: text.into(), calls: Vec::new(), replies: Vec::new(), left_out: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty() && self.replies.is_empty()
    }
}

/// The messages that a value holds. What names no role is said by `speaker`; what cannot be read as messages gives none.
pub(crate) fn messages(value: &Value, speaker: Speaker) -> Vec<Turn> {
    let value = opened(value);
    let mut turns = match &value {
        Value::String(text) => vec![Turn::of_text(speaker, text.clone())],
        Value::Array(values) => list(values, speaker),
        Value::Object(map) => object(map, speaker),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    };
    turns.retain(|turn| !turn.is_empty());
    turns
}

fn list(values: &[Value], speaker: Speaker) -> Vec<Turn> {
    match values {
        [Value::Array(inner)] => list(inner, speaker),
        [first, ..] if role(fields(first)).is_none() && fields(first).get("message").is_none() => {
            let mut turn = Turn::of_text(speaker, "");
            values.iter().filter(|part| part.is_object()).for_each(|value| part(&mut turn, value));
            vec![turn]
        }
        values => values.iter().flat_map(|value| object(fields(value), speaker)).collect(),
    }
}

fn object(map: &Map<String, Value>, speaker: Speaker) -> Vec<Turn> {
    if role(map).is_some() {
        return vec![message(map, speaker)];
    }
    if let Some(contents) = map.get("contents").filter(|contents| contents.is_array()) {
        let config = map.get("config").unwrap_or(&Value::Null);
        let mut turns = messages(at(config, &["system_instruction"]), Speaker::System);
        turns.extend(messages(contents, speaker));
        return turns;
    }
    if let Some(held) = first(map, &["messages", "new_message", "message", "chat_history"]) {
        let mut turns: Vec<Turn> =
            map.get("system").map(|text| messages(text, Speaker::System)).unwrap_or_default();
        turns.extend(messages(held, speaker));
        return turns;
    }
    if let Some(choice) = map.get("choices").and_then(|choices| choices.get(0)) {
        return messages(at(choice, &["message"]), speaker);
    }
    if let Some(generation) = map.get("generations").and_then(Value::as_array).and_then(|all| all.first()) {
        let generation =
            if generation.is_array() { generation.get(0).unwrap_or(&Value::Null) } else { generation };
        let held = first(fields(generation), &["message", "text"]).unwrap_or(&Value::Null);
        return messages(held, speaker);
    }
    if let Some([Value::String(prompt)]) = map.get("prompts").and_then(Value::as_array).map(Vec::as_slice) {
        return vec![Turn::of_text(speaker, prompt.clone())];
    }
    let names: &[&str] = match speaker {
        Speaker::Assistant => {
            &["output", "answer", "response", "text", "content", "result", "raw", "completion"]
        }
        Speaker::User | Speaker::System | Speaker::Tool => {
            &["prompt", "question", "query", "user_input", "input", "text", "content"]
        }
    };
    if let Some(held) = first(map, names) {
        return messages(held, speaker);
    }
    let mut turn = Turn::of_text(speaker, "");
    part(&mut turn, &Value::Object(map.clone()));
    vec![turn]
}

/// The role that an object names, in the ways of OpenAI, LangChain and its serialised constructors.
fn role(map: &Map<String, Value>) -> Option<Speaker> {
    if let Some(role) =
        map.get("role").or_else(|| map.get("author")).or_else(|| map.get("speaker")).and_then(Value::as_str)
    {
        return Speaker::of(role);
    }
    if let Some(kwargs) = map.get("kwargs").and_then(Value::as_object) {
        let class = elements(map.get("id").unwrap_or(&Value::Null)).last().and_then(Value::as_str);
        return class.and_then(Speaker::of).filter(|_| kwargs.contains_key("content"));
    }
    let kind = map.get("type").and_then(Value::as_str)?;
    Speaker::of(kind).filter(|_| map.contains_key("content"))
}

fn message(map: &Map<String, Value>, speaker: Speaker) -> Turn {
    let mut turn = Turn::of_text(role(map).unwrap_or(speaker), "");
    let map = map.get("kwargs").and_then(Value::as_object).unwrap_or(map);
    if let Some(content) = first(map, &["content", "parts", "text", "contents"]) {
        content_of(&mut turn, content);
    }
    let extra = map.get("additional_kwargs").unwrap_or(&Value::Null);
    for calls in [map.get("tool_calls").unwrap_or(&Value::Null), at(extra, &["tool_calls"])] {
        if turn.calls.is_empty() {
            turn.calls.extend(elements(calls).iter().filter_map(|value| call(fields(value))));
        }
    }
    if let Some(value) = map.get("function_call").filter(|value| value.is_object()) {
        turn.calls.extend(call(fields(value)));
    }
    if turn.speaker == Speaker::Tool && turn.replies.is_empty() && turn.calls.is_empty() {
        turn.replies.push(Reply {
            call: text(map, &["tool_call_id"]),
            name: text(map, &["name", "function"]),
            value: opened(map.get("content").unwrap_or(&Value::Null)),
            is_error: map.get("status").is_some_and(|status| status == "error")
                || map.get("error").is_some_and(|error| !error.is_null()),
        });
    }
    if turn.text.is_empty() && turn.calls.is_empty() && !turn.replies.is_empty() {
        turn.speaker = Speaker::Tool;
    }
    turn
}

fn content_of(turn: &mut Turn, content: &Value) {
    match opened(content) {
        Value::Array(parts)
            if content.is_array() || parts.iter().all(|part| call(fields(part)).is_some()) =>
        {
            parts.iter().for_each(|value| part(turn, value));
        }
        Value::Object(_) if content.is_object() && turn.speaker == Speaker::Tool => {
            // Some frameworks list the tools that may be called among the messages.
            if at(content, &["type"]) == "function" {
                turn.left_out.push("definition of a tool".to_owned());
            }
        }
        Value::Object(_) if content.is_object() => part(turn, content),
        _ => turn.text.push_str(&shown(content)),
    }
}

fn part(turn: &mut Turn, value: &Value) {
    if let Value::String(text) = value {
        return say(turn, text);
    }
    let map = fields(value);
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default().replace('-', "_");
    if kind.ends_with("_response") || kind.ends_with("_result") || map.contains_key("function_response") {
        turn.replies.push(reply(map));
    } else if let Some(found) = call(map) {
        turn.calls.push(found);
    } else if let Some(text) = text(map, &["text", "content"]).filter(|_| is_said(&kind)) {
        say(turn, &text);
    } else if let Some(inner) = map.get("message_content") {
        part(turn, inner);
    } else if !kind.is_empty() {
        turn.left_out.push(format!("part of type `{kind}`"));
    }
}

fn is_said(kind: &str) -> bool {
    matches!(kind, "" | "text" | "input_text" | "output_text")
}

fn say(turn: &mut Turn, text: &str) {
    if !turn.text.is_empty() && !text.is_empty() {
        turn.text.push('\n');
    }
    turn.text.push_str(text);
}

/// A call of a tool in the ways of OpenAI, Anthropic, Gemini, LangChain, the GenAI conventions and the AI SDK.
pub(crate) fn call(map: &Map<String, Value>) -> Option<Call> {
    let inner = first(map, &["function", "function_call", "functionCall", "tool_call"]);
    let held = inner.filter(|held| held.is_object()).map_or(map, |held| fields(held));
    if !std::ptr::eq(held, map) && held.contains_key("function") {
        return call(held);
    }
    let name = text(held, &["name", "toolName"]).or_else(|| text(map, &["function"]))?;
    let arguments = first(held, &["arguments", "args", "input"])
        .or_else(|| held.get("arguments"))
        .or_else(|| held.get("args"))
        .or_else(|| held.get("input"));
    let is_call = arguments.is_some() || !std::ptr::eq(held, map);
    is_call.then(|| Call {
        id: text(map, &["id", "toolCallId", "tool_call_id"]),
        name,
        arguments: arguments.map_or(Value::Null, opened),
    })
}

fn reply(map: &Map<String, Value>) -> Reply {
    let held = map.get("function_response").and_then(Value::as_object).unwrap_or(map);
    let value = first(held, &["response", "result", "output", "content"]).map_or(Value::Null, opened);
    Reply {
        call: text(map, &["id", "tool_call_id", "toolCallId", "tool_use_id"]),
        name: text(held, &["name", "toolName"]),
        value: said_by_tool(value),
        is_error: map.get("is_error").and_then(Value::as_bool).unwrap_or(false),
    }
}

/// The text of a reply that is a list of text parts; anything else as it is.
fn said_by_tool(value: Value) -> Value {
    let parts = elements(&value);
    let texts: Vec<String> = parts
        .iter()
        .filter(|part| at(part, &["type"]) == "text")
        .filter_map(|part| part.get("text").and_then(scalar))
        .collect();
    if texts.is_empty() || texts.len() < parts.len() { value } else { Value::String(texts.join("\n")) }
}
