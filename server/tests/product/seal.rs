//! A sealed label cannot be told from any answer: with an open assignment on a conversation, what others say of it changes nothing that
//! a person can read, whatever the role.

use crate::site::Site;
use axum::http::Method;
use domain::{Role, Scope};
use service::{ProjectId, User};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that shows labels or what is computed of them.
const PAGES: &[&str] = &[
    "/p/shop",
    "/p/shop/label",
    "/p/shop/adjudicate",
    "/p/shop/adjudicate?order=judges",
    "/p/shop/assignments",
    "/p/shop/agreement?criterion=helpful&by=annotator",
    "/p/shop/agreement/pair?criterion=helpful&a=ben&b=chloe",
    "/p/shop/compare?criterion=helpful&incumbent=old&metrics=shown",
    "/p/shop/compare/failures",
    "/p/shop/conversation/first",
    "/p/shop/judges",
    "/p/shop/anchor-sets?name=gold&confirm=0",
    "/p/shop/conversation/first?metric=helpful",
    "/p/shop/diagnose?by=category",
    "/p/shop/diagnose?from=old",
    "/p/shop/diagnose.json",
    "/p/shop/gate",
    "/p/shop/threshold?judge=new&criterion=helpful",
    "/p/shop/rubric",
    "/p/shop/agreement.json?by=annotator",
    "/p/shop/compare.json?rule=median&by=category",
];
const FILES: [&str; 3] =
    ["/p/shop/agreement.csv?by=annotator", "/p/shop/compare.csv?rule=median", "/p/shop/diagnose.csv"];
