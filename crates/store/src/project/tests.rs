use super::*;
use crate::{
    NewUser,
    fixture::{Fixture, NOW},
};

#[tokio::test]
async fn a_project_is_found_by_its_name() {
    let fixture = Fixture::new(0).await;
    let project = fixture.store.project("shop").await.unwrap();
    assert_eq!((project.id, project.overlap, project.created_at), (fixture.project, 2, NOW));
    assert_eq!(fixture.store.project_name(project.id).await.unwrap(), "shop");
    let error = fixture.store.project("shpo").await.unwrap_err();
    assert!(error.to_string().contains("`shpo`"), "{error}");
}

#[tokio::test]
async fn a_name_that_cannot_stand_in_an_address_is_refused() {
    let fixture = Fixture::new(0).await;
    let long = "x".repeat(101);
    for name in ["", " shop", "a/b", "a\u{202e}b", "a\nb", ".", "..", long.as_str()] {
        let error = fixture.store.create_project(name, NOW).await.unwrap_err();
        assert!(matches!(error, StoreError::Invalid(_)), "{name:?}: {error}");
    }
    assert!(matches!(fixture.store.create_project("shop", NOW).await, Err(StoreError::Conflict { .. })));
    fixture.store.create_project("Service technique & pièces", NOW).await.unwrap();
    let names: Vec<String> = fixture.store.projects().await.unwrap().into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["Service technique & pièces", "shop"]);
}

#[tokio::test]
async fn a_person_has_the_projects_of_the_membership_and_an_admin_all() {
    let fixture = Fixture::new(0).await;
    let other = fixture.store.create_project("other", NOW).await.unwrap();
    let ada = fixture.user("Ada").await;
    fixture.store.set_role(other.id, ada, Role::Engineer, NOW).await.unwrap();
    let root = NewUser { name: "root".to_owned(), password_hash: String::new() };
    let root = fixture.store.create_user(&root, true, NOW).await.unwrap().id;
    let of = async |user| {
        let projects = fixture.store.projects_of(user).await.unwrap();
        projects.into_iter().map(|(project, role)| (project.name, role)).collect::<Vec<_>>()
    };
    assert_eq!(of(ada).await, [("other".to_owned(), Role::Engineer)]);
    assert_eq!(of(root).await, [("other".to_owned(), Role::Admin), ("shop".to_owned(), Role::Admin)]);
    fixture.store.disable_user(root, NOW).await.unwrap();
    assert!(of(root).await.is_empty());
}

#[tokio::test]
async fn the_overlap_is_one_to_a_hundred() {
    let fixture = Fixture::new(0).await;
    fixture.store.set_overlap(fixture.project, 5).await.unwrap();
    assert_eq!(fixture.store.project("shop").await.unwrap().overlap, 5);
    for overlap in [0, 101] {
        assert!(matches!(
            fixture.store.set_overlap(fixture.project, overlap).await,
            Err(StoreError::Invalid(_))
        ));
    }
}
