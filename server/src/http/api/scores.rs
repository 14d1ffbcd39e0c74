//! Production: scores that come in, and how it stands.

use super::{Body, Problem, Query, token::Token};
use crate::wire::{InlineBody, ScoresBody, ScoresTaken, WatchParameters};
use axum::{Json, http::StatusCode};
use domain::{Scope, WatchReport};
use service::InlineAnswer;

/// Send scores of production, one or many; all are taken, or none
#[utoipa::path(post, operation_id = "add_scores", path = "/scores", tag = "production", request_body = ScoresBody, responses(
    (status = 201, description = "How many were new; what was sent before under the same key is not stored again", body = ScoresTaken),
    (status = "default", description = "Why none was taken", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn add(
    token: Token,
    Body(body): Body<ScoresBody>,
) -> Result<(StatusCode, Json<ScoresTaken>), Problem> {
    let pass = token.admit(&body.project, Scope::Score).await?;
    let taken = pass.service.add_scores(pass.project, &body.requests()?).await?;
    Ok((StatusCode::CREATED, Json(taken.into())))
}

/// How production stands: rolling means, falls, tails, and whether the judge or the assistant moved
#[utoipa::path(get, operation_id = "watch", path = "/watch", tag = "production", params(WatchParameters), responses(
    (status = 200, description = "As `touchstone watch show --json` prints it", body = Value),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn report(
    token: Token,
    Query(asked): Query<WatchParameters>,
) -> Result<Json<WatchReport>, Problem> {
    let pass = token.admit(&asked.project, Scope::Read).await?;
    Ok(Json(pass.service.watch_report(pass.project, asked.days.unwrap_or(90), pass.viewer).await?))
}

/// Pass or fail an answer before it is given, by the judge that was promoted for that
#[utoipa::path(post, operation_id = "score", path = "/score", tag = "production", request_body = InlineBody, responses(
    (status = 200, description = "Whether it passes, by the judge or, where the judge fails or is late, as the project declared", body = Value),
    (status = "default", description = "Why nothing was answered", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn inline(
    token: Token,
    Body(body): Body<InlineBody>,
) -> Result<Json<InlineAnswer>, Problem> {
    let pass = token.admit(&body.project, Scope::Score).await?;
    Ok(Json(pass.service.score_inline(pass.project, body.request()).await?))
}
