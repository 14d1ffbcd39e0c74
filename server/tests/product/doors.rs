//! Every route and every server function, as everyone who could knock. What is not in the tables below makes a test fail.

use crate::site::{Answer, PROJECT, Site};
use axum::http::{Method, StatusCode};
use domain::{Permission, Role, Scope};
use service::User;
use std::collections::BTreeSet;

/// Who may pass a door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Door {
    /// Everyone.
    Open,
    /// Whoever is signed in.
    SignedIn,
    /// Members of the project who may do that.
    Members(Permission),
}

use Door::{Members, Open, SignedIn};
use Permission::{
    Adjudicate, Analyse, Assign, Gate, Import, Judge, Label, ManagePeople, Promote, WriteRubric,
};

/// Pages: the route, an address of it, and who may see it.
const PAGES: &[(&str, &str, Door)] = &[
    ("/", "/", SignedIn),
    ("/sign-in", "/sign-in", Open),
    ("/invitation/{token}", "/invitation/none", Open),
    ("/account", "/account", SignedIn),
    ("/p/{project}", "/p/shop", Members(Analyse)),
    ("/p/{project}/label", "/p/shop/label", Members(Label)),
    ("/p/{project}/reasons", "/p/shop/reasons", Members(Label)),
    ("/p/{project}/adjudicate", "/p/shop/adjudicate?order=judges", Members(Adjudicate)),
    ("/p/{project}/assignments", "/p/shop/assignments", Members(Assign)),
    ("/p/{project}/agreement", "/p/shop/agreement", Members(Analyse)),
    ("/p/{project}/agreement/pair", "/p/shop/agreement/pair?criterion=helpful&a=ada&b=ben", Members(Analyse)),
    ("/p/{project}/conversation/{id}", "/p/shop/conversation/first", Members(Analyse)),
    ("/p/{project}/judges", "/p/shop/judges", Members(Analyse)),
    ("/p/{project}/judges/bench", "/p/shop/judges/bench?library=relevance-plain", Members(Judge)),
    ("/p/{project}/anchor-sets", "/p/shop/anchor-sets?name=gold&size=10", Members(Judge)),
    ("/p/{project}/anchor-sets/{set}", "/p/shop/anchor-sets/none@1", Members(Judge)),
    ("/p/{project}/compare", "/p/shop/compare", Members(Analyse)),
    ("/p/{project}/compare/judge", "/p/shop/compare/judge?judge=new&criterion=helpful", Members(Analyse)),
    ("/p/{project}/compare/failures", "/p/shop/compare/failures?judge=new", Members(Analyse)),
    ("/p/{project}/diagnose", "/p/shop/diagnose?by=category", Members(Analyse)),
    ("/p/{project}/gate", "/p/shop/gate", Members(Analyse)),
    ("/p/{project}/gate/{decision}", "/p/shop/gate/none", Members(Analyse)),
    ("/p/{project}/threshold", "/p/shop/threshold?judge=new&criterion=helpful", Members(Analyse)),
    ("/p/{project}/watch", "/p/shop/watch?days=30", Members(Analyse)),
    ("/p/{project}/rubric", "/p/shop/rubric?template=retrieval", Members(WriteRubric)),
    ("/p/{project}/import", "/p/shop/import", Members(Import)),
    ("/p/{project}/people", "/p/shop/people", Members(ManagePeople)),
];

/// Where files are sent: the route, an address of it, and who may send one.
const UPLOADS: [(&str, &str, Door); 1] =
    [("/p/{project}/import/file", "/p/shop/import/file", Members(Import))];

/// What is no page: files and the sign of life.
const FILES: [(&str, &str, Door); 11] = [
    ("/p/{project}/agreement.json", "/p/shop/agreement.json", Members(Analyse)),
    ("/p/{project}/agreement.csv", "/p/shop/agreement.csv", Members(Analyse)),
    ("/p/{project}/compare.json", "/p/shop/compare.json", Members(Analyse)),
    ("/p/{project}/compare.csv", "/p/shop/compare.csv", Members(Analyse)),
    ("/p/{project}/diagnose.json", "/p/shop/diagnose.json", Members(Analyse)),
    ("/p/{project}/diagnose.csv", "/p/shop/diagnose.csv", Members(Analyse)),
    ("/p/{project}/anchor-sets/{set}/file", "/p/shop/anchor-sets/none@1/file", Members(Analyse)),
    ("/p/{project}/exports/{file}", "/p/shop/exports/label-studio.json", Members(Analyse)),
    ("/p/{project}/runs/{run}/events", "/p/shop/runs/none/events", Members(Analyse)),
    ("/pkg/{*file}", "/pkg/desk/none.css", Open),
    ("/healthz", "/healthz", Open),
];

