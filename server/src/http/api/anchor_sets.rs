//! Frozen anchor sets.

use super::{Path, Problem, Query, token::Token};
use crate::wire::InProject;
use axum::{
    Json,
    http::header,
    response::{IntoResponse, Response},
};
use domain::{AnchorSetName, Scope};
use service::{AnchorSetEntry, ServiceError};

/// List the frozen anchor sets
#[utoipa::path(get, operation_id = "list_anchor_sets", path = "/anchor-sets", tag = "anchor sets", params(InProject), responses(
    (status = 200, description = "By name and version", body = Vec<Value>),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    token: Token,
    Query(InProject { project }): Query<InProject>,
) -> Result<Json<Vec<AnchorSetEntry>>, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    Ok(Json(pass.service.anchor_sets(pass.project, pass.viewer).await?))
}

/// An anchor set byte for byte as it was frozen
#[utoipa::path(get, operation_id = "anchor_set", path = "/anchor-sets/{name}", tag = "anchor sets",
    params(InProject, ("name" = String, Path, description = "`NAME@VERSION`", example = "gold@1")), responses(
    (status = 200, description = "The file", body = Value),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn file(
    token: Token,
    Path(name): Path<String>,
    Query(InProject { project }): Query<InProject>,
) -> Result<Response, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    let name: AnchorSetName = name.parse().map_err(|what| ServiceError::NotFound { what })?;
    let file = pass.service.anchor_set_file(pass.project, &name, pass.viewer).await?;
    pass.service.record_export(pass.project, &format!("anchor set {name}"), pass.viewer).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], file).into_response())
}
