use super::*;
use crate::fixture::{Fixture, after, rubric};

#[tokio::test]
async fn a_version_is_published_once_and_never_changes() {
    let fixture = Fixture::new(0).await;
    let again = fixture.store.publish_rubric(fixture.project, &rubric(1), after(1)).await.unwrap();
    assert_eq!(again, Publication::Unchanged(fixture.rubric));
    let mut changed = rubric(1);
    changed.criteria[0].question.push_str(" At all?");
    let error = fixture.store.publish_rubric(fixture.project, &changed, after(1)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "shop version 1 was published with other content and never changes: publish version 2"
    );
}

#[tokio::test]
async fn the_rubric_of_a_project_is_what_was_published_last() {
    let fixture = Fixture::new(0).await;
    let empty = fixture.store.create_project("empty", after(0)).await.unwrap().id;
    assert!(fixture.store.latest_rubric(empty).await.unwrap().is_none());
    let second = fixture.store.publish_rubric(fixture.project, &rubric(2), after(0)).await.unwrap();
    assert!(matches!(second, Publication::Published(_)));
    let latest = fixture.store.latest_rubric(fixture.project).await.unwrap().unwrap();
    assert_eq!((latest.id, latest.rubric.clone()), (second.id(), rubric(2)));
    assert_eq!(latest.hash, domain::hash_of(&rubric(2)).unwrap());
    let first = fixture.store.rubric_version(fixture.project, "shop", 1).await.unwrap();
    assert_eq!(fixture.store.rubric_versions(fixture.project).await.unwrap(), [latest, first]);
    let missing = fixture.store.rubric_version(fixture.project, "shop", 3).await;
    assert!(matches!(missing, Err(StoreError::NotFound { .. })));
}
