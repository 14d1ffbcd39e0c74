use crate::loopback::{Does, KEY, Loopback, Question, VERDICT, caller, completion, http, ok, rubric};
use domain::{Asked, FailureKind, JudgeAnswer, Outcome, Parser, read_answer};
use judge::{Answered, Failed, LONGEST_ANSWER};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const JSON: &str = "content-type: application/json\r\n";

async fn ask(does: Vec<Does>) -> (Result<Answered, Failed>, Loopback) {
    let loopback = Loopback::that(does).await;
    let answer = Question::new().ask(&caller("openai", &loopback.url, "timeout_seconds = 5")).await;
    (answer, loopback)
}

fn good() -> Does {
    ok(&completion(VERDICT))
}

#[track_caller]
fn failed(answer: Result<Answered, Failed>, kind: FailureKind, is_final: bool, says: &str) -> Failed {
    let failed = answer.unwrap_err();
    assert_eq!((failed.kind, failed.is_final), (kind, is_final), "{failed}");
    assert!(failed.says.contains(says), "{failed}");
    assert!(!format!("{failed:?}").contains(KEY), "{failed:?}");
    failed
}

#[tokio::test]
async fn what_may_be_asked_again_is_asked_again() {
    for status in [
        "408 Request Timeout",
        "409 Conflict",
        "429 Too Many Requests",
        "500 Oops",
        "502 Bad Gateway",
        "529 Overloaded",
    ] {
        let (answer, loopback) = ask(vec![http(status, JSON, "{}"), http(status, "", ""), good()]).await;
        let answered = answer.unwrap();
        assert_eq!((answered.text.as_str(), answered.attempts), (VERDICT, 3), "{status}");
        assert_eq!(loopback.requests().len(), 3, "{status}");
    }
}

#[tokio::test]
async fn what_the_provider_asks_for_is_waited() {
    let (asked, begun) = (http("429 Too Many Requests", "retry-after: 0.3\r\n", ""), Instant::now());
    let (answer, _) = ask(vec![asked, good()]).await;
    assert_eq!(answer.unwrap().attempts, 2);
    assert!(begun.elapsed() >= Duration::from_millis(300), "{:?}", begun.elapsed());
    // Nobody waits for an hour: the call can be made later.
    let hour = http("429 Too Many Requests", "retry-after: 3600\r\n", "");
    let (answer, loopback) = ask(vec![hour, good()]).await;
    failed(answer, FailureKind::Other, false, "429");
    assert_eq!(loopback.requests().len(), 1);
}

