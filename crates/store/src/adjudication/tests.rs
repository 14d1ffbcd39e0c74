use super::*;
use crate::{
    Adjudicated, NewAdjudication, NewReferenceSet, ReferenceRow,
    fixture::{Fixture, NOW, after, rubric},
};
use domain::{ContentHash, Provenance, ReferenceRule, Unit};
use std::collections::HashMap;

/// A project with one conversation on which two people do not agree.
async fn contested() -> Fixture {
    let fixture = Fixture::new(1).await;
    for (annotator, value) in [("ben", 2.0), ("ada", 5.0)] {
        fixture.imported_label(annotator, "c1", value).await;
    }
    fixture
}

#[tokio::test]
async fn a_decision_is_stored_with_the_labels_that_it_saw() {
    let fixture = contested().await;
    let new = fixture.new_adjudication("c1", 4.0).await;
    let names: Vec<&str> = new.adjudication.labels.iter().map(|label| label.annotator.as_str()).collect();
    assert_eq!(names, ["ada", "ben"]);
    let id = fixture.adjudicated("c1", 4.0).await;
    let stored = fixture.store.adjudications(fixture.project, Viewer::Operator).await.unwrap();
    assert_eq!(stored, [StoredAdjudication { id, adjudication: new.adjudication.clone() }]);
    assert_eq!(fixture.store.adjudicate(&new).await.unwrap(), Adjudicated::Changed, "one first decision");
    assert_eq!(fixture.number("select count(*) from adjudication").await, 1);
}

#[tokio::test]
async fn a_decision_of_labels_that_have_changed_is_not_taken() {
    let fixture = contested().await;
    let seen = fixture.new_adjudication("c1", 4.0).await;
    fixture.imported_label("cleo", "c1", 1.0).await;
    assert_eq!(fixture.store.adjudicate(&seen).await.unwrap(), Adjudicated::Changed);
    let first = fixture.adjudicated("c1", 4.0).await;
    fixture.imported_label("dora", "c1", 1.0).await;
    let again = NewAdjudication { supersedes: Some(first), ..fixture.new_adjudication("c1", 2.0).await };
    let Adjudicated::Stored(second) = fixture.store.adjudicate(&again).await.unwrap() else {
        panic!("a stale decision can be replaced")
    };
    let heads = fixture.store.adjudications(fixture.project, Viewer::Operator).await.unwrap();
    assert_eq!(heads.iter().map(|head| head.id).collect::<Vec<_>>(), [second]);
    assert_eq!(fixture.number("select count(*) from adjudication").await, 2);
}

#[tokio::test]
async fn nothing_is_decided_while_somebody_labels() {
    let fixture = contested().await;
    let ada = fixture.user("Ada L").await;
    let assignment = fixture.assign(ada).await;
    let new = fixture.new_adjudication("c1", 4.0).await;
    assert_eq!(fixture.store.adjudicate(&new).await.unwrap(), Adjudicated::OnADesk);
    fixture.store.skip_assignment(assignment.id, ada, "unsure", after(1)).await.unwrap();
    assert!(matches!(fixture.store.adjudicate(&new).await.unwrap(), Adjudicated::Stored(_)));
}

#[tokio::test]
async fn labels_at_an_open_desk_are_not_among_those_of_an_item() {
    let fixture = contested().await;
    let user = fixture.user("Cleo").await;
    let assignment = fixture.assign(user).await;
    fixture.save(&fixture.new_label(user, assignment.conversation, 1.0)).await;
    let count = async |viewer| {
        let item = fixture.new_adjudication("c1", 4.0).await.adjudication.item;
        fixture.store.labels_of_item(assignment.conversation, &item, viewer).await.unwrap().len()
    };
    assert_eq!((count(Viewer::Operator).await, count(Viewer::Member(user)).await), (2, 0));
    fixture.store.submit_assignment(assignment.id, user, after(1)).await.unwrap();
    assert_eq!((count(Viewer::Operator).await, count(Viewer::Member(user)).await), (3, 3));
}

#[tokio::test]
async fn decisions_are_append_only_and_raise_the_revision() {
    let fixture = contested().await;
    let before = fixture.store.revision(fixture.project).await.unwrap();
    fixture.adjudicated("c1", 4.0).await;
    assert!(fixture.store.revision(fixture.project).await.unwrap() > before);
    for statement in ["update adjudication set value = 1", "delete from adjudication"] {
        let refused = fixture.execute(statement).await.unwrap_err().to_string();
        assert!(refused.contains("adjudications are append-only"), "{refused}");
    }
}

#[tokio::test]
async fn an_item_and_its_labels_are_found_by_index() {
    let fixture = contested().await;
    for (sql, wanted) in [
        (HEADS, "adjudication_by_project"),
        (OF_ITEM, "adjudication_by_item"),
        (LABELS_OF_ITEM, "label_by_conversation"),
    ] {
        let plan = fixture.plan(sql).await;
        assert!(plan.iter().any(|step| step.contains(wanted)), "{plan:#?}");
    }
}

/// Builds a set of one adjudicated reference.
async fn built(fixture: &Fixture) {
    let adjudication = fixture.adjudicated("c1", 4.0).await;
    let decided = fixture.new_adjudication("c1", 4.0).await.adjudication;
    let row = ReferenceRow {
        conversation: fixture.id("c1").await,
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        value: 4.0,
        provenance: Provenance::Adjudicated,
        labels: decided.labels,
        adjudication: Some(adjudication),
    };
    let set = NewReferenceSet {
        rule: ReferenceRule::Adjudicated,
        annotators: &["ada".to_owned(), "ben".to_owned()],
        rubric_version: fixture.rubric,
        data_hash: &ContentHash("h".to_owned()),
        references: &[row],
        built_at: NOW,
    };
    fixture.store.save_references(fixture.project, &set, NOW).await.unwrap();
}

#[tokio::test]
async fn references_go_elsewhere_and_back_without_a_change() {
    let from = contested().await;
    built(&from).await;
    let file = from.store.reference_file(from.project, Viewer::Operator).await.unwrap();
    assert_eq!(file.check(&rubric(1)), Ok(()));
    let to = Fixture::new(1).await;
    let rubrics = HashMap::from([("shop@1".to_owned(), to.rubric)]);
    for minutes in [1, 2] {
        to.store.import_references(to.project, &file, &rubrics, after(minutes)).await.unwrap();
        let again = to.store.reference_file(to.project, Viewer::Operator).await.unwrap();
        assert_eq!(again.to_file().unwrap(), file.to_file().unwrap());
    }
    assert_eq!(to.number("select count(*) from adjudication").await, 1);
}

#[tokio::test]
async fn what_was_decided_otherwise_here_is_not_overwritten() {
    let from = contested().await;
    built(&from).await;
    let file = from.store.reference_file(from.project, Viewer::Operator).await.unwrap();
    let to = contested().await;
    to.adjudicated("c1", 3.0).await;
    let rubrics = HashMap::from([("shop@1".to_owned(), to.rubric)]);
    let refused = to.store.import_references(to.project, &file, &rubrics, NOW).await.unwrap_err();
    assert!(refused.to_string().contains("decided otherwise here (3, by Lea)"), "{refused}");
    assert_eq!(to.number("select count(*) from reference_set").await, 0);
    let unknown = to.store.import_references(to.project, &file, &HashMap::new(), NOW).await.unwrap_err();
    assert!(unknown.to_string().contains("rubric shop@1"), "{unknown}");
}
