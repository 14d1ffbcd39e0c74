use super::*;
use crate::fixture::{Fixture, fingerprint, refusal, verdict_row};
use domain::{Outcome, VerdictRow};

#[tokio::test]
async fn judges_are_listed_with_what_answered_for_them() {
    let fixture = Fixture::new(3).await;
    let first = verdict_row("a", "c1", Outcome::Value(4.0));
    let other_model = VerdictRow {
        reported_model: Some("m-1-0613".to_owned()),
        ..verdict_row("a", "c2", Outcome::Value(3.0))
    };
    let second_version = VerdictRow { judge_version: "2".to_owned(), ..verdict_row("a", "c1", refusal()) };
    let elsewhere = VerdictRow { criterion: "faithfulness".to_owned(), ..verdict_row("a", "c3", refusal()) };
    let hashes = [fingerprint(&first).0, fingerprint(&other_model).0];
    fixture.imported_verdicts(&[first, other_model, second_version, elsewhere]).await;

    let judges = fixture.store.judges(fixture.project).await.unwrap();
    assert_eq!(judges.len(), 1);
    let versions: Vec<&str> = judges[0].versions.iter().map(|version| version.version.as_str()).collect();
    assert_eq!(versions, ["2", "1"]);
    let version = &judges[0].versions[1];
    assert_eq!(version.declared, serde_json::json!({ "source": "import", "model": "m-1" }));
    let seen: Vec<_> =
        version.fingerprints.iter().map(|f| (f.hash.clone(), f.reported_model.as_deref())).collect();
    assert_eq!(
        seen,
        [(hashes[0].clone(), Some("m-1-0301")), (hashes[1].clone(), Some("m-1-0613"))],
        "two models: mixed"
    );
    let counts = |criterion: &str, verdicts, failures| CriterionVerdicts {
        criterion: criterion.to_owned(),
        verdicts,
        failures,
    };
    let counted = fixture.store.verdict_counts(fixture.project, Viewer::Operator).await.unwrap();
    assert_eq!(counted[&version.id], [counts("faithfulness", 1, 1), counts("helpfulness", 2, 0)]);
}
