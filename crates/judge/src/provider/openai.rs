//! Chat completions, as hosted providers, vLLM, Ollama and llama.cpp have them.

use super::{Miss, Reply, Then, http::error_in, json_of};
use crate::{Call, Endpoint};
use domain::FailureKind;
use serde_json::{Value, json};

/// What is sent to `/chat/completions`.
pub(crate) fn body(endpoint: &Endpoint, call: &Call<'_>) -> Value {
    let mut body = call.model.parameters.clone();
    let mut messages = Vec::new();
    if !call.prompt.system.trim().is_empty() {
        messages.push(json!({ "role": "system", "content": call.prompt.system }));
    }
    messages.push(json!({ "role": "user", "content": call.prompt.user }));
    body.insert("model".to_owned(), json!(call.model.model));
    body.insert("messages".to_owned(), json!(messages));
    if endpoint.json_schema {
        let schema = json!({ "name": "verdict", "strict": true, "schema": call.prompt.schema });
        body.insert("response_format".to_owned(), json!({ "type": "json_schema", "json_schema": schema }));
    }
    Value::Object(body)
}

/// What came back.
pub(crate) fn read(raw: String) -> Result<Reply, Miss> {
    let body = json_of(&raw)?;
    if let Some(miss) = error_in(&body, &raw) {
        return Err(miss);
    }
    let Some(choice) = body.pointer("/choices/0") else {
        let says = "the provider's answer has no `choices`";
        return Err(Miss::new(FailureKind::Missing, Then::Never, says).with(raw));
    };
    let finish = choice.get("finish_reason").and_then(Value::as_str).unwrap_or_default();
    let refusal =
        choice.pointer("/message/refusal").and_then(Value::as_str).filter(|words| !words.is_empty());
    let filtered = (finish == "content_filter").then_some(finish);
    let count = |field: &str| body.get("usage")?.get(field)?.as_u64();
    Ok(Reply {
        text: content(choice.pointer("/message/content")),
        cut_off: finish == "length",
        refusal: refusal.or(filtered).map(str::to_owned),
        reported_model: body.get("model").and_then(Value::as_str).map(str::to_owned),
        input_tokens: count("prompt_tokens"),
        output_tokens: count("completion_tokens"),
        raw,
    })
}

/// The content is a text, or a list of parts of which some are text.
fn content(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => String::new(),
    }
}
