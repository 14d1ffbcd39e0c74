//! Real conversations, labels and verdicts, imported through the service: every figure equals the independent one.

use domain::agreement::Estimate;
use serde_json::Value;
use service::{
    AgreementQuery, ComparisonQuery, GateRequest, ProjectId, Service, Viewer,
    import::{Kind, Options, no_redaction},
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
        let first = service.import(project, *kind, &files, Options::default(), &no_redaction, |_| {}).await.unwrap();
        assert_eq!(first.new + first.missing, first.rows, "{file}");
        let again = service.import(project, *kind, &files, Options::default(), &no_redaction, |_| {}).await.unwrap();
        assert_eq!((again.new, again.unchanged + again.missing), (0, first.rows), "{file} imported twice");
    }
    let golden = std::fs::read_to_string(folder.join("golden.json")).unwrap();
    Imported { service, project, golden: serde_json::from_str(&golden).unwrap(), _directory: directory }
}

#[track_caller]
fn assert_same(found: &Estimate, expected: &Value, what: &str) {
    match (found.value(), expected.as_f64()) {
        (Some(found), Some(expected)) => assert!((found - expected).abs() < TOLERANCE, "{what}: {found} is not {expected}"),
        (None, None) => {}
        (found, expected) => panic!("{what}: {found:?} is not {expected:?}"),
    }
}

const EVERYTHING: [(Kind, &str); 3] =
    [(Kind::Conversations, "conversations.jsonl"), (Kind::Labels, "labels.csv"), (Kind::Verdicts, "verdicts.csv")];

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
            for (level, alpha) in [("nominal", &found.alpha.nominal), ("ordinal", &found.alpha.ordinal), ("interval", &found.alpha.interval)] {
                let expected = &golden[format!("alpha_{level}")];
                if !expected.is_null() {
                    assert_same(alpha, expected, &format!("{set} {criterion} α {level}"));
                }
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
