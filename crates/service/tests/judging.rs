//! Judges that are run against a provider on loopback: what is asked is asked once, and what is not answered is not invented.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use axum::{Json, Router, extract::State, http::StatusCode, response::IntoResponse, routing::post};
use domain::{
    AnchorChoice, AnchorSetName, Declaration, Outcome, ReferenceRule, RunPlan, RunScope, RunState, Split,
};
use judge::Endpoints;
use serde_json::{Value, json};
use service::{
    AnchorRequest, ComparisonQuery, GateRequest, JudgeRun, ProjectId, ReferenceChoice, Service, ServiceError,
    Viewer,
    import::{Kind, Options},
};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
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
    levels = [{ value = 1, name = "bad" }, { value = 2, name = "poor" }, { value = 3, name = "fair" },
              { value = 4, name = "good" }, { value = 5, name = "great" }]
    [[criterion]]
    id = "helpfulness"
    component = "generation"
    unit = "conversation"
    scale = "five"
    question = "Does the answer help?"
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

/// What the provider does with the call that it is asked for the n-th time in all.
type Answering = fn(u32) -> (StatusCode, Value);

#[derive(Clone)]
struct Provider {
    asked: Arc<Mutex<HashMap<String, u32>>>,
    answering: Arc<Mutex<Answering>>,
    address: String,
}

