//! The API for programs: the same service functions as the pages and the command line, by a token.

mod agreement;
mod anchor_sets;
mod checks;
mod comparisons;
mod contrasts;
mod decisions;
mod diagnoses;
mod failures;
mod form;
mod gates;
mod imports;
mod judges;
mod problem;
mod projects;
mod references;
mod releases;
mod runs;
mod scores;
mod token;

pub(crate) use problem::Problem;
pub(super) use problem::say_as_problem;

use super::{AppState, LONGEST_ANSWER, upload};
use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, FromRequest, FromRequestParts},
    http::StatusCode,
    routing::{any, get},
};
use tower_http::{limit::RequestBodyLimitLayer, timeout::TimeoutLayer};
use utoipa::{
    Modify, OpenApi,
    openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Where the API is.
pub(crate) const ROOT: &str = "/api/v1";

/// Longest body of a request but for files that are imported: a policy is the longest that there is.
const LONGEST_BODY: usize = 256 * 1024;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Touchstone",
        description = "How far people and judges agree, and whether a judge may be promoted. The figures are those of the pages \
                       and of the command line, and so are their shapes: docs/API.md and docs/METHODS.md say what each means."
    ),
    modifiers(&ByToken),
    security(("token" = []))
)]
struct Document;

/// Says that every call needs a token.
struct ByToken;

impl Modify for ByToken {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let token = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("ts_PREFIX_SECRET")
            .description(Some("Made on the account page, or by `touchstone token create`."));
        let components = document.components.get_or_insert_default();
        components.security_schemes.insert("token".to_owned(), SecurityScheme::Http(token.build()));
    }
}

/// The query of a request; what cannot be read is said as a problem.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Query), rejection(Problem))]
struct Query<T>(T);

/// A part of the path.
#[derive(FromRequestParts)]
#[from_request(via(axum::extract::Path), rejection(Problem))]
struct Path<T>(T);

/// The body of a request.
#[derive(FromRequest)]
#[from_request(via(axum::Json), rejection(Problem))]
struct Body<T>(T);

/// The routes of the API with the document that describes them.
fn described() -> (Router<AppState>, utoipa::openapi::OpenApi) {
    let routes = OpenApiRouter::new()
        .routes(routes!(projects::list))
        .routes(routes!(agreement::report))
        .routes(routes!(comparisons::report))
        .routes(routes!(contrasts::report))
        .routes(routes!(diagnoses::report))
        .routes(routes!(checks::report))
        .routes(routes!(anchor_sets::list))
        .routes(routes!(anchor_sets::file))
        .routes(routes!(judges::list))
        .routes(routes!(runs::list, runs::start))
        .routes(routes!(runs::one))
        .routes(routes!(runs::cancel))
        .routes(routes!(gates::decide))
        .routes(routes!(decisions::list))
        .routes(routes!(decisions::one))
        .routes(routes!(releases::slots))
        .routes(routes!(releases::log))
        .routes(routes!(releases::calibrations))
        .routes(routes!(failures::list))
        .routes(routes!(references::file))
        .routes(routes!(scores::add))
        .routes(routes!(scores::inline))
        .routes(routes!(scores::report))
        .layer(RequestBodyLimitLayer::new(LONGEST_BODY))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, LONGEST_ANSWER));
    let files = OpenApiRouter::new()
        .routes(routes!(imports::import))
        .layer(RequestBodyLimitLayer::new(upload::LONGEST_BODY))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, upload::LONGEST_ANSWER));
    let routes = routes.merge(files);
    OpenApiRouter::with_openapi(Document::openapi()).nest(ROOT, routes).split_for_parts()
}

/// The address of something of a project.
fn address(place: &str, project: &str) -> String {
    format!("{ROOT}/{place}?project={}", app::address::encoded(project))
}

/// The OpenAPI document.
#[must_use]
pub fn document() -> utoipa::openapi::OpenApi {
    described().1
}

/// The API. No cookie is read here, and so no other site can make a browser act.
pub(super) fn router() -> Router<AppState> {
    let (routes, document) = described();
    routes
        .route(&format!("{ROOT}/openapi.json"), get(move || async move { Json(document) }))
        .route("/api/{*rest}", any(|| async { Problem::unknown_address() }))
        .layer(DefaultBodyLimit::max(LONGEST_BODY))
}
