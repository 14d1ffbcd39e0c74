//! The references that were stored last.

use super::{Problem, Query, token::Token};
use crate::wire::InProject;
use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use domain::Scope;

/// The references that were stored last, each with what it was made of
#[utoipa::path(get, operation_id = "references", path = "/references", tag = "anchor sets", params(InProject), responses(
    (status = 200, description = "As `touchstone reference export` writes them", body = Value),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn file(
    token: Token,
    Query(InProject { project }): Query<InProject>,
) -> Result<Response, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    let file = pass.service.reference_file(pass.project, pass.viewer).await?;
    pass.service.record_export(pass.project, "references", pass.viewer).await?;
    Ok(([(header::CONTENT_TYPE, "application/json")], file).into_response())
}
