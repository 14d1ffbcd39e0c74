//! A gate that cannot know does not promote, and says in a sentence why.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use domain::{Decision, ReferenceRule, Verdict};
use serde_json::json;
use service::{GateRequest, ProjectId, ReferenceChoice, Service, ServiceError, Viewer, import::Kind};
use time::{OffsetDateTime, macros::datetime};

const RUBRIC: &str = r#"
    name = "shop"
    version = 1
    [[scale]]
    id = "five"
    kind = "ordinal"
    levels = [{ value = 1, name = "bad" }, { value = 2, name = "poor" }, { value = 3, name = "fair" },
              { value = 4, name = "good" }, { value = 5, name = "great" }]
    relevant_from = 4
    [[criterion]]
    id = "helpful"
    component = "generation"
    unit = "conversation"
    scale = "five"
    question = "Does it help?"
"#;

const ITEMS: u32 = 100;

/// Every rule that can be asked of one judge alone.
const POLICY: &str = r#"
    name = "strict"
    [rules]
    minimum_n = 50
    failure_share = 0.02
    coverage_at_least = 0.98
    human_agreement_at_least = 0.5
    kappa_at_least = 0.5
    pessimistic_kappa_at_least = 0.4
    ceiling_distance_at_most = 0.3
    bias_at_most = 0.5
    true_pass_rate_at_least = 0.8
    true_fail_rate_at_least = 0.8
    worst_slice = { by = "category", kappa_at_least = 0.4 }
"#;

fn now() -> OffsetDateTime {
    datetime!(2026-11-30 12:00 UTC)
}

struct Place {
    service: Service,
    project: ProjectId,
    _directory: tempfile::TempDir,
}

/// What people would say of an item.
fn truth(item: u32) -> u32 {
    (item * 7 + item / 5) % 5 + 1
}

/// Almost what people would say.
fn near(item: u32) -> Option<u32> {
    Some(if item.is_multiple_of(17) { (truth(item) % 5) + 1 } else { truth(item) })
}

impl Place {
    /// Two people who see an item as `people` says, and a judge that gives what `judge` says: nothing is a refusal.
    async fn of(people: impl Fn(u32) -> u32, judge: impl Fn(u32) -> Option<u32>) -> Place {
        let directory = tempfile::tempdir().unwrap();
        let store = store::Store::open(directory.path().join("t.db")).await.unwrap();
        let service = Service::new(store, now);
        let rubric = domain::Rubric::from_toml(RUBRIC).unwrap();
        let project = service.create_project("shop", Some(&rubric), None).await.unwrap().id;
        let category = |item: u32| if item.is_multiple_of(2) { "policy" } else { "tool" };
        let conversations: Vec<String> = (0..ITEMS)
            .map(|item| json!({"id": format!("c{item}"), "question": "?", "category": category(item), "answer": {"text": "."}}).to_string())
            .collect();
        let mut labels = "annotator,conversation,unit,criterion,value\n".to_owned();
        let mut verdicts = "judge,model,conversation,unit,criterion,value,error\n".to_owned();
        for item in 0..ITEMS {
            for (person, step) in [("ada", 11), ("ben", 13)] {
                let value = if item % step == 0 { people(item).max(2) - 1 } else { people(item) };
                labels.push_str(&format!("{person},c{item},conversation,helpful,{value}\n"));
            }
            let (value, error) = match judge(item) {
                Some(value) => (value.to_string(), ""),
                None => (String::new(), "refused"),
            };
            verdicts.push_str(&format!("new,m-2026-08-01,c{item},conversation,helpful,{value},{error}\n"));
        }
        for (kind, file, text) in [
            (Kind::Conversations, "conversations.jsonl", conversations.join("\n")),
            (Kind::Labels, "labels.csv", labels),
            (Kind::Verdicts, "verdicts.csv", verdicts),
        ] {
            service.import_text(project, kind, file, &text).await.unwrap();
        }
        Place { service, project, _directory: directory }
    }

    async fn asked(&self, policy: &str, annotators: &[&str]) -> Result<Decision, ServiceError> {
        let request = GateRequest {
            candidate: "new".to_owned(),
            incumbent: None,
            policy: Some(policy.to_owned()),
            reference: ReferenceChoice::Labels {
                rule: Some(ReferenceRule::Majority),
                annotators: annotators.iter().map(|name| (*name).to_owned()).collect(),
            },
        };
        self.service.gate(self.project, request, None, Viewer::Operator).await
    }

    async fn decided(&self, policy: &str) -> Decision {
        self.asked(policy, &[]).await.unwrap()
    }
}

