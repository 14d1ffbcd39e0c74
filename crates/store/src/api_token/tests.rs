use super::*;
use crate::fixture::{Fixture, NOW, after};
use sqlx::AssertSqlSafe;

fn token<'a>(fixture: &Fixture, user: UserId, prefix: &'a str) -> NewApiToken<'a> {
    NewApiToken {
        prefix,
        hash: TokenHash::of(prefix),
        user,
        project: Some(fixture.project),
        name: "ci",
        scopes: &[Scope::Read, Scope::Gate],
        expires_at: after(60),
    }
}

#[tokio::test]
async fn a_token_is_kept_until_it_is_revoked_and_never_comes_back() {
    let fixture = Fixture::new(0).await;
    let store = &fixture.store;
    let (ada, ben) = (fixture.user("Ada").await, fixture.user("Ben").await);
    store.create_api_token(&token(&fixture, ada, "aaaa"), NOW).await.unwrap();
    let other = NewApiToken { project: None, scopes: &[Scope::Judge], ..token(&fixture, ben, "bbbb") };
    store.create_api_token(&other, after(1)).await.unwrap();
    let again = store.create_api_token(&token(&fixture, ben, "aaaa"), NOW).await;
    assert!(matches!(again, Err(StoreError::Conflict { .. })));

    let kept = store.api_token("aaaa").await.unwrap().unwrap();
    assert_eq!((kept.account.as_str(), kept.scopes.as_slice()), ("ada", &[Scope::Read, Scope::Gate][..]));
    assert_eq!(kept.project, Some((fixture.project, "shop".to_owned())));
    assert_eq!((kept.hash, kept.last_used_at), (TokenHash::of("aaaa"), None));
    let prefixes = |tokens: Vec<ApiToken>| tokens.into_iter().map(|token| token.prefix).collect::<Vec<_>>();
    assert_eq!(prefixes(store.api_tokens(None).await.unwrap()), ["aaaa", "bbbb"]);
    assert_eq!(prefixes(store.api_tokens(Some(ben)).await.unwrap()), ["bbbb"]);

    let others = store.revoke_api_token("aaaa", Some(ben), NOW).await;
    assert!(matches!(others, Err(StoreError::NotFound { .. })), "a token of somebody else");
    store.revoke_api_token("aaaa", Some(ada), NOW).await.unwrap();
    assert!(store.api_token("aaaa").await.unwrap().is_none());
    assert!(store.revoke_api_token("aaaa", None, NOW).await.is_err());
    for sql in [
        "update api_token set revoked_at = null",
        "update api_token set scopes = 'read gate judge'",
        "update api_token set expires_at = 99999999999999",
        "delete from api_token",
    ] {
        let mut transaction = store.write().await.unwrap();
        assert!(sqlx::query(AssertSqlSafe(sql)).execute(&mut *transaction).await.is_err(), "{sql}");
    }
}

#[tokio::test]
async fn the_last_use_is_known_to_the_minute() {
    let fixture = Fixture::new(0).await;
    let store = &fixture.store;
    let ada = fixture.user("Ada").await;
    store.create_api_token(&token(&fixture, ada, "aaaa"), NOW).await.unwrap();
    for (now, known) in [(after(1), after(1)), (after(1) + Duration::SECOND, after(1)), (after(3), after(3))]
    {
        let token = store.api_token("aaaa").await.unwrap().unwrap();
        store.touch_api_token(&token, now).await.unwrap();
        assert_eq!(store.api_token("aaaa").await.unwrap().unwrap().last_used_at, Some(known));
    }
}
