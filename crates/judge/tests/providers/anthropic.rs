use crate::loopback::{KEY, Loopback, Question, VERDICT, caller, http, ok};
use domain::FailureKind;
use serde_json::{Value, json};

fn message(text: &str, stop: &str) -> Value {
    json!({
        "type": "message", "model": "claude-sonnet-4-20250514", "stop_reason": stop,
        "content": [{ "type": "thinking", "thinking": "Hm." }, { "type": "text", "text": text }],
        "usage": { "input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 20 },
    })
}

#[tokio::test]
async fn a_call_says_what_was_declared_and_brings_what_was_answered() {
    let loopback = Loopback::that(vec![ok(&message(VERDICT, "end_turn"))]).await;
    let question = Question::new();
    let answered = question.ask(&caller("anthropic", &loopback.url, "")).await.unwrap();
    assert_eq!((answered.text.as_str(), answered.cut_off, answered.refusal), (VERDICT, false, None));
    assert_eq!(answered.reported_model.as_deref(), Some("claude-sonnet-4-20250514"));
    assert_eq!((answered.input_tokens, answered.output_tokens), (Some(100), Some(20)));
    let body = &loopback.bodies()[0];
    assert_eq!(body["system"], json!(question.prompt.system));
    assert_eq!(body["messages"], json!([{ "role": "user", "content": question.prompt.user }]));
    assert_eq!((&body["max_tokens"], &body["temperature"]), (&json!(2048), &json!(0)));
    let request = &loopback.requests()[0];
    assert!(request.starts_with("POST /v1/messages HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("x-api-key: {KEY}\r\n")), "{request}");
    assert!(request.contains("anthropic-version: 2023-06-01\r\n"), "{request}");
}

#[tokio::test]
async fn what_it_says_of_the_answer_and_of_errors_is_understood() {
    let ask = async |does| {
        let loopback = Loopback::that(does).await;
        Question::new().ask(&caller("anthropic", &loopback.url, "")).await
    };
    assert!(ask(vec![ok(&message("", "max_tokens"))]).await.unwrap().cut_off);
    assert_eq!(ask(vec![ok(&message("", "refusal"))]).await.unwrap().refusal.as_deref(), Some("refusal"));
    let error = json!({ "type": "error", "error": { "type": "invalid_request_error", "message": "prompt is too long" } });
    for does in [ok(&error), http("400 Bad Request", "", error.to_string())] {
        let failed = ask(vec![does]).await.unwrap_err();
        assert_eq!((failed.kind, failed.is_final), (FailureKind::Other, true));
        assert!(failed.says.contains("invalid_request_error · prompt is too long"), "{failed}");
    }
    let overloaded = http("529 Overloaded", "", r#"{"error": {"type": "overloaded_error"}}"#);
    assert_eq!(ask(vec![overloaded, ok(&message(VERDICT, "end_turn"))]).await.unwrap().attempts, 2);
}
