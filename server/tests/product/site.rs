//! A whole site in this process: the router that `touchstone serve` serves, on a database of its own.

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Method, Request, StatusCode, header},
};
use domain::{Role, Rubric, Scope};
use server::http::{Address, router};
use service::{ApiTokenRequest, ProjectId, Service, User, import::Kind};
use store::{NewUser, Store};
use time::{Duration, OffsetDateTime};
use tower::ServiceExt;
use tower_sessions::{SessionStore, session::Record};

/// The project of every site.
pub(crate) const PROJECT: &str = "shop";

/// A password that the rules take.
pub(crate) const PASSWORD: &str = "a stone on which gold is rubbed";

/// An answer that takes longer has no end.
const LONGEST_ANSWER: std::time::Duration = std::time::Duration::from_secs(20);

const RUBRIC: &str = r#"
    name = "shop"
    version = 1
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
"#;

const CONVERSATIONS: &str = concat!(
    r#"{"id": "first", "question": "Where is my order?", "answer": {"text": "On its way."}}"#,
    "\n",
    r#"{"id": "second", "question": "May I return it?", "answer": {"text": "Within 30 days."}}"#,
);

const VERDICTS: &str = "judge,conversation,unit,criterion,value,error\n\
    old,first,conversation,helpful,1,\n\
    new,first,conversation,helpful,,refused\n\
    old,second,conversation,helpful,4,\n\
    new,second,conversation,helpful,4,\n";

pub(crate) struct Site {
    router: Router,
    pub(crate) service: Service,
    pub(crate) project: ProjectId,
    _directory: tempfile::TempDir,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: impl header::AsHeaderName) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// The cookie that was set, as the browser sends it back.
    pub(crate) fn cookie(&self) -> String {
        self.header(header::SET_COOKIE).split(';').next().unwrap_or_default().to_owned()
    }

    /// Where the page or form leads.
    pub(crate) fn location(&self) -> &str {
        self.header(header::LOCATION)
    }
}

/// A request as our own page sends it, ready to be changed.
pub(crate) fn get(path: &str) -> axum::http::request::Builder {
    Request::get(path).header(header::ACCEPT, "text/html")
}

/// A form of our own page.
pub(crate) fn post(path: &str) -> axum::http::request::Builder {
    Request::post(path)
        .header(header::ACCEPT, "text/html")
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin")
}

impl Site {
    /// A site with a project of two conversations and two judges, and nobody in it.
    pub(crate) async fn open() -> Site {
        Site::at("http://127.0.0.1:3000").await
    }

    /// The same under another public origin.
    pub(crate) async fn at(origin: &str) -> Site {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::open(directory.path().join("touchstone.db")).await.unwrap();
        let service = Service::new(store, OffsetDateTime::now_utc);
        let rubric = Rubric::from_toml(RUBRIC).unwrap();
        let project = service.create_project(PROJECT, Some(&rubric), None).await.unwrap().id;
        for (kind, name, text) in [
            (Kind::Conversations, "conversations.jsonl", CONVERSATIONS),
            (Kind::Verdicts, "verdicts.csv", VERDICTS),
        ] {
            service.import_text(project, kind, name, text).await.unwrap();
        }
        let address = Address::new("127.0.0.1:3000".parse().unwrap(), Some(origin.to_owned())).unwrap();
        Site { router: router(service.clone(), &address), service, project, _directory: directory }
    }

    /// A person of the project; `None`: an account that belongs to no project.
    pub(crate) async fn person(&self, name: &str, role: Option<Role>) -> User {
        let now = OffsetDateTime::now_utc();
        // Nobody signs in with this hash: sessions are begun by `session_of`, which costs no hashing.
        let new = NewUser { name: name.to_owned(), password_hash: "none".to_owned() };
        let user = self.service.store().create_user(&new, false, now).await.unwrap();
        if let Some(role) = role {
            let token = self.service.invite(self.project, role, None).await.unwrap();
            self.service.join(&token, user.id).await.unwrap();
        }
        user
    }

