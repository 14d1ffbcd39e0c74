//! Imports of files.

use super::{Problem, Query, token::Token};
use crate::wire::ImportParameters;
use axum::{Json, body::Body, http::StatusCode};
use domain::{ImportReport, Scope};
use futures_util::TryStreamExt;
use service::{
    ServiceError,
    import::{ImportFile, LARGEST_UPLOAD},
};
use std::io::{Seek, Write};

/// Import all that a file holds, or see what would come of it
#[utoipa::path(post, operation_id = "import", path = "/imports", tag = "imports", params(ImportParameters),
    request_body(content = String, description = "The file, at most 64 MiB", content_type = "application/octet-stream"), responses(
    (status = 200, description = "As `touchstone import --json` prints it; a dry run lists refused rows in it", body = Value),
    (status = "default", description = "Why not; nothing is stored then", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn import(
    token: Token,
    Query(parameters): Query<ImportParameters>,
    body: Body,
) -> Result<Json<ImportReport>, Problem> {
    let pass = token.admit(&parameters.project, Scope::Import).await?;
    let request = parameters.request()?;
    let failed = |error: std::io::Error| {
        ServiceError::Internal(format!("a file that was sent cannot be kept: {error}"))
    };
    let mut kept = tempfile::tempfile().map_err(failed)?;
    let (mut parts, mut bytes) = (body.into_data_stream(), 0);
    let cut_off =
        |error: axum::Error| Problem::new(StatusCode::BAD_REQUEST, format!("the file was cut off: {error}"));
    while let Some(part) = parts.try_next().await.map_err(cut_off)? {
        bytes += part.len() as u64;
        if bytes > LARGEST_UPLOAD {
            let says = format!("a file of more than {LARGEST_UPLOAD} bytes: import it by the command line");
            return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, says));
        }
        kept.write_all(&part).map_err(failed)?;
    }
    kept.rewind().map_err(failed)?;
    let file = ImportFile::sent(&parameters.name, kept);
    Ok(Json(pass.service.import_file(pass.project, file, request, pass.viewer, |_| {}).await?))
}
