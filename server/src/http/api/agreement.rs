//! How far people agree.

use super::{Problem, Query, form::ReportForm, token::Token};
use crate::{
    cli::reports,
    wire::{AgreementParameters, InProject},
};
use axum::{http::HeaderMap, response::Response};
use domain::Scope;

/// How far people agree
#[utoipa::path(get, operation_id = "agreement", path = "/agreement", tag = "reports", params(InProject, AgreementParameters, ReportForm), responses(
    (status = 200, description = "As `touchstone agreement` prints it", content(
        (Value = "application/json"), (String = "text/csv"), (String = "text/plain"),
    )),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn report(
    token: Token,
    Query(InProject { project }): Query<InProject>,
    Query(parameters): Query<AgreementParameters>,
    Query(form): Query<ReportForm>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    let report = pass.service.agreement(pass.project, &parameters.query()?, pass.viewer).await?;
    form.write(&headers, |format| reports::written_agreement(&report, format))
}