/// A rubric that would make every label stale.
const OTHER_RUBRIC: &str = r#"{"project": "shop", "conversation": "first", "rubric": "name = 'other'\nversion = 1\n[[scale]]\nid = 's'\nkind = 'binary'\nlevels = [{ value = 0, name = 'no' }, { value = 1, name = 'yes' }]\n[[criterion]]\nid = 'other'\ncomponent = 'generation'\nunit = 'conversation'\nscale = 's'\nquestion = 'Other?'\n"}"#;
const FUNCTIONS: &[(&str, &str)] = &[
    ("/rpc/load_visitor", r#"{"project": "shop"}"#),
    ("/rpc/load_home", r#"{"project": "shop"}"#),
    ("/rpc/load_desk", r#"{"project": "shop"}"#),
    ("/rpc/load_adjudication", r#"{"project": "shop"}"#),
    ("/rpc/load_assignments", r#"{"project": "shop"}"#),
    ("/rpc/load_agreement", r#"{"project": "shop", "criterion": "helpful", "by": "annotator"}"#),
    ("/rpc/load_pair", r#"{"project": "shop", "criterion": "helpful", "a": "ben", "b": "chloe"}"#),
    (
        "/rpc/load_comparison",
        r#"{"project": "shop", "criterion": "helpful", "incumbent": "old", "rule": "median"}"#,
    ),
    ("/rpc/load_ledger", r#"{"project": "shop"}"#),
    ("/rpc/load_conversation", r#"{"project": "shop", "id": "first", "metric": "helpful"}"#),
    ("/rpc/load_diagnosis", r#"{"project": "shop"}"#),
    ("/rpc/load_rubric", r#"{"project": "shop"}"#),
    ("/rpc/try_rubric", OTHER_RUBRIC),
    ("/rpc/load_gate", r#"{"project": "shop"}"#),
    ("/rpc/load_threshold", r#"{"project": "shop", "judge": "new", "criterion": "helpful"}"#),
];

/// What a program can read in the name of a person.
const API: [(&str, &str); 14] = [
    ("/api/v1/projects", "/api/v1/projects"),
    ("/api/v1/agreement", "/api/v1/agreement?project=shop&by=annotator"),
    ("/api/v1/comparisons", "/api/v1/comparisons?project=shop&rule=median&incumbent=old"),
    ("/api/v1/diagnoses", "/api/v1/diagnoses?project=shop&by=category"),
    ("/api/v1/checks", "/api/v1/checks?project=shop&judge=old&criterion=helpful%3D2"),
    ("/api/v1/anchor-sets", "/api/v1/anchor-sets?project=shop"),
    ("/api/v1/anchor-sets/{name}", "/api/v1/anchor-sets/gold@1?project=shop"),
    ("/api/v1/judges", "/api/v1/judges?project=shop"),
    ("/api/v1/runs", "/api/v1/runs?project=shop"),
    ("/api/v1/runs/{run}", "/api/v1/runs/none?project=shop"),
    ("/api/v1/decisions", "/api/v1/decisions?project=shop"),
    ("/api/v1/decisions/{decision}", "/api/v1/decisions/none?project=shop"),
    ("/api/v1/failures", "/api/v1/failures?project=shop"),
    ("/api/v1/references", "/api/v1/references?project=shop"),
];

#[test]
fn whatever_the_api_shows_is_tried() {
    let document = serde_json::to_value(server::http::api::document()).unwrap();
    let shown = document["paths"].as_object().unwrap().iter();
    let shown: BTreeSet<&str> =
        shown.filter(|(_, calls)| calls.get("get").is_some()).map(|(path, _)| path.as_str()).collect();
    assert_eq!(shown, API.iter().map(|(path, _)| *path).collect());
}

/// What a person reads behind every door, without what differs between any two answers.
async fn everything_read(site: &Site, cookie: &str, token: &str) -> BTreeMap<String, String> {
    let mut read = BTreeMap::new();
    for address in PAGES.iter().copied().chain(FILES) {
        let answer = site.page(address, cookie).await;
        read.insert(address.to_owned(), format!("{} {}", answer.status, settled(&answer.body)));
    }
    for (_, address) in API {
        let answer = site.api(&Method::GET, address, token, "").await;
        read.insert(address.to_owned(), format!("{} {}", answer.status, answer.body));
    }
    for (function, body) in FUNCTIONS.iter().copied() {
        let answer = site.call(function, cookie, body).await;
        read.insert(function.to_owned(), format!("{} {}", answer.status, answer.body));
    }
    read
}

/// A page without its nonce, and the data that travel after it in one order: they are sent as they come.
fn settled(page: &str) -> String {
    let nonce = page.split("nonce=\"").nth(1).and_then(|rest| rest.split('"').next());
    let page = nonce.map_or_else(|| page.to_owned(), |nonce| page.replace(nonce, ""));
    let Some((shown, data)) = page.split_once("</html>") else { return page };
    let mut data: Vec<&str> = data.split(['\n', ';']).filter(|line| line.contains("_RESOURCES[")).collect();
    data.sort_unstable();
    format!("{shown}\n{}", data.join("\n"))
}

/// Two annotators answer the first conversation, the second time differently; both keep it open.
struct Labelling<'a> {
    site: &'a Site,
    cookies: [(String, User); 2],
}

impl Labelling<'_> {
    async fn open(site: &Site) -> Labelling<'_> {
        let mut cookies = Vec::new();
        for name in ["ben", "chloe"] {
            let user = site.person(name, Some(Role::Annotator)).await;
            let cookie = site.session_of(&user).await;
            assert!(
                site.call("/rpc/load_desk", &cookie, r#"{"project": "shop"}"#)
                    .await
                    .body
                    .contains("Where is my order?")
            );
            cookies.push((cookie, user));
        }
        Labelling { site, cookies: cookies.try_into().unwrap() }
    }

    /// Ben says `value`, Chloe the opposite, each with a remark.
    async fn answer(&self, value: u8) {
        for ((cookie, user), value) in self.cookies.iter().zip([value, 5 - value]) {
            let before = own_label(self.site, self.site.project, user).await;
            let answer = serde_json::json!({"project": "shop", "user": user.id.to_string(), "answer": {
                "conversation": "first", "unit": "conversation", "criterion": "helpful", "value": value,
                "comment": format!("remark {value}"), "flag": value == 1, "seconds": 3.0, "rubric_version": 1,
                "supersedes": before, "client_key": format!("{}-{value}", user.id)}});
            let saved = self.site.call("/rpc/save_answer", cookie, &answer.to_string()).await;
            assert!(saved.body.contains("saved"), "{}", saved.body);
        }
    }

    async fn submit(&self) {
        for (cookie, user) in &self.cookies {
            let answer = self.site.call("/rpc/submit_conversation", cookie, &submission_of(user)).await;
            assert!(answer.status.is_success(), "{}", answer.body);
        }
    }
}

fn submission_of(user: &User) -> String {
    serde_json::json!({"project": "shop", "user": user.id.to_string(), "conversation": "first"}).to_string()
}

async fn own_label(site: &Site, project: ProjectId, user: &User) -> Option<String> {
    let task = site.service.label_task(project, user.id).await.unwrap()?;
    task.answers.first().map(|answer| answer.label.clone())
}

/// What others say changes nothing for a person of this role who has the conversation open, and something once it is submitted.
async fn is_sealed_to(role: Role) {
    let site = Site::open().await;
    // Three desks for each conversation: the reader's and two others'.
    site.service.set_overlap(site.project, 3, None).await.unwrap();
    let reader = site.person("reader", Some(role)).await;
    let cookie = site.session_of(&reader).await;
    let token = site.token_of(&reader, &Scope::ALL).await;
    assert!(
        site.call("/rpc/load_desk", &cookie, r#"{"project": "shop"}"#)
            .await
            .body
            .contains("Where is my order?")
    );
    let labelling = Labelling::open(&site).await;
    labelling.answer(1).await;
    let ones = everything_read(&site, &cookie, &token).await;
    labelling.answer(4).await;
    let fours = everything_read(&site, &cookie, &token).await;
    assert_same(&ones, &fours, role);
    labelling.submit().await;
    let submitted = everything_read(&site, &cookie, &token).await;
    for (door, body) in &submitted {
        for remark in ["remark 1", "remark 4"] {
            assert!(!body.contains(remark), "{role} reads a sealed remark at {door}");
        }
    }
    let agreement = &submitted["/rpc/load_agreement"];
    if role >= Role::Engineer {
        assert!(!agreement.contains("ben"), "{role} reads who labelled: {agreement}");
        let answer = serde_json::json!({"project": "shop", "user": reader.id.to_string(), "answer": {
            "conversation": "first", "unit": "conversation", "criterion": "helpful", "value": 2, "comment": null,
            "flag": false, "seconds": null, "rubric_version": 1, "supersedes": null, "client_key": "reader"}});
        site.call("/rpc/save_answer", &cookie, &answer.to_string()).await;
        site.call("/rpc/submit_conversation", &cookie, &submission_of(&reader)).await;
        let opened = everything_read(&site, &cookie, &token).await;
        assert!(opened["/rpc/load_agreement"].contains("ben"));
        assert!(opened["/api/v1/agreement?project=shop&by=annotator"].contains("ben"));
    }
}

#[track_caller]
fn assert_same(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>, role: Role) {
    for (door, body) in before {
        assert!(*body == after[door], "{role} can tell what others said at {door}:\n{body}\n{}", after[door]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_annotator_reads_nothing_of_others() {
    is_sealed_to(Role::Annotator).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engineer_with_an_open_assignment_reads_nothing_of_others() {
    is_sealed_to(Role::Engineer).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lead_with_an_open_assignment_reads_nothing_of_others() {
    is_sealed_to(Role::Lead).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admin_with_an_open_assignment_reads_nothing_of_others() {
    is_sealed_to(Role::Admin).await;
}