#[track_caller]
fn assert_says(decision: &Decision, says: &[&str]) {
    let reasons = decision.reasons.join("\n");
    for part in says {
        assert!(reasons.contains(part), "`{part}` is not in:\n{reasons}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_meets_every_rule_is_promoted() {
    let decision = Place::of(truth, near).await.decided(POLICY).await;
    assert_eq!(decision.decision, Verdict::Promote, "{:#?}", decision.reasons);
    assert_eq!(decision.rules.len(), 11);
    let slice = decision.rules.iter().find(|rule| rule.rule == "worst_slice").unwrap();
    assert!(slice.slice.as_ref().is_some_and(|slice| ["policy", "tool"].contains(&slice.value.as_str())));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_that_always_says_the_same_is_not() {
    let decision = Place::of(truth, |_| Some(3)).await.decided(POLICY).await;
    assert_eq!(decision.decision, Verdict::Hold);
    assert_says(&decision, &["helpful: kappa_at_least: κ is 0.00", "helpful: true_pass_rate_at_least: "]);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_one_level_alone_was_used_nothing_is_known() {
    let place = Place::of(|_| 4, |_| Some(4)).await;
    let lenient = "name = \"x\"\n[rules]\nkappa_at_least = { value = -1.0, on = \"point\" }";
    let labels: String = (0..ITEMS).map(|item| format!("cyd,c{item},conversation,helpful,4\n")).collect();
    let labels = format!("annotator,conversation,unit,criterion,value\n{labels}");
    place.service.import_text(place.project, Kind::Labels, "cyd.csv", &labels).await.unwrap();
    let decision = place.asked(lenient, &["cyd"]).await.unwrap();
    assert_eq!(decision.decision, Verdict::Inconclusive, "{:#?}", decision.rules);
    assert_says(&decision, &["helpful: kappa_at_least: κ is undefined"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn verdicts_on_other_items_than_peoples_decide_nothing() {
    let place = Place::of(truth, near).await;
    let conversations: Vec<String> = (0..5)
        .map(|item| json!({"id": format!("d{item}"), "question": "?", "answer": {"text": "."}}).to_string())
        .collect();
    let verdicts: String = (0..5).map(|item| format!("other,d{item},conversation,helpful,4\n")).collect();
    let verdicts = format!("judge,conversation,unit,criterion,value\n{verdicts}");
    let service = &place.service;
    service
        .import_text(place.project, Kind::Conversations, "d.jsonl", &conversations.join("\n"))
        .await
        .unwrap();
    service.import_text(place.project, Kind::Verdicts, "d.csv", &verdicts).await.unwrap();
    let request = GateRequest {
        candidate: "other".to_owned(),
        incumbent: Some("new".to_owned()),
        policy: Some(format!("{POLICY}\nnon_inferiority = 0.05\nmean_shift = 0.05\n")),
        reference: ReferenceChoice::default(),
    };
    let decision = service.gate(place.project, request, None, Viewer::Operator).await.unwrap();
    assert_ne!(decision.decision, Verdict::Promote);
    assert!(!decision.reasons.is_empty());
    println!("{:#?}", decision.reasons);
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_are_counted_whatever_the_answers_are_worth() {
    let failing = |item: u32| near(item).filter(|_| item % 10 >= 3);
    let decision = Place::of(truth, failing).await.decided(POLICY).await;
    assert_eq!(decision.decision, Verdict::Hold);
    assert_says(
        &decision,
        &[
            "helpful: failure_share: 27 of 87 items have no valid verdict",
            "helpful: coverage_at_least: 27 of 87",
            "helpful: pessimistic_kappa_at_least: ",
        ],
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_annotator_who_is_not_there_breaks_the_gate() {
    let place = Place::of(truth, near).await;
    let missing = place.asked(POLICY, &["ada", "cyd"]).await.unwrap_err();
    assert!(missing.to_string().contains("`cyd` has no labels here"), "{missing}");
    let alone = place.asked(POLICY, &["ada"]).await.unwrap();
    assert_eq!(alone.decision, Verdict::Inconclusive, "one person has nobody to agree with");
    assert_says(&alone, &["helpful: human_agreement_at_least: people agree with each other by κ undefined"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_measured_is_not_passed() {
    let policy = "name = \"x\"\n[rules]\nflip_rate_at_most = 0.1\ncost_per_1000_at_most = 1.0\n\
                  latency_p95_ms_at_most = 800.0\nworst_slice = { by = \"corpus\", kappa_at_least = 0.1, minimum_n = 500 }";
    let decision = Place::of(truth, near).await.decided(policy).await;
    assert_eq!(decision.decision, Verdict::Inconclusive);
    assert_says(
        &decision,
        &[
            "helpful: worst_slice: no corpus has 500 items: label more of each",
            "helpful: flip_rate_at_most: the flip rate is undefined",
            "helpful: cost_per_1000_at_most: a thousand verdicts cost undefined",
            "helpful: latency_p95_ms_at_most: ",
        ],
    );
}
