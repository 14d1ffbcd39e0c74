//! Judge versions.

use super::{Problem, Query, token::Token};
use crate::wire::InProject;
use axum::Json;
use domain::Scope;
use service::JudgeEntry;

/// List the judge versions, with what answered for them
#[utoipa::path(get, operation_id = "list_judges", path = "/judges", tag = "judges", params(InProject), responses(
    (status = 200, description = "As `touchstone judge list --json` prints them", body = Vec<Value>),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    token: Token,
    Query(InProject { project }): Query<InProject>,
) -> Result<Json<Vec<JudgeEntry>>, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    Ok(Json(pass.service.judge_versions(pass.project, pass.viewer).await?))
}
