//! Runs of judges.

use super::{Body, Path, Problem, Query, token::Token};
use crate::wire::{InProject, RunBody};
use axum::{
    Json,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::Scope;
use service::RunEntry;

/// List the runs, newest first
#[utoipa::path(get, operation_id = "list_runs", path = "/runs", tag = "judges", params(InProject), responses(
    (status = 200, description = "As `touchstone judge runs --json` prints them", body = Vec<Value>),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn list(
    token: Token,
    Query(InProject { project }): Query<InProject>,
) -> Result<Json<Vec<RunEntry>>, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    let runs = pass.service.runs(pass.project).await?;
    Ok(Json(runs.into_iter().map(RunEntry::from).collect()))
}

/// A run as it stands
#[utoipa::path(get, operation_id = "run", path = "/runs/{run}", tag = "judges",
    params(InProject, ("run" = String, Path, description = "Id of the run")), responses(
    (status = 200, description = "How far it came", body = Value),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn one(
    token: Token,
    Path(run): Path<String>,
    Query(InProject { project }): Query<InProject>,
) -> Result<Json<RunEntry>, Problem> {
    let pass = token.admit(&project, Scope::Read).await?;
    Ok(Json(pass.service.run(pass.project, &run).await?.into()))
}

/// Begin a run, which costs what its calls cost
#[utoipa::path(post, operation_id = "start_run", path = "/runs", tag = "judges", request_body = RunBody, responses(
    (status = 201, description = "The run as it stands at the start; it goes on in the background", body = Value,
        headers(("location" = String, description = "Where it is"))),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn start(token: Token, Body(body): Body<RunBody>) -> Result<Response, Problem> {
    let pass = token.admit(&body.project, Scope::Judge).await?;
    let run = pass.service.start_run(pass.project, &body.judge, &body.plan()?, Some(pass.user)).await?;
    let place = super::address(&format!("runs/{}", run.id), &body.project);
    Ok((StatusCode::CREATED, [(header::LOCATION, place)], Json(RunEntry::from(run))).into_response())
}

/// Give up a run; what was answered stays
#[utoipa::path(post, operation_id = "cancel_run", path = "/runs/{run}/cancel", tag = "judges",
    params(InProject, ("run" = String, Path, description = "Id of the run")), responses(
    (status = 200, description = "The run as it stands", body = Value),
    (status = "default", description = "Why not", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn cancel(
    token: Token,
    Path(run): Path<String>,
    Query(InProject { project }): Query<InProject>,
) -> Result<Json<RunEntry>, Problem> {
    let pass = token.admit(&project, Scope::Judge).await?;
    pass.service.cancel_run(pass.project, &run, Some(pass.user)).await?;
    Ok(Json(pass.service.run(pass.project, &run).await?.into()))
}
