//! A sealed label cannot be told from any answer: with an open assignment on a conversation, what others say of it changes nothing that
//! a person can read, whatever the role.

use crate::site::Site;
use axum::http::{Method, StatusCode};
use domain::{Role, Scope};
use service::{ProjectId, User, import::Kind};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that shows labels or what is computed of them.
const PAGES: &[&str] = &[
    "/p/shop",
    "/p/shop/label",
    "/p/shop/reasons",
    "/p/shop/adjudicate",
    "/p/shop/adjudicate?order=judges",
    "/p/shop/assignments",
    "/p/shop/agreement?criterion=helpful&by=annotator",
    "/p/shop/agreement/pair?criterion=helpful&a=ben&b=chloe",
    "/p/shop/compare?criterion=helpful&incumbent=old&metrics=shown",
    "/p/shop/compare/judge?judge=new&criterion=helpful&against=old",
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
    "/p/shop/import",
    "/p/shop/exports/label-studio.json",
    "/p/shop/exports/ragas.json",
    "/p/shop/exports/huggingface.jsonl",
    "/p/shop/watch",
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
    ("/rpc/load_reasons", r#"{"project": "shop"}"#),
    ("/rpc/load_adjudication", r#"{"project": "shop"}"#),
    ("/rpc/load_assignments", r#"{"project": "shop"}"#),
    ("/rpc/load_agreement", r#"{"project": "shop", "criterion": "helpful", "by": "annotator"}"#),
    ("/rpc/load_pair", r#"{"project": "shop", "criterion": "helpful", "a": "ben", "b": "chloe"}"#),
    (
        "/rpc/load_comparison",
        r#"{"project": "shop", "query": {"criterion": "helpful", "incumbent": "old", "rule": "median", "by": "category"}}"#,
    ),
    (
        "/rpc/load_judge",
        r#"{"project": "shop", "query": {"judge": "old", "criterion": "helpful", "against": "new", "outcome": "lost"}}"#,
    ),
    ("/rpc/load_ledger", r#"{"project": "shop"}"#),
    ("/rpc/load_conversation", r#"{"project": "shop", "id": "first", "metric": "helpful"}"#),
    ("/rpc/load_diagnosis", r#"{"project": "shop"}"#),
    ("/rpc/load_rubric", r#"{"project": "shop"}"#),
    ("/rpc/try_rubric", OTHER_RUBRIC),
    ("/rpc/load_gate", r#"{"project": "shop"}"#),
    ("/rpc/load_import", r#"{"project": "shop"}"#),
    ("/rpc/load_watch", r#"{"project": "shop"}"#),
    ("/rpc/load_threshold", r#"{"project": "shop", "judge": "new", "criterion": "helpful"}"#),
];

/// What a program can read in the name of a person.
const API: &[(&str, &str)] = &[
    ("/api/v1/projects", "/api/v1/projects"),
    ("/api/v1/agreement", "/api/v1/agreement?project=shop&by=annotator"),
    ("/api/v1/comparisons", "/api/v1/comparisons?project=shop&rule=median&incumbent=old"),
    ("/api/v1/contrasts", "/api/v1/contrasts?project=shop&judge=new&criterion=helpful&against=old"),
    ("/api/v1/slots", "/api/v1/slots?project=shop"),
    ("/api/v1/log", "/api/v1/log?project=shop"),
    ("/api/v1/calibrations", "/api/v1/calibrations?project=shop"),
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
    ("/api/v1/watch", "/api/v1/watch?project=shop"),
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
pub(crate) async fn everything_read(site: &Site, cookie: &str, token: &str) -> BTreeMap<String, String> {
    let mut read = BTreeMap::new();
    for address in PAGES.iter().copied().chain(FILES) {
        let answer = site.page(address, cookie).await;
        read.insert(address.to_owned(), format!("{} {}", answer.status, settled(&answer.body)));
    }
    for (_, address) in API.iter().copied() {
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
pub(crate) fn assert_same(before: &BTreeMap<String, String>, after: &BTreeMap<String, String>, role: Role) {
    for (door, body) in before {
        assert!(*body == after[door], "{role} can tell what others said at {door}:\n{body}\n{}", after[door]);
    }
}

const WITH_REASONS: &str = r#"
    name = "shop"
    version = 2
    [[scale]]
    id = "four"
    kind = "ordinal"
    levels = [{ value = 1, name = "no" }, { value = 2, name = "rather no" }, { value = 3, name = "rather yes" }, { value = 4, name = "yes" }]
    [[criterion]]
    id = "helpful"
    component = "generation"
    unit = "conversation"
    scale = "four"
    question = "Does it help?"
    required = true
    [[criterion]]
    id = "coherent"
    component = "generation"
    unit = "justification"
    scale = "four"
    question = "Does the reason carry the score?"
    required = true
"#;

/// What nobody reads before an own answer is submitted; what a judge writes is hostile.
const FIRST_REASON: &str = "<b>It says &amp; where it is";
const SECOND_REASON: &str = "It names the days";

/// A judge's reason, and that there is one, is told to a person of this role after the own answer to the same question, and can be graded
/// then and not before.
async fn a_reason_is_sealed_to(role: Role) {
    let site = Site::open().await;
    site.service
        .publish_rubric(site.project, &domain::Rubric::from_toml(WITH_REASONS).unwrap(), None)
        .await
        .unwrap();
    let verdicts = format!(
        "judge,conversation,unit,criterion,value,reason\nwhy,first,conversation,helpful,4,{FIRST_REASON}\n\
         why,second,conversation,helpful,1,{SECOND_REASON}\n"
    );
    let reader = site.person("reader", Some(role)).await;
    let cookie = site.session_of(&reader).await;
    let token = site.token_of(&reader, &Scope::ALL).await;
    site.call("/rpc/load_desk", &cookie, r#"{"project": "shop"}"#).await;
    // Two are given to one desk, so that both conversations are sealed.
    site.call("/rpc/load_ahead", &cookie, r#"{"project": "shop", "conversation": "first"}"#).await;
    let none = everything_read(&site, &cookie, &token).await;
    site.service.import_text(site.project, Kind::Verdicts, "why.csv", &verdicts).await.unwrap();
    let sealed = everything_read(&site, &cookie, &token).await;
    for door in ["/p/shop/label", "/p/shop/reasons", "/rpc/load_desk", "/rpc/load_reasons"] {
        assert_eq!(none[door], sealed[door], "{role} can tell at {door} that a judge has spoken");
    }
    for (door, body) in &sealed {
        let is_told = [FIRST_REASON, SECOND_REASON, "where it is", "justification:why"]
            .iter()
            .any(|secret| body.contains(secret));
        assert!(!is_told, "{role} reads a sealed reason at {door}:\n{body}");
    }
    let unit = "justification:why@1/0/conversation/helpful";
    let grade = |version: u32| {
        format!(
            "project=shop&conversation=first&rubric_version={version}&answers[0][unit]={unit}&answers[0][criterion]=coherent\
             &answers[0][value]=3"
        )
    };
    let refused = site.call("/rpc/grade_reason", &cookie, &grade(2)).await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);
    assert!(!refused.body.contains("where it is"));

    let answer = serde_json::json!({"project": "shop", "user": reader.id.to_string(), "answer": {
        "conversation": "first", "unit": "conversation", "criterion": "helpful", "value": 2, "comment": null,
        "flag": false, "seconds": null, "rubric_version": 2, "supersedes": null, "client_key": "reader"}});
    let saved = site.call("/rpc/save_answer", &cookie, &answer.to_string()).await;
    assert!(saved.body.contains("saved"), "{}", saved.body);
    let answered = site.call("/rpc/load_reasons", &cookie, r#"{"project": "shop"}"#).await;
    assert!(!answered.body.contains("where it is"), "the answer is not submitted");
    let refused = site.call("/rpc/grade_reason", &cookie, &grade(2)).await;
    assert_eq!(refused.status, StatusCode::CONFLICT, "{}", refused.body);

    site.call("/rpc/submit_conversation", &cookie, &submission_of(&reader)).await;
    let opened = site.page("/p/shop/reasons", &cookie).await.body;
    assert!(opened.contains("&lt;b&gt;It says &amp;amp; where it is"), "{opened}");
    assert!(!opened.contains("<b>It says") && !opened.contains(SECOND_REASON));
    let unanswered =
        site.call("/rpc/grade_reason", &cookie, "project=shop&conversation=first&rubric_version=2").await;
    assert!(unanswered.body.contains("`coherent` has no answer yet"), "{}", unanswered.body);
    let other = grade(2).replace("conversation=first", "conversation=second");
    assert_eq!(
        site.call("/rpc/grade_reason", &cookie, &other).await.status,
        StatusCode::CONFLICT,
        "still on the desk"
    );
    let taken = site.form("/rpc/grade_reason", &cookie, &grade(2)).await;
    assert_eq!(taken.status, StatusCode::FOUND, "{}", taken.body);
    let graded = site.page("/p/shop/reasons", &cookie).await.body;
    assert!(graded.contains("1 grade given") && graded.contains("No reason is left for you"), "{graded}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_annotator_reads_a_judges_reason_after_the_own_answer() {
    a_reason_is_sealed_to(Role::Annotator).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admin_reads_a_judges_reason_after_the_own_answer() {
    a_reason_is_sealed_to(Role::Admin).await;
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
