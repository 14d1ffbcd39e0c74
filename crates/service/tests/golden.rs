//! Real conversations, labels and verdicts, imported through the service: every figure equals the independent one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use domain::agreement::Estimate;
use serde_json::Value;
use service::{
    AgreementQuery, ComparisonQuery, GateRequest, ProjectId, ReferenceChoice, Service, Viewer,
    import::{Kind, Options},
};
use std::path::{Path, PathBuf};
use time::OffsetDateTime;

const TOLERANCE: f64 = 1e-9;

/// The folder of a data set, or a word that the test is skipped.
fn data(set: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(set);
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return None;
    }
    Some(folder)
}

struct Imported {
    service: Service,
    project: ProjectId,
    golden: Value,
    _directory: tempfile::TempDir,
}

async fn import(folder: &Path, kinds: &[(Kind, &str)]) -> Imported {
    let directory = tempfile::tempdir().unwrap();
    let store = store::Store::open(directory.path().join("t.db")).await.unwrap();
    let service = Service::new(store, OffsetDateTime::now_utc);
    let rubric = std::fs::read_to_string(folder.join("rubric.toml")).unwrap();
    let rubric = domain::Rubric::from_toml(&rubric).unwrap();
    let project = service.create_project("golden", Some(&rubric), None).await.unwrap().id;
    for (kind, file) in kinds {
        let files = [folder.join(file)];
        let first = service.import(project, *kind, &files, Options::default(), |_| {}).await.unwrap();
        assert_eq!(first.new + first.missing, first.rows, "{file}");
        let again = service.import(project, *kind, &files, Options::default(), |_| {}).await.unwrap();
        assert_eq!((again.new, again.unchanged + again.missing), (0, first.rows), "{file} imported twice");
    }
    let golden = std::fs::read_to_string(folder.join("golden.json")).unwrap();
    Imported { service, project, golden: serde_json::from_str(&golden).unwrap(), _directory: directory }
}

#[track_caller]
fn assert_same(found: &Estimate, expected: &Value, what: &str) {
    match (found.value(), expected.as_f64()) {
        (Some(found), Some(expected)) => {
            assert!((found - expected).abs() < TOLERANCE, "{what}: {found} is not {expected}")
        }
        (None, None) => {}
        (found, expected) => panic!("{what}: {found:?} is not {expected:?}"),
    }
}

const EVERYTHING: [(Kind, &str); 3] = [
    (Kind::Conversations, "conversations.jsonl"),
    (Kind::Labels, "labels.csv"),
    (Kind::Verdicts, "verdicts.csv"),
];

