//! Signing in and out, and what ends a session.

use crate::site::{PASSWORD, Site};
use axum::http::StatusCode;
use domain::Role;

/// Whether the cookie is still that of somebody.
async fn is_in(site: &Site, cookie: &str) -> bool {
    site.call("/rpc/load_account", cookie, "{}").await.status == StatusCode::OK
}

async fn sign_in(site: &Site, account: &str, password: &str, next: &str) -> crate::site::Answer {
    let body = format!("account={account}&password={}&next={next}", password.replace(' ', "+"));
    site.form("/rpc/sign_in", "", &body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_leads_back_within_this_site_alone() {
    for (next, leads_to) in [
        ("%2Fp%2Fshop%2Flabel", "/p/shop/label"),
        ("%2F%2Fevil.example", "/"),
        ("%2F%5Cevil.example", "/"),
        ("https%3A%2F%2Fevil.example", "/"),
        ("javascript%3Aalert%281%29", "/"),
        ("%2Fa%0D%0ASet-Cookie%3A+x%3D1", "/"),
    ] {
        // A site each: five attempts in a minute are all that a peer has.
        let site = Site::open().await;
        site.sign_up("ada", Role::Annotator).await;
        let answer = sign_in(&site, "ada", PASSWORD, next).await;
        assert_eq!((answer.status, answer.location()), (StatusCode::FOUND, leads_to), "{next}");
        assert!(is_in(&site, &answer.cookie()).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_name_and_a_wrong_password_are_told_alike() {
    let site = Site::open().await;
    site.sign_up("ada", Role::Annotator).await;
    let password = site.call("/rpc/sign_in", "", "account=ada&password=wrong").await;
    let name = site.call("/rpc/sign_in", "", "account=nobody&password=wrong").await;
    assert_eq!((password.status, &password.body), (StatusCode::UNPROCESSABLE_ENTITY, &name.body));
    assert!(password.cookie().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_is_stopped_even_before_the_right_password() {
    let site = Site::open().await;
    site.sign_up("ada", Role::Annotator).await;
    for _ in 0..5 {
        let answer = site.call("/rpc/sign_in", "", "account=ada&password=wrong").await;
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    }
    let body = format!("account=ada&password={PASSWORD}");
    let answer = site.call("/rpc/sign_in", "", &body).await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS, "{}", answer.body);
    assert!(answer.cookie().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_known_before_is_worth_nothing_after_signing_in() {
    let site = Site::open().await;
    let first = site.sign_up("ada", Role::Annotator).await;
    let body = format!("account=ada&password={}", PASSWORD.replace(' ', "+"));
    let answer = site.form("/rpc/sign_in", &first, &body).await;
    assert_ne!(answer.cookie(), first);
    assert!(is_in(&site, &answer.cookie()).await);
    assert!(!is_in(&site, &first).await, "the id from before signing in must end");
    assert!(!is_in(&site, "session=AAAAAAAAAAAAAAAAAAAAAA").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_out_ends_this_session_and_everywhere_ends_all() {
    let site = Site::open().await;
    let ada = site.person("ada", Some(Role::Annotator)).await;
    let ben = site.session_of(&site.person("ben", Some(Role::Annotator)).await).await;
    let [first, second, third] =
        [site.session_of(&ada).await, site.session_of(&ada).await, site.session_of(&ada).await];
    let answer = site.form("/rpc/sign_out", &first, "").await;
    assert_eq!((answer.status, answer.location()), (StatusCode::FOUND, "/sign-in"));
    assert_eq!((is_in(&site, &first).await, is_in(&site, &second).await), (false, true));
    let answer = site.form("/rpc/sign_out_everywhere", &second, "").await;
    assert_eq!((answer.status, answer.location()), (StatusCode::FOUND, "/sign-in"));
    assert_eq!((is_in(&site, &second).await, is_in(&site, &third).await), (false, false));
    assert!(is_in(&site, &ben).await, "other people stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_password_ends_all_other_sessions() {
    let site = Site::open().await;
    let here = site.sign_up("ada", Role::Annotator).await;
    let there = sign_in(&site, "ada", PASSWORD, "").await.cookie();
    let wrong = site.call("/rpc/change_password", &here, "old=wrong&password=another+stone+for+silver").await;
    assert_eq!(wrong.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(is_in(&site, &there).await);
    let short = format!("old={}&password=short", PASSWORD.replace(' ', "+"));
    assert_eq!(
        site.call("/rpc/change_password", &here, &short).await.status,
        StatusCode::UNPROCESSABLE_ENTITY
    );
    let body = format!("old={}&password=another+stone+for+silver", PASSWORD.replace(' ', "+"));
    let answer = site.call("/rpc/change_password", &here, &body).await;
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
    assert!(!is_in(&site, &there).await);
    assert!(is_in(&site, &answer.cookie()).await, "whoever changed it stays signed in");
    assert_eq!(
        sign_in(&site, "ada", PASSWORD, "").await.status,
        StatusCode::FOUND,
        "a form goes back to its page"
    );
    let old = site.call("/rpc/sign_in", "", &format!("account=ada&password={PASSWORD}")).await;
    assert_eq!(old.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_shut_out_is_out_at_once() {
    let site = Site::open().await;
    let cookie = site.sign_up("ada", Role::Admin).await;
    assert_eq!(site.page("/p/shop/people", &cookie).await.status, StatusCode::OK);
    site.service.disable_user("ada", None).await.unwrap();
    let page = site.page("/p/shop/people", &cookie).await;
    assert_eq!((page.status, page.location().starts_with("/sign-in?next=")), (StatusCode::FOUND, true));
    assert_eq!(site.page("/p/shop/agreement.json", &cookie).await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(
        site.call("/rpc/load_desk", &cookie, r#"{"project": "shop"}"#).await.status,
        StatusCode::UNAUTHORIZED
    );
    let again = site.call("/rpc/sign_in", "", &format!("account=ada&password={PASSWORD}")).await;
    assert_eq!(again.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_taken_out_of_the_project_sees_it_no_more() {
    let site = Site::open().await;
    let admin = site.session_of(&site.person("admin", Some(Role::Admin)).await).await;
    let cookie = site.session_of(&site.person("ben", Some(Role::Lead)).await).await;
    assert_eq!(site.page("/p/shop/gate", &cookie).await.status, StatusCode::OK);
    site.call("/rpc/set_role", &admin, "project=shop&account=ben&role=annotator").await;
    assert_eq!(site.page("/p/shop/gate", &cookie).await.status, StatusCode::FORBIDDEN);
    site.call("/rpc/remove_member", &admin, "project=shop&account=ben").await;
    assert_eq!(site.page("/p/shop/label", &cookie).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_works_once() {
    let site = Site::open().await;
    let token = site.service.invite(site.project, Role::Annotator, None).await.unwrap();
    let body = format!("token={token}&name=ada&password={}", PASSWORD.replace(' ', "+"));
    assert_eq!(site.call("/rpc/accept_invitation", "", &body).await.status, StatusCode::OK);
    let body = body.replace("ada", "ben");
    assert_eq!(site.call("/rpc/accept_invitation", "", &body).await.status, StatusCode::NOT_FOUND);
    assert_eq!(site.page(&format!("/invitation/{token}"), "").await.status, StatusCode::NOT_FOUND);
}
