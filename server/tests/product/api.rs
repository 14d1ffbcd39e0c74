//! The API: what a token opens and for how long, how refusals are said, and the command line on a server.

use crate::{
    command_line::DEMO,
    program::{Run, Workplace},
    serving::Server,
    site::{Answer, PROJECT, Site},
};
use axum::http::{Method, StatusCode, header};
use domain::{Role, Scope};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpListener,
    process::Stdio,
};
use store::{NewApiToken, TokenHash};
use time::{Duration, OffsetDateTime};

const POLICY: &str = "name = \"shop\"\n[rules]\nkappa_at_least = { value = -1.0, on = \"point\" }\n";

#[track_caller]
fn problem(answer: &Answer, status: StatusCode) -> Value {
    assert_eq!(answer.status, status, "{}", answer.body);
    assert_eq!(answer.header(header::CONTENT_TYPE), "application/problem+json", "{}", answer.body);
    let problem: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(problem["status"], status.as_u16(), "{problem}");
    assert!(problem["type"].is_string() && problem["title"].is_string(), "{problem}");
    assert!(problem["detail"].as_str().is_some_and(|detail| detail.len() > 10), "{problem}");
    problem
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_for_its_scopes_alone() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let gate = json!({"project": PROJECT, "candidate": "new", "policy": POLICY}).to_string();
    let run = json!({"project": PROJECT, "judge": "none"}).to_string();
    let calls = [
        (Scope::Read, Method::GET, "/api/v1/agreement?project=shop", ""),
        (Scope::Gate, Method::POST, "/api/v1/gates", gate.as_str()),
        (Scope::Judge, Method::POST, "/api/v1/runs", run.as_str()),
        (Scope::Judge, Method::POST, "/api/v1/runs/none/cancel?project=shop", ""),
    ];
    for own in Scope::ALL {
        let token = site.token_of(&lead, &[own]).await;
        for (scope, method, path, body) in &calls {
            let answer = site.api(method, path, &token, body).await;
            if own == *scope {
                assert_ne!(answer.status, StatusCode::FORBIDDEN, "{own} at {path}: {}", answer.body);
            } else {
                let says = problem(&answer, StatusCode::FORBIDDEN);
                assert!(says["detail"].as_str().unwrap().contains(scope.word()), "{own} at {path}: {says}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_opens_its_project_alone() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let other = site.service.create_project("other", None, None).await.unwrap();
    site.service.store().set_role(other.id, lead.id, Role::Lead, OffsetDateTime::now_utc()).await.unwrap();
    let everywhere = site.token_of(&lead, &Scope::ALL).await;
    let here = site.token_in(&lead, &Scope::ALL, Some(PROJECT)).await;
    for (token, projects, there) in
        [(&everywhere, vec!["other", "shop"], StatusCode::OK), (&here, vec!["shop"], StatusCode::NOT_FOUND)]
    {
        let answer = site.api(&Method::GET, "/api/v1/projects", token, "").await;
        let listed: Vec<Value> = serde_json::from_str(&answer.body).unwrap();
        let listed: Vec<&str> = listed.iter().map(|entry| entry["project"].as_str().unwrap()).collect();
        assert_eq!(listed, projects);
        assert_eq!(site.api(&Method::GET, "/api/v1/runs?project=other", token, "").await.status, there);
        let own = site.api(&Method::GET, "/api/v1/runs?project=shop", token, "").await;
        assert_eq!(own.status, StatusCode::OK, "{}", own.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_never_may_do_more_than_its_person_may_now() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let token = site.token_of(&lead, &Scope::ALL).await;
    let gate = json!({"project": PROJECT, "candidate": "new", "policy": POLICY}).to_string();
    let decides = async || site.api(&Method::POST, "/api/v1/gates", &token, &gate).await;
    assert_eq!(decides().await.status, StatusCode::CREATED);
    let admin = site.person("admin", Some(Role::Admin)).await;
    site.service.set_role(site.project, "lead", Role::Engineer, admin.id).await.unwrap();
    let says = problem(&decides().await, StatusCode::FORBIDDEN);
    assert!(says["detail"].as_str().unwrap().contains("role lead"), "{says}");
    assert_eq!(
        site.api(&Method::GET, "/api/v1/judges?project=shop", &token, "").await.status,
        StatusCode::OK
    );
    site.service.remove_member(site.project, "lead", admin.id).await.unwrap();
    problem(&decides().await, StatusCode::NOT_FOUND);
    site.service.disable_user("lead", None).await.unwrap();
    problem(&decides().await, StatusCode::UNAUTHORIZED);
    assert_eq!(
        site.service.decisions(site.project).await.unwrap().len(),
        1,
        "what is refused is not decided"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_expired_or_was_revoked_opens_nothing() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let address = "/api/v1/judges?project=shop";
    let old = NewApiToken {
        prefix: "0123abcd",
        hash: TokenHash::of("ts_0123abcd_secret"),
        user: lead.id,
        project: None,
        name: "old",
        scopes: &Scope::ALL,
        expires_at: OffsetDateTime::now_utc() - Duration::SECOND,
    };
    site.service.store().create_api_token(&old, OffsetDateTime::now_utc()).await.unwrap();
    problem(&site.api(&Method::GET, address, "ts_0123abcd_secret", "").await, StatusCode::UNAUTHORIZED);
    let token = site.token_of(&lead, &[Scope::Read]).await;
    assert_eq!(site.api(&Method::GET, address, &token, "").await.status, StatusCode::OK);
    let prefix = &token[..11];
    site.service.revoke_api_token(prefix, Some(lead.id)).await.unwrap();
    let refused = site.api(&Method::GET, address, &token, "").await;
    problem(&refused, StatusCode::UNAUTHORIZED);
    assert_eq!(refused.header(header::WWW_AUTHENTICATE), "Bearer");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_opens_no_door_of_the_api() {
    let site = Site::open().await;
    let admin = site.person("admin", Some(Role::Admin)).await;
    let cookie = site.session_of(&admin).await;
    let answer = site.page("/api/v1/judges?project=shop", &cookie).await;
    problem(&answer, StatusCode::UNAUTHORIZED);
    assert!(answer.cookie().is_empty(), "nor is one given out");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_tokens_are_slowed_down_and_right_ones_are_not() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let token = site.token_of(&lead, &[Scope::Read]).await;
    let wrong = format!("{}0", &token[..token.len() - 1]);
    let wrong = if wrong == token { format!("{}1", &token[..token.len() - 1]) } else { wrong };
    let mut refused = Vec::new();
    for guess in ["", "ts_", &wrong, "ts_00000000_0", "Bearer"].iter().cycle().take(24) {
        refused.push(site.api(&Method::GET, "/api/v1/projects", guess, "").await.status);
    }
    assert!(refused.iter().all(|status| status.is_client_error()), "{refused:?}");
    assert_eq!(refused[0], StatusCode::UNAUTHORIZED);
    assert_eq!(refused[23], StatusCode::TOO_MANY_REQUESTS, "{refused:?}");
    assert_eq!(site.api(&Method::GET, "/api/v1/projects", &token, "").await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_refusal_is_a_problem() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let token = site.token_of(&lead, &Scope::ALL).await;
    let long = json!({"project": PROJECT, "candidate": "new", "policy": "#".repeat(300_000)}).to_string();
    let far_too_long = "x".repeat(3_000_000);
    for (method, path, body, status) in [
        (Method::GET, "/api/v1/nothing", "", 404),
        (Method::GET, "/api/v2/judges", "", 404),
        (Method::DELETE, "/api/v1/judges?project=shop", "", 405),
        (Method::GET, "/api/v1/gates", "", 405),
        (Method::GET, "/api/v1/judges", "", 400),
        (Method::GET, "/api/v1/judges?project=%FF", "", 404),
        (Method::GET, "/api/v1/decisions/%FF?project=shop", "", 400),
        (Method::GET, "/api/v1/agreement?project=shop&by=mood", "", 422),
        (Method::GET, "/api/v1/agreement?project=shop&format=pdf", "", 422),
        (Method::GET, "/api/v1/agreement?project=shop&criterion=beauty", "", 422),
        (Method::GET, "/api/v1/comparisons?project=shop&rule=best", "", 400),
        (Method::GET, "/api/v1/comparisons?project=shop&split=tune", "", 422),
        (Method::GET, "/api/v1/comparisons?project=shop&anchor_set=gold@1", "", 404),
        (Method::GET, "/api/v1/comparisons?project=shop&judges=nobody", "", 404),
        (Method::GET, "/api/v1/diagnoses?project=shop&k=0", "", 422),
        (Method::GET, "/api/v1/diagnoses?project=shop&k=-1", "", 400),
        (Method::GET, "/api/v1/anchor-sets/gold?project=shop", "", 404),
        (Method::GET, "/api/v1/runs/none?project=shop", "", 404),
        (Method::GET, "/api/v1/decisions/none?project=shop", "", 404),
        (Method::POST, "/api/v1/gates", "{", 400),
        (Method::POST, "/api/v1/gates", "{}", 422),
        (Method::POST, "/api/v1/gates", &format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)), 422),
        (
            Method::POST,
            "/api/v1/gates",
            r#"{"project": "shop", "candidate": "new", "policy": "", "anchorset": "gold@1"}"#,
            422,
        ),
        (Method::POST, "/api/v1/gates", r#"{"project": "shop", "candidate": "new", "policy": ""}"#, 422),
        (Method::POST, "/api/v1/gates", &long, 413),
        (Method::POST, "/api/v1/gates", &far_too_long, 413),
        (Method::POST, "/api/v1/runs", r#"{"project": "shop", "judge": "old", "repeats": -1}"#, 422),
        (Method::POST, "/api/v1/runs", r#"{"project": "shop", "judge": "old", "split": "tune"}"#, 422),
    ] {
        let answer = site.api(&method, path, &token, body).await;
        println!("{method} {path}: {} {}", answer.status, answer.body);
        let says = problem(&answer, StatusCode::from_u16(status).unwrap());
        assert!(!answer.body.contains("panicked") && !says["detail"].as_str().unwrap().contains("sqlx"));
        if status == 405 {
            assert!(!answer.header(header::ALLOW).is_empty(), "{method} {path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_is_written_in_the_form_that_is_asked_for() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let token = site.token_of(&lead, &Scope::ALL).await;
    let gate = json!({"project": PROJECT, "candidate": "new", "policy": POLICY}).to_string();
    let decided = site.api(&Method::POST, "/api/v1/gates", &token, &gate).await;
    assert_eq!(decided.status, StatusCode::CREATED, "{}", decided.body);
    let place = decided.location().to_owned();
    let read = site.api(&Method::GET, &place, &token, "").await;
    assert_eq!(read.body, decided.body, "it is read as it was decided");
    for (format, kind, begins) in [
        ("json", "application/json", "{"),
        ("text", "text/plain; charset=utf-8", ""),
        ("junit", "application/xml", "<?xml"),
        ("markdown", "text/markdown; charset=utf-8", "## "),
    ] {
        let answer = site.api(&Method::GET, &format!("{place}&format={format}"), &token, "").await;
        assert_eq!(answer.header(header::CONTENT_TYPE), kind);
        assert!(answer.body.starts_with(begins) && !answer.body.is_empty(), "{format}: {}", answer.body);
        let asked = axum::http::Request::get(&place)
            .header(header::AUTHORIZATION, format!("Bearer {token}"))
            .header(header::ACCEPT, kind);
        assert_eq!(site.send(asked, "", "").await.body, answer.body, "by Accept: {kind}");
    }
    let list = site.api(&Method::GET, "/api/v1/decisions?project=shop", &token, "").await;
    let list: Value = serde_json::from_str(&list.body).unwrap();
    assert_eq!(list, json!([serde_json::from_str::<Value>(&decided.body).unwrap()]));
    let log = site.service.store().audit(site.project, 1).await.unwrap();
    assert_eq!((log[0].action.as_str(), log[0].user.as_deref()), ("gate", Some("lead")), "who decided it");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_token_grants_is_shown_once_and_on_record() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let token = site.token_in(&lead, &[Scope::Gate, Scope::Read], Some(PROJECT)).await;
    let kept = site.service.api_tokens(Some(lead.id)).await.unwrap();
    assert_eq!((kept.len(), kept[0].scopes.as_slice()), (1, &[Scope::Read, Scope::Gate][..]));
    assert!(!serde_json::to_string(&kept).unwrap().contains(&token[12..]), "the secret is kept nowhere");
    let log = site.service.store().audit(site.project, 1).await.unwrap();
    assert_eq!(log[0].action, "create_api_token");
    assert!(log[0].detail.contains(&token[..11]) && !log[0].detail.contains(&token[12..]), "{log:?}");
}

/// The demo project on a server, with a token of an admin that is for reading and deciding.
struct Served {
    place: Workplace,
    server: Server,
    token: String,
}

impl Served {
    fn open() -> Served {
        let place = Workplace::new();
        place.done(&["demo"]);
        make_admin(&place);
        let asked = ["token", "create", "ci", "--user", "ada", "--project", "demo", "--scope", "read,gate"];
        let token = place.done(&asked).out.trim().to_owned();
        let server = Server::start(&place);
        Served { place, server, token }
    }

    fn address(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// Runs the program on a server, in the folder `elsewhere`, where there is no database.
    fn at(elsewhere: &Workplace, address: &str, token: &str, arguments: &[&str]) -> Run {
        let mut command = elsewhere.command(&[arguments, &["--server", address]].concat());
        if !token.is_empty() {
            command.env("TOUCHSTONE_TOKEN", token);
        }
        command.stdin(Stdio::null()).output().unwrap().into()
    }
}

fn make_admin(place: &Workplace) {
    let mut make = place.command(&["user", "create", "ada", "--admin"]);
    let mut child = make.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"a stone on which gold is rubbed\n").unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_server_is_read_as_a_file_is() {
    let (served, elsewhere) = (Served::open(), Workplace::new());
    served.place.done(&["anchor-set", "freeze", "--project", "demo", "gold", "--size", "60"]);
    for arguments in [
        &["agreement", "--criterion", "helpfulness", "--by", "category"][..],
        &["agreement", "--json"],
        &["agreement", "--format", "csv"],
        &["compare", "--incumbent", "illustrative / strict"],
        &["compare", "--rule", "median", "--judges", "illustrative / claims,illustrative / strict", "--json"],
        &["compare", "--anchor-set", "gold@1", "--format", "csv"],
        &["diagnose", "--by", "category", "--k", "3"],
        &["diagnose", "--from", "illustrative / claims", "--json"],
        &["check", "--category", "edge"],
        &["check", "--format", "junit"],
        &["check", "--judge", "illustrative / few-words", "--criterion", "correctness=3", "--json"],
        &["check", "--category", "egde", "--format", "markdown"],
        &["anchor-set", "list"],
        &["anchor-set", "list", "--json"],
        &["anchor-set", "export", "gold@1"],
        &["judge", "list"],
        &["judge", "list", "--json"],
        &["judge", "runs"],
        &["judge", "runs", "--json"],
        &["agreement", "--criterion", "beauty"],
        &["compare", "--judges", "nobody"],
        &["anchor-set", "export", "gold@7"],
    ] {
        let arguments = [arguments, &["--project", "demo"]].concat();
        let file = served.place.run(&arguments);
        let server = Served::at(&elsewhere, &served.address(), &served.token, &arguments);
        assert_eq!((server.code, &server.out), (file.code, &file.out), "{arguments:?}: {server:?}");
        assert_eq!(server.err, file.err, "{arguments:?}");
    }
}

#[test]
fn a_gate_on_a_server_answers_by_its_exit_code() {
    let (served, elsewhere) = (Served::open(), Workplace::new());
    let on_server = |arguments: &[&str]| Served::at(&elsewhere, &served.address(), &served.token, arguments);
    for (file, rules) in [
        ("promote.toml", "minimum_n = 1\nkappa_at_least = { value = -1.0, on = \"point\" }"),
        ("hold.toml", "kappa_at_least = { value = 0.999, on = \"point\" }"),
        ("inconclusive.toml", "minimum_n = 100000\nkappa_at_least = { value = -1.0, on = \"point\" }"),
    ] {
        let policy = format!("name = \"demo\"\ncriteria = [\"helpfulness\"]\n[rules]\n{rules}\n");
        for place in [&served.place, &elsewhere] {
            place.file(file, &policy);
        }
    }
    for (policy, code) in
        [("promote.toml", 0), ("hold.toml", 1), ("inconclusive.toml", 2), ("absent.toml", 3)]
    {
        let asked = [
            "gate",
            "--project",
            "demo",
            "--candidate",
            "illustrative / claims",
            "--policy",
            policy,
            "--json",
        ];
        let (file, server) = (served.place.run(&asked), on_server(&asked));
        assert_eq!((file.code, server.code), (code, code), "{policy}: {file:?} {server:?}");
        if code == 3 {
            continue;
        }
        let id = server.json()["id"].as_str().unwrap().to_owned();
        let [mut file, mut server] = [file.json(), server.json()];
        for decision in [&mut file, &mut server] {
            decision["id"] = Value::Null;
            decision["decided_at"] = Value::Null;
        }
        assert_eq!(file, server, "{policy}");
        for format in ["text", "json", "junit", "markdown"] {
            let asked = ["decisions", "--project", "demo", &id, "--format", format];
            let (file, server) = (served.place.run(&asked), on_server(&asked));
            assert_eq!((file.code, &file.out), (0, &server.out), "{format}: {server:?}");
            if format == "junit" {
                reads_as_junit(&file.out, code != 0);
            }
        }
    }
    assert!(on_server(&["decisions", "--project", "demo"]).out.contains("INCONCLUSIVE"));
}

/// A parser that is not ours reads what the gate and the check write for CI systems.
fn reads_as_junit(xml: &str, fails: bool) {
    let read = junit_parser::from_reader(std::io::Cursor::new(xml)).unwrap();
    assert_eq!(read.suites.len(), 1, "{xml}");
    let suite = &read.suites[0];
    assert_eq!(suite.tests, suite.cases.len() as u64, "{xml}");
    let failures = suite.cases.iter().filter(|case| case.status.is_failure()).count() as u64;
    assert_eq!((suite.failures, failures > 0), (failures, fails), "{xml}");
}

#[test]
fn a_check_is_read_by_a_foreign_parser() {
    for (category, fails) in [("edge", false), ("tool", true), ("egde", true)] {
        let asked = ["check", "--project", "demo", "--category", category, "--format", "junit"];
        reads_as_junit(&DEMO.run(&asked).out, fails);
    }
}

#[test]
fn what_is_broken_never_looks_like_an_answer() {
    let gate =
        ["gate", "--project", "demo", "--candidate", "illustrative / claims", "--policy", "promote.toml"];
    let (served, elsewhere) = (Served::open(), Workplace::new());
    elsewhere.file("promote.toml", POLICY);
    let address = served.address();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed_address = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let right = served.token.as_str();
    let wrong = format!("{}x", served.token);
    let failing = failing_server();
    for (address, token, says) in [
        (address.as_str(), "", "TOUCHSTONE_TOKEN"),
        (&address, &wrong, "token is wrong"),
        (&closed_address, right, "no answer"),
        (&failing, right, "500"),
        ("http://touchstone.example", right, "https://"),
        ("nowhere", right, "https://"),
    ] {
        let run = Served::at(&elsewhere, address, token, &gate);
        assert_eq!((run.code, run.out.as_str()), (3, ""), "{address}: {run:?}");
        assert!(run.err.contains(says), "{address}: {run:?}");
        assert!(token.is_empty() || !run.err.contains(token), "{address}: {run:?}");
    }
    for arguments in [&["doctor"][..], &["import", "labels", "--project", "demo", "labels.csv"], &["demo"]] {
        let run = Served::at(&elsewhere, &address, right, arguments);
        assert_eq!(run.code, 3, "{run:?}");
        assert!(run.err.contains("leave --server out"), "{run:?}");
    }
}

#[test]
fn a_gate_that_nobody_reads_to_the_end_answers_all_the_same() {
    let place = Workplace::new();
    place.done(&["demo"]);
    place.file("hold.toml", "name = \"demo\"\n[rules]\nkappa_at_least = { value = 0.999, on = \"point\" }\n");
    let asked =
        ["gate", "--project", "demo", "--candidate", "illustrative / claims", "--policy", "hold.toml"];
    let mut child = place.command(&asked).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

/// The address of a server that answers 500, whatever it is asked.
fn failing_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 4096];
            let answer =
                b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            if stream.read(&mut request).is_ok() {
                // Whoever asked may have gone.
                let _ = stream.write_all(answer);
            }
        }
    });
    address
}

#[test]
fn tokens_are_made_listed_and_revoked_by_the_command_line() {
    let place = Workplace::new();
    place.done(&["demo"]);
    make_admin(&place);
    let made = place.done(&["token", "create", "ci", "--user", "ada", "--json"]).json();
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("ts_") && token.len() == 3 + 8 + 1 + 32, "{token}");
    let listed = place.done(&["token", "list", "--json"]).json();
    assert_eq!((listed[0]["name"].as_str(), listed[0]["scopes"][0].as_str()), (Some("ci"), Some("read")));
    let words = place.done(&["token", "list"]).out;
    assert!(words.contains(&token[..11]) && !words.contains(&token[12..]), "{words}");
    place.done(&["token", "revoke", &token[..11]]);
    assert_eq!(place.run(&["token", "revoke", &token[..11]]).code, 3);
    assert_eq!(place.done(&["token", "list", "--json"]).json(), json!([]));
    for wrong in [
        &["token", "create", "ci", "--user", "nobody"][..],
        &["token", "create", "ci", "--user", "ada", "--scope", "everything"],
        &["token", "create", "ci", "--user", "ada", "--days", "0"],
        &["token", "create", "ci", "--user", "ada", "--project", "nowhere"],
        &["token", "create", " ", "--user", "ada"],
    ] {
        assert_eq!(place.run(wrong).code, 3, "{wrong:?}");
    }
}

#[test]
fn the_document_describes_every_call() {
    let document = serde_json::to_value(server::http::api::document()).unwrap();
    assert_eq!(document["openapi"], "3.1.0");
    let mut ids = std::collections::BTreeSet::new();
    for (path, calls) in document["paths"].as_object().unwrap() {
        for (method, call) in calls.as_object().unwrap() {
            assert!(call["summary"].as_str().is_some_and(|says| !says.is_empty()), "{method} {path}");
            assert!(ids.insert(call["operationId"].as_str().unwrap().to_owned()), "{method} {path}");
            assert!(call["responses"]["default"].is_object(), "{method} {path}");
        }
    }
    assert_eq!(document["components"]["securitySchemes"]["token"]["scheme"], "bearer");
}
