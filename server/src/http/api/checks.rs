//! Golden cases.

use super::{Problem, Query, form::AnswerForm, token::Token};
use crate::{
    cli::check,
    wire::{CheckParameters, InProject},
};
use axum::{
    http::{HeaderMap, StatusCode},
    response::Response,
};
use domain::Scope;

/// Do the golden cases pass?
#[utoipa::path(get, operation_id = "check", path = "/checks", tag = "reports", params(InProject, CheckParameters, AnswerForm), responses(
    (status = 200, description = "As `touchstone check` prints it", content(
        (Value = "application/json"), (String = "application/xml"), (String = "text/markdown"), (String = "text/plain"),
    )),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn report(
    token: Token,
    Query(InProject { project }): Query<InProject>,
    Query(parameters): Query<CheckParameters>,
    Query(form): Query<AnswerForm>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    let report = pass.service.check(pass.project, &parameters.query(), pass.viewer).await?;
    form.write(StatusCode::OK, &headers, |format| check::written(&report, format))
}
