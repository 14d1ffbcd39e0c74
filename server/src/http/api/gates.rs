//! Gates.

use super::{Body, Problem, Query, form::AnswerForm, token::Token};
use crate::{cli::gate, wire::GateBody};
use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use domain::Scope;

/// May a judge be promoted? The answer is put on record
#[utoipa::path(post, operation_id = "decide", path = "/gates", tag = "gates", params(AnswerForm), request_body = GateBody, responses(
    (status = 201, description = "The decision, whatever it is, as `touchstone gate` prints it", content(
        (Value = "application/json"), (String = "application/xml"), (String = "text/markdown"), (String = "text/plain"),
    ), headers(("location" = String, description = "Where it is"))),
    (status = "default", description = "Why nothing was decided", body = Problem, content_type = "application/problem+json"),
))]
pub(super) async fn decide(
    token: Token,
    Query(form): Query<AnswerForm>,
    headers: HeaderMap,
    Body(body): Body<GateBody>,
) -> Result<Response, Problem> {
    let project = body.project.clone();
    let pass = token.admit(&project, Scope::Gate).await?;
    let decision = pass.service.gate(pass.project, body.request()?, Some(pass.user), pass.viewer).await?;
    let mut response =
        form.write(StatusCode::CREATED, &headers, |format| gate::written(&decision, format))?;
    let place = super::address(&format!("decisions/{}", decision.id), &project);
    if let Ok(place) = HeaderValue::from_str(&place) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}
