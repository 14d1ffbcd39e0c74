//! Judges against people.

use super::{Problem, Query, form::ReportForm, token::Token};
use crate::{
    cli::reports,
    wire::{ComparisonParameters, InProject, ReferenceParameters},
};
use axum::{http::HeaderMap, response::Response};
use domain::{Scope, Split};

/// Judges against people
#[utoipa::path(get, operation_id = "comparison", path = "/comparisons", tag = "reports",
    params(InProject, ComparisonParameters, ReferenceParameters, ReportForm), responses(
    (status = 200, description = "As `touchstone compare` prints it. A look at `confirm` is recorded", content(
        (Value = "application/json"), (String = "text/csv"), (String = "text/plain"),
    )),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn report(
    token: Token,
    Query(InProject { project }): Query<InProject>,
    Query(parameters): Query<ComparisonParameters>,
    Query(reference): Query<ReferenceParameters>,
    Query(form): Query<ReportForm>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    let query = parameters.query(reference.choice(Split::Tune)?)?;
    let report = pass.service.comparison(pass.project, &query, pass.viewer).await?;
    form.write(&headers, |format| reports::written_comparison(&report, format))
}
