//! What every answer tells the browser, and requests that come from other sites.

use crate::site::{PASSWORD, Site, get};
use axum::http::{Method, Request, StatusCode, header};
use domain::Role;
use std::{sync::Arc, time::Duration};

const POLICY_BEGINS: &str = "default-src 'none'; script-src 'nonce-";

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_says_how_far_to_trust_it() {
    let site = Site::open().await;
    for address in
        ["/sign-in", "/", "/nowhere", "/p/shop/agreement.json", "/healthz", "/pkg/none.js", "/rpc/load_desk"]
    {
        let answer = site.page(address, "").await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "same-origin"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
            ("x-frame-options", "DENY"),
        ] {
            assert_eq!(answer.header(name), value, "{name} of {address}");
        }
        let policy = answer.header(header::CONTENT_SECURITY_POLICY);
        assert!(policy.starts_with(POLICY_BEGINS), "{address}: {policy}");
        for directive in
            ["object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "form-action 'self'"]
        {
            assert!(policy.contains(directive), "{address}: {policy}");
        }
        assert!(
            !policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"),
            "{address}: {policy}"
        );
        if !address.starts_with("/pkg/") {
            assert_eq!(answer.header(header::CACHE_CONTROL), "no-store", "{address}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn scripts_carry_the_nonce_of_their_answer_alone() {
    let site = Site::open().await;
    let mut nonces = Vec::new();
    for _ in 0..2 {
        let answer = site.page("/sign-in", "").await;
        let policy = answer.header(header::CONTENT_SECURITY_POLICY);
        let nonce = policy[POLICY_BEGINS.len()..].split('\'').next().unwrap().to_owned();
        let scripts: Vec<&str> = answer.body.split("<script").skip(1).collect();
        assert!(!scripts.is_empty());
        for script in scripts {
            let tag = script.split('>').next().unwrap();
            assert!(tag.contains(&format!("nonce=\"{nonce}\"")), "<script{tag}> lacks the nonce {nonce}");
        }
        assert!(!answer.body.contains(" style=\""), "inline styles are not allowed by the policy");
        nonces.push(nonce);
    }
    assert_ne!(nonces[0], nonces[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn behind_https_the_cookie_and_the_browser_are_held_to_it() {
    let site = Site::at("https://touchstone.example").await;
    assert!(
        site.page("/sign-in", "")
            .await
            .header(header::STRICT_TRANSPORT_SECURITY)
            .contains("max-age=31536000")
    );
    let token = site.service.invite(site.project, Role::Annotator, None).await.unwrap();
    let body = format!("token={token}&name=ada&password={PASSWORD}");
    let answer = site.form("/rpc/accept_invitation", "", &body).await;
    let cookie = answer.header(header::SET_COOKIE);
    assert!(cookie.starts_with("__Host-session="), "{cookie}");
    for flag in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(flag), "{flag}: {cookie}");
    }
    assert!(!cookie.contains("Domain"), "{cookie}");
}

#[tokio::test(flavor = "multi_thread")]
async fn on_loopback_scripts_and_other_sites_still_cannot_have_the_cookie() {
    let site = Site::open().await;
    let token = site.service.invite(site.project, Role::Annotator, None).await.unwrap();
    let body = format!("token={token}&name=ada&password={PASSWORD}");
    let answer = site.form("/rpc/accept_invitation", "", &body).await;
    let cookie = answer.header(header::SET_COOKIE);
    for flag in ["session=", "HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(flag), "{flag}: {cookie}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_changes_something_must_come_from_our_own_pages() {
    let site = Site::open().await;
    let cookie = site.session_of(&site.person("ada", Some(Role::Admin)).await).await;
    let strange: [&[(&str, &str)]; 6] = [
        &[],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "cross-site"), ("origin", "http://127.0.0.1:3000")],
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
    ];
    for headers in strange {
        for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
            let request = Request::builder()
                .method(method.clone())
                .uri("/rpc/set_overlap")
                .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
                .header(header::HOST, "127.0.0.1:3000");
            let request =
                headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
            let answer = site.send(request, &cookie, "project=shop&overlap=7").await;
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} with {headers:?}");
        }
    }
    assert_eq!(site.service.project("shop").await.unwrap().overlap, 2);
    let by_link = site.send(get("/rpc/set_overlap?project=shop&overlap=7"), &cookie, "").await;
    assert!(!by_link.status.is_success() && site.service.project("shop").await.unwrap().overlap == 2);
    let own = site.call("/rpc/set_overlap", &cookie, "project=shop&overlap=7").await;
    assert!(own.status.is_success(), "{}", own.body);
    assert_eq!(site.service.project("shop").await.unwrap().overlap, 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_without_end_is_refused() {
    let site = Site::open().await;
    let answer = site.call("/rpc/sign_in", "", &format!("account={}", "x".repeat(3 * 1024 * 1024))).await;
    assert!(answer.status.is_client_error(), "{}", answer.status);
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_refused_without_internal_text() {
    let site = Site::open().await;
    let cookie = site.session_of(&site.person("ada", Some(Role::Admin)).await).await;
    for (function, body) in [
        ("/rpc/save_answer", "{\"project\": "),
        ("/rpc/save_answer", "{}"),
        ("/rpc/load_pair", r#"{"project": "shop", "a_said": "many"}"#),
        ("/rpc/set_overlap", "project=shop&overlap=-1"),
        ("/rpc/set_overlap", "project=shop&overlap=99999999999"),
        ("/rpc/set_role", "project=shop&account=ada&role=emperor"),
        ("/rpc/load_decision", r#"{"project": "shop", "id": "\u0000"}"#),
        ("/rpc/load_agreement", r#"{"project": "shop", "by": "<script>"}"#),
        ("/rpc/load_comparison", r#"{"project": "shop", "query": {"rule": "best"}}"#),
        ("/rpc/load_comparison", "project=shop"),
        ("/rpc/load_judge", r#"{"project": "shop", "query": {"judge": "new", "by": "weather"}}"#),
        ("/rpc/load_judge", r#"{"project": "shop", "query": {"judge": "new", "reference": "gold"}}"#),
        ("/rpc/decide", "project=shop&candidate=new&policy=%5B"),
        ("/rpc/decide", "project=shop&candidate=new&incumbent=new&policy=name%3D%22p%22"),
    ] {
        let answer = site.call(function, &cookie, body).await;
        assert!(answer.status.is_client_error(), "{function} {body}: {} {}", answer.status, answer.body);
        for internal in ["sqlx", "SELECT", "select ", "panicked", ".rs:"] {
            assert!(!answer.body.contains(internal), "{function} {body}: {}", answer.body);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn pages_that_are_left_while_they_are_made_do_not_stop_the_others() {
    let site = Arc::new(Site::open().await);
    let admin = site.person("root", Some(Role::Admin)).await;
    let cookie = site.session_of(&admin).await;
    let visitors = (0..8_u64).map(|visitor| {
        let (site, cookie) = (site.clone(), cookie.clone());
        tokio::spawn(async move {
            for visit in 0..300 {
                let (site, cookie) = (site.clone(), cookie.clone());
                let page = ["/account", "/p/shop/compare/failures", "/p/shop/people"][visit % 3];
                let leaving = tokio::spawn(async move { site.page(page, &cookie).await });
                tokio::time::sleep(Duration::from_micros(997 * (visit as u64 + visitor) % 7_000)).await;
                leaving.abort();
            }
        })
    });
    for visitor in visitors.collect::<Vec<_>>() {
        visitor.await.unwrap();
    }
    assert_eq!(site.page("/account", &cookie).await.status, StatusCode::OK);
}