#[tokio::test]
async fn a_provider_that_never_has_time_fails_without_being_owed_anything() {
    let busy =
        http("429 Too Many Requests", JSON, r#"{"error": {"message": "slow down", "code": "rate_limit"}}"#);
    let (answer, loopback) = ask(vec![busy]).await;
    let failed = failed(answer, FailureKind::Other, false, "rate_limit · slow down");
    assert_eq!((failed.attempts, loopback.requests().len()), (4, 4));
    let nobody = caller("openai", "http://127.0.0.1:9/v1", "");
    let unreachable = Question::new().ask(&nobody).await.unwrap_err();
    assert_eq!(
        (unreachable.kind, unreachable.is_final, unreachable.attempts),
        (FailureKind::Missing, false, 4)
    );
}

#[tokio::test]
async fn what_is_wrong_with_the_call_is_not_asked_again() {
    let too_long = json!({ "error": { "code": "context_length_exceeded", "message": "maximum context length is 8192 tokens" } });
    let filtered = json!({ "error": { "code": "content_filter", "message": "The prompt was filtered" } });
    for (status, body, kind, is_final, says) in [
        ("400 Bad Request", too_long, FailureKind::Other, true, "maximum context length"),
        ("400 Bad Request", filtered, FailureKind::Refused, true, "content_filter"),
        (
            "422 Unprocessable",
            json!({ "error": "no such parameter" }),
            FailureKind::Other,
            true,
            "no such parameter",
        ),
        (
            "401 Unauthorized",
            json!({ "error": { "message": format!("wrong key {KEY}") } }),
            FailureKind::Other,
            false,
            "wrong key ⟨key⟩",
        ),
        ("404 Not Found", json!({}), FailureKind::Other, false, "404"),
    ] {
        let (answer, loopback) = ask(vec![http(status, JSON, body.to_string())]).await;
        failed(answer, kind, is_final, says);
        assert_eq!(loopback.requests().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn an_answer_that_drips_is_given_up_and_not_paid_twice() {
    let loopback = Loopback::that(vec![Does::Drips]).await;
    let (caller, begun) = (caller("openai", &loopback.url, "timeout_seconds = 0.4"), Instant::now());
    let failed = failed(Question::new().ask(&caller).await, FailureKind::TimedOut, true, "within 0.4 s");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert!(failed.raw.unwrap().starts_with("{\"model\": \"x"), "what came is kept");
    assert_eq!(loopback.requests().len(), 1);
}

#[tokio::test]
async fn an_answer_that_breaks_off_keeps_what_came() {
    let whole = completion(VERDICT).to_string();
    let half = &whole[..whole.len() / 2];
    let promised = format!("HTTP/1.1 200 OK\r\n{JSON}content-length: {}\r\n\r\n{half}", whole.len());
    let chunked =
        format!("HTTP/1.1 200 OK\r\n{JSON}transfer-encoding: chunked\r\n\r\n{:x}\r\n{half}\r\n", half.len());
    for does in
        [Does::Says(promised.into_bytes()), Does::Says(chunked.into_bytes()), http("200 OK", JSON, half)]
    {
        let (answer, loopback) = ask(vec![does]).await;
        assert_eq!(failed(answer, FailureKind::Truncated, true, "").raw.as_deref(), Some(half));
        assert_eq!(loopback.requests().len(), 1);
    }
    let (answer, loopback) = ask(vec![Does::Closes]).await;
    failed(answer, FailureKind::Missing, true, "no answer");
    assert_eq!(loopback.requests().len(), 1);
}

#[tokio::test]
async fn what_is_no_answer_is_a_failure_of_its_kind() {
    let html = http("200 OK", "content-type: text/html\r\n", "<h1>Welcome</h1>");
    let no_utf8 = http("200 OK", JSON, b"{\"model\": \"\xff\xfe\"}");
    let error = ok(&json!({ "error": { "code": 502, "message": "upstream is away" } }));
    for (does, kind, says, raw) in [
        (html, FailureKind::Unparsable, "text/html, expected application/json", "<h1>Welcome</h1>"),
        (no_utf8, FailureKind::Unparsable, "no UTF-8", "{\"model\": \"��\"}"),
        (
            error,
            FailureKind::Other,
            "502 · upstream is away",
            "{\"error\":{\"code\":502,\"message\":\"upstream is away\"}}",
        ),
        (http("200 OK", JSON, "hello"), FailureKind::Unparsable, "no JSON", "hello"),
        (ok(&json!({ "choices": [] })), FailureKind::Missing, "no `choices`", "{\"choices\":[]}"),
    ] {
        let (answer, loopback) = ask(vec![does]).await;
        assert_eq!(failed(answer, kind, true, says).raw.as_deref(), Some(raw));
        assert_eq!(loopback.requests().len(), 1, "{says}");
    }
    let (answer, _) = ask(vec![http("200 OK", JSON, "")]).await;
    failed(answer, FailureKind::Missing, true, "empty");
}

#[tokio::test]
async fn an_endless_answer_is_not_read() {
    let before = peak_memory();
    let (answer, loopback) = ask(vec![Does::Floods(300 << 20)]).await;
    let failed = failed(answer, FailureKind::Unparsable, true, "longer than 1 MiB");
    assert!(failed.raw.unwrap().len() <= LONGEST_ANSWER);
    // The rest of what was written stands in the buffers of the system.
    assert!(loopback.written() < 32 << 20, "{} bytes were read", loopback.written());
    match (before, peak_memory()) {
        (Some(before), Some(after)) => assert!(after - before < 32 << 10, "{} KiB more", after - before),
        _ => eprintln!("skipped: the system does not say how much memory is used"),
    }
}

/// The most memory that this process has used, in KiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_key_stays_here() {
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let elsewhere = Loopback::that(vec![good()]).await;
        let location = format!("location: {}/chat/completions\r\n", elsewhere.url);
        let (answer, loopback) = ask(vec![http(status, &location, "")]).await;
        failed(answer, FailureKind::Other, false, "redirects are not followed");
        assert!(loopback.requests()[0].contains(KEY));
        assert_eq!(elsewhere.requests().len(), 0, "{status}");
    }
}

/// What `domain` reads in an answer that the caller brought.
async fn read(completion: Value) -> Outcome {
    let (answer, _) = ask(vec![ok(&completion)]).await;
    let answered = answer.unwrap();
    assert!(answered.raw.contains("choices"), "the raw answer is kept");
    let rubric = rubric();
    let asked = [Asked { criterion: "help", scale: rubric.scale_of("help").unwrap() }];
    let answer =
        JudgeAnswer { text: &answered.text, cut_off: answered.cut_off, refusal: answered.refusal.as_deref() };
    read_answer(&answer, Parser::Scores, &asked).remove(0).outcome
}

#[tokio::test]
async fn what_the_model_gets_wrong_is_read_as_that() {
    let kind = |outcome: Outcome| match outcome {
        Outcome::Failure { kind, .. } => kind,
        Outcome::Value(value) => panic!("read as {value}"),
    };
    let two = format!("{VERDICT}\n{VERDICT}");
    for (text, expected) in [
        (r#"{"reason": "x", "score": 7}"#, FailureKind::OffScale),
        ("I'm sorry, but I cannot judge this.", FailureKind::Refused),
        ("", FailureKind::Missing),
        (two.as_str(), FailureKind::Unparsable),
        (r#"{"reason": "x", "sc"#, FailureKind::Truncated),
    ] {
        assert_eq!(kind(read(completion(text)).await), expected, "{text}");
    }
    let mut declined = completion("");
    declined["choices"][0]["message"] = json!({ "content": null, "refusal": "I cannot help with that." });
    assert_eq!(kind(read(declined).await), FailureKind::Refused);
    let mut filtered = completion("{\"rea");
    filtered["choices"][0]["finish_reason"] = json!("content_filter");
    assert_eq!(kind(read(filtered).await), FailureKind::Refused);
    let mut cut = completion("The answer helps, because it");
    cut["choices"][0]["finish_reason"] = json!("length");
    assert_eq!(kind(read(cut).await), FailureKind::Truncated);
}

#[tokio::test]
async fn a_model_that_changes_half_way_is_told() {
    let mut other = completion(VERDICT);
    other["model"] = json!("m-2026-11-30");
    let loopback = Loopback::that(vec![good(), ok(&other)]).await;
    let (caller, question) = (caller("openai", &loopback.url, ""), Question::new());
    let mut models = Vec::new();
    for _ in 0..2 {
        models.push(question.ask(&caller).await.unwrap().reported_model.unwrap());
    }
    assert_eq!(models, ["m-2026-08-01", "m-2026-11-30"]);
}

#[tokio::test]
async fn a_server_without_tls_is_told_no_key() {
    let loopback = Loopback::that(vec![good()]).await;
    let caller = caller("openai", &loopback.url.replace("http://", "https://"), "");
    let failed = failed(Question::new().ask(&caller).await, FailureKind::Missing, false, "no answer");
    assert_eq!(failed.attempts, 4);
    assert!(loopback.requests().iter().all(|request| !request.contains(KEY) && !request.contains("POST")));
}