    /// The cookie of a new session of a person.
    pub(crate) async fn session_of(&self, user: &User) -> String {
        let mut record = Record {
            id: Default::default(),
            data: [("user".to_owned(), user.id.to_string().into())].into(),
            expiry_date: OffsetDateTime::now_utc() + Duration::hours(1),
        };
        self.service.store().sessions(OffsetDateTime::now_utc).create(&mut record).await.unwrap();
        format!("session={}", record.id)
    }

    /// Sends a request with a cookie (`""`: none).
    pub(crate) async fn send(
        &self,
        request: axum::http::request::Builder,
        cookie: &str,
        body: &str,
    ) -> Answer {
        let request = if cookie.is_empty() { request } else { request.header(header::COOKIE, cookie) };
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let asked = request.uri().clone();
        let answer = async {
            let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
            (parts, axum::body::to_bytes(body, usize::MAX).await.unwrap())
        };
        let answer = tokio::time::timeout(LONGEST_ANSWER, answer).await;
        let (parts, body) = answer.unwrap_or_else(|_| panic!("the answer to {asked} never ends"));
        let body = String::from_utf8_lossy(&body).into_owned();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// Reads a page.
    pub(crate) async fn page(&self, path: &str, cookie: &str) -> Answer {
        self.send(get(path), cookie, "").await
    }

    /// Sends a file by a form, as a browser does.
    pub(crate) async fn upload(&self, path: &str, cookie: &str, name: &str, text: &str) -> Answer {
        let body = format!(
            "--edge\r\ncontent-disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{text}\r\n--edge--\r\n"
        );
        let request = Request::post(path)
            .header(header::ACCEPT, "text/html")
            .header(header::CONTENT_TYPE, "multipart/form-data; boundary=edge")
            .header("sec-fetch-site", "same-origin");
        self.send(request, cookie, &body).await
    }

    /// Calls a server function as the program in the page does.
    pub(crate) async fn call(&self, function: &str, cookie: &str, body: &str) -> Answer {
        let form =
            if body.starts_with('{') { "application/json" } else { "application/x-www-form-urlencoded" };
        let request = Request::builder()
            .method(Method::POST)
            .uri(function)
            .header(header::ACCEPT, "application/json")
            .header(header::CONTENT_TYPE, form)
            .header("sec-fetch-site", "same-origin");
        self.send(request, cookie, body).await
    }

    /// A new token of a person for these scopes, in every project of the person.
    pub(crate) async fn token_of(&self, user: &User, scopes: &[Scope]) -> String {
        self.token_in(user, scopes, None).await
    }

    /// A new token of a person, for one project where it is named.
    pub(crate) async fn token_in(&self, user: &User, scopes: &[Scope], project: Option<&str>) -> String {
        let (scopes, project) = (scopes.to_vec(), project.map(str::to_owned));
        let request = ApiTokenRequest { name: "a program".to_owned(), project, scopes, days: 1 };
        self.service.create_api_token(user.id, &request, Some(user.id)).await.unwrap()
    }

    /// Calls the API with a token (`""`: none), as a program does.
    pub(crate) async fn api(&self, method: &Method, path: &str, token: &str, body: &str) -> Answer {
        let mut request = Request::builder().method(method.clone()).uri(path);
        if !token.is_empty() {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        self.send(request, "", body).await
    }

    /// Sends a form as a browser without a program does.
    pub(crate) async fn form(&self, path: &str, cookie: &str, body: &str) -> Answer {
        self.send(post(path), cookie, body).await
    }

    /// Makes an account by a link, over HTTP, and gives the cookie of its session.
    pub(crate) async fn sign_up(&self, name: &str, role: Role) -> String {
        let token = self.service.invite(self.project, role, None).await.unwrap();
        let body = format!("token={token}&name={name}&password={}", PASSWORD.replace(' ', "+"));
        let answer = self.form("/rpc/accept_invitation", "", &body).await;
        assert_eq!(answer.status, StatusCode::FOUND, "{}", answer.body);
        answer.cookie()
    }
}
