//! Judges by the command line, against a provider on loopback; a run that is killed in the middle.

use crate::program::Workplace;
use axum::{Json, Router, extract::State, routing::post};
use serde_json::{Value, json};
use std::{
    collections::HashMap,
    process::Stdio,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{net::TcpListener, time::sleep};

const JUDGE: &str = r#"
name = "strict"
version = "1"
criteria = ["helpfulness"]
[instrument.model]
endpoint = "local"
model = "m-2026-08-01"
prompt = "{{ question }} {{ answer }} {{ answer_format }}"
"#;

/// How often each prompt was answered.
type Answered = Arc<Mutex<HashMap<String, u32>>>;

async fn respond(State(answered): State<Answered>, Json(asked): Json<Value>) -> Json<Value> {
    sleep(Duration::from_millis(40)).await;
    *answered.lock().unwrap().entry(asked["messages"].to_string()).or_default() += 1;
    let content = r#"{"reason": "it helps", "score": 4}"#;
    Json(json!({
        "model": "m-2026-08-01",
        "choices": [{ "message": { "content": content }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10 },
    }))
}

/// The demo project with a judge on an endpoint of loopback, which takes so many calls at the same time.
async fn place(concurrency: u32) -> (Workplace, Answered) {
    let answered = Answered::default();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let router = Router::new().route("/v1/chat/completions", post(respond)).with_state(answered.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let place = Workplace::new();
    place.file(
        "touchstone-judges.toml",
        format!("[endpoint.local]\nkind = \"openai\"\nurl = \"{url}\"\nconcurrency = {concurrency}\n"),
    );
    place.file("judge.toml", JUDGE);
    place.done(&["demo"]);
    place.done(&["judge", "add", "--project", "demo", "judge.toml"]);
    (place, answered)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_is_declared_previewed_run_and_compared() {
    let (place, answered) = place(8).await;
    let again = place.done(&["judge", "add", "--project", "demo", "judge.toml"]).err;
    assert!(again.contains("strict@1 was there already"), "{again}");
    place.file("edited.toml", JUDGE.replace("{{ question }}", "{{ question }}!"));
    let refused = place.run(&["judge", "add", "--project", "demo", "edited.toml"]);
    assert_eq!(refused.code, 3);
    assert!(refused.err.contains("a version never changes"), "{refused:?}");
    let shown = place.done(&["judge", "show", "--project", "demo", "strict"]).out;
    assert!(shown.contains("m-2026-08-01") && shown.contains("[rubric]"), "{shown}");
    place
        .file("second.toml", JUDGE.replace("version = \"1\"", "version = \"2\"").replace("{{ answer }}", ""));
    place.done(&["judge", "add", "--project", "demo", "second.toml"]);
    let difference = place.done(&["judge", "diff", "--project", "demo", "strict@1", "strict@2"]).out;
    assert!(difference.contains("-prompt = ") && difference.contains("+prompt = "), "{difference}");

    let conversation = "servicing-01";
    let preview =
        ["judge", "preview", "--project", "demo", "strict@1", "--conversation", conversation, "--ask"];
    let preview = place.done(&preview).out;
    assert!(preview.contains("helpfulness  4  it helps"), "{preview}");
    answered.lock().unwrap().clear();

    let estimate =
        place.done(&["judge", "run", "--project", "demo", "strict@1", "--estimate", "--json"]).json();
    let calls = estimate["calls"].as_u64().unwrap();
    assert!(calls > 10, "{estimate}");
    assert!(estimate["cost_usd"].is_null(), "no price is configured: {estimate}");
    let run = place.done(&["judge", "run", "--project", "demo", "strict@1", "--json"]).json();
    assert_eq!((run["state"].as_str(), run["counts"]["answered"].as_u64()), (Some("done"), Some(calls)));
    let compared =
        place.done(&["compare", "--project", "demo", "--criterion", "helpfulness", "--json"]).json();
    let judges = compared["criteria"][0]["judges"].as_array().unwrap();
    assert!(judges.iter().any(|judge| judge["judge"] == "strict@1"), "{judges:?}");
    let listed = place.done(&["judge", "list", "--project", "demo", "--json"]).json();
    let strict = listed.as_array().unwrap().iter().find(|judge| judge["name"] == "strict@1").unwrap();
    assert_eq!((strict["verdicts"].as_u64(), strict["floating"].as_bool()), (Some(calls), Some(false)));
    place.done(&["judge", "baselines", "--project", "demo"]);
    assert_eq!(answered.lock().unwrap().len() as u64, calls, "a baseline asks nobody");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_killed_goes_on_without_a_stored_call_asked_twice() {
    let (place, answered) = place(2).await;
    let arguments = ["judge", "run", "--project", "demo", "strict", "--repeats", "4"];
    let mut program = place.command(&arguments).stderr(Stdio::null()).spawn().unwrap();
    while answered.lock().unwrap().values().sum::<u32>() < 20 {
        sleep(Duration::from_millis(5)).await;
    }
    program.kill().unwrap();
    program.wait().unwrap();
    let asked = u64::from(answered.lock().unwrap().values().sum::<u32>());
    let runs = place.done(&["judge", "runs", "--project", "demo", "--json"]).json();
    let (run, kept) = (runs[0]["run"].as_str().unwrap(), runs[0]["counts"]["answered"].as_u64().unwrap());
    assert_eq!(runs[0]["state"], "running");
    // Those that were on their way when the process died could not be kept.
    assert!(kept + 4 >= asked, "{kept} of {asked} are kept");
    let done = place.done(&["judge", "resume", "--project", "demo", run, "--json"]).json();
    let calls = done["counts"]["calls"].as_u64().unwrap();
    assert_eq!((done["state"].as_str(), done["counts"]["answered"].as_u64()), (Some("done"), Some(calls)));
    let listed = place.done(&["judge", "list", "--project", "demo", "--json"]).json();
    let strict = listed.as_array().unwrap().iter().find(|judge| judge["judge"] == "strict").unwrap();
    assert_eq!(strict["verdicts"].as_u64(), Some(calls));
    let asked = u64::from(answered.lock().unwrap().values().sum::<u32>());
    assert!(asked <= calls + 4, "{asked} calls were answered for {calls}");
    let again = place.run(&["judge", "resume", "--project", "demo", run]);
    assert_eq!(again.code, 3);
    assert!(again.err.contains("the run has ended"), "{again:?}");
}
