//! Production against a provider and a webhook on loopback: what is judged before it is given, what is sampled, and what is told once.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use axum::{Json, Router, extract::State, http::StatusCode, response::IntoResponse, routing::post};
use domain::{
    AnchorChoice, AnchorSetName, Calibration, Declaration, OnFailure, PrivateKind, Purpose, RedactionRules,
    ReferenceRule, RunPlan, RunScope, RunState, Split, WatchSettings,
    agreement::{Inference, with_known_error},
};
use judge::Endpoints;
use serde_json::{Value, json};
use service::{
    AnchorRequest, GateRequest, InlineRequest, ProjectId, PromotionRequest, ReferenceChoice, ScoreRequest,
    Service, ServiceError, Viewer, Webhook, import::Kind,
};
use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::Duration,
};
use time::OffsetDateTime;
use tokio::net::TcpListener;

const RUBRIC: &str = r#"
    name = "shop"
    version = 1
    [[scale]]
    id = "five"
    kind = "ordinal"
    relevant_from = 4
    levels = [{ value = 1, name = "bad" }, { value = 2, name = "poor" }, { value = 3, name = "fair" },
              { value = 4, name = "good" }, { value = 5, name = "great" }]
    [[criterion]]
    id = "helpfulness"
    component = "generation"
    unit = "conversation"
    scale = "five"
    question = "Does the answer help?"
    [[criterion]]
    id = "relevance"
    component = "retrieval"
    unit = "passage"
    scale = "five"
    question = "Is it relevant?"
"#;

const STRICT: &str = r#"
    name = "strict"
    version = "1"
    criteria = ["helpfulness"]
    [instrument.model]
    endpoint = "local"
    model = "m-2026-08-01"
    prompt = "{{ question }} {{ answer }} {{ answer_format }}"
"#;

/// A model that gives 5 to what holds "good" and 2 to the rest.
#[derive(Clone, Default)]
struct Provider {
    asked: Arc<AtomicU32>,
    takes_ms: Arc<AtomicU64>,
    is_down: Arc<Mutex<bool>>,
}

impl Provider {
    async fn respond(State(provider): State<Provider>, Json(asked): Json<Value>) -> impl IntoResponse {
        provider.asked.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(provider.takes_ms.load(Ordering::SeqCst))).await;
        if *provider.is_down.lock().unwrap() {
            return (StatusCode::BAD_REQUEST, Json(json!({ "error": { "message": "down" } })));
        }
        let score = if asked["messages"].to_string().contains("good") { 5 } else { 2 };
        let content = format!("{{\"reason\": \"it reads so\", \"score\": {score}}}");
        let body = json!({
            "model": "m-2026-08-01",
            "choices": [{ "message": { "content": content }, "finish_reason": "stop" }],
            "usage": { "prompt_tokens": 100, "completion_tokens": 10 },
        });
        (StatusCode::OK, Json(body))
    }
}

struct Place {
    service: Service,
    project: ProjectId,
    provider: Provider,
    _directory: tempfile::TempDir,
}

