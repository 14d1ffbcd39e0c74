//! A server that says byte by byte what a test wants it to say.

use domain::{Conversation, Model, Parser, Rubric, Unit};
use judge::{Answered, Call, Caller, Endpoints, Failed, Prompt, render};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tempfile::NamedTempFile;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    time::sleep,
};

/// The key of every endpoint here.
pub(crate) const KEY: &str = "sk-loopback-4711";

/// What the server does with one request.
#[derive(Clone)]
pub(crate) enum Does {
    /// Writes these bytes and closes.
    Says(Vec<u8>),
    /// Closes at once.
    Closes,
    /// Begins well and then writes a byte every 50 ms.
    Drips,
    /// Begins well and goes on for so many bytes.
    Floods(usize),
}

/// A server with what it was asked and how many bytes it got rid of.
pub(crate) struct Loopback {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
    written: Arc<AtomicUsize>,
}

impl Loopback {
    /// Answers the first request with the first, and all after the last with the last.
    pub(crate) async fn that(does: Vec<Does>) -> Loopback {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let (requests, written) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let server = (Arc::clone(&requests), Arc::clone(&written));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let ((requests, written), does) = (server.clone(), does.clone());
                tokio::spawn(async move {
                    let mut stream = stream;
                    let request = request(&mut stream).await;
                    let turn = {
                        let mut requests = requests.lock().unwrap();
                        requests.push(request);
                        requests.len() - 1
                    };
                    behave(stream, &does[turn.min(does.len() - 1)], &written).await;
                });
            }
        });
        Loopback { url, requests, written }
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    /// The JSON bodies that it was sent.
    pub(crate) fn bodies(&self) -> Vec<Value> {
        let body =
            |request: &String| serde_json::from_str(request.split_once("\r\n\r\n").unwrap().1).unwrap();
        self.requests().iter().map(body).collect()
    }

    pub(crate) fn written(&self) -> usize {
        self.written.load(Ordering::Relaxed)
    }
}

async fn behave(mut stream: TcpStream, does: &Does, written: &AtomicUsize) {
    let begin = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 314572800\r\n\r\n{\"model\": \"";
    match does {
        Does::Says(bytes) => {
            let _ = stream.write_all(bytes).await;
            let _ = stream.shutdown().await;
        }
        Does::Closes => {}
        Does::Drips => {
            let _ = stream.write_all(begin.as_bytes()).await;
            while stream.write_all(b"x").await.is_ok() {
                sleep(Duration::from_millis(50)).await;
            }
        }
        Does::Floods(bytes) => {
            let chunk = vec![b'x'; 65_536];
            let _ = stream.write_all(begin.as_bytes()).await;
            while written.load(Ordering::Relaxed) < *bytes && stream.write_all(&chunk).await.is_ok() {
                written.fetch_add(chunk.len(), Ordering::Relaxed);
            }
        }
    }
}

async fn request(stream: &mut TcpStream) -> String {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match stream.read(&mut chunk).await {
            // What begins a TLS connection is no request.
            Ok(read) if read > 0 && chunk[0] != 0x16 => bytes.extend_from_slice(&chunk[..read]),
            _ => return text,
        }
    }
}

/// A whole HTTP answer.
pub(crate) fn http(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Does {
    let body = body.as_ref();
    let mut bytes =
        format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n", body.len())
            .into_bytes();
    bytes.extend_from_slice(body);
    Does::Says(bytes)
}

/// A success in JSON.
pub(crate) fn ok(body: &Value) -> Does {
    http("200 OK", "content-type: application/json; charset=utf-8\r\n", body.to_string())
}

/// A chat completion that says this.
pub(crate) fn completion(text: &str) -> Value {
    json!({
        "model": "m-2026-08-01",
        "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 1000, "completion_tokens": 100 },
    })
}

/// A verdict as a judge should give it.
pub(crate) const VERDICT: &str = r#"{"reason": "It helps.", "score": 4}"#;

/// What a test calls an endpoint with.
pub(crate) struct Question {
    pub(crate) model: Model,
    pub(crate) prompt: Prompt,
}

impl Question {
    pub(crate) fn new() -> Question {
        let model = Model {
            endpoint: "e".to_owned(),
            model: "m".to_owned(),
            system: "Judge. {{ data_rule }}".to_owned(),
            prompt: "{{ question }}\n{{ answer }}\n{{ answer_format }}".to_owned(),
            parser: Parser::Scores,
            parameters: json!({ "temperature": 0, "seed": 7 }).as_object().unwrap().clone(),
            examples: Vec::new(),
            example_set: None,
        };
        let asked = ["help".to_owned()];
        let prompt =
            render(&model, &rubric(), &asked, &conversation(), &Unit::Conversation, &[], "lot").unwrap();
        Question { model, prompt }
    }

    pub(crate) async fn ask(&self, caller: &Caller) -> Result<Answered, Failed> {
        caller.call(&Call { model: &self.model, prompt: &self.prompt, lot: "lot" }).await
    }
}

pub(crate) fn rubric() -> Rubric {
    Rubric::from_toml(
        r#"
        name = "shop"
        version = 1
        [[scale]]
        id = "five"
        kind = "ordinal"
        levels = [{ value = 1, name = "bad" }, { value = 2, name = "poor" }, { value = 3, name = "fair" },
                  { value = 4, name = "good" }, { value = 5, name = "great" }]
        [[criterion]]
        id = "help"
        component = "generation"
        unit = "conversation"
        scale = "five"
        question = "Does the answer help?"
        "#,
    )
    .unwrap()
}

fn conversation() -> Conversation {
    let row = json!({ "id": "c1", "question": "May I return it?", "answer": { "text": "Within a month." } });
    Conversation::from_json(row).unwrap().0
}

/// A caller of an endpoint with a key and short waits, with more settings after them.
pub(crate) fn caller(kind: &str, url: &str, settings: &str) -> Caller {
    let key = NamedTempFile::new().unwrap();
    std::fs::write(key.path(), format!("{KEY}\n")).unwrap();
    let text = format!(
        "[endpoint.e]\nkind = \"{kind}\"\nurl = \"{url}\"\nkey_file = {:?}\nbackoff_ms = 1\nattempts = 4\n{settings}",
        key.path()
    );
    Caller::new(&Endpoints::from_toml(&text).unwrap(), "e").unwrap()
}
