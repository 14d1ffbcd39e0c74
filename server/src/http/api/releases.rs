//! What stands, and how it came to stand there.

use super::{Problem, Query, token::Token};
use crate::wire::InProject;
use axum::Json;
use domain::{Recalibration, ReleaseLogEntry, Scope, SlotChange};

/// Which judge stands where
#[utoipa::path(get, operation_id = "slots", path = "/slots", tag = "gates", params(InProject), responses(
    (status = 200, description = "The last change of each slot, as `touchstone slots --json` prints it", body = Vec<Value>),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn slots(
    token: Token,
    Query(InProject { project }): Query<InProject>,
) -> Result<Json<Vec<SlotChange>>, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    Ok(Json(pass.service.slots(pass.project).await?))
}

/// What was asked, decided, moved and promoted, newest first
#[utoipa::path(get, operation_id = "release_log", path = "/log", tag = "gates", params(InProject), responses(
    (status = 200, description = "As `touchstone log --json` prints it", body = Vec<Value>),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn log(
    token: Token,
    Query(InProject { project }): Query<InProject>,
) -> Result<Json<Vec<ReleaseLogEntry>>, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    Ok(Json(pass.service.release_log(pass.project).await?))
}

/// What came of promoted judges that were asked again, newest first
#[utoipa::path(get, operation_id = "calibrations", path = "/calibrations", tag = "gates", params(InProject), responses(
    (status = 200, description = "As `touchstone calibrate --json` printed it", body = Vec<Value>),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn calibrations(
    token: Token,
    Query(InProject { project }): Query<InProject>,
) -> Result<Json<Vec<Recalibration>>, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    Ok(Json(pass.service.recalibrations(pass.project).await?))
}
