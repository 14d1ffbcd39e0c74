//! The ledger of verdicts that are no value.

use super::{Problem, Query, token::Token};
use crate::wire::{FailureParameters, InProject};
use axum::Json;
use domain::{LedgerEntry, Scope};

/// The verdicts that are no value, each with its raw text
#[utoipa::path(get, operation_id = "list_failures", path = "/failures", tag = "judges", params(InProject, FailureParameters), responses(
    (status = 200, description = "By judge, criterion and conversation", body = Vec<Value>),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    token: Token,
    Query(InProject { project }): Query<InProject>,
    Query(FailureParameters { judge, criterion }): Query<FailureParameters>,
) -> Result<Json<Vec<LedgerEntry>>, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    let found =
        pass.service.ledger(pass.project, judge.as_deref(), criterion.as_deref(), pass.viewer).await?;
    Ok(Json(found))
}
