//! Each read of what others said, once for a person with an open assignment and once after it is submitted.

use super::*;
use crate::{
    NewReferenceSet, ReferenceRow, ReferenceSetId, StoreError, VerdictKey,
    fixture::{Fixture, NOW, refusal, verdict_row},
};
use domain::{ContentHash, Item, Outcome, Provenance, ReferenceRule, Unit};

/// What each read gives a viewer of a project whose every figure hangs on one conversation.
async fn seen(fixture: &Fixture, set: ReferenceSetId, viewer: Viewer) -> Vec<(&'static str, u64)> {
    let (store, project) = (&fixture.store, fixture.project);
    let length = |length: usize| length as u64;
    let counts = store.verdict_counts(project, viewer).await.unwrap();
    let counts = counts.values().flatten();
    let figures = store.project_figures(project, viewer).await.unwrap();
    let key = VerdictKey {
        judge: "a",
        version: "1",
        conversation: "c1",
        unit: &Unit::Conversation,
        criterion: "helpfulness",
        repeat: 0,
    };
    let verdict = match store.verdict(project, &key, viewer).await {
        Ok(_) => 1,
        Err(StoreError::NotFound { .. }) => 0,
        Err(error) => panic!("{error}"),
    };
    let criterion = Some("helpfulness");
    let item =
        Item { conversation: "c1".to_owned(), unit: Unit::Conversation, criterion: "helpfulness".to_owned() };
    let labels = store.labels_of_item(fixture.id("c1").await, &item, viewer).await.unwrap();
    vec![
        ("labels of an item", length(labels.len())),
        ("adjudications", length(store.adjudications(project, viewer).await.unwrap().len())),
        (
            "exported references",
            length(store.reference_file(project, viewer).await.unwrap().references.len()),
        ),
        ("slices", length(store.conversation_slices(project, viewer).await.unwrap().len())),
        ("labels", length(store.labels(project, None, viewer).await.unwrap().len())),
        ("labels of a criterion", length(store.labels(project, criterion, viewer).await.unwrap().len())),
        ("verdicts", length(store.verdicts(project, None, None, viewer).await.unwrap().len())),
        (
            "verdicts of a criterion",
            length(store.verdicts(project, criterion, None, viewer).await.unwrap().len()),
        ),
        ("failures", length(store.failures(project, "a", "1", None, viewer).await.unwrap().len())),
        ("one verdict", verdict),
        ("counts of verdicts", counts.map(|count| count.verdicts + count.failures).sum()),
        ("references", length(store.references(set, viewer).await.unwrap().len())),
        ("labelled once", figures.labelled_once),
        ("labelled twice", figures.labelled_twice),
        ("labels in the figures", figures.labels),
        ("annotators in the figures", figures.annotators),
        ("judge versions in the figures", figures.judge_versions),
        ("verdicts in the figures", figures.verdicts),
        ("failures in the figures", figures.failures),
        ("references in the figures", figures.references.unwrap().0),
    ]
}

#[tokio::test]
async fn nothing_that_others_said_is_seen_while_the_assignment_is_open() {
    let fixture = Fixture::new(1).await;
    for (annotator, value) in [("ada", 4.0), ("ben", 3.0)] {
        fixture.imported_label(annotator, "c1", value).await;
    }
    let failure = domain::VerdictRow { repeat: 1, ..verdict_row("a", "c1", refusal()) };
    fixture.imported_verdicts(&[verdict_row("a", "c1", Outcome::Value(4.0)), failure]).await;
    let reference = ReferenceRow {
        conversation: fixture.id("c1").await,
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        value: 4.0,
        provenance: Provenance::Adjudicated,
        labels: Vec::new(),
        adjudication: None,
    };
    fixture.adjudicated("c1", 4.0).await;
    let set = NewReferenceSet {
        rule: ReferenceRule::Adjudicated,
        annotators: &[],
        data_hash: &ContentHash("h".to_owned()),
        references: &[reference],
        rubric_version: fixture.rubric,
        built_at: NOW,
    };
    let set = fixture.store.save_references(fixture.project, &set, NOW).await.unwrap();
    let [chloe, dora] = [fixture.user("Chloe").await, fixture.user("Dora").await];
    let everything = seen(&fixture, set, Viewer::Operator).await;
    assert!(everything.iter().all(|(_, count)| *count > 0), "{everything:?}");
    assert_eq!(seen(&fixture, set, Viewer::Member(chloe)).await, everything, "no assignment, no seal");

    let assignment = fixture.assign(chloe).await;
    for (what, count) in seen(&fixture, set, Viewer::Member(chloe)).await {
        assert_eq!(count, 0, "{what} is seen through the seal");
    }
    assert_eq!(seen(&fixture, set, Viewer::Member(dora)).await, everything, "the seal is one person's");
    assert_eq!(seen(&fixture, set, Viewer::Operator).await, everything);

    fixture.save(&fixture.new_label(chloe, assignment.conversation, 5.0)).await;
    fixture.store.submit_assignment(assignment.id, chloe, NOW).await.unwrap();
    let opened = seen(&fixture, set, Viewer::Member(chloe)).await;
    assert_eq!(opened, seen(&fixture, set, Viewer::Operator).await);
    assert!(opened.contains(&("labels", 3)), "{opened:?}");
}

#[tokio::test]
async fn what_is_sealed_is_one_persons_and_one_projects() {
    let fixture = Fixture::new(2).await;
    let (store, project) = (&fixture.store, fixture.project);
    let (ada, ben) = (fixture.user("Ada").await, fixture.user("Ben").await);
    let sealed = async |project, viewer| store.sealed_to(project, viewer).await.unwrap();
    assert_eq!(sealed(project, Viewer::Member(ada)).await, []);
    let open = fixture.assign(ada).await;
    assert_eq!(sealed(project, Viewer::Member(ada)).await, [open.conversation]);
    assert_eq!(sealed(project, Viewer::Member(ben)).await, []);
    assert_eq!(sealed(project, Viewer::Operator).await, []);
    let other = store.create_project("other", NOW).await.unwrap().id;
    assert_eq!(sealed(other, Viewer::Member(ada)).await, []);
    store.submit_assignment(open.id, ada, NOW).await.unwrap();
    assert_eq!(sealed(project, Viewer::Member(ada)).await, []);
}
