//! Files that people send by a form, to be looked at and imported.

use super::{
    AppState,
    download::{Refusal, member},
};
use app::address::encoded;
use axum::{
    Router,
    extract::{DefaultBodyLimit, Multipart, Path, State, multipart::MultipartError},
    http::StatusCode,
    response::Redirect,
    routing::post,
};
use domain::Permission;
use service::{Service, ServiceError, import::LARGEST_UPLOAD};
use std::{fs::File, io::Write};
use tower_http::{limit::RequestBodyLimitLayer, timeout::TimeoutLayer};
use tower_sessions::Session;

/// Bytes of a form beside its file.
const AROUND: usize = 64 * 1024;

/// Longest body with a file in it.
pub(super) const LONGEST_BODY: usize = LARGEST_UPLOAD as usize + AROUND;

/// Longest time that sending a file, or importing it by the API, may take.
pub(super) const LONGEST_ANSWER: std::time::Duration = std::time::Duration::from_secs(600);

/// The route, with limits of its own.
pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/p/{project}/import/file", post(file))
        .layer(DefaultBodyLimit::disable())
        .layer(RequestBodyLimitLayer::new(LONGEST_BODY))
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, LONGEST_ANSWER))
}

/// Keeps the file of the form, and goes on to the page that shows what was understood of it. What is wrong with it that page says too.
async fn file(
    session: Session,
    State(service): State<Service>,
    Path(name): Path<String>,
    mut form: Multipart,
) -> Result<Redirect, Refusal> {
    let (project, user) = member(&session, &service, &name, Permission::Import).await?;
    let page = format!("/p/{}/import", encoded(&name));
    let mut kept = tempfile::tempfile().map_err(failed)?;
    let mut sent = None;
    while let Some(mut field) = form.next_field().await.map_err(refused)? {
        if field.name() != Some("file") {
            continue;
        }
        sent = field.file_name().map(str::to_owned).filter(|name| !name.is_empty());
        while let Some(part) = field.chunk().await.map_err(refused)? {
            kept.write_all(&part).map_err(failed)?;
        }
    }
    let Some(sent) = sent else { return Ok(Redirect::to(&format!("{page}?refused=none"))) };
    match service.stage(project, user, &sent, rewound(kept)?).await {
        Ok(id) => Ok(Redirect::to(&format!("{page}?file={id}"))),
        Err(ServiceError::Invalid { .. }) => Ok(Redirect::to(&format!("{page}?refused=empty"))),
        Err(error) => Err(error.into()),
    }
}

/// A file that is read from its beginning.
pub(super) fn rewound(mut file: File) -> Result<File, Refusal> {
    std::io::Seek::rewind(&mut file).map_err(failed)?;
    Ok(file)
}

fn failed(error: std::io::Error) -> Refusal {
    ServiceError::Internal(format!("a file that was sent cannot be kept: {error}")).into()
}

fn refused(error: MultipartError) -> Refusal {
    Refusal(error.status(), format!("{}; a file may have {LARGEST_UPLOAD} bytes", error.body_text()))
}