const ANSWER: &str = r#"{"project": "shop", "user": "none", "answer": {"conversation": "first", "unit": "conversation",
    "criterion": "helpful", "value": 1.0, "comment": null, "flag": false, "seconds": null, "rubric_version": 1,
    "supersedes": null, "client_key": "k"}}"#;

const PREVIEW: &str = r#"{"project": "shop", "draft": {"name": "strict", "version": "1", "criteria": "helpful",
    "endpoint": "none", "model": "m", "parser": "", "parameters": "", "system": "", "prompt": "p"},
    "conversation": "first", "unit": "", "ask": false}"#;

/// Server functions: the path, a call, and who may make it.
const FUNCTIONS: &[(&str, &str, Door)] = &[
    ("/rpc/load_visitor", r#"{"project": "shop"}"#, Open),
    ("/rpc/sign_in", "account=nobody&password=wrong", Open),
    ("/rpc/load_invitation", r#"{"token": "none"}"#, Open),
    ("/rpc/accept_invitation", "token=none&name=n&password=p", Open),
    ("/rpc/join_project", "token=none", SignedIn),
    ("/rpc/load_account", r#"{}"#, SignedIn),
    ("/rpc/change_password", "old=wrong&password=wrong", SignedIn),
    ("/rpc/create_api_token", "name=ci&project=&read=on&days=30", SignedIn),
    ("/rpc/revoke_api_token", "prefix=none", SignedIn),
    ("/rpc/load_projects", r#"{}"#, SignedIn),
    ("/rpc/load_home", r#"{"project": "shop"}"#, Members(Analyse)),
    ("/rpc/load_desk", r#"{"project": "shop"}"#, Members(Label)),
    ("/rpc/save_answer", ANSWER, Members(Label)),
    ("/rpc/load_ahead", r#"{"project": "shop", "conversation": "first"}"#, Members(Label)),
    (
        "/rpc/submit_conversation",
        r#"{"project": "shop", "user": "none", "conversation": "none"}"#,
        Members(Label),
    ),
    (
        "/rpc/skip_conversation",
        r#"{"project": "shop", "user": "none", "conversation": "none", "reason": "r"}"#,
        Members(Label),
    ),
    ("/rpc/submit_form", "project=shop&conversation=none&rubric_version=1", Members(Label)),
    ("/rpc/load_reasons", r#"{"project": "shop"}"#, Members(Label)),
    ("/rpc/grade_reason", "project=shop&conversation=none&rubric_version=1", Members(Label)),
    ("/rpc/load_adjudication", r#"{"project": "shop"}"#, Members(Adjudicate)),
    (
        "/rpc/adjudicate",
        "project=shop&item=none&value=1&reason=slip&rubric_version=1&seen=none",
        Members(Adjudicate),
    ),
    ("/rpc/load_assignments", r#"{"project": "shop"}"#, Members(Assign)),
    ("/rpc/assign", "project=shop&name=b&how=rest&people=none&seed=1", Members(Assign)),
    ("/rpc/join_batch", "project=shop&batch=none&account=none", Members(Assign)),
    ("/rpc/leave_batch", "project=shop&batch=none&account=none", Members(Assign)),
    ("/rpc/close_batch", "project=shop&batch=none", Members(Assign)),
    ("/rpc/set_labelling_rules", "project=shop&overlap=2&reservation_hours=0", Members(Assign)),
    ("/rpc/load_agreement", r#"{"project": "shop"}"#, Members(Analyse)),
    (
        "/rpc/load_pair",
        r#"{"project": "shop", "criterion": "helpful", "a": "ada", "b": "ben"}"#,
        Members(Analyse),
    ),
    ("/rpc/load_conversation", r#"{"project": "shop", "id": "first"}"#, Members(Analyse)),
    ("/rpc/load_judges", r#"{"project": "shop"}"#, Members(Analyse)),
    ("/rpc/load_bench", r#"{"project": "shop"}"#, Members(Judge)),
    ("/rpc/preview_judge", PREVIEW, Members(Judge)),
    ("/rpc/declare_judge", "project=shop&name=strict&version=1&prompt=none", Members(Judge)),
    (
        "/rpc/estimate_run",
        r#"{"project": "shop", "judge": "none", "scope": "", "size": "", "repeats": ""}"#,
        Members(Judge),
    ),
    ("/rpc/start_run", "project=shop&judge=none", Members(Judge)),
    ("/rpc/change_run", "project=shop&run=none&how=pause", Members(Judge)),
    ("/rpc/load_run", r#"{"project": "shop", "run": "none"}"#, Members(Analyse)),
    ("/rpc/load_anchor_sets", r#"{"project": "shop"}"#, Members(Judge)),
    ("/rpc/load_anchor_set", r#"{"project": "shop", "name": "none@1", "documents": ""}"#, Members(Judge)),
    ("/rpc/freeze_anchor_set", "project=shop&name=gold&size=none", Members(Judge)),
    ("/rpc/load_comparison", r#"{"project": "shop", "query": {"metrics": "shown"}}"#, Members(Analyse)),
    (
        "/rpc/load_judge",
        r#"{"project": "shop", "query": {"judge": "new", "criterion": "helpful"}}"#,
        Members(Analyse),
    ),
    ("/rpc/load_ledger", r#"{"project": "shop"}"#, Members(Analyse)),
    ("/rpc/load_diagnosis", r#"{"project": "shop", "from": "old"}"#, Members(Analyse)),
    ("/rpc/load_gate", r#"{"project": "shop"}"#, Members(Analyse)),
    ("/rpc/load_decision", r#"{"project": "shop", "id": "none"}"#, Members(Analyse)),
    ("/rpc/decide", "project=shop&candidate=none&policy=", Members(Gate)),
    (
        "/rpc/load_threshold",
        r#"{"project": "shop", "judge": "new", "criterion": "helpful"}"#,
        Members(Analyse),
    ),
    ("/rpc/accept_threshold", "project=shop&judge=none&criterion=helpful&reason=r", Members(Promote)),
    ("/rpc/promote", "project=shop&decision=none&purpose=routine&reason=r", Members(Promote)),
    ("/rpc/roll_back", "project=shop&slot=helpful routine&reason=r", Members(Promote)),
    ("/rpc/load_watch", r#"{"project": "shop"}"#, Members(Analyse)),
    ("/rpc/set_watch", "project=shop&sample=none", Members(Promote)),
    ("/rpc/set_dimension", "project=shop&dimension=none&fall=none", Members(Promote)),
    ("/rpc/load_rubric", r#"{"project": "shop"}"#, Members(WriteRubric)),
    (
        "/rpc/try_rubric",
        r#"{"project": "shop", "rubric": "none", "conversation": "first"}"#,
        Members(WriteRubric),
    ),
    ("/rpc/publish_rubric", "project=shop&rubric=none", Members(WriteRubric)),
    ("/rpc/load_import", r#"{"project": "shop"}"#, Members(Import)),
    ("/rpc/choose_import", "project=shop&file=none&from=csv&columns%5Bquestion%5D=q", Members(Import)),
    ("/rpc/import_file", "project=shop&file=none", Members(Import)),
    ("/rpc/set_redaction", "project=shop&own=(", Members(Import)),
    ("/rpc/load_people", r#"{"project": "shop"}"#, Members(ManagePeople)),
    ("/rpc/invite", "project=shop&role=annotator", Members(ManagePeople)),
    ("/rpc/set_role", "project=shop&account=none&role=lead", Members(ManagePeople)),
    ("/rpc/remove_member", "project=shop&account=none", Members(ManagePeople)),
    ("/rpc/set_overlap", "project=shop&overlap=2", Members(ManagePeople)),
    // These end the session.
    ("/rpc/sign_out", "", Open),
    ("/rpc/sign_out_everywhere", "", SignedIn),
];

/// The API: the method, the route, an address of it, the body, and who may call it by a token that is for everything.
const API: &[(&str, &str, &str, &str, Door)] = &[
    ("get", "/api/v1/projects", "/api/v1/projects", "", SignedIn),
    ("get", "/api/v1/agreement", "/api/v1/agreement?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/comparisons", "/api/v1/comparisons?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/diagnoses", "/api/v1/diagnoses?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/checks", "/api/v1/checks?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/anchor-sets", "/api/v1/anchor-sets?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/anchor-sets/{name}", "/api/v1/anchor-sets/gold@1?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/judges", "/api/v1/judges?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/runs", "/api/v1/runs?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/runs/{run}", "/api/v1/runs/none?project=shop", "", Members(Analyse)),
    ("post", "/api/v1/runs", "/api/v1/runs", r#"{"project": "shop", "judge": "none"}"#, Members(Judge)),
    ("post", "/api/v1/runs/{run}/cancel", "/api/v1/runs/none/cancel?project=shop", "", Members(Judge)),
    (
        "post",
        "/api/v1/gates",
        "/api/v1/gates",
        r#"{"project": "shop", "candidate": "none", "policy": ""}"#,
        Members(Gate),
    ),
    ("get", "/api/v1/decisions", "/api/v1/decisions?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/decisions/{decision}", "/api/v1/decisions/none?project=shop", "", Members(Analyse)),
    (
        "get",
        "/api/v1/contrasts",
        "/api/v1/contrasts?project=shop&judge=new&criterion=helpful",
        "",
        Members(Analyse),
    ),
    ("get", "/api/v1/slots", "/api/v1/slots?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/log", "/api/v1/log?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/calibrations", "/api/v1/calibrations?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/failures", "/api/v1/failures?project=shop", "", Members(Analyse)),
    ("post", "/api/v1/imports", "/api/v1/imports?project=shop&name=none.json", "{}", Members(Import)),
    ("get", "/api/v1/references", "/api/v1/references?project=shop", "", Members(Analyse)),
    ("get", "/api/v1/watch", "/api/v1/watch?project=shop", "", Members(Analyse)),
    ("post", "/api/v1/scores", "/api/v1/scores", r#"{"project": "shop", "scores": []}"#, Members(Judge)),
    (
        "post",
        "/api/v1/score",
        "/api/v1/score",
        r#"{"project": "shop", "criterion": "none", "question": "q", "response": "r"}"#,
        Members(Judge),
    ),
];

/// Everyone who could knock: nobody, a stranger with an account, and the members of each role.
async fn everyone(site: &Site) -> Vec<(String, Option<User>, Option<Role>)> {
    let mut everyone = vec![("nobody".to_owned(), None, None)];
    everyone.push(("a stranger".to_owned(), Some(site.person("stranger", None).await), None));
    for role in Role::ALL {
        everyone.push((format!("the {role}"), Some(site.person(role.word(), Some(role)).await), Some(role)));
    }
    everyone
}

/// How a door turns somebody away; `None` where that person passes.
fn refusal(door: Door, is_signed_in: bool, role: Option<Role>) -> Option<StatusCode> {
    match (door, role) {
        (Open, _) => None,
        (SignedIn | Members(_), _) if !is_signed_in => Some(StatusCode::UNAUTHORIZED),
        (SignedIn, _) => None,
        // A stranger is told the same as for a project that is not there.
        (Members(_), None) => Some(StatusCode::NOT_FOUND),
        (Members(permission), Some(role)) => (!role.may(permission)).then_some(StatusCode::FORBIDDEN),
    }
}

/// How an answer turns somebody away. That something else is not there is no refusal.
fn refused(answer: &Answer) -> Option<StatusCode> {
    let leads_to_the_door =
        answer.status == StatusCode::FOUND && answer.location().starts_with("/sign-in?next=");
    match answer.status {
        _ if leads_to_the_door => Some(StatusCode::UNAUTHORIZED),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Some(answer.status),
        StatusCode::NOT_FOUND if answer.body.contains("that you belong to") => Some(answer.status),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_and_file_is_shown_to_those_alone_who_may_see_it() {
    let site = Site::open().await;
    for (who, user, role) in everyone(&site).await {
        let cookie = match &user {
            Some(user) => site.session_of(user).await,
            None => String::new(),
        };
        for (_, address, door) in PAGES.iter().copied().chain(FILES) {
            let answer = site.page(address, &cookie).await;
            assert_eq!(
                refused(&answer),
                refusal(door, user.is_some(), role),
                "{who} at {address}: {}",
                answer.status
            );
            assert!(!answer.status.is_server_error(), "{who} at {address}: {}", answer.status);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_taken_from_those_alone_who_may_send_them() {
    let site = Site::open().await;
    for (who, user, role) in everyone(&site).await {
        let cookie = match &user {
            Some(user) => site.session_of(user).await,
            None => String::new(),
        };
        for (_, address, door) in UPLOADS {
            let answer = site.upload(address, &cookie, "none.json", "{}").await;
            let says = format!("{who} at {address}: {} {}", answer.status, answer.body);
            assert_eq!(refused(&answer), refusal(door, user.is_some(), role), "{says}");
            assert!(!answer.status.is_server_error(), "{says}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_server_function_answers_those_alone_who_may_call_it() {
    let site = Site::open().await;
    for (who, user, role) in everyone(&site).await {
        for (function, body, door) in FUNCTIONS.iter().copied() {
            let cookie = match &user {
                Some(user) => site.session_of(user).await,
                None => String::new(),
            };
            let answer = site.call(function, &cookie, body).await;
            let says = format!("{who} calls {function}: {} {}", answer.status, answer.body);
            assert_eq!(refused(&answer), refusal(door, user.is_some(), role), "{says}");
            assert!(!answer.status.is_server_error(), "{says}");
            let is_malformed = answer.body.contains("not of the form that the server expects");
            assert!(!is_malformed, "the table's call is no call: {says}");
            let by_reading = site
                .page(&format!("{function}?{body}").replace(['{', '}', '"', ' ', '\n'], ""), &cookie)
                .await;
            assert!(!by_reading.status.is_success(), "{function} must not answer GET");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_of_the_api_is_answered_to_those_alone_who_may_make_it() {
    let site = Site::open().await;
    for (who, user, role) in everyone(&site).await {
        let token = match &user {
            Some(user) => site.token_of(user, &Scope::ALL).await,
            None => String::new(),
        };
        for (method, _, address, body, door) in API.iter().copied() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let answer = site.api(&method, address, &token, body).await;
            let says = format!("{who} at {method} {address}: {} {}", answer.status, answer.body);
            assert_eq!(refused(&answer), refusal(door, user.is_some(), role), "{says}");
            assert!(!answer.status.is_server_error(), "{says}");
        }
    }
    let document = site.api(&Method::GET, "/api/v1/openapi.json", "", "").await;
    assert_eq!(document.status, StatusCode::OK, "what there is may be known: it holds nothing of anyone");
}

#[test]
fn every_call_of_the_api_is_in_the_table() {
    let document = serde_json::to_value(server::http::api::document()).unwrap();
    let paths = document["paths"].as_object().unwrap().iter();
    let calls: BTreeSet<(String, String)> = paths
        .flat_map(|(path, calls)| {
            calls.as_object().unwrap().keys().map(|method| (method.clone(), path.clone()))
        })
        .collect();
    let listed = API.iter().map(|(method, path, ..)| ((*method).to_owned(), (*path).to_owned())).collect();
    assert_eq!(calls, listed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_call_changes_nothing() {
    let site = Site::open().await;
    let people = everyone(&site).await;
    let before = site.service.members(site.project).await.unwrap();
    for (who, user, _) in people.iter().filter(|(_, _, role)| *role != Some(Role::Admin)) {
        let cookie = match user {
            Some(user) => site.session_of(user).await,
            None => String::new(),
        };
        for (function, body) in [
            ("/rpc/set_role", "project=shop&account=annotator&role=admin"),
            ("/rpc/remove_member", "project=shop&account=annotator"),
            ("/rpc/set_overlap", "project=shop&overlap=9"),
        ] {
            let answer = site.call(function, &cookie, body).await;
            assert!(refused(&answer).is_some(), "{who} calls {function}: {}", answer.status);
        }
    }
    assert_eq!(site.service.members(site.project).await.unwrap(), before);
    assert_eq!(site.service.project(PROJECT).await.unwrap().overlap, 2);
}

#[tokio::test]
async fn every_route_is_in_the_tables() {
    let routes: BTreeSet<String> = server::http::pages()
        .iter()
        .map(|route| route.path().to_owned())
        .chain(routes_of_the_router())
        .collect();
    let listed = PAGES.iter().chain(&FILES).chain(&UPLOADS).map(|(route, ..)| (*route).to_owned()).collect();
    assert_eq!(routes, listed);
}

/// What the router adds to the pages: an axum router does not list its routes, so its source does.
fn routes_of_the_router() -> impl Iterator<Item = String> {
    let source = concat!(include_str!("../../src/http.rs"), include_str!("../../src/http/upload.rs"));
    source.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned)
}

#[test]
fn every_server_function_is_in_the_table() {
    let functions: BTreeSet<(&str, String)> =
        leptos::server_fn::axum::server_fn_paths().map(|(path, method)| (path, method.to_string())).collect();
    let listed = FUNCTIONS.iter().map(|(path, ..)| (*path, "POST".to_owned())).collect();
    assert_eq!(functions, listed);
}