fn answer(model: &str, score: &str) -> (StatusCode, Value) {
    let content = format!("{{\"reason\": \"it helps\", \"score\": {score}}}");
    let body = json!({
        "model": model,
        "choices": [{ "message": { "content": content }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 10 },
    });
    (StatusCode::OK, body)
}

/// What people say of the conversation with this number, and what a provider says that answers `RIGHT`.
fn level(number: u32) -> u32 {
    1 + number % 4
}

impl Provider {
    async fn new(answering: Answering) -> Provider {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let provider = Provider {
            asked: Arc::default(),
            answering: Arc::new(Mutex::new(answering)),
            address: format!("http://{}/v1", listener.local_addr().unwrap()),
        };
        let router =
            Router::new().route("/v1/chat/completions", post(Provider::respond)).with_state(provider.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        provider
    }

    async fn respond(State(provider): State<Provider>, Json(asked): Json<Value>) -> impl IntoResponse {
        let question = asked["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
        let asked_about: u32 = question
            .split_once("return ")
            .map(|(_, rest)| rest.chars().take_while(char::is_ascii_digit).collect::<String>())
            .and_then(|number| number.parse().ok())
            .unwrap_or_default();
        let number = {
            let mut counts = provider.asked.lock().unwrap();
            let total: u32 = counts.values().sum();
            *counts.entry(question).or_default() += 1;
            total + 1
        };
        tokio::time::sleep(Duration::from_millis(5)).await;
        let answering = *provider.answering.lock().unwrap();
        let (status, body) = answering(number);
        let right = [("RIGHT_AND_ONE", level(asked_about) + 1), ("RIGHT", level(asked_about))];
        let body =
            right.iter().fold(body.to_string(), |body, (word, level)| body.replace(word, &level.to_string()));
        (status, Json(serde_json::from_str::<Value>(&body).unwrap()))
    }

    fn answers(&self, answering: Answering) {
        *self.answering.lock().unwrap() = answering;
    }

    fn asked(&self) -> u32 {
        self.asked.lock().unwrap().values().sum()
    }
}

fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}

struct Place {
    service: Service,
    project: ProjectId,
    provider: Provider,
    directory: tempfile::TempDir,
}

impl Place {
    async fn new(conversations: u32, answering: Answering) -> Place {
        let provider = Provider::new(answering).await;
        let directory = tempfile::tempdir().unwrap();
        let service = Place::open(&directory, &provider).await;
        let project = service.create_project("shop", None, None).await.unwrap().id;
        let rubric = domain::Rubric::from_toml(RUBRIC).unwrap();
        service.publish_rubric(project, &rubric, None).await.unwrap();
        let rows: Vec<String> = (1..=conversations)
            .map(|number| json!({ "id": format!("c{number}"), "question": format!("May I return {number}?"), "answer": { "text": "Yes." } }).to_string())
            .collect();
        let file = directory.path().join("conversations.jsonl");
        std::fs::write(&file, rows.join("\n")).unwrap();
        let options = Options { dry_run: false, keep_going: false };
        service.import(project, Kind::Conversations, &[file], options, |_| {}).await.unwrap();
        Place { service, project, provider, directory }
    }

    /// A process of its own, as far as the file is concerned.
    async fn open(directory: &tempfile::TempDir, provider: &Provider) -> Service {
        let store = store::Store::open(directory.path().join("t.db")).await.unwrap();
        let endpoints = format!(
            "[endpoint.local]\nkind = \"openai\"\nurl = \"{}\"\nconcurrency = 4\nattempts = 2\nbackoff_ms = 1\n\
             price = {{ input = 1000.0, output = 10000.0 }}\n",
            provider.address
        );
        Service::new(store, now).with_endpoints(Endpoints::from_toml(&endpoints).unwrap())
    }

    async fn declare(&self) -> String {
        let declared =
            self.service.declare_judge(self.project, Declaration::from_toml(STRICT).unwrap(), None);
        declared.await.unwrap().declaration.full_name()
    }

    /// Labels of one person: conversation and value.
    async fn label(&self, values: impl IntoIterator<Item = (u32, u8)>) {
        let rows = values.into_iter().map(|(number, value)| format!("c{number},helpfulness,ada,{value}"));
        let rows: Vec<String> =
            ["conversation,criterion,annotator,value".to_owned()].into_iter().chain(rows).collect();
        let file = self.directory.path().join("labels.csv");
        std::fs::write(&file, rows.join("\n")).unwrap();
        let options = Options { dry_run: false, keep_going: false };
        let files = [file];
        let done = self.service.import(self.project, Kind::Labels, &files, options, |_| {});
        done.await.unwrap();
    }

    async fn gated(&self) -> domain::Decision {
        let policy = "name = \"any\"\n[rules]\nminimum_n = 5\n".to_owned();
        let reference = ReferenceChoice::default();
        let request =
            GateRequest { candidate: "strict".to_owned(), incumbent: None, policy: Some(policy), reference };
        self.service.gate(self.project, request, None, Viewer::Operator).await.unwrap()
    }

    async fn start(&self, plan: &RunPlan) -> JudgeRun {
        self.service.start_run(self.project, "strict", plan, None).await.unwrap()
    }

    async fn ended(&self, run: &JudgeRun) -> JudgeRun {
        ended(&self.service, self.project, run).await
    }

    async fn verdicts(&self) -> Vec<store::StoredVerdict> {
        self.service.store().verdicts(self.project, None, None, Viewer::Operator).await.unwrap()
    }
}

async fn ended(service: &Service, project: ProjectId, run: &JudgeRun) -> JudgeRun {
    for _ in 0..2_000 {
        let now = service.run(project, &run.id.to_string()).await.unwrap();
        if now.state != RunState::Running {
            return now;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("the run does not end")
}

fn plan(repeats: u32) -> RunPlan {
    RunPlan { repeats, ..RunPlan::once(RunScope::Project) }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_unit_is_asked_about_once_for_each_repeat() {
    let place = Place::new(20, |_| answer("m-2026-08-01", "4")).await;
    assert_eq!(place.declare().await, "strict@1");
    let estimate = place.service.estimate_run(place.project, "strict", &plan(3)).await.unwrap();
    assert_eq!(estimate.calls, 60);
    assert!(estimate.cost_usd.is_some_and(|usd| usd > 0.0));
    assert_eq!(place.provider.asked(), 0, "an estimate asks nobody");
    let run = place.ended(&place.start(&plan(3)).await).await;
    assert_eq!((run.state, run.says.as_deref()), (RunState::Done, None));
    assert_eq!((run.counts.answered, run.counts.failures, run.counts.attempts), (60, 0, 60));
    assert_eq!((run.counts.input_tokens, run.counts.output_tokens), (6_000, 600));
    assert!((run.counts.cost_usd - 12.0).abs() < 1e-9, "{}", run.counts.cost_usd);
    assert_eq!(place.provider.asked(), 60);
    let verdicts = place.verdicts().await;
    assert_eq!(verdicts.len(), 60);
    assert!(verdicts.iter().all(|verdict| verdict.outcome == Ok(4.0) && verdict.latency_ms.is_some()));
    let again = place.ended(&place.start(&plan(3)).await).await;
    assert_eq!((again.state, again.counts.calls, place.provider.asked()), (RunState::Done, 0, 60));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_pauses_a_run_which_goes_on_where_it_stopped() {
    let place = Place::new(30, |_| answer("m", "4")).await;
    place.declare().await;
    let limited = RunPlan { most_tokens: Some(1_100), ..plan(1) };
    let run = place.ended(&place.start(&limited).await).await;
    assert_eq!(run.state, RunState::Paused);
    assert_eq!(run.says.as_deref(), Some("the budget of 1100 tokens is spent"));
    assert!((1..=14).contains(&run.counts.answered), "{:?}", run.counts);
    let free = place.ended(&place.start(&plan(1)).await).await;
    assert_eq!(free.counts.calls, 30 - run.counts.answered);
    assert_eq!((free.state, place.provider.asked(), place.verdicts().await.len()), (RunState::Done, 30, 30));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_is_gone_pauses_the_run_and_is_no_failure_of_the_judge() {
    let place = Place::new(40, |number| {
        if number <= 10 { answer("m", "4") } else { (StatusCode::SERVICE_UNAVAILABLE, json!({})) }
    })
    .await;
    place.declare().await;
    let run = place.ended(&place.start(&plan(1)).await).await;
    assert_eq!(run.state, RunState::Paused);
    assert!(run.says.as_ref().unwrap().contains("in a row were not answered"), "{:?}", run.says);
    assert_eq!((run.counts.failures, place.verdicts().await.len() as u64), (0, run.counts.answered));
    place.provider.answers(|_| answer("m", "3"));
    let resumed = place.service.resume_run(place.project, &run.id.to_string(), None).await.unwrap();
    let run = place.ended(&resumed).await;
    assert_eq!((run.state, run.counts.answered, run.counts.failures), (RunState::Done, 40, 0));
    assert_eq!(place.verdicts().await.len(), 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_call_that_nobody_answers_is_a_failure_of_its_own() {
    let place = Place::new(12, |number| {
        if number == 3 || number == 4 { (StatusCode::BAD_GATEWAY, json!({})) } else { answer("m", "4") }
    })
    .await;
    place.declare().await;
    let run = place.ended(&place.start(&plan(1)).await).await;
    assert_eq!((run.state, run.counts.answered), (RunState::Done, 12));
    assert!(run.counts.failures <= 2 && run.counts.attempts >= 12, "{:?}", run.counts);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_value_is_a_failure_with_the_answer_kept() {
    let place = Place::new(4, |_| answer("m", "7")).await;
    place.declare().await;
    let run = place.ended(&place.start(&plan(1)).await).await;
    assert_eq!((run.state, run.counts.failures), (RunState::Done, 4));
    let failures =
        place.service.store().failures(place.project, "strict", "1", None, Viewer::Operator).await.unwrap();
    assert_eq!(failures[0].kind, domain::FailureKind::OffScale);
    assert!(failures[0].raw.as_ref().unwrap().contains("it helps"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_changes_half_way_marks_the_judge_as_mixed() {
    let place = Place::new(20, |number| answer(if number <= 10 { "m-1" } else { "m-2" }, "4")).await;
    place.declare().await;
    place.ended(&place.start(&plan(1)).await).await;
    let judges = place.service.judge_versions(place.project, Viewer::Operator).await.unwrap();
    assert_eq!((judges[0].instruments.len(), judges[0].mixed, judges[0].verdicts), (2, true, 20));
    assert_eq!((judges[0].name.as_str(), judges[0].floating), ("strict", false));
    place.label((1..=20).map(|number| (number, 3 + (number % 3) as u8))).await;
    let decision = place.gated().await;
    assert_eq!(decision.decision, domain::Verdict::Inconclusive);
    let rule = decision.rules.iter().find(|rule| rule.rule == "one_fingerprint").unwrap();
    assert_eq!(rule.verdict, domain::RuleVerdict::Undefined);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_answered_makes_no_mixture() {
    let place = Place::new(20, |number| {
        if number == 3 || number == 4 { (StatusCode::BAD_GATEWAY, json!({})) } else { answer("m", "4") }
    })
    .await;
    place.declare().await;
    let run = place.ended(&place.start(&plan(1)).await).await;
    let judges = place.service.judge_versions(place.project, Viewer::Operator).await.unwrap();
    assert!(!judges[0].mixed, "{:?} of {:?}", judges[0].instruments, run.counts);
    place.label((1..=20).map(|number| (number, 3 + (number % 3) as u8))).await;
    let decision = place.gated().await;
    assert!(decision.rules.iter().all(|rule| rule.rule != "one_fingerprint"), "{:?}", decision.rules);
}

#[tokio::test(flavor = "multi_thread")]
async fn susceptibility_is_asked_once_and_touches_nothing_else() {
    let place = Place::new(2, |_| answer("m", "4")).await;
    place.declare().await;
    let before = place.service.susceptibility(place.project, "strict").await.unwrap();
    assert_eq!((before.answered, before.criteria[0].towards.value()), (0, None));
    let found = place.service.probe_susceptibility(place.project, "strict", None).await.unwrap();
    assert_eq!((found.calls, found.answered, found.mixed), (60, 60, false));
    assert_eq!((found.criteria[0].towards.value(), found.criteria[0].towards.n()), (Some(0.0), 30));
    assert_eq!(place.service.probe_susceptibility(place.project, "strict", None).await.unwrap(), found);
    assert_eq!((place.provider.asked(), place.verdicts().await.len()), (60, 0));
    assert!(place.service.anchor_sets(place.project, Viewer::Operator).await.unwrap().is_empty());

    let gone = Place::new(1, |number| {
        if number <= 8 { answer("m", "4") } else { (StatusCode::SERVICE_UNAVAILABLE, json!({})) }
    })
    .await;
    gone.declare().await;
    let refused = gone.service.probe_susceptibility(gone.project, "strict", None).await.unwrap_err();
    assert!(refused.to_string().contains("nobody answers"), "{refused}");
    let kept = gone.service.susceptibility(gone.project, "strict").await.unwrap().answered;
    assert!((1..=8).contains(&kept), "{kept}");
    gone.provider.answers(|_| answer("m", "5"));
    let whole = gone.service.probe_susceptibility(gone.project, "strict", None).await.unwrap();
    assert_eq!(whole.answered, 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_in_money_needs_a_price() {
    let place = Place::new(3, |_| answer("m", "4")).await;
    place.declare().await;
    let free = format!("[endpoint.local]\nkind = \"openai\"\nurl = \"{}\"\n", place.provider.address);
    let service = place.service.clone().with_endpoints(Endpoints::from_toml(&free).unwrap());
    let limited = RunPlan { most_usd: Some(1.0), ..plan(1) };
    let refused = service.start_run(place.project, "strict", &limited, None).await.unwrap_err();
    assert!(refused.to_string().contains("`local` has no price"), "{refused}");
    assert!(service.runs(place.project).await.unwrap().is_empty());
    assert_eq!(place.ended(&place.start(&limited).await).await.state, RunState::Done);
}

/// Examples are of `tune`, are shown with their references, and are not what the judge, or one beside it, is measured on.
#[tokio::test(flavor = "multi_thread")]
async fn examples_are_shown_and_are_not_measured() {
    let place = Place::new(12, |_| answer("m", "4")).await;
    place.label((1..=12).map(|number| (number, 1 + (number % 5) as u8))).await;
    let request = AnchorRequest {
        name: "gold".to_owned(),
        choice: AnchorChoice { size: None, confirm: 0.5, seed: 1 },
        rule: Some(ReferenceRule::Median),
        annotators: Vec::new(),
        criteria: Vec::new(),
        owner: None,
        expires: None,
    };
    place.service.freeze_anchor_set(place.project, &request, None).await.unwrap();
    let name: AnchorSetName = "gold@1".parse().unwrap();
    let split = |split| place.service.anchor_items(place.project, &name, split, Viewer::Operator);
    let (tune, confirm) = (split(Split::Tune).await.unwrap().1, split(Split::Confirm).await.unwrap().1);
    let declared = |example: &str| {
        let shown = "{% for example in examples %}{{ example.question }} = {{ example['values'].helpfulness }}; {% endfor %}";
        let judge = STRICT.replace("strict", "taught").replace(
            "prompt = \"",
            &format!("examples = [\"{example}\"]\n    example_set = \"gold@1\"\n    prompt = \"{shown}"),
        );
        place.service.declare_judge(place.project, Declaration::from_toml(&judge).unwrap(), None)
    };
    let refused = declared(&confirm[0].conversation).await.unwrap_err();
    assert!(refused.to_string().contains("gold@1, tune"), "{refused}");
    let declaration = declared(&tune[0].conversation).await.unwrap().declaration;
    let asked = &confirm[0].conversation;
    let viewer = Viewer::Operator;
    let preview =
        place.service.preview_judge(place.project, declaration, asked, None, false, viewer).await.unwrap();
    let (example, number) = (&tune[0], tune[0].conversation.trim_start_matches('c'));
    assert!(preview.prompt.contains(&format!("May I return {number}?")), "{}", preview.prompt);
    assert!(preview.prompt.contains(&format!("= {:.1}; ", example.reference)), "{}", preview.prompt);
    for judge in ["taught", "strict"] {
        if judge == "strict" {
            place.declare().await;
        }
        let run = place.service.start_run(place.project, judge, &plan(1), None).await.unwrap();
        let calls = place.ended(&run).await.counts.answered;
        assert_eq!(calls, if judge == "taught" { 11 } else { 12 });
    }
    let alone = ComparisonQuery { judges: vec!["strict".to_owned()], ..ComparisonQuery::default() };
    for (query, references) in [(alone, 12), (ComparisonQuery::default(), 11)] {
        let comparison = place.service.comparison(place.project, &query, viewer).await.unwrap();
        let of_all = &comparison.criteria[0];
        assert_eq!(of_all.references, references);
        assert!(of_all.judges.iter().all(|judge| judge.n == references && judge.failures == 0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_goes_on_with_a_run_that_was_left_behind() {
    let place = Place::new(60, |_| answer("m", "4")).await;
    place.declare().await;
    let run = place.start(&plan(2)).await;
    let second = Place::open(&place.directory, &place.provider).await;
    let refused = second.start_run(place.project, "strict", &plan(1), None).await;
    assert!(matches!(refused, Err(ServiceError::Busy { .. })), "{refused:?}");
    let refused = second.resume_run(place.project, &run.id.to_string(), None).await;
    assert!(matches!(refused, Err(ServiceError::Busy { .. })), "{refused:?}");
    place.service.pause_run(place.project, &run.id.to_string(), None).await.unwrap();
    let paused = place.ended(&run).await;
    assert_eq!((paused.state, paused.says.as_deref()), (RunState::Paused, Some("paused by hand")));
    assert!(paused.counts.answered < 120);
    // As if the process had been killed: it stands as running, and nobody drives it.
    place.service.store().set_run_state(run.id, RunState::Running, None, now()).await.unwrap();
    second.resume_runs().await.unwrap();
    let done = ended(&second, place.project, &run).await;
    assert_eq!((done.state, done.counts.answered), (RunState::Done, 120));
    assert_eq!((place.provider.asked(), place.verdicts().await.len()), (120, 120));
    let cancelled = second.cancel_run(place.project, &run.id.to_string(), None).await;
    assert!(matches!(cancelled, Err(ServiceError::Conflict { .. })), "{cancelled:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_shows_what_is_said_and_keeps_nothing() {
    let place = Place::new(2, |_| answer("m", "4")).await;
    place.declare().await;
    let declaration = place.service.declared_judge(place.project, "strict").await.unwrap().declaration;
    let preview = place
        .service
        .preview_judge(place.project, declaration.clone(), "c2", None, true, Viewer::Operator)
        .await
        .unwrap();
    assert!(preview.prompt.contains("May I return 2?"), "{}", preview.prompt);
    assert_eq!(preview.answer.unwrap().readings[0].outcome, Outcome::Value(4.0));
    assert!(place.verdicts().await.is_empty());
    let mut broken = declaration;
    if let domain::Instrument::Model(model) = &mut broken.instrument {
        model.prompt = "{{ qestion }}".to_owned();
    }
    let refused = place
        .service
        .preview_judge(place.project, broken, "c2", None, false, Viewer::Operator)
        .await
        .unwrap_err();
    assert!(refused.to_string().contains("prompt: "), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn baselines_need_no_provider() {
    let place = Place::new(5, |_| answer("m", "4")).await;
    place.label([(1, 4), (2, 4), (3, 2)]).await;
    let judges =
        place.service.declare_baselines(place.project, &ReferenceChoice::default(), None).await.unwrap();
    assert_eq!(judges.len(), 2);
    for judge in &judges {
        let run = place.service.start_run(place.project, judge, &plan(1), None).await.unwrap();
        let run = place.ended(&run).await;
        assert_eq!((run.state, run.counts.answered, run.counts.failures), (RunState::Done, 5, 0));
    }
    let majority: Vec<_> =
        place.verdicts().await.into_iter().filter(|verdict| verdict.judge.starts_with("majority")).collect();
    assert!(majority.len() == 5 && majority.iter().all(|verdict| verdict.outcome == Ok(4.0)));
    assert_eq!(place.provider.asked(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_whose_provider_went_down_half_way_is_not_promoted() {
    let place = Place::new(40, |number| {
        let score = if number % 2 == 0 { "4" } else { "5" };
        if number <= 20 {
            answer("m-2026-08-01", score)
        } else {
            (StatusCode::SERVICE_UNAVAILABLE, json!({}))
        }
    })
    .await;
    place.declare().await;
    let run = place.ended(&place.start(&plan(1)).await).await;
    assert_eq!(run.state, RunState::Paused);
    let mut labels = "annotator,conversation,unit,criterion,value\n".to_owned();
    for verdict in 1..=40 {
        labels.push_str(&format!("ada,c{verdict},conversation,helpfulness,{}\n", verdict % 5 + 1));
    }
    place.service.import_text(place.project, Kind::Labels, "labels.csv", &labels).await.unwrap();
    let request = service::GateRequest {
        candidate: "strict".to_owned(),
        incumbent: None,
        policy: Some("name = \"x\"\n[rules]\nminimum_n = 1\ncoverage_at_least = 0.98".to_owned()),
        reference: ReferenceChoice::default(),
    };
    let decision = place.service.gate(place.project, request, None, Viewer::Operator).await.unwrap();
    assert_eq!(decision.decision, domain::Verdict::Hold);
    assert!(decision.reasons[0].contains("of 40 items have no valid verdict"), "{:?}", decision.reasons);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_promoted_judge_is_asked_again_and_its_drift_is_told() {
    let place = Place::new(60, |_| answer("m-2026-08-01", "RIGHT")).await;
    place.declare().await;
    let request = service::RecalibrationRequest { criterion: None, purpose: None, repeats: 2 };
    let again = || place.service.recalibrate(place.project, &request, None, &|_, _| {});
    let nobody = again().await.unwrap_err().to_string();
    assert!(nobody.contains("no judge stands in such a slot"), "{nobody}");

    place.label((1..=60).map(|number| (number, u8::try_from(level(number)).unwrap()))).await;
    let gold = AnchorRequest {
        name: "gold".to_owned(),
        choice: AnchorChoice { size: None, confirm: 0.0, seed: 1 },
        rule: Some(ReferenceRule::Median),
        annotators: Vec::new(),
        criteria: Vec::new(),
        owner: None,
        expires: None,
    };
    place.service.freeze_anchor_set(place.project, &gold, None).await.unwrap();
    place.ended(&place.start(&plan(2)).await).await;
    let reference = ReferenceChoice::AnchorSet {
        name: AnchorSetName { name: "gold".to_owned(), version: 1 },
        split: Split::Tune,
        why: None,
    };
    let policy = Some("name = \"any\"\n[rules]\nminimum_n = 5\nkappa_at_least = 0.5\n".to_owned());
    let asked = GateRequest { candidate: "strict".to_owned(), incumbent: None, policy, reference };
    let decision = place.service.gate(place.project, asked, None, Viewer::Operator).await.unwrap();
    let promotion = service::PromotionRequest {
        decision: decision.id,
        purpose: domain::Purpose::Routine,
        criteria: Vec::new(),
        reason: "right".to_owned(),
        floating_reason: None,
    };
    place.service.promote(place.project, &promotion, None).await.unwrap();
    let verdicts = place.verdicts().await.len();

    let asked_before = place.provider.asked();
    let steady = again().await.unwrap();
    assert_eq!(steady[0].verdict, domain::Steadiness::Steady, "{:?}", steady[0].criteria[0].checks);
    assert_eq!(place.provider.asked() - asked_before, 120, "every item, twice");

    // Nobody answers from the twentieth call on: what was answered is kept and not asked again.
    place.provider.answers(|number| {
        if number > 260 {
            (StatusCode::SERVICE_UNAVAILABLE, json!({}))
        } else {
            answer("m-2026-11-01", "RIGHT_AND_ONE")
        }
    });
    let refused = again().await.unwrap_err().to_string();
    assert!(refused.contains("nobody answers"), "{refused}");
    let kept = 260 - 240;
    place.provider.answers(|_| answer("m-2026-11-01", "RIGHT_AND_ONE"));
    let asked_before = place.provider.asked();
    let drifted = again().await.unwrap().remove(0);
    assert_eq!(place.provider.asked() - asked_before, 120 - kept);
    assert_eq!(drifted.verdict, domain::Steadiness::Drifted);
    assert_eq!(drifted.models.then.as_deref(), Some("m-2026-08-01"));
    assert_eq!(drifted.models.now.as_deref(), Some("m-2026-11-01"));
    assert_ne!(drifted.fingerprints.then, drifted.fingerprints.now);
    assert_eq!(drifted.criteria[0].shift.value(), Some(0.25));
    assert_eq!(place.verdicts().await.len(), verdicts, "an answer to be told apart is no verdict");
    let log = place.service.release_log(place.project).await.unwrap();
    let told = log.iter().filter(|entry| matches!(&entry.event, domain::ReleaseEvent::Recalibration(_)));
    assert_eq!(told.count(), 2);
}
