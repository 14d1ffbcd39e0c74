use super::*;
use crate::fixture::{Fixture, NOW};

fn named(name: &str) -> NewUser {
    NewUser { name: name.to_owned(), password_hash: "$argon2id$secret".to_owned() }
}

#[tokio::test]
async fn an_account_is_found_whatever_the_case_and_the_spaces() {
    let fixture = Fixture::new(0).await;
    let user = fixture.store.create_user(&named(" Zoë Léger "), false, NOW).await.unwrap();
    assert_eq!((user.name.as_str(), user.account.as_str()), ("Zoë Léger", "zoë léger"));
    let credentials = fixture.store.credentials("  ZOË LÉGER").await.unwrap().unwrap();
    assert_eq!((credentials.user.id, credentials.password_hash.as_str()), (user.id, "$argon2id$secret"));
    assert!(!format!("{credentials:?} {:?}", named("x")).contains("secret"));
    assert!(fixture.store.credentials("nobody").await.unwrap().is_none());
    assert_eq!(fixture.store.user(user.id).await.unwrap(), user);
}

#[tokio::test]
async fn an_account_exists_once_under_a_readable_name() {
    let fixture = Fixture::new(0).await;
    fixture.user("Ada").await;
    let error = fixture.store.create_user(&named("ADA"), false, NOW).await.unwrap_err();
    assert_eq!(error.to_string(), "the account `ada` exists: choose another name");
    for name in ["", "   ", "a\u{200b}da", "a\tb"] {
        assert!(matches!(
            fixture.store.create_user(&named(name), false, NOW).await,
            Err(StoreError::Invalid(_))
        ));
    }
}

#[tokio::test]
async fn an_admin_exists_once_one_is_made_and_not_shut_out() {
    let fixture = Fixture::new(0).await;
    fixture.user("Ada").await;
    assert!(!fixture.store.admin_exists().await.unwrap());
    let root = fixture.store.create_user(&named("root"), true, NOW).await.unwrap();
    assert!(fixture.store.admin_exists().await.unwrap());
    fixture.store.disable_user(root.id, NOW).await.unwrap();
    assert!(!fixture.store.admin_exists().await.unwrap());
    fixture.store.enable_user(root.id).await.unwrap();
    assert!(fixture.store.admin_exists().await.unwrap());
}

#[tokio::test]
async fn a_password_is_replaced() {
    let fixture = Fixture::new(0).await;
    let ada = fixture.user("Ada").await;
    fixture.store.set_password_hash(ada, "new").await.unwrap();
    assert_eq!(fixture.store.credentials("ada").await.unwrap().unwrap().password_hash, "new");
    let nobody = UserId::new(NOW);
    assert!(matches!(fixture.store.set_password_hash(nobody, "new").await, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn a_role_is_of_a_project() {
    let fixture = Fixture::new(0).await;
    let ada = fixture.user("Ada").await;
    let role = async |user| fixture.store.role(fixture.project, user).await.unwrap();
    assert_eq!(role(ada).await, None);
    fixture.store.set_role(fixture.project, ada, Role::Annotator, NOW).await.unwrap();
    fixture.store.set_role(fixture.project, ada, Role::Lead, NOW).await.unwrap();
    assert_eq!(role(ada).await, Some(Role::Lead));
    fixture.store.disable_user(ada, NOW).await.unwrap();
    assert_eq!(role(ada).await, None);
    let root = fixture.store.create_user(&named("root"), true, NOW).await.unwrap();
    assert_eq!(role(root.id).await, Some(Role::Admin));
    assert!(fixture.store.set_role(fixture.project, UserId::new(NOW), Role::Lead, NOW).await.is_err());
}

#[tokio::test]
async fn a_member_who_leaves_gives_the_open_conversation_back() {
    let fixture = Fixture::new(1).await;
    let ada = fixture.user("Ada").await;
    fixture.store.set_role(fixture.project, ada, Role::Annotator, NOW).await.unwrap();
    fixture.store.set_overlap(fixture.project, 1).await.unwrap();
    fixture.assign(ada).await;
    fixture.store.remove_member(fixture.project, ada, NOW).await.unwrap();
    assert_eq!(fixture.store.members(fixture.project).await.unwrap(), []);
    let ben = fixture.user("Ben").await;
    assert_eq!(fixture.assign(ben).await.external_id, "c1");
    assert!(matches!(
        fixture.store.remove_member(fixture.project, ada, NOW).await,
        Err(StoreError::NotFound { .. })
    ));
}

#[tokio::test]
async fn members_are_listed_with_their_work() {
    let fixture = Fixture::new(2).await;
    let ada = fixture.user("Ada").await;
    fixture.store.set_role(fixture.project, ada, Role::Annotator, NOW).await.unwrap();
    let assignment = fixture.assign(ada).await;
    fixture.store.submit_assignment(assignment.id, ada, NOW).await.unwrap();
    let members = fixture.store.members(fixture.project).await.unwrap();
    let expected = Member {
        name: "Ada".to_owned(),
        account: "ada".to_owned(),
        role: Role::Annotator,
        submitted: 1,
        disabled: false,
    };
    assert_eq!(members, [expected]);
}
