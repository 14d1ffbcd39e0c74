//! The projects that a token is for.

use super::{Problem, token::Token};
use axum::Json;
use serde::Serialize;
use utoipa::ToSchema;

/// A project, and what the token's person is in it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ProjectEntry {
    /// Name, by which every other call names it
    project: String,
    /// `annotator`, `engineer`, `lead` or `admin`
    role: String,
}

/// List the projects that the token is for
#[utoipa::path(get, operation_id = "list_projects", path = "/projects", tag = "projects", responses(
    (status = 200, description = "By name", body = Vec<ProjectEntry>),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn list(token: Token) -> Result<Json<Vec<ProjectEntry>>, Problem> {
    let projects = token.projects().await?.into_iter();
    let entry = |found: domain::ProjectMembership| ProjectEntry {
        project: found.project,
        role: found.role.word().to_owned(),
    };
    Ok(Json(projects.map(entry).collect()))
}
