use super::*;
use crate::{
    NewReferenceSet, ReferenceRow,
    decision::tests::decision,
    fixture::{Fixture, NOW, after, refusal, verdict_row},
};
use domain::{ContentHash, Outcome, Provenance, ReferenceRule, Unit};

#[tokio::test]
async fn an_empty_project_has_figures() {
    let fixture = Fixture::new(0).await;
    let figures = fixture.store.project_figures(fixture.project, Viewer::Operator).await.unwrap();
    let expected = ProjectFigures {
        project: "shop".to_owned(),
        overlap: 2,
        rubric: Some("shop@1".to_owned()),
        criteria: 2,
        ..ProjectFigures::default()
    };
    assert_eq!(figures, expected);
    let missing = fixture.store.project_figures(ProjectId::new(NOW), Viewer::Operator).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn figures_follow_the_loop() {
    let fixture = Fixture::new(4).await;
    for (annotator, conversation, value) in
        [("ada", "c1", 4.0), ("ben", "c1", 4.0), ("ada", "c2", 2.0), ("chloe", "c1", 3.0)]
    {
        fixture.imported_label(annotator, conversation, value).await;
    }
    let dora = fixture.user("Dora").await;
    let assignment = fixture.assign(dora).await;
    fixture.store.submit_assignment(assignment.id, dora, NOW).await.unwrap();
    fixture.assign(dora).await;
    fixture
        .imported_verdicts(&[
            verdict_row("a", "c1", Outcome::Value(4.0)),
            verdict_row("a", "c2", refusal()),
            verdict_row("b", "c1", Outcome::Value(3.0)),
        ])
        .await;
    let reference = ReferenceRow {
        conversation: fixture.id("c1").await,
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        value: 4.0,
        provenance: Provenance::Median,
    };
    let set = NewReferenceSet {
        rule: ReferenceRule::Median,
        annotators: &[],
        data_hash: &ContentHash("h".to_owned()),
        references: &[reference],
    };
    fixture.store.save_references(fixture.project, &set, NOW).await.unwrap();
    fixture.store.append_decision(fixture.project, None, decision(Verdict::Promote), NOW).await.unwrap();
    fixture.store.append_decision(fixture.project, None, decision(Verdict::Hold), after(1)).await.unwrap();

    let figures = fixture.store.project_figures(fixture.project, Viewer::Operator).await.unwrap();
    let expected = ProjectFigures {
        project: "shop".to_owned(),
        conversations: 4,
        labelled_once: 2,
        labelled_twice: 1,
        labels: 4,
        annotators: 3,
        overlap: 2,
        assignments_open: 1,
        assignments_submitted: 1,
        rubric: Some("shop@1".to_owned()),
        criteria: 2,
        judge_versions: 2,
        verdicts: 3,
        failures: 1,
        references: Some((1, "median".to_owned())),
        anchor_sets: 0,
        last_decision: Some((Verdict::Hold, "new".to_owned(), "2026-11-30".to_owned())),
    };
    assert_eq!(figures, expected);
}
