use super::*;
use crate::fixture::{Fixture, NOW, fingerprint, refusal, verdict_row};

#[tokio::test]
async fn verdicts_are_read_without_their_texts() {
    let fixture = Fixture::new(2).await;
    let rows = [verdict_row("a", "c1", Outcome::Value(4.0)), verdict_row("b", "c2", refusal())];
    fixture.imported_verdicts(&rows).await;
    let verdicts = fixture.store.verdicts(fixture.project, None, None, Viewer::Operator).await.unwrap();
    assert_eq!(fixture.store.last_verdict().await.unwrap(), verdicts[1].id);
    let expected = StoredVerdict {
        id: verdicts[0].id,
        judge: "a".into(),
        version: "1".into(),
        conversation: fixture.id("c1").await,
        unit: "conversation".into(),
        criterion: "helpfulness".into(),
        repeat: 0,
        fingerprint: fingerprint(&rows[0]).0.into(),
        outcome: Ok(4.0),
        latency_ms: Some(420.5),
        cost_usd: Some(0.002),
        total_tokens: Some(709),
    };
    assert_eq!(verdicts[0], expected);
    assert_eq!((&*verdicts[1].judge, verdicts[1].outcome), ("b", Err(FailureKind::Refused)));
    assert_eq!(verdicts.len(), 2);
}

#[tokio::test]
async fn verdicts_are_of_a_criterion_or_of_some_judges() {
    let fixture = Fixture::new(1).await;
    let row = |judge, criterion: &str| VerdictRow {
        criterion: criterion.to_owned(),
        ..verdict_row(judge, "c1", Outcome::Value(2.0))
    };
    fixture
        .imported_verdicts(&[row("a", "helpfulness"), row("a", "faithfulness"), row("b", "helpfulness")])
        .await;
    let judges = fixture.store.judges(fixture.project).await.unwrap();
    let b = [judges[1].versions[0].id];
    let count = async |criterion, versions| {
        let verdicts = fixture.store.verdicts(fixture.project, criterion, versions, Viewer::Operator).await;
        verdicts.unwrap().len()
    };
    assert_eq!(count(None, None).await, 3);
    assert_eq!(count(Some("helpfulness"), None).await, 2);
    assert_eq!(count(None, Some(&b)).await, 1);
    assert_eq!(count(Some("faithfulness"), Some(&b)).await, 0);
    let other = fixture.store.create_project("other", NOW).await.unwrap().id;
    assert!(fixture.store.verdicts(other, None, Some(&b), Viewer::Operator).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_failure_is_one_step_from_its_raw_text() {
    let fixture = Fixture::new(2).await;
    let row = VerdictRow { raw: Some("I'd rather not.".to_owned()), ..verdict_row("a", "c2", refusal()) };
    fixture.imported_verdicts(&[verdict_row("a", "c1", Outcome::Value(4.0)), row]).await;
    let failures = async |criterion| {
        fixture.store.failures(fixture.project, "a", "1", criterion, Viewer::Operator).await.unwrap()
    };
    let expected = Failure {
        conversation: "c2".to_owned(),
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        repeat: 0,
        kind: FailureKind::Refused,
        says: "refused".to_owned(),
        reason: Some("It answers.".to_owned()),
        raw: Some("I'd rather not.".to_owned()),
    };
    assert_eq!(failures(None).await, std::slice::from_ref(&expected));
    assert_eq!(failures(Some("helpfulness")).await, [expected]);
    assert_eq!(failures(Some("faithfulness")).await, []);
}

#[tokio::test]
async fn one_verdict_is_read_as_it_was_imported() {
    let fixture = Fixture::new(1).await;
    let row = verdict_row("a", "c1", Outcome::Value(4.0));
    fixture.imported_verdicts(std::slice::from_ref(&row)).await;
    let key = VerdictKey {
        judge: "a",
        version: "1",
        conversation: "c1",
        unit: &Unit::Conversation,
        criterion: "helpfulness",
        repeat: 0,
    };
    let detail = fixture.store.verdict(fixture.project, &key, Viewer::Operator).await.unwrap();
    assert_eq!((&detail.verdict, &detail.fingerprint), (&row, &fingerprint(&row).0));
    let missing = VerdictKey { repeat: 1, ..key };
    let missing = fixture.store.verdict(fixture.project, &missing, Viewer::Operator).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn verdicts_are_read_by_their_judge_version() {
    let fixture = Fixture::new(1).await;
    for (sql, index) in
        [(VERDICTS, "(judge_version_id=?)"), (VERDICTS_OF_CRITERION, "(judge_version_id=? AND criterion=?)")]
    {
        let plan = fixture.plan(sql).await.join("\n");
        assert!(plan.contains(index) && !plan.contains("SCAN"), "{plan}");
    }
}
