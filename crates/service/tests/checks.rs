//! Golden cases through the service: real tool traces against the outcomes that were computed elsewhere, and the demo project.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use domain::{CheckAnswer, Checks};
use serde_json::Value;
use service::{CheckQuery, ProjectId, Service, ServiceError, Viewer, import::Kind};
use std::path::Path;
use time::{OffsetDateTime, macros::datetime};

fn clock() -> OffsetDateTime {
    datetime!(2026-11-30 12:00 UTC)
}

struct Imported {
    service: Service,
    project: ProjectId,
    _directory: tempfile::TempDir,
}

async fn imported(rubric: Option<&str>, files: &[(Kind, &str, &str)]) -> Imported {
    let directory = tempfile::tempdir().unwrap();
    let store = store::Store::open(directory.path().join("t.db")).await.unwrap();
    let service = Service::new(store, clock);
    let rubric = rubric.map(|text| domain::Rubric::from_toml(text).unwrap());
    let project = service.create_project("cases", rubric.as_ref(), None).await.unwrap().id;
    for (kind, name, text) in files {
        service.import_text(project, *kind, name, text).await.unwrap();
    }
    Imported { service, project, _directory: directory }
}

#[tokio::test(flavor = "multi_thread")]
async fn real_tool_traces_come_out_as_computed_elsewhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/tau-airline");
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    let conversations = std::fs::read_to_string(folder.join("conversations.jsonl")).unwrap();
    let golden: Value =
        serde_json::from_str(&std::fs::read_to_string(folder.join("golden.json")).unwrap()).unwrap();
    let imported = imported(None, &[(Kind::Conversations, "conversations.jsonl", &conversations)]).await;
    let query = CheckQuery::default();
    let report = imported.service.check(imported.project, &query, Viewer::Operator).await.unwrap();
    assert_eq!((report.cases.len(), golden["cases"].as_object().unwrap().len()), (200, 200));
    for outcome in &report.cases {
        let expected = &golden["cases"][&outcome.conversation];
        let expected = Checks {
            answer_present: expected["answer_present"].as_bool(),
            tool_choice: expected["tool_choice"].as_bool(),
            tool_argument: expected["tool_argument"].as_bool(),
            source: None,
        };
        assert_eq!(outcome.checks, expected, "{}", outcome.conversation);
        assert_eq!(outcome.passed, outcome.reason.is_empty());
    }
    assert_eq!(report.disagreements["tool_argument"].len(), 17);
    assert_eq!((report.totals.passed, report.totals.failed), (48, 152));
    assert_eq!(report.unstable.len(), 22);
    let unstable = report.unstable.iter().find(|unstable| unstable.case == "airline-20").unwrap();
    assert_eq!((unstable.passed, unstable.trials), (1, 4));
}

async fn demo() -> Imported {
    let files = [
        (
            Kind::Conversations,
            "conversations.jsonl",
            include_str!("../../../server/demo/conversations.jsonl"),
        ),
        (Kind::Labels, "labels.csv", include_str!("../../../server/demo/labels.csv")),
        (Kind::Verdicts, "verdicts.csv", include_str!("../../../server/demo/verdicts.csv")),
    ];
    imported(Some(include_str!("../../../server/demo/rubric.toml")), &files).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_argument_and_a_guess_fail_their_checks() {
    let demo = demo().await;
    let report = demo.service.check(demo.project, &CheckQuery::default(), Viewer::Operator).await.unwrap();
    let of = |id: &str| report.cases.iter().find(|outcome| outcome.conversation == id).unwrap();
    assert_eq!(
        (of("shop-04").checks.tool_choice, of("shop-04").checks.tool_argument),
        (Some(true), Some(false))
    );
    assert!(of("shop-04").reason.contains("ORD-101") && of("shop-04").reason.contains("ORD-999"));
    for guessed in ["shop-03", "servicing-07"] {
        assert_eq!(of(guessed).checks.tool_choice, Some(false), "{guessed}");
    }
    for needless in ["shop-09", "servicing-09"] {
        assert_eq!(of(needless).checks.tool_choice, Some(false), "{needless}");
    }
    for elsewhere in ["shop-06", "servicing-04"] {
        assert_eq!(of(elsewhere).checks.source, Some(false), "{elsewhere}");
    }
    assert!(of("shop-02").passed && of("servicing-10").passed);
    assert_eq!(report.unstable.len(), 1);
    assert_eq!((report.unstable[0].passed, report.unstable[0].trials), (1, 3));
    let expired: Vec<&str> = report.expired.iter().map(|case| case.conversation.as_str()).collect();
    assert_eq!(expired, ["shop-08"]);
    assert_eq!(report.by_category["tool"].failed_ids, ["servicing-07", "shop-03", "shop-04", "servicing-08"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_judge_must_reach_the_threshold_and_a_failure_of_it_fails_the_case() {
    let demo = demo().await;
    let asked = |criteria: &[&str]| CheckQuery {
        categories: Vec::new(),
        judge: Some("illustrative / few-words".to_owned()),
        criteria: criteria.iter().map(|text| text.parse().unwrap()).collect(),
    };
    let check = async |query: CheckQuery| demo.service.check(demo.project, &query, Viewer::Operator).await;
    let report = check(asked(&["correctness", "faithfulness=3"])).await.unwrap();
    assert_eq!(report.rule.thresholds["correctness"].to_bits(), 4.0_f64.to_bits());
    let mut failures = 0;
    for outcome in &report.cases {
        let reached = outcome
            .scores
            .iter()
            .all(|(criterion, score)| score.is_some_and(|score| score >= report.rule.thresholds[criterion]));
        let checks = outcome.checks.named().iter().all(|(_, check)| *check != Some(false));
        assert_eq!(outcome.passed, reached && checks, "{outcome:?}");
        failures += usize::from(outcome.scores.values().any(Option::is_none));
    }
    assert!(failures > 0, "the demo's few-words judge has failures");
    for (query, says) in [
        (asked(&["corectness"]), "expected one that is asked of whole conversations"),
        (asked(&["passage-relevance"]), "expected one that is asked of whole conversations"),
        (asked(&["correctness=6"]), "one of 1 (wrong)"),
        (asked(&["should_abstain"]), "has no pass level"),
        (asked(&[]), "go together"),
        (
            CheckQuery { judge: Some("nobody".to_owned()), ..asked(&["correctness"]) },
            "there is no judge `nobody`",
        ),
    ] {
        let error: ServiceError = check(query).await.unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_category_without_a_case_is_no_pass() {
    let demo = demo().await;
    let check = async |categories: &[&str]| {
        let categories = categories.iter().map(|&category| category.to_owned()).collect();
        let query = CheckQuery { categories, ..CheckQuery::default() };
        demo.service.check(demo.project, &query, Viewer::Operator).await.unwrap()
    };
    let edge = check(&["edge"]).await;
    assert!(edge.cases.iter().all(|case| case.category.as_deref() == Some("edge")) && !edge.cases.is_empty());
    assert_eq!(edge.answer(), CheckAnswer::Passed);
    assert_eq!(check(&["edge", "egde"]).await.answer(), CheckAnswer::NothingToCheck);
    assert_eq!(check(&["tool", "egde"]).await.answer(), CheckAnswer::Failed);
}
