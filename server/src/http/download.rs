//! Reports as files, with the same numbers as the pages.

use crate::table;
use axum::{
    extract::{Path, Query, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{AgreementReport, AnchorSetName, Comparison, Diagnosis, Permission, Role};
use serde::{Deserialize, Serialize};
use service::{
    AgreementQuery, ComparisonQuery, DiagnosisQuery, ExportFormat, ProjectId, ReferenceChoice, Service,
    ServiceError, UserId, Viewer,
};
use tower_sessions::Session;

/// The query string that pages and downloads share.
#[derive(Deserialize)]
pub(super) struct Parameters {
    criterion: Option<String>,
    by: Option<String>,
    rule: Option<String>,
    reference: Option<String>,
    incumbent: Option<String>,
    from: Option<String>,
    judge: Option<String>,
    k: Option<String>,
}

pub(super) async fn agreement_json(
    session: Session,
    service: State<Service>,
    project: Path<String>,
    parameters: Query<Parameters>,
) -> Result<Response, Refusal> {
    Ok(json(&agreement(session, service, project, parameters).await?, "agreement"))
}

pub(super) async fn agreement_csv(
    session: Session,
    service: State<Service>,
    project: Path<String>,
    parameters: Query<Parameters>,
) -> Result<Response, Refusal> {
    Ok(csv(table::agreement(&agreement(session, service, project, parameters).await?), "agreement"))
}

pub(super) async fn comparison_json(
    session: Session,
    service: State<Service>,
    project: Path<String>,
    parameters: Query<Parameters>,
) -> Result<Response, Refusal> {
    Ok(json(&comparison(session, service, project, parameters).await?, "comparison"))
}

pub(super) async fn comparison_csv(
    session: Session,
    service: State<Service>,
    project: Path<String>,
    parameters: Query<Parameters>,
) -> Result<Response, Refusal> {
    Ok(csv(table::comparison(&comparison(session, service, project, parameters).await?), "comparison"))
}

pub(super) async fn diagnosis_json(
    session: Session,
    service: State<Service>,
    project: Path<String>,
    parameters: Query<Parameters>,
) -> Result<Response, Refusal> {
    Ok(json(&diagnosis(session, service, project, parameters).await?, "diagnosis"))
}

pub(super) async fn diagnosis_csv(
    session: Session,
    service: State<Service>,
    project: Path<String>,
    parameters: Query<Parameters>,
) -> Result<Response, Refusal> {
    Ok(csv(table::diagnosis(&diagnosis(session, service, project, parameters).await?), "diagnosis"))
}

/// The file of a frozen set, byte for byte.
pub(super) async fn anchor_set(
    session: Session,
    State(service): State<Service>,
    Path((project, set)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (project, viewer) = authorise(&session, &service, &project).await?;
    let missing = |says: String| Refusal(StatusCode::NOT_FOUND, says);
    let name: AnchorSetName = set.parse().map_err(missing)?;
    let file = service.anchor_set_file(project, &name, viewer).await?;
    service.record_export(project, &format!("anchor set {name}"), viewer).await?;
    Ok(attachment(file, "application/json", &format!("{}-{}.json", name.name, name.version)))
}

/// Conversations and labels for another tool, by the name of the file.
pub(super) async fn export(
    session: Session,
    State(service): State<Service>,
    Path((project, file)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let (project, viewer) = authorise(&session, &service, &project).await?;
    let format = ExportFormat::ALL.into_iter().find(|format| format.file_name() == file);
    let missing = || Refusal(StatusCode::NOT_FOUND, "there is no such export".to_owned());
    let format = format.ok_or_else(missing)?;
    let body = service.export(project, format, viewer).await?;
    let content_type =
        if format == ExportFormat::HuggingFace { "application/jsonl" } else { "application/json" };
    Ok(attachment(body, content_type, format.file_name()))
}

async fn agreement(
    session: Session,
    State(service): State<Service>,
    Path(project): Path<String>,
    Query(parameters): Query<Parameters>,
) -> Result<AgreementReport, Refusal> {
    let (project, viewer) = authorise(&session, &service, &project).await?;
    let by = parameters
        .by
        .filter(|by| !by.is_empty())
        .map(|by| by.parse())
        .transpose()
        .map_err(Refusal::invalid)?;
    let query =
        AgreementQuery { criterion: parameters.criterion.filter(|criterion| !criterion.is_empty()), by };
    let report = service.agreement(project, &query, viewer).await?;
    service.record_export(project, "agreement", viewer).await?;
    Ok(report)
}

async fn comparison(
    session: Session,
    State(service): State<Service>,
    Path(project): Path<String>,
    Query(parameters): Query<Parameters>,
) -> Result<Comparison, Refusal> {
    let (project, viewer) = authorise(&session, &service, &project).await?;
    let said = |text: Option<String>| text.filter(|text| !text.is_empty());
    let [reference, rule] = [parameters.reference, parameters.rule].map(Option::unwrap_or_default);
    let query = ComparisonQuery {
        reference: ReferenceChoice::asked(&reference, &rule, "")?,
        criterion: said(parameters.criterion),
        incumbent: said(parameters.incumbent),
        by: said(parameters.by).map(|by| by.parse()).transpose().map_err(Refusal::invalid)?,
        ..ComparisonQuery::default()
    };
    let report = service.comparison(project, &query, viewer).await?;
    service.record_export(project, "comparison", viewer).await?;
    Ok(report)
}

async fn diagnosis(
    session: Session,
    State(service): State<Service>,
    Path(project): Path<String>,
    Query(parameters): Query<Parameters>,
) -> Result<Diagnosis, Refusal> {
    let (project, viewer) = authorise(&session, &service, &project).await?;
    let Parameters { from, judge, by, k, .. } = parameters;
    let query = DiagnosisQuery::asked(from, judge, by.as_deref(), k.as_deref())?;
    let report = service.diagnosis(project, &query, viewer).await?;
    service.record_export(project, "diagnosis", viewer).await?;
    Ok(report)
}

/// Lets in whoever may analyse the project.
pub(super) async fn authorise(
    session: &Session,
    service: &Service,
    project: &str,
) -> Result<(ProjectId, Viewer), Refusal> {
    let (project, user) = member(session, service, project, Permission::Analyse).await?;
    Ok((project, Viewer::Member(user)))
}

/// Lets in a member of the project who may do that.
pub(super) async fn member(
    session: &Session,
    service: &Service,
    project: &str,
    permission: Permission,
) -> Result<(ProjectId, UserId), Refusal> {
    let user = session.get::<String>("user").await.ok().flatten().and_then(|id| id.parse::<UserId>().ok());
    let user = user.ok_or_else(|| Refusal(StatusCode::UNAUTHORIZED, "sign in first".to_owned()))?;
    let (project, role) = service.role_in(project, user).await?;
    if !role.may(permission) {
        let needs = Role::ALL.into_iter().find(|role| role.may(permission)).unwrap_or(Role::Admin);
        return Err(Refusal(StatusCode::FORBIDDEN, format!("this needs the role {needs} or more")));
    }
    Ok((project, user))
}

fn json(report: &impl Serialize, name: &str) -> Response {
    match serde_json::to_string_pretty(report) {
        Ok(body) => attachment(body, "application/json", &format!("{name}.json")),
        Err(error) => Refusal::from(ServiceError::Internal(error.to_string())).into_response(),
    }
}

fn csv(table: Result<String, csv::Error>, name: &str) -> Response {
    match table {
        Ok(body) => attachment(body, "text/csv; charset=utf-8", &format!("{name}.csv")),
        Err(error) => Refusal::from(ServiceError::Internal(error.to_string())).into_response(),
    }
}

fn attachment(body: String, content_type: &'static str, name: &str) -> Response {
    let headers = [
        (header::CONTENT_TYPE, content_type.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, body).into_response()
}

/// A status and a sentence.
pub(super) struct Refusal(pub(super) StatusCode, pub(super) String);

impl Refusal {
    fn invalid(says: String) -> Refusal {
        Refusal(StatusCode::UNPROCESSABLE_ENTITY, says)
    }
}

impl From<ServiceError> for Refusal {
    fn from(error: ServiceError) -> Refusal {
        let status = match &error {
            ServiceError::NotFound { .. } => StatusCode::NOT_FOUND,
            ServiceError::Conflict { .. } => StatusCode::CONFLICT,
            ServiceError::Invalid { .. } | ServiceError::Faults(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ServiceError::Forbidden { .. } => StatusCode::FORBIDDEN,
            ServiceError::Busy { .. } => StatusCode::SERVICE_UNAVAILABLE,
            ServiceError::File { .. } | ServiceError::Internal(_) => {
                tracing::error!(%error, "a report failed");
                return Refusal(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "something broke; the log says what".to_owned(),
                );
            }
        };
        Refusal(status, error.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, format!("{}\n", self.1)).into_response()
    }
}
