//! The record of what was decided.

use super::{Path, Problem, Query, form::AnswerForm, token::Token};
use crate::{cli::gate, wire::InProject};
use axum::{
    Json,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use domain::{Decision, Scope};

/// List the decisions, newest first
#[utoipa::path(get, operation_id = "list_decisions", path = "/decisions", tag = "gates", params(InProject), responses(
    (status = 200, description = "The last 500", body = Vec<Value>),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    token: Token,
    Query(InProject { project }): Query<InProject>,
) -> Result<Json<Vec<Decision>>, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    Ok(Json(pass.service.decisions(pass.project).await?))
}

/// A decision as it was recorded
#[utoipa::path(get, operation_id = "decision", path = "/decisions/{decision}", tag = "gates",
    params(InProject, ("decision" = String, Path, description = "Id of the decision"), AnswerForm), responses(
    (status = 200, description = "As `touchstone gate` printed it", content(
        (Value = "application/json"), (String = "application/xml"), (String = "text/markdown"), (String = "text/plain"),
    )),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn one(
    token: Token,
    Path(decision): Path<String>,
    Query(InProject { project }): Query<InProject>,
    Query(form): Query<AnswerForm>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    let decision = pass.service.decision(pass.project, &decision).await?;
    form.write(StatusCode::OK, &headers, |format| gate::written(&decision, format))
}
