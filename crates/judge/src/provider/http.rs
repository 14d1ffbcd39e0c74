//! One POST: what is read of it, and what each way of going wrong means.

use super::{LONGEST_ANSWER, Miss, Then, text_of};
use crate::pace::retry_after;
use domain::FailureKind;
use reqwest::{
    Client, Response, StatusCode,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER},
};
use serde_json::Value;
use std::{error::Error, time::Duration};
use time::OffsetDateTime;
use tokio::time::{Instant, timeout_at};

/// Posts JSON and gives back the text of a 2xx answer.
pub(crate) async fn post(
    client: &Client,
    url: &str,
    mut headers: HeaderMap,
    body: &Value,
    limit: Duration,
) -> Result<String, Miss> {
    let deadline = Instant::now() + limit;
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let sent = client.post(url).headers(headers).body(body.to_string()).send();
    let response = match timeout_at(deadline, sent).await {
        Err(_) => return Err(Miss::timed_out(limit)),
        Ok(Err(error)) => return Err(not_sent(&error)),
        Ok(Ok(response)) => response,
    };
    let (status, headers) = (response.status(), response.headers().clone());
    if status.is_redirection() {
        let says = format!("{status}: redirects are not followed; the operator must name the address itself");
        return Err(Miss::new(FailureKind::Other, Then::Later, says));
    }
    let read = read(response, deadline, limit).await;
    if !status.is_success() {
        // What was read of a refusal only explains it.
        let raw = read.unwrap_or_else(|miss| miss.raw.unwrap_or_default());
        return Err(refused(status, &headers, raw));
    }
    let raw = read?;
    match content_type(&headers) {
        Some(found) if !is_json(&found) => {
            let says = format!("found the content type {found}, expected application/json");
            Err(Miss::new(FailureKind::Unparsable, Then::Never, says).with(raw))
        }
        _ => Ok(raw),
    }
}

async fn read(mut response: Response, deadline: Instant, limit: Duration) -> Result<String, Miss> {
    let mut bytes = Vec::new();
    loop {
        let so_far = |miss: Miss| miss.with(String::from_utf8_lossy(&bytes));
        match timeout_at(deadline, response.chunk()).await {
            Err(_) => return Err(so_far(Miss::timed_out(limit))),
            Ok(Err(error)) => {
                let says = format!("the answer was cut off on the way: {}", causes(&error));
                return Err(so_far(Miss::new(FailureKind::Truncated, Then::Never, says)));
            }
            Ok(Ok(None)) => return text_of(bytes),
            Ok(Ok(Some(chunk))) if bytes.len() + chunk.len() > LONGEST_ANSWER => {
                return Err(so_far(Miss::too_long()));
            }
            Ok(Ok(Some(chunk))) => bytes.extend_from_slice(&chunk),
        }
    }
}

/// Only what never reached the provider can be said again without a doubt.
fn not_sent(error: &reqwest::Error) -> Miss {
    let then = if error.is_connect() { Then::Retry(None) } else { Then::Never };
    Miss::new(FailureKind::Missing, then, format!("no answer: {}", causes(error)))
}

/// What the provider says with a status that is no success.
fn refused(status: StatusCode, headers: &HeaderMap, raw: String) -> Miss {
    let words =
        serde_json::from_str(&raw).ok().and_then(|body: Value| error_words(&body)).unwrap_or_default();
    let says = if words.is_empty() { status.to_string() } else { format!("{status}: {words}") };
    let header = headers.get(RETRY_AFTER).and_then(|header| header.to_str().ok());
    let asked = header.and_then(|header| retry_after(header, OffsetDateTime::now_utc()));
    let then = match status.as_u16() {
        408 | 409 | 429 | 500.. => Then::Retry(asked),
        401..=405 => Then::Later,
        _ => Then::Never,
    };
    let kind = if status == StatusCode::REQUEST_TIMEOUT { FailureKind::TimedOut } else { kind_of(&words) };
    Miss::new(kind, then, says).with(raw)
}

/// A success that carries an error in place of an answer.
pub(crate) fn error_in(body: &Value, raw: &str) -> Option<Miss> {
    let words = error_words(body)?;
    let says = format!("an error in place of an answer: {words}");
    Some(Miss::new(kind_of(&words), Then::Never, says).with(raw))
}

/// What is repeated of a provider's words, in characters; the raw answer has all of them.
const LONGEST_WORDS: usize = 500;

/// The provider's words about an error: `{"error": {"message": …, "code": …, "type": …}}` or `{"error": "…"}`.
fn error_words(body: &Value) -> Option<String> {
    let error = body.get("error").filter(|error| !error.is_null())?;
    let words = |text: &str| domain::visible(text).chars().take(LONGEST_WORDS).collect::<String>();
    if let Some(text) = error.as_str() {
        return Some(words(text));
    }
    let parts = ["code", "type", "message"].iter().filter_map(|field| match error.get(field)? {
        Value::String(text) => Some(words(text)),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    let said = parts.collect::<Vec<_>>().join(" · ");
    Some(if said.is_empty() { "no words".to_owned() } else { said })
}

fn kind_of(words: &str) -> FailureKind {
    let words = words.to_lowercase();
    let declines = ["content_filter", "content filter", "content_policy", "content management policy"];
    if declines.iter().any(|decline| words.contains(decline)) {
        FailureKind::Refused
    } else {
        FailureKind::Other
    }
}

fn content_type(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(CONTENT_TYPE)?;
    Some(domain::visible(&String::from_utf8_lossy(value.as_bytes())))
}

fn is_json(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json"))
}

/// An error with its causes and without its address, which some operators put secrets in.
fn causes(error: &reqwest::Error) -> String {
    let mut words = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        words.push(error.to_string());
        cause = error.source();
    }
    words.dedup();
    if words.is_empty() { "the connection failed".to_owned() } else { words.join(": ") }
}
