//! Files of other tools by every door: the program, the form, the API.

use crate::{
    program::{Workplace, data},
    site::{Answer, Site},
};
use axum::http::{Method, StatusCode};
use domain::{Role, Scope};
use serde_json::Value;

const RAGAS: &str = r#"[{"user_input": "May I return it? ada@example.com", "response": "Within 30 days.",
    "retrieved_contexts": ["Thirty days."], "helpful": 4, "toxicity": 0.1}]"#;

const TABLE: &str = "Frage,Antwort\nDarf ich?,Ja.\n";

/// Names and texts of the shared exports.
fn exports() -> Vec<(String, String)> {
    let Some(root) = data("exports") else { return Vec::new() };
    let folders = std::fs::read_dir(root).unwrap().map(|folder| folder.unwrap().path());
    let files = folders.filter(|path| path.is_dir()).flat_map(|path| std::fs::read_dir(path).unwrap());
    let mut files: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    files.sort();
    let name = |path: &std::path::Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

/// What is left on the page of a file that was sent.
async fn sent(site: &Site, cookie: &str, name: &str, text: &str) -> String {
    let answer = site.upload("/p/shop/import/file", cookie, name, text).await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.body);
    answer.location().to_owned()
}

async fn import(site: &Site, cookie: &str, page: &str) -> Answer {
    let id = page.split("file=").nth(1).unwrap();
    site.call("/rpc/import_file", cookie, &format!("project=shop&file={id}")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_export_goes_in_by_the_form_or_is_refused_with_the_reason() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let cookie = site.session_of(&lead).await;
    for (name, text) in exports() {
        let before = site.service.store().check().await.unwrap().rows;
        let page = sent(&site, &cookie, &name, &text).await;
        let shown = site.page(&page, &cookie).await;
        assert_eq!(shown.status, StatusCode::OK, "{name}");
        assert_eq!(
            site.service.store().check().await.unwrap().rows,
            before,
            "{name}: looking stores nothing"
        );
        let answer = import(&site, &cookie, &page).await;
        let after = site.service.store().check().await.unwrap().rows;
        if answer.status.is_success() {
            assert!(
                shown.body.contains("The first conversation") && shown.body.contains("Left out"),
                "{name}"
            );
            assert_ne!(after, before, "{name}");
            assert!(site.page(&page, &cookie).await.body.contains("This file was imported"), "{name}");
        } else {
            assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{name}: {}", answer.body);
            assert!(
                answer.body.contains("expected") && shown.body.contains("expected"),
                "{name}: {}",
                answer.body
            );
            assert_eq!(after, before, "{name}: nothing half-written");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_mapped_by_forms_alone_and_its_mapping_comes_back() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let cookie = site.session_of(&lead).await;
    let page = sent(&site, &cookie, "faq.csv", TABLE).await;
    let shown = site.page(&page, &cookie).await.body;
    let form = shown.split("<legend>Columns").nth(1).unwrap_or(&shown);
    assert!(form.contains("columns[question]") && form.contains(">Frage"), "{form}");
    let id = page.split("file=").nth(1).unwrap();
    let choice = format!(
        "project=shop&file={id}&from=csv&turns=each&columns%5Bquestion%5D=Frage&columns%5Banswer%5D=Antwort&columns%5Bid%5D=&mapping=faq"
    );
    let chosen = site.call("/rpc/choose_import", &cookie, &choice).await;
    assert_eq!(chosen.status, StatusCode::OK, "{}", chosen.body);
    let shown = site.page(&page, &cookie).await.body;
    assert!(shown.contains("Darf ich?"), "{shown}");
    assert_eq!(import(&site, &cookie, &page).await.status, StatusCode::OK);
    let next = sent(&site, &cookie, "more.csv", "Frage,Antwort\nWann?,Jetzt.\n").await;
    let shown = site.page(&next, &cookie).await.body;
    assert!(shown.contains("Wann?") && shown.contains("Remembered mapping"), "{shown}");
    for (name, text, why) in [("", "x", "refused=none"), ("empty.csv", "", "refused=empty")] {
        let page = sent(&site, &cookie, name, text).await;
        assert!(page.ends_with(why), "{page}");
        assert!(site.page(&page, &cookie).await.body.contains("hoose"), "the page says why");
    }
    // Somebody else's file is none of theirs.
    let other = site.person("other", Some(Role::Lead)).await;
    let seen = site.page(&next, &site.session_of(&other).await).await;
    assert_eq!(seen.status, StatusCode::NOT_FOUND);
    let foreign = site.send(
        axum::http::Request::post("/p/shop/import/file")
            .header("content-type", "multipart/form-data; boundary=edge")
            .header("sec-fetch-site", "cross-site"),
        &cookie,
        "--edge--",
    );
    assert_eq!(foreign.await.status, StatusCode::FORBIDDEN, "a page of another site sends nothing");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_imports_redacted_and_a_dry_run_stores_nothing() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let cookie = site.session_of(&lead).await;
    let set = site
        .call("/rpc/set_redaction", &cookie, "project=shop&email=on&own=customer+%3D+K%5B0-9%5D%7B4%7D")
        .await;
    assert_eq!(set.status, StatusCode::OK, "{}", set.body);
    let wrong = site.call("/rpc/set_redaction", &cookie, "project=shop&own=customer+%3D+(").await;
    assert!(wrong.body.contains("regular expression"), "{}", wrong.body);
    let token = site.token_of(&lead, &[Scope::Import]).await;
    let call = async |query: &str, body: &str| {
        site.api(&Method::POST, &format!("/api/v1/imports?project=shop&name=ragas.json{query}"), &token, body)
            .await
    };
    let before = site.service.store().check().await.unwrap().rows;
    for query in ["", "&dry_run=true"] {
        let refused = call(query, &RAGAS[..RAGAS.len() - 9]).await;
        assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY, "{}", refused.body);
        assert!(refused.body.contains("cut off"), "{}", refused.body);
    }
    let unknown = call("&colour=red", RAGAS).await;
    assert!(unknown.status.is_client_error(), "{}", unknown.status);
    let looked_at: Value = serde_json::from_str(&call("&dry_run=true&from=ragas", RAGAS).await.body).unwrap();
    assert_eq!(looked_at["first"]["question"], "May I return it? [e-mail 1]");
    assert_eq!(site.service.store().check().await.unwrap().rows, before);
    let report: Value = serde_json::from_str(&call("", RAGAS).await.body).unwrap();
    assert_eq!((&report["conversations"]["new"], &report["verdicts"]["new"]), (&1.into(), &1.into()));
    assert_eq!(report["redacted"][0]["rule"], "e-mail");
    let reader = site.token_of(&lead, &[Scope::Read]).await;
    let refused = site.api(&Method::POST, "/api/v1/imports?project=shop&name=r.json", &reader, RAGAS).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN, "{}", refused.body);
    let long = "x".repeat(3 * 1024 * 1024);
    let table = format!("question,answer\n{long},a\n");
    let columns = "&columns=%7B%22question%22%3A%22question%22%7D";
    let path = format!("/api/v1/imports?project=shop&name=long.csv&dry_run=true{columns}");
    let taken = site.api(&Method::POST, &path, &token, &table).await;
    assert_eq!(taken.status, StatusCode::OK, "files have a limit of their own: {}", taken.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_taken_out_of_a_project_is_on_record() {
    let site = Site::open().await;
    let lead = site.person("lead", Some(Role::Lead)).await;
    let cookie = site.session_of(&lead).await;
    for address in [
        "/p/shop/exports/label-studio.json",
        "/p/shop/agreement.csv",
        "/p/shop/diagnose.json",
        "/p/shop/conversation/first",
        "/p/shop/conversation/first",
    ] {
        let answer = site.page(address, &cookie).await;
        assert_eq!(answer.status, StatusCode::OK, "{address}: {}", answer.body);
    }
    assert_eq!(site.page("/p/shop/exports/none.json", &cookie).await.status, StatusCode::NOT_FOUND);
    let audit = site.service.store().audit(site.project, 50).await.unwrap();
    let of = |action: &str| {
        let entries = audit.iter().filter(|entry| entry.action == action);
        entries.map(|entry| (entry.user.clone(), entry.detail.clone())).collect::<Vec<_>>()
    };
    let by_lead = |detail: &str| (Some("lead".to_owned()), detail.to_owned());
    assert_eq!(of("export"), ["diagnosis", "agreement", "label-studio: 2 conversations"].map(by_lead));
    let views = of("view_conversation");
    // Where midnight falls between them there are two.
    assert!((1..=2).contains(&views.len()) && views[0] == by_lead("first"), "{views:?}");
}

#[test]
fn the_program_imports_any_file_and_says_what_it_left_out() {
    let place = Workplace::new();
    place.done(&["project", "create", "p"]);
    let set = [
        "redaction",
        "set",
        "--project",
        "p",
        "--kind",
        "e-mail,card",
        "--own",
        "customer=K[0-9]{4}",
        "--json",
    ];
    assert_eq!(place.done(&set).json()["kinds"], serde_json::json!(["e-mail", "card"]));
    assert_eq!(place.run(&["redaction", "set", "--project", "p", "--own", "x=("]).code, 3);
    assert_eq!(place.run(&["redaction", "set", "--project", "p"]).code, 3);
    place.file("ragas.json", RAGAS);
    place.file("faq.csv", TABLE);
    let dry = place.done(&["import", "--project", "p", "ragas.json", "--dry-run"]).out;
    for says in [
        "read as ragas",
        "May I return it? [e-mail 1]",
        "the project has no rubric",
        "nothing was stored",
        "e-mail 1 in 1 places",
    ] {
        assert!(dry.contains(says), "`{says}` is not in {dry}");
    }
    assert_eq!(place.rows("conversations"), 0);
    let report = place.done(&["import", "--json", "--project", "p", "ragas.json", "--from", "ragas"]).json();
    assert_eq!((&report["conversations"]["new"], &report["from"]), (&1.into(), &"ragas".into()));
    let mapped = [
        "import",
        "--project",
        "p",
        "faq.csv",
        "--column",
        "question=Frage",
        "--column",
        "answer=Antwort",
        "--mapping",
        "faq",
    ];
    place.done(&mapped);
    let known = ["import", "conversations", "--project", "p", "faq.csv", "--mapping", "faq", "--json"];
    assert_eq!(place.done(&known).json()["conversations"]["unchanged"], 1);
    for wrong in [
        &["import", "--project", "p"][..],
        &["import", "--project", "p", "faq.csv"],
        &["import", "--project", "p", "faq.csv", "--from", "excel"],
        &["import", "--project", "p", "faq.csv", "--column", "question"],
        &["import", "--project", "p", "faq.csv", "--column", "question=Fragen"],
        &["import", "--project", "p", "faq.csv", "--mapping", "none"],
        &["import", "--project", "none", "faq.csv"],
        &["import", "--project", "p", "absent.json"],
    ] {
        let run = place.run(wrong);
        assert_eq!(run.code, 3, "{wrong:?}: {run:?}");
        assert!(!run.err.is_empty(), "{wrong:?}");
    }
    let tasks = place.done(&["export", "--project", "p", "--format", "label-studio"]).json();
    assert_eq!(tasks.as_array().unwrap().len(), 2);
    assert_eq!(place.run(&["export", "--project", "p", "--format", "excel"]).code, 3);
}
