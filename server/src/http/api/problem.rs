//! What the API answers where it does not do what was asked: RFC 9457.

use crate::http::download::Refusal;
use axum::{
    Json,
    extract::{
        Request,
        rejection::{JsonRejection, PathRejection, QueryRejection},
    },
    http::{HeaderName, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use service::ServiceError;
use utoipa::ToSchema;

const CONTENT_TYPE: &str = "application/problem+json";

/// Why something was not done (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub(crate) struct Problem {
    /// `about:blank`: the status says what kind of problem it is
    #[serde(rename = "type")]
    kind: String,
    /// The status in words
    title: String,
    /// The status
    status: u16,
    /// What is wrong, where, and what to do
    pub(crate) detail: String,
    /// The field that it is about, where it is about one
    #[serde(default, skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

impl Problem {
    pub(super) fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem {
            kind: "about:blank".to_owned(),
            title: status.canonical_reason().unwrap_or_default().to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
            field: None,
        }
    }

    pub(super) fn unknown_address() -> Problem {
        let detail = "there is nothing at this address: /api/v1/openapi.json lists what there is";
        Problem::new(StatusCode::NOT_FOUND, detail)
    }

    /// Nobody comes in without a token that holds.
    pub(super) fn unauthorised(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::UNAUTHORIZED, detail)
    }
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Problem {
        let field = match &error {
            ServiceError::Invalid { field, .. } => Some(field.clone()),
            _ => None,
        };
        let Refusal(status, detail) = Refusal::from(error);
        Problem { field, ..Problem::new(status, detail) }
    }
}

impl From<QueryRejection> for Problem {
    fn from(rejection: QueryRejection) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, domain::visible(&rejection.body_text()))
    }
}

impl From<PathRejection> for Problem {
    fn from(rejection: PathRejection) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, domain::visible(&rejection.body_text()))
    }
}

impl From<JsonRejection> for Problem {
    fn from(rejection: JsonRejection) -> Problem {
        Problem::new(rejection.status(), domain::visible(&rejection.body_text()))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(CONTENT_TYPE));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, header::HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// What refuses a request before the API sees it (its length, its method, the time that it takes, a panic) is said as a problem as well.
pub(in crate::http) async fn say_as_problem(request: Request, next: Next) -> Response {
    const KEPT: [HeaderName; 2] = [header::ALLOW, header::RETRY_AFTER];
    let is_api = request.uri().path().starts_with("/api/");
    let response = next.run(request).await;
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let said = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == CONTENT_TYPE);
    if !is_api || !is_error || said {
        return response;
    }
    let detail = match status {
        StatusCode::METHOD_NOT_ALLOWED => {
            "this address does not take this method: the header Allow says which"
        }
        StatusCode::PAYLOAD_TOO_LARGE => {
            "the body is too long: 256 KiB are the most, and 64 MiB for a file that is imported"
        }
        StatusCode::SERVICE_UNAVAILABLE => "this took too long: ask again, the figures may be ready then",
        StatusCode::INTERNAL_SERVER_ERROR => "something broke; the log of the server says what",
        _ => "this request cannot be answered",
    };
    let mut problem = Problem::new(status, detail).into_response();
    for name in KEPT {
        if let Some(value) = response.headers().get(&name) {
            problem.headers_mut().insert(name, value.clone());
        }
    }
    problem
}
