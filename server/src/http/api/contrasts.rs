//! The items behind the figures of a judge.

use super::{Problem, Query, token::Token};
use crate::wire::{ContrastParameters, InProject, ReferenceParameters};
use axum::Json;
use domain::{Contrast, Scope, Split};

/// The items that a judge wins and loses against another, or those on which it is furthest from people
#[utoipa::path(get, operation_id = "contrast", path = "/contrasts", tag = "reports",
    params(InProject, ContrastParameters, ReferenceParameters), responses(
    (status = 200, description = "As `touchstone contrast --json` prints it. A look at `confirm` is recorded", body = Value),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn report(
    token: Token,
    Query(InProject { project }): Query<InProject>,
    Query(parameters): Query<ContrastParameters>,
    Query(reference): Query<ReferenceParameters>,
) -> Result<Json<Contrast>, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    let query = parameters.query(reference.choice(Split::Tune)?)?;
    Ok(Json(pass.service.contrast(pass.project, &query, pass.viewer).await?.contrast))
}
