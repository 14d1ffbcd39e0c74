//! A decision is told to another system over real connections, and is made whether or not that system listens.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::IntoResponse,
    routing::post,
};
use domain::Rubric;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use service::{GateRequest, ProjectId, ReferenceChoice, Service, Viewer, Webhook, import::Kind};
use sha2::Sha256;
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};
use store::Store;
use time::OffsetDateTime;
use tokio::net::TcpListener;

const RUBRIC: &str = r#"
    name = "shop"
    version = 1
    [[scale]]
    id = "two"
    kind = "ordinal"
    levels = [{ value = 0, name = "no" }, { value = 1, name = "yes" }]
    [[criterion]]
    id = "helpful"
    component = "generation"
    unit = "conversation"
    scale = "two"
    question = "Does it help?"
"#;

/// What came, and the statuses that are still to be answered with, the last for ever.
#[derive(Clone, Default)]
struct Listener {
    came: Arc<Mutex<Vec<(HeaderMap, String)>>>,
    statuses: Arc<Mutex<Vec<u16>>>,
}

impl Listener {
    /// One that listens, and its address.
    async fn new(statuses: &[u16]) -> (Listener, String) {
        let listener = Listener { statuses: Arc::new(Mutex::new(statuses.to_vec())), ..Listener::default() };
        let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/hook", socket.local_addr().unwrap());
        let routes = Router::new().route("/hook", post(Listener::take)).with_state(listener.clone());
        let routes = routes.route("/elsewhere", post(|| async { "taken" }));
        tokio::spawn(async move { axum::serve(socket, routes).await });
        (listener, address)
    }

    async fn take(State(listener): State<Listener>, headers: HeaderMap, body: String) -> impl IntoResponse {
        listener.came.lock().unwrap().push((headers, body));
        let mut statuses = listener.statuses.lock().unwrap();
        let status = if statuses.len() > 1 { statuses.remove(0) } else { statuses[0] };
        (StatusCode::from_u16(status).unwrap(), [(header::LOCATION, "/elsewhere")])
    }

    /// What has come, once there are so many.
    async fn until(&self, count: usize) -> Vec<(HeaderMap, String)> {
        for _ in 0..200 {
            let came = self.came.lock().unwrap().clone();
            if came.len() >= count {
                return came;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{count} messages never came");
    }
}

struct Shop {
    service: Service,
    project: ProjectId,
    _directory: tempfile::TempDir,
}

impl Shop {
    async fn telling(webhook: Webhook) -> Shop {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path().join("touchstone.db")).await.unwrap();
        let service = Service::new(store, OffsetDateTime::now_utc).with_webhook(Some(webhook));
        let rubric = Rubric::from_toml(RUBRIC).unwrap();
        let project = service.create_project("shop & more", Some(&rubric), None).await.unwrap().id;
        let rows = "judge,conversation,unit,criterion,value\n<!channel> new,c,conversation,helpful,1\n";
        for (kind, name, text) in [
            (Kind::Conversations, "c.jsonl", r#"{"id": "c", "question": "q", "answer": {"text": "a"}}"#),
            (Kind::Verdicts, "v.csv", rows),
        ] {
            service.import_text(project, kind, name, text).await.unwrap();
        }
        Shop { service, project, _directory: directory }
    }

    async fn decide(&self) -> domain::Decision {
        let request = GateRequest {
            candidate: "<!channel> new".to_owned(),
            incumbent: None,
            policy: Some("name = \"shop\"\n[rules]\nminimum_n = 10\nkappa_at_least = 0.5\n".to_owned()),
            reference: ReferenceChoice::default(),
        };
        self.service.gate(self.project, request, None, Viewer::Operator).await.unwrap()
    }

    /// The entries of the audit log that say that a decision could not be told, once there is one.
    async fn failures(&self) -> Vec<String> {
        for _ in 0..200 {
            let entries = self.service.store().audit(self.project, 10).await.unwrap().into_iter();
            let failed = entries.filter(|entry| entry.action == "webhook_failed").map(|entry| entry.detail);
            let failed: Vec<String> = failed.collect();
            if !failed.is_empty() {
                return failed;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Vec::new()
    }
}

#[tokio::test]
async fn a_decision_is_told_signed_and_again_when_it_was_not_taken() {
    let (listener, address) = Listener::new(&[503, 200]).await;
    let webhook = Webhook::new(&address, Some("a secret".to_owned().into()), "https://touchstone.example");
    let shop = Shop::telling(webhook.unwrap()).await;
    let decision = shop.decide().await;
    let came = listener.until(2).await;
    assert_eq!(came[0].1, came[1].1, "it says the same each time");
    let (headers, body) = &came[1];
    let mut code = Hmac::<Sha256>::new_from_slice(b"a secret").unwrap();
    code.update(body.as_bytes());
    let expected: String = code.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(headers["touchstone-signature"], format!("sha256={expected}"));
    let message: Value = serde_json::from_str(body).unwrap();
    assert_eq!(message["decision"], serde_json::to_value(&decision).unwrap());
    let page = format!("https://touchstone.example/p/shop%20&%20more/gate/{}", decision.id);
    assert_eq!(message["page"], page);
    let text = message["text"].as_str().unwrap();
    assert!(
        text.starts_with(&format!("{}: &lt;!channel&gt; new in shop &amp; more", decision.decision.word()))
    );
    assert!(
        text.ends_with(&page)
            && text.contains(&decision.reasons[0].replace('<', "&lt;").replace('>', "&gt;"))
    );
}

#[tokio::test]
async fn what_cannot_be_told_is_in_the_audit_log_and_the_decision_stands() {
    let (listener, address) = Listener::new(&[302]).await;
    let shop = Shop::telling(Webhook::new(&address, None, "http://127.0.0.1:3000").unwrap()).await;
    let decision = shop.decide().await;
    let failures = shop.failures().await;
    assert!(failures[0].starts_with(&decision.id) && failures[0].contains("redirects"), "{failures:?}");
    assert!(!failures[0].contains("hook"), "the address may be a secret: {failures:?}");
    let came = listener.until(1).await;
    assert_eq!(came.len(), 1, "what leads elsewhere is not asked again");
    assert!(!came[0].0.contains_key("touchstone-signature"), "nothing is signed without a secret");
    assert_eq!(shop.service.decisions(shop.project).await.unwrap(), [decision]);
}

#[tokio::test]
async fn a_gate_does_not_wait_for_who_does_not_listen() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", silent.local_addr().unwrap());
    let shop = Shop::telling(Webhook::new(&address, None, "http://127.0.0.1:3000").unwrap()).await;
    let decided = tokio::time::timeout(Duration::from_secs(5), shop.decide()).await;
    assert!(decided.is_ok(), "a gate waited for its webhook");
}

#[test]
fn nothing_is_sent_in_the_clear_to_another_machine() {
    for address in
        ["http://hooks.example/x", "ftp://hooks.example", "nowhere", "http://127.0.0.1@hooks.example"]
    {
        let error = Webhook::new(address, None, "http://127.0.0.1:3000").unwrap_err().to_string();
        assert!(error.contains("TOUCHSTONE_WEBHOOK") && !error.contains("hooks.example"), "{error}");
    }
}