async fn listening(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

impl Place {
    async fn new() -> Place {
        let provider = Provider::default();
        let router =
            Router::new().route("/v1/chat/completions", post(Provider::respond)).with_state(provider.clone());
        let address = listening(router).await;
        let directory = tempfile::tempdir().unwrap();
        let store = store::Store::open(directory.path().join("t.db")).await.unwrap();
        let endpoints =
            format!("[endpoint.local]\nkind = \"openai\"\nurl = \"{address}/v1\"\nattempts = 1\n");
        let service = Service::new(store, OffsetDateTime::now_utc)
            .with_endpoints(Endpoints::from_toml(&endpoints).unwrap());
        let rubric = domain::Rubric::from_toml(RUBRIC).unwrap();
        let project = service.create_project("shop", Some(&rubric), None).await.unwrap().id;
        Place { service, project, provider, _directory: directory }
    }

    /// Twenty conversations in two corpora, labelled, frozen, judged; and the judge promoted for two purposes.
    async fn promoted() -> Place {
        let place = Place::new().await;
        let rows: Vec<String> = (1..=20)
            .map(|at| {
                let text = if at % 2 == 0 { "good" } else { "not so" };
                let corpus = if at <= 10 { "cloud" } else { "govt" };
                json!({ "id": format!("c{at}"), "corpus": corpus, "question": "Q?", "answer": { "text": text } }).to_string()
            })
            .collect();
        let labels: Vec<String> = (1..=20)
            .map(|at| format!("ada,c{at},conversation,helpfulness,{}", if at % 2 == 0 { 5 } else { 2 }))
            .collect();
        let labels = format!("annotator,conversation,unit,criterion,value\n{}\n", labels.join("\n"));
        let (service, project) = (&place.service, place.project);
        service.import_text(project, Kind::Conversations, "c.jsonl", &rows.join("\n")).await.unwrap();
        service.import_text(project, Kind::Labels, "l.csv", &labels).await.unwrap();
        let request = AnchorRequest {
            name: "gold".to_owned(),
            choice: AnchorChoice { size: None, confirm: 0.0, seed: 1 },
            rule: Some(ReferenceRule::Median),
            annotators: Vec::new(),
            criteria: vec!["helpfulness".to_owned()],
            owner: None,
            expires: None,
        };
        service.freeze_anchor_set(project, &request, None).await.unwrap();
        service.declare_judge(project, Declaration::from_toml(STRICT).unwrap(), None).await.unwrap();
        let run = service
            .start_run(project, "strict", &RunPlan::once(RunScope::Project), None)
            .await
            .unwrap()
            .id
            .to_string();
        while service.run(project, &run).await.unwrap().state == RunState::Running {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let name = AnchorSetName { name: "gold".to_owned(), version: 1 };
        let gate = GateRequest {
            candidate: "strict".to_owned(),
            incumbent: None,
            policy: Some("name = \"p\"\n[rules]\nminimum_n = 5\nfailure_share = 0.5\n".to_owned()),
            reference: ReferenceChoice::AnchorSet { name, split: Split::Tune, why: None },
        };
        let decision = service.gate(project, gate, None, Viewer::Operator).await.unwrap();
        for purpose in [Purpose::Inline, Purpose::Routine] {
            let request = PromotionRequest {
                decision: decision.id.clone(),
                purpose,
                criteria: Vec::new(),
                reason: "the first".to_owned(),
                floating_reason: None,
            };
            service.promote(project, &request, None).await.unwrap();
        }
        place
    }

    async fn inline(&self, response: &str) -> service::InlineAnswer {
        self.service.score_inline(self.project, request(response)).await.unwrap()
    }

    /// Scores of one day, so many with this value.
    async fn day(&self, days_ago: i64, value: f64, name: &str) {
        let at = OffsetDateTime::now_utc() - time::Duration::days(days_ago);
        let scores: Vec<ScoreRequest> = (0..200)
            .map(|number| ScoreRequest {
                key: format!("{name} {days_ago} {number}"),
                dimension: "helpfulness".to_owned(),
                // A scale of five, a quarter of whose scores lie a level higher or lower.
                value: value + [0.0, 1.0, 0.0, -1.0][number % 4],
                judge: Some("elsewhere@1".to_owned()),
                at: Some(at),
                conversation: (number == 3).then(|| format!("low-{days_ago}")),
                text: (number == 3).then(|| "I cannot help".to_owned()),
                ..ScoreRequest::default()
            })
            .collect();
        self.service.add_scores(self.project, &scores).await.unwrap();
    }
}

fn request(response: &str) -> InlineRequest {
    InlineRequest {
        criterion: "helpfulness".to_owned(),
        question: "May I return it?".to_owned(),
        context: vec!["Returns take 30 days.".to_owned()],
        response: response.to_owned(),
    }
}

#[tokio::test]
async fn an_answer_is_passed_by_the_promoted_judge_and_remembered() {
    let place = Place::promoted().await;
    let before = place.provider.asked.load(Ordering::SeqCst);
    let good = place.inline("a good answer").await;
    assert_eq!((good.score, good.passed, good.by), (Some(1.0), true, "judge"), "{good:?}");
    assert_eq!((good.judge.as_deref(), good.as_promoted), (Some("strict@1"), Some(true)));
    // It was promoted with the pass level, 4 of 1 to 5.
    assert!((good.threshold - 0.75).abs() < 1e-9, "{good:?}");
    let again = place.inline("a good answer").await;
    assert_eq!((again.score, again.by, again.fingerprint.clone()), (Some(1.0), "memory", good.fingerprint));
    let bad = place.inline("nothing").await;
    assert_eq!((bad.score, bad.passed), (Some(0.25), false));
    assert_eq!(place.provider.asked.load(Ordering::SeqCst) - before, 2);
    assert_eq!(place.service.inline_without_judge(place.project).await.unwrap(), []);
    // A threshold of the project's own counts more.
    let mut settings = WatchSettings::default();
    settings.dimensions.entry("helpfulness".to_owned()).or_default().inline = Some(0.2);
    place.service.save_watch_settings(place.project, &settings, None).await.unwrap();
    assert!(place.inline("nothing").await.passed);
}

#[tokio::test]
async fn where_the_judge_is_late_or_fails_the_declared_answer_is_given_and_recorded() {
    let place = Place::promoted().await;
    let settings = WatchSettings { budget_ms: 60, on_failure: OnFailure::Closed, ..WatchSettings::default() };
    place.service.save_watch_settings(place.project, &settings, None).await.unwrap();
    place.provider.takes_ms.store(5_000, Ordering::SeqCst);
    let late = place.inline("a good answer").await;
    assert_eq!((late.score, late.passed, late.by), (None, false, "declared"), "{late:?}");
    assert!(late.reason.unwrap().starts_with("late: no answer within"));
    place.provider.takes_ms.store(0, Ordering::SeqCst);
    *place.provider.is_down.lock().unwrap() = true;
    let open = WatchSettings { budget_ms: 5_000, on_failure: OnFailure::Open, ..settings };
    place.service.save_watch_settings(place.project, &open, None).await.unwrap();
    let mut waiting = tokio::task::JoinSet::new();
    for at in 0..20 {
        let (service, project) = (place.service.clone(), place.project);
        let request = request(&format!("a good answer {at}"));
        waiting.spawn(async move { service.score_inline(project, request).await });
    }
    let answers: Vec<_> = waiting.join_all().await.into_iter().map(Result::unwrap).collect();
    assert!(answers.iter().all(|answer| answer.passed && answer.by == "declared" && answer.score.is_none()));
    let recorded = place.service.inline_without_judge(place.project).await.unwrap();
    assert_eq!(recorded, [("failed".to_owned(), 20), ("late".to_owned(), 1)]);
    // What failed is not remembered.
    *place.provider.is_down.lock().unwrap() = false;
    assert_eq!(place.inline("a good answer 3").await.by, "judge");
}

#[tokio::test]
async fn without_a_promoted_judge_nothing_is_judged_and_that_is_recorded() {
    let place = Place::new().await;
    let answer = place.inline("a good answer").await;
    assert_eq!((answer.passed, answer.by, answer.judge), (true, "declared", None));
    assert!((answer.threshold - 0.82).abs() < 1e-9);
    assert_eq!(
        place.service.inline_without_judge(place.project).await.unwrap(),
        [("no_judge".to_owned(), 1)]
    );
    for (criterion, says) in [("none", "has no criterion"), ("relevance", "asked of each passage")] {
        let request = InlineRequest { criterion: criterion.to_owned(), ..request("x") };
        let refused = place.service.score_inline(place.project, request).await.unwrap_err();
        assert!(refused.to_string().contains(says), "{refused}");
    }
}

#[tokio::test]
async fn a_sample_is_drawn_by_corpus_and_judged_once() {
    let place = Place::promoted().await;
    let before = place.provider.asked.load(Ordering::SeqCst);
    let taken = place.service.take_sample(place.project, Some(0.3), 1).await.unwrap();
    assert_eq!((taken.imported, taken.drawn, taken.scores, taken.failures), (20, 6, 6, 0), "{taken:?}");
    assert_eq!(place.provider.asked.load(Ordering::SeqCst) - before, 6);
    let again = place.service.take_sample(place.project, Some(0.3), 1).await.unwrap();
    assert_eq!((again.imported, again.scores), (0, 0));
    let report = place.service.watch_report(place.project, 30, Viewer::Operator).await.unwrap();
    let dimension = &report.dimensions[0];
    assert_eq!(dimension.lines[0].week.n(), 6);
    let corrected = dimension.corrected.as_ref().unwrap();
    assert_eq!((corrected.items, corrected.anchor_set.as_str()), (20, "gold@1"));
}

#[tokio::test]
async fn a_sample_that_nobody_answered_is_gone_on_with() {
    let place = Place::promoted().await;
    let refused = Service::new(place.service.store().clone(), OffsetDateTime::now_utc).with_endpoints(
        Endpoints::from_toml(
            "[endpoint.local]\nkind = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nattempts = 1\n",
        )
        .unwrap(),
    );
    let error = refused.take_sample(place.project, Some(0.5), 7).await.unwrap_err();
    assert!(matches!(error, ServiceError::Conflict { .. }), "{error}");
    let taken = place.service.take_sample(place.project, Some(0.1), 1).await.unwrap();
    // As it was begun.
    assert_eq!((taken.drawn, taken.scores), (10, 10));
}

#[derive(Clone, Default)]
struct Chat(Arc<Mutex<Vec<Value>>>);

async fn told(State(chat): State<Chat>, Json(body): Json<Value>) -> StatusCode {
    chat.0.lock().unwrap().push(body);
    StatusCode::OK
}

#[tokio::test]
async fn a_fall_is_told_once_with_who_moved() {
    let mut place = Place::new().await;
    let chat = Chat::default();
    let address = listening(Router::new().route("/hook", post(told)).with_state(chat.clone())).await;
    let webhook = Webhook::new(&format!("{address}/hook"), None, "https://touchstone.example").unwrap();
    place.service = place.service.clone().with_webhook(Some(webhook));
    for days_ago in (0..40).rev() {
        place.day(days_ago, if days_ago < 6 { 3.0 } else { 4.0 }, "a").await;
    }
    let scored = place.service.watch_report(place.project, 30, Viewer::Operator).await.unwrap();
    assert_eq!(scored.alarms().count(), 1, "{scored:?}");
    let fingerprint =
        place.service.store().scoring_judges(place.project).await.unwrap()[0].fingerprint.clone();
    for days_ago in 0..20 {
        let calibration = Calibration {
            dimension: "helpfulness".to_owned(),
            judge: "elsewhere".to_owned(),
            version: "1".to_owned(),
            reported_model: None,
            fingerprint: fingerprint.clone(),
            anchor_set: "gold@1".to_owned(),
            shift: with_known_error(0.0, 0.01, 100, &Inference::analytic()),
            at: OffsetDateTime::now_utc() - time::Duration::days(days_ago),
        };
        place.service.record_calibration(place.project, &calibration).await.unwrap();
    }
    for _ in 0..2 {
        let standing = place.service.look_for_falls(place.project).await.unwrap();
        assert_eq!(standing.len(), 1);
    }
    let told = chat.0.lock().unwrap().clone();
    assert_eq!(told.len(), 1);
    let text = told[0]["text"].as_str().unwrap();
    assert!(text.starts_with("shop: helpfulness fell by 0."), "{text}");
    assert!(
        text.contains("the assistant fell by") && text.contains("the judge did not move beyond noise"),
        "{text}"
    );
    assert!(text.ends_with("https://touchstone.example/p/shop/watch"), "{text}");
    let weekly = place.service.weekly_report(place.project, Viewer::Operator).await.unwrap();
    assert_eq!((weekly.figures.len(), weekly.alarms.len(), weekly.worst.len()), (1, 1, 5));
    assert_eq!(weekly.figures[0].rolling.len(), 28);
    assert!(weekly.worst[0].conversation.starts_with("low-") && !weekly.worst[0].is_imported);

    place.service.send_weekly_report(&weekly, "shop, week to today\n  <!channel> 0.60").await.unwrap();
    let told = chat.0.lock().unwrap().clone();
    assert_eq!(told.len(), 2);
    assert_eq!(
        told[1]["text"],
        "shop, week to today\n  &lt;!channel&gt; 0.60\nhttps://touchstone.example/p/shop/watch"
    );
    assert_eq!(told[1]["report"], serde_json::to_value(&weekly).unwrap());
    let without = Place::new().await;
    let refused = without.service.send_weekly_report(&weekly, "").await.unwrap_err();
    assert!(refused.to_string().contains("TOUCHSTONE_WEBHOOK"), "{refused}");
}

#[tokio::test]
async fn private_data_is_taken_out_of_the_text_of_a_score_also_when_many_send_at_once() {
    let place = Place::new().await;
    let row = r#"{"id": "c0", "question": "Q?", "answer": {"text": "A."}}"#;
    place.service.import_text(place.project, Kind::Conversations, "c.jsonl", row).await.unwrap();
    let rules = RedactionRules { kinds: [PrivateKind::EMail].into(), ..RedactionRules::default() };
    place.service.set_redaction_rules(place.project, &rules, None).await.unwrap();
    let send = |sender: usize, text: String| {
        let (service, project) = (place.service.clone(), place.project);
        tokio::spawn(async move {
            let score = ScoreRequest {
                key: format!("{sender}"),
                dimension: "helpfulness".to_owned(),
                value: 1.0,
                judge: Some("elsewhere@1".to_owned()),
                corpus: Some("of p0@example.com".to_owned()),
                conversation: Some(format!("c{sender}")),
                text: Some(text),
                ..ScoreRequest::default()
            };
            service.add_scores(project, &[score]).await.unwrap();
        })
    };
    let sent: Vec<_> = (0..4).map(|sender| send(sender, format!("Write to p{sender}@example.com"))).collect();
    for one in sent {
        one.await.unwrap();
    }
    send(4, "p0@example.com waits".to_owned()).await.unwrap();
    let today = domain::Day::of(OffsetDateTime::now_utc()) + 1;
    let worst = place.service.worst_conversations(place.project, today, Viewer::Operator).await.unwrap();
    let imported: Vec<&str> =
        worst.iter().filter(|worst| worst.is_imported).map(|worst| worst.conversation.as_str()).collect();
    assert_eq!(imported, ["c0"]);
    let text = |conversation: &str| {
        let found = worst.iter().find(|worst| worst.conversation == conversation).unwrap();
        found.text.clone().unwrap()
    };
    let texts: BTreeSet<String> = (0..4).map(|sender| text(&format!("c{sender}"))).collect();
    assert!(worst.iter().all(|worst| worst.corpus.starts_with("of [e-mail ")), "{worst:?}");
    let expected: BTreeSet<String> = (1..=4).map(|number| format!("Write to [e-mail {number}]")).collect();
    assert_eq!(texts, expected, "each address has a number of its own");
    assert_eq!(text("c4"), text("c0").replace("Write to ", "") + " waits");
}

#[tokio::test]
async fn a_score_that_cannot_stand_is_named_with_its_field() {
    let place = Place::new().await;
    let good = ScoreRequest {
        key: "k".to_owned(),
        dimension: "helpfulness".to_owned(),
        value: 4.0,
        judge: Some("elsewhere@1".to_owned()),
        ..ScoreRequest::default()
    };
    let says = async |score: ScoreRequest| {
        place.service.add_scores(place.project, &[good.clone(), score]).await.unwrap_err().to_string()
    };
    let found = says(ScoreRequest { value: 6.0, ..good.clone() }).await;
    assert!(found.starts_with("scores[1].value: found 6, expected one of 1 (bad)"), "{found}");
    let long = "x".repeat(300);
    let old = OffsetDateTime::now_utc() - time::Duration::days(3_000);
    for (field, score) in [
        ("dimension", ScoreRequest { dimension: "none".to_owned(), ..good.clone() }),
        ("key", ScoreRequest { key: String::new(), ..good.clone() }),
        ("judge", ScoreRequest { judge: Some("elsewhere".to_owned()), ..good.clone() }),
        ("fingerprint", ScoreRequest { fingerprint: Some("none".to_owned()), ..good.clone() }),
        ("corpus", ScoreRequest { corpus: Some(long.clone()), ..good.clone() }),
        ("text", ScoreRequest { text: Some("x".repeat(3_000)), ..good.clone() }),
        ("at", ScoreRequest { at: Some(old), ..good.clone() }),
        ("value", ScoreRequest { value: f64::NAN, ..good.clone() }),
    ] {
        let found = says(score).await;
        assert!(found.starts_with(&format!("scores[1].{field}: ")), "{found}");
    }
    let none = place.service.watch_report(place.project, 30, Viewer::Operator).await.unwrap();
    assert_eq!(none.through, None, "all or none");
}