#[tokio::test(flavor = "multi_thread")]
async fn people_agree_as_far_as_independent_packages_say() {
    for set in ["mtrag", "summeval"] {
        let Some(folder) = data(set) else { return };
        let imported = import(&folder, &EVERYTHING[..2]).await;
        let query = AgreementQuery::default();
        let report = imported.service.agreement(imported.project, &query, Viewer::Operator).await.unwrap();
        let mut compared = 0;
        for (criterion, golden) in imported.golden["humans"].as_object().unwrap() {
            let found = report.criteria.iter().find(|found| found.id == *criterion).unwrap();
            assert_eq!(found.labels, golden["n_labels"].as_u64().unwrap());
            let alphas = [
                ("nominal", &found.alpha.nominal),
                ("ordinal", &found.alpha.ordinal),
                ("interval", &found.alpha.interval),
            ];
            for (level, alpha) in alphas.into_iter().filter(|_| set == "mtrag") {
                assert_same(alpha, &golden["alpha"]["all"][level], &format!("{set} {criterion} α {level}"));
            }
            for pair in golden["pairs"].as_array().unwrap() {
                let (a, b) = (pair["a"].as_str().unwrap(), pair["b"].as_str().unwrap());
                let what = format!("{set} {criterion} {a} {b}");
                let found = found.pairs.iter().find(|found| found.a == a && found.b == b).unwrap();
                assert_eq!(found.n, pair["n"].as_u64().unwrap(), "{what}");
                for (name, figure) in [
                    ("quadratic", &found.quadratic),
                    ("linear", &found.linear),
                    ("unweighted", &found.unweighted),
                    ("exact", &found.exact),
                    ("within_one", &found.within_one),
                ] {
                    assert_same(figure, &pair[name], &format!("{what} {name}"));
                    compared += 1;
                }
            }
        }
        println!("{set}: {compared} figures of pairs are equal");
        assert!(compared > 100);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn judges_agree_with_people_as_far_as_independent_packages_say() {
    let Some(folder) = data("summeval") else { return };
    let imported = import(&folder, &EVERYTHING).await;
    let Imported { service, project, golden, .. } = &imported;
    let query = ComparisonQuery { reference: experts(), ..ComparisonQuery::default() };
    let report = service.comparison(*project, &query, Viewer::Operator).await.unwrap();
    let mut compared = 0;
    for (judge, criteria) in golden["judges"].as_object().unwrap() {
        for (criterion, expected) in criteria.as_object().unwrap() {
            let found = report.criteria.iter().find(|found| found.id == *criterion).unwrap();
            let found = found.judges.iter().find(|found| found.judge == *judge).unwrap();
            let what = format!("{judge} {criterion}");
            assert_eq!(found.n, expected["n"].as_u64().unwrap(), "{what}");
            assert_eq!(found.failures, expected["failures"].as_u64().unwrap(), "{what}");
            assert_same(&found.quadratic, &expected["quadratic"], &what);
            for (name, figure) in [("bias_judge_minus_reference", &found.bias), ("mae", &found.mae)] {
                assert_same(figure, &expected[name], &format!("{what} {name}"));
            }
            compared += 1;
        }
    }
    assert_eq!(compared, 36);
    let ledger = service.ledger(*project, None, None, Viewer::Operator).await.unwrap();
    assert_eq!(ledger.len(), 296);
    assert!(ledger.iter().all(|entry| !entry.raw.is_empty() && !entry.says.is_empty()));
    upgrade_holds(service, *project).await;
}

fn experts() -> ReferenceChoice {
    let annotators = ["expert0", "expert1", "expert2"].map(str::to_owned).to_vec();
    ReferenceChoice::Labels { rule: Some(domain::ReferenceRule::Median), annotators }
}

/// A gate that averages criteria would promote this upgrade; one that looks at each holds it.
async fn upgrade_holds(service: &Service, project: ProjectId) {
    let request = GateRequest {
        candidate: "gpt-4-0314 / rts".to_owned(),
        incumbent: Some("gpt-3.5-turbo-0301 / rts".to_owned()),
        policy: Some(include_str!("../../../docs/examples/summeval-policy.toml").to_owned()),
        reference: experts(),
    };
    let decision = service.gate(project, request, None, Viewer::Operator).await.unwrap();
    assert_eq!(decision.decision, domain::Verdict::Hold, "{:#?}", decision.reasons);
    let failed: Vec<&str> = decision
        .rules
        .iter()
        .filter(|rule| rule.verdict == domain::RuleVerdict::Fail)
        .map(|rule| rule.criterion.as_str())
        .collect();
    assert_eq!(failed, ["coherence", "relevance"], "{:#?}", decision.reasons);
    assert_eq!(service.decision(project, &decision.id).await.unwrap(), decision);
}

#[tokio::test(flavor = "multi_thread")]
async fn passage_judges_reproduce_the_published_figures() {
    let Some(folder) = data("llmjudge") else { return };
    let imported = import(&folder, &EVERYTHING).await;
    let Imported { service, project, golden, .. } = &imported;
    let report = service.comparison(*project, &ComparisonQuery::default(), Viewer::Operator).await.unwrap();
    let found = &report.criteria[0];
    assert_eq!((found.judges.len(), found.clusters), (17, 25));
    for (judge, expected) in golden["judges"].as_object().unwrap() {
        let found = found.judges.iter().find(|found| found.judge == *judge).unwrap();
        assert_eq!(found.n, expected["n"].as_u64().unwrap(), "{judge}");
        assert_eq!(found.failures, expected["failures"].as_u64().unwrap(), "{judge}");
        for (name, figure) in [
            ("unweighted", &found.unweighted),
            ("linear", &found.linear),
            ("quadratic", &found.quadratic),
            ("alpha_ordinal", &found.alpha_ordinal),
        ] {
            assert_same(figure, &expected[name], &format!("{judge} {name}"));
        }
    }
    let ledger = service.ledger(*project, None, None, Viewer::Operator).await.unwrap();
    assert_eq!(ledger.len(), 1);
    assert_eq!((ledger[0].raw.as_str(), ledger[0].kind), ("10", domain::FailureKind::OffScale));
}
