//! Production over HTTP: who may send scores, what is stored once, and what a sealed score tells.

use crate::{
    seal::{assert_same, everything_read},
    site::Site,
};
use axum::http::{Method, StatusCode};
use domain::{Role, Scope};
use serde_json::{Value, json};

fn score(key: &str, conversation: &str, value: f64) -> Value {
    json!({ "key": key, "dimension": "helpful", "score": value, "judge": "elsewhere@1",
        "corpus": "cloud", "conversation": conversation, "text": format!("an answer that got {value}") })
}

fn sent(scores: &[Value]) -> String {
    json!({ "project": "shop", "scores": scores }).to_string()
}

#[tokio::test]
async fn what_is_sent_twice_is_stored_once_and_one_score_is_a_batch_of_one() {
    let site = Site::open().await;
    let engineer = site.person("engineer", Some(Role::Engineer)).await;
    let token = site.token_of(&engineer, &[Scope::Score, Scope::Read]).await;
    let send = async |body: &str| site.api(&Method::POST, "/api/v1/scores", &token, body).await;
    let both = sent(&[score("a", "first", 1.0), score("b", "other", 4.0)]);
    let first = send(&both).await;
    assert_eq!((first.status, first.body.as_str()), (StatusCode::CREATED, r#"{"stored":2,"known":0}"#));
    assert_eq!(send(&both).await.body, r#"{"stored":0,"known":2}"#);
    let one = json!({ "project": "shop", "score": score("c", "third", 2.0) }).to_string();
    assert_eq!(send(&one).await.body, r#"{"stored":1,"known":0}"#);
    let other = send(&sent(&[score("d", "x", 2.0), score("a", "first", 3.0)])).await;
    assert_eq!(other.status, StatusCode::CONFLICT, "{}", other.body);
    let wrong = send(&sent(&[score("e", "x", 2.0), score("f", "x", 7.0)])).await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(wrong.body.contains("scores[1].value"), "{}", wrong.body);
    let unknown = send(
        r#"{"project": "shop", "score": {"key": "g", "dimension": "helpful", "score": 1, "corpora": "x"}}"#,
    )
    .await;
    assert_eq!(unknown.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", unknown.body);
    let neither = send(r#"{"project": "shop"}"#).await;
    assert!(neither.body.contains("either `score` or `scores`"), "{}", neither.body);
    let many: Vec<Value> = (0..501)
        .map(|at| json!({ "key": at.to_string(), "dimension": "helpful", "score": 1, "judge": "j@1" }))
        .collect();
    assert!(send(&sent(&many)).await.body.contains("expected 1 to 500 at once"));
    let report = site.api(&Method::GET, "/api/v1/watch?project=shop", &token, "").await;
    let report: Value = serde_json::from_str(&report.body).unwrap();
    assert_eq!(report["dimensions"][0]["lines"][0]["week"]["n"], 3);
}

#[tokio::test]
async fn scores_need_their_own_scope_and_the_role_of_an_engineer() {
    let site = Site::open().await;
    let body = sent(&[score("a", "first", 1.0)]);
    let inline = r#"{"project": "shop", "criterion": "helpful", "question": "q", "response": "r"}"#;
    let engineer = site.person("engineer", Some(Role::Engineer)).await;
    let others = site.token_of(&engineer, &[Scope::Read, Scope::Gate, Scope::Judge]).await;
    for (path, body) in [("/api/v1/scores", body.as_str()), ("/api/v1/score", inline)] {
        let refused = site.api(&Method::POST, path, &others, body).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.body);
        assert!(refused.body.contains("scope `score`"), "{}", refused.body);
        for (role, status) in [(Some(Role::Annotator), StatusCode::FORBIDDEN), (None, StatusCode::NOT_FOUND)]
        {
            let name = format!("{} {path}", role.map_or("stranger", Role::word));
            let person = site.person(&name, role).await;
            let token = site.token_of(&person, &Scope::ALL).await;
            let refused = site.api(&Method::POST, path, &token, body).await;
            assert_eq!(refused.status, status, "{name}: {}", refused.body);
        }
    }
    let own = site.token_of(&engineer, &[Scope::Score]).await;
    let answer = site.api(&Method::POST, "/api/v1/score", &own, inline).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(
        (&answer["passed"], &answer["by"], &answer["score"]),
        (&json!(true), &json!("declared"), &Value::Null)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_score_of_an_open_conversation_cannot_be_told() {
    let site = Site::open().await;
    let sender = site.person("sender", Some(Role::Engineer)).await;
    let other = site.token_of(&sender, &[Scope::Score, Scope::Read]).await;
    for role in [Role::Engineer, Role::Lead, Role::Admin] {
        let reader = site.person(&format!("reader {role}"), Some(role)).await;
        site.service.set_overlap(site.project, 20, None).await.unwrap();
        let (cookie, token) = (site.session_of(&reader).await, site.token_of(&reader, &Scope::ALL).await);
        let desk = site.call("/rpc/load_desk", &cookie, r#"{"project": "shop"}"#).await;
        assert!(desk.body.contains("Where is my order?"), "{}", desk.body);
        let before = everything_read(&site, &cookie, &token).await;
        let body =
            sent(&[score(&format!("{role} 1"), "first", 1.0), score(&format!("{role} 2"), "first", 4.0)]);
        let answer = site.api(&Method::POST, "/api/v1/scores", &other, &body).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
        let after = everything_read(&site, &cookie, &token).await;
        assert_same(&before, &after, role);
        let seen = site.api(&Method::GET, "/api/v1/watch?project=shop", &other, "").await;
        assert!(seen.body.contains("elsewhere"), "{}", seen.body);
    }
}

#[tokio::test]
async fn hostile_text_of_a_score_is_text_and_settings_are_saved_by_form() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let (cookie, token) = (site.session_of(&lead).await, site.token_of(&lead, &[Scope::Score]).await);
    let hostile = json!({ "key": "h", "dimension": "helpful", "score": 1, "judge": "<img src=x>@1", "corpus": "<script>1</script>",
        "reported_model": "<b>m</b>", "conversation": "<i>c</i>", "text": "<script>alert(1)</script>" });
    let answer = site.api(&Method::POST, "/api/v1/scores", &token, &sent(&[hostile])).await;
    assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
    let page = site.page("/p/shop/watch", &cookie).await;
    assert_eq!(page.status, StatusCode::OK);
    for markup in ["<script>alert", "<img src=x", "<i>c</i>", "<b>m</b>"] {
        assert!(!page.body.contains(markup), "{markup} in {}", page.body);
    }
    let form = "project=shop&dimension=helpful&fall=0.1&bound=0.25&inline=0.9";
    let saved = site.form("/rpc/set_dimension", &cookie, form).await;
    assert_eq!(saved.status, StatusCode::FOUND, "{}", saved.body);
    let whole = "project=shop&false_alarms=2&sample=0.1&on_failure=closed&budget_ms=500";
    site.form("/rpc/set_watch", &cookie, whole).await;
    let settings = site.service.watch_settings(site.project).await.unwrap();
    assert_eq!((settings.of("helpful").bound, settings.of("helpful").inline), (5, Some(0.9)));
    assert_eq!((settings.budget_ms, settings.tells, settings.on_failure.word()), (500, false, "closed"));
    let refused = site.call("/rpc/set_dimension", &cookie, "project=shop&dimension=helpful&bound=0.33").await;
    assert!(refused.body.contains("bound") && refused.body.contains("steps of 0.05"), "{}", refused.body);
    let refused = site.call("/rpc/set_watch", &cookie, "project=shop&sample=7").await;
    assert!(refused.body.contains("sample"), "{}", refused.body);
}
