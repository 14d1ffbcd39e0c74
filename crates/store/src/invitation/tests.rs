use super::*;
use crate::fixture::{Fixture, NOW, after};

fn invitation(fixture: &Fixture, token: &str, role: Role) -> NewInvitation {
    NewInvitation {
        token: TokenHash::of(token),
        membership: Some((fixture.project, role)),
        invited_by: None,
        expires_at: after(60),
    }
}

fn ben() -> NewUser {
    NewUser { name: "Ben".to_owned(), password_hash: "hash".to_owned() }
}

#[tokio::test]
async fn a_link_makes_an_account_and_a_member_once() {
    let fixture = Fixture::new(0).await;
    let ada = fixture.user("Ada").await;
    let new = NewInvitation { invited_by: Some(ada), ..invitation(&fixture, "link", Role::Engineer) };
    fixture.store.create_invitation(&new, NOW).await.unwrap();
    let token = TokenHash::of("link");
    let open = fixture.store.invitation(&token, NOW).await.unwrap().unwrap();
    assert_eq!(open.invited_by.as_deref(), Some("Ada"));
    assert_eq!(open.membership, Some((fixture.project, "shop".to_owned(), Role::Engineer)));
    assert_eq!(fixture.store.invitations(Some(fixture.project), NOW).await.unwrap(), [open]);

    let ben = fixture.store.accept_invitation(&token, &ben(), NOW).await.unwrap();
    assert_eq!(fixture.store.role(fixture.project, ben.id).await.unwrap(), Some(Role::Engineer));
    assert!(!ben.is_admin);
    assert!(fixture.store.invitation(&token, NOW).await.unwrap().is_none());
    let chloe = NewUser { name: "Chloe".to_owned(), password_hash: String::new() };
    let again = fixture.store.accept_invitation(&token, &chloe, NOW).await;
    assert!(matches!(again, Err(StoreError::NotFound { .. })));
    assert!(fixture.store.credentials("chloe").await.unwrap().is_none());
}

#[tokio::test]
async fn a_link_without_a_project_makes_an_admin() {
    let fixture = Fixture::new(0).await;
    let new = NewInvitation { membership: None, ..invitation(&fixture, "first", Role::Admin) };
    fixture.store.create_invitation(&new, NOW).await.unwrap();
    assert_eq!(fixture.store.invitations(None, NOW).await.unwrap().len(), 1);
    let root = fixture.store.accept_invitation(&TokenHash::of("first"), &ben(), NOW).await.unwrap();
    assert!(root.is_admin && fixture.store.admin_exists().await.unwrap());
}

#[tokio::test]
async fn a_link_that_expired_or_was_taken_back_does_not_work() {
    let fixture = Fixture::new(0).await;
    for token in ["old", "revoked"] {
        fixture.store.create_invitation(&invitation(&fixture, token, Role::Lead), NOW).await.unwrap();
    }
    let expired = fixture.store.accept_invitation(&TokenHash::of("old"), &ben(), after(60)).await;
    assert!(matches!(expired, Err(StoreError::NotFound { .. })));
    fixture.store.revoke_invitation(&TokenHash::of("revoked")).await.unwrap();
    let revoked = fixture.store.accept_invitation(&TokenHash::of("revoked"), &ben(), NOW).await;
    assert!(matches!(revoked, Err(StoreError::NotFound { .. })));
    assert!(fixture.store.revoke_invitation(&TokenHash::of("revoked")).await.is_err());
    assert!(fixture.store.invitations(Some(fixture.project), after(60)).await.unwrap().is_empty());
}

#[tokio::test]
async fn a_taken_account_leaves_the_link_usable() {
    let fixture = Fixture::new(0).await;
    fixture.user("ben").await;
    fixture.store.create_invitation(&invitation(&fixture, "link", Role::Lead), NOW).await.unwrap();
    let token = TokenHash::of("link");
    let taken = fixture.store.accept_invitation(&token, &ben(), NOW).await;
    assert!(matches!(taken, Err(StoreError::Conflict { .. })));
    assert!(fixture.store.invitation(&token, NOW).await.unwrap().is_some());
}

#[tokio::test]
async fn who_is_signed_in_keeps_the_greater_role() {
    let fixture = Fixture::new(0).await;
    let ada = fixture.user("Ada").await;
    for (token, role, then) in [
        ("one", Role::Engineer, Role::Engineer),
        ("two", Role::Annotator, Role::Engineer),
        ("three", Role::Lead, Role::Lead),
    ] {
        fixture.store.create_invitation(&invitation(&fixture, token, role), NOW).await.unwrap();
        fixture.store.accept_invitation_as(&TokenHash::of(token), ada, NOW).await.unwrap();
        assert_eq!(fixture.store.role(fixture.project, ada).await.unwrap(), Some(then));
    }
    let again = fixture.store.accept_invitation_as(&TokenHash::of("one"), ada, NOW).await;
    assert!(matches!(again, Err(StoreError::NotFound { .. })));
}

#[tokio::test]
async fn no_token_is_in_the_file() {
    let fixture = Fixture::new(0).await;
    fixture
        .store
        .create_invitation(&invitation(&fixture, "the-secret-token", Role::Lead), NOW)
        .await
        .unwrap();
    let copy = fixture.directory.path().join("copy.db");
    fixture.store.backup(&copy).await.unwrap();
    let bytes = std::fs::read(copy).unwrap();
    assert!(!bytes.windows(16).any(|window| window == b"the-secret-token"));
}
