use super::*;
use crate::fixture::{Fixture, NOW, after};

#[tokio::test]
async fn the_references_of_a_project_are_those_built_last() {
    let fixture = Fixture::new(2).await;
    assert_eq!(fixture.store.latest_reference_set(fixture.project).await.unwrap(), None);
    let row = |conversation, value| ReferenceRow {
        conversation,
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        value,
        provenance: Provenance::Median,
        labels: Vec::new(),
        adjudication: None,
    };
    let rows = [row(fixture.id("c1").await, 4.0), row(fixture.id("c2").await, 2.0)];
    let annotators = ["ada".to_owned(), "ben".to_owned()];
    let data_hash = ContentHash("h".to_owned());
    let set = NewReferenceSet {
        rule: ReferenceRule::Median,
        annotators: &annotators,
        data_hash: &data_hash,
        references: &rows,
        rubric_version: fixture.rubric,
        built_at: NOW,
    };
    fixture.store.save_references(fixture.project, &set, NOW).await.unwrap();
    let set = NewReferenceSet { built_at: after(1), ..set };
    let id = fixture.store.save_references(fixture.project, &set, after(1)).await.unwrap();
    let latest = fixture.store.latest_reference_set(fixture.project).await.unwrap().unwrap();
    assert_eq!((latest.id, latest.rule, latest.built_at), (id, ReferenceRule::Median, after(1)));
    assert_eq!((latest.annotators.as_slice(), &latest.data_hash), (annotators.as_slice(), &data_hash));
    assert_eq!(fixture.store.references(id, Viewer::Operator).await.unwrap(), rows);
}

#[tokio::test]
async fn an_item_has_one_reference_or_none_is_stored() {
    let fixture = Fixture::new(1).await;
    let row = ReferenceRow {
        conversation: fixture.id("c1").await,
        unit: Unit::Conversation,
        criterion: "helpfulness".to_owned(),
        value: 4.0,
        provenance: Provenance::Single,
        labels: Vec::new(),
        adjudication: None,
    };
    let data_hash = ContentHash("h".to_owned());
    let save = async |rows: &[ReferenceRow]| {
        let set = NewReferenceSet {
            rule: ReferenceRule::Majority,
            annotators: &[],
            data_hash: &data_hash,
            references: rows,
            rubric_version: fixture.rubric,
            built_at: NOW,
        };
        fixture.store.save_references(fixture.project, &set, NOW).await
    };
    let twice = save(&[row.clone(), row.clone()]).await;
    assert!(matches!(twice, Err(StoreError::Conflict { .. })));
    let nan = save(&[ReferenceRow { value: f64::NAN, ..row }]).await;
    assert!(matches!(nan, Err(StoreError::Invalid(_))));
    assert_eq!(fixture.store.latest_reference_set(fixture.project).await.unwrap(), None);
}
