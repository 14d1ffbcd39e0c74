//! Anthropic's messages.

use super::{Miss, Reply, http::error_in, json_of};
use crate::Call;
use serde_json::{Value, json};

/// The version of the interface that is spoken.
pub(crate) const VERSION: &str = "2023-06-01";

/// The interface wants a limit of the answer; this one stands where the judge declares none.
const USUAL_MAX_TOKENS: u32 = 2048;

/// What is sent to `/messages`.
pub(crate) fn body(call: &Call<'_>) -> Value {
    let mut body = call.model.parameters.clone();
    body.entry("max_tokens").or_insert_with(|| json!(USUAL_MAX_TOKENS));
    body.insert("model".to_owned(), json!(call.model.model));
    if !call.prompt.system.trim().is_empty() {
        body.insert("system".to_owned(), json!(call.prompt.system));
    }
    body.insert("messages".to_owned(), json!([{ "role": "user", "content": call.prompt.user }]));
    Value::Object(body)
}

/// What came back.
pub(crate) fn read(raw: String) -> Result<Reply, Miss> {
    let body = json_of(&raw)?;
    if let Some(miss) = error_in(&body, &raw) {
        return Err(miss);
    }
    let blocks = body.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let stop = body.get("stop_reason").and_then(Value::as_str).unwrap_or_default();
    let count = |field: &str| body.get("usage")?.get(field)?.as_u64();
    // What came from a cache was read as well, and is counted apart.
    let cached =
        count("cache_read_input_tokens").unwrap_or(0) + count("cache_creation_input_tokens").unwrap_or(0);
    Ok(Reply {
        text: blocks.iter().filter_map(|block| block.get("text").and_then(Value::as_str)).collect(),
        cut_off: matches!(stop, "max_tokens" | "model_context_window_exceeded"),
        refusal: (stop == "refusal").then(|| stop.to_owned()),
        reported_model: body.get("model").and_then(Value::as_str).map(str::to_owned),
        input_tokens: count("input_tokens").map(|count| count.saturating_add(cached)),
        output_tokens: count("output_tokens"),
        raw,
    })
}
