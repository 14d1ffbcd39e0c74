use crate::loopback::{KEY, Loopback, Question, VERDICT, caller, completion, ok};
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_call_says_what_was_declared_and_brings_what_was_answered() {
    let loopback = Loopback::that(vec![ok(&completion(VERDICT))]).await;
    let caller =
        caller("openai", &loopback.url, "json_schema = true\nprice = { input = 2.0, output = 10.0 }");
    let question = Question::new();
    let answered = question.ask(&caller).await.unwrap();
    assert_eq!(
        (answered.text.as_str(), answered.cut_off, answered.refusal.as_deref()),
        (VERDICT, false, None)
    );
    assert_eq!((answered.input_tokens, answered.output_tokens), (Some(1000), Some(100)));
    assert!((answered.cost.unwrap() - 0.003).abs() < 1e-12);
    let body = &loopback.bodies()[0];
    assert_eq!(
        body["messages"],
        json!([{ "role": "system", "content": question.prompt.system }, { "role": "user", "content": question.prompt.user }])
    );
    assert_eq!((&body["model"], &body["temperature"], &body["seed"]), (&json!("m"), &json!(0), &json!(7)));
    assert_eq!(body["response_format"]["json_schema"]["schema"], question.prompt.schema);
    let request = &loopback.requests()[0];
    assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {KEY}\r\n")), "{request}");
    assert!(!format!("{caller:?}").contains(KEY));
}

#[tokio::test]
async fn an_endpoint_without_schemas_and_without_a_price_is_asked_without_them() {
    let parts = json!([{ "type": "text", "text": "{\"reason\": \"It helps.\"," }, { "type": "text", "text": " \"score\": 4}" }]);
    let mut bare = completion("");
    bare["choices"][0]["message"]["content"] = parts;
    bare.as_object_mut().unwrap().remove("usage");
    let loopback = Loopback::that(vec![ok(&bare)]).await;
    let answered = Question::new().ask(&caller("openai", &loopback.url, "")).await.unwrap();
    assert_eq!((answered.text.as_str(), answered.input_tokens, answered.cost), (VERDICT, None, None));
    assert!(loopback.bodies()[0].get("response_format").is_none());
}

#[tokio::test]
async fn what_does_not_fit_is_not_sent_and_not_shortened() {
    let loopback = Loopback::that(vec![ok(&completion(VERDICT))]).await;
    let caller = caller("openai", &loopback.url, "context_tokens = 400");
    let mut question = Question::new();
    question.prompt.user = "word ".repeat(200);
    assert!(question.ask(&caller).await.is_ok());
    question.model.parameters.insert("max_tokens".to_owned(), json!(200));
    let failed = question.ask(&caller).await.unwrap_err();
    assert!(failed.is_final && failed.says.contains("the endpoint has 400"), "{failed}");
    assert_eq!((failed.attempts, loopback.requests().len()), (0, 1));
}

#[tokio::test]
async fn calls_keep_to_the_pace_of_the_endpoint() {
    let loopback = Loopback::that(vec![ok(&completion(VERDICT))]).await;
    let (caller, question) = (caller("openai", &loopback.url, "requests_per_minute = 600"), Question::new());
    let begun = Instant::now();
    // A burst of a tenth of a minute, 60, and then one each 100 ms.
    for _ in 0..63 {
        question.ask(&caller).await.unwrap();
    }
    assert!(begun.elapsed() >= Duration::from_millis(250), "{:?}", begun.elapsed());
}
