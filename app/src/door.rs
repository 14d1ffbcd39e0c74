//! Who asks, and what that person may do: the first line of every server function.

use crate::error::AppError;
use axum::{extract::ConnectInfo, http::request::Parts};
use domain::{Permission, Role};
use leptos::prelude::use_context;
use service::{Service, ServiceError};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use store::{ProjectId, SessionKey, UserId, Viewer};
use tower_sessions::Session;

/// The key under which a session holds the id of the user.
const USER: &str = "user";

/// The key under which a session holds the browser's own name, for the list of sessions.
const USER_AGENT: &str = "user_agent";

/// A member of a project who may do what was asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    /// The project.
    pub(crate) project: ProjectId,
    /// The member.
    pub(crate) user: UserId,
    /// What the member is in the project.
    pub(crate) role: Role,
}

impl Pass {
    /// For whom reports are read: what is sealed to the member stays sealed.
    pub(crate) fn viewer(&self) -> Viewer {
        Viewer::Member(self.user)
    }
}

/// What Touchstone does, for this request.
pub(crate) fn service() -> Result<Service, AppError> {
    use_context::<Service>().ok_or_else(|| internal("no service is provided to the pages"))
}

/// The session of this request.
pub(crate) async fn session() -> Result<Session, AppError> {
    leptos_axum::extract::<Session>().await.map_err(|error| internal(&error.to_string()))
}

/// Who is signed in, if anyone.
pub(crate) async fn visitor() -> Result<Option<UserId>, AppError> {
    let id: Option<String> =
        session().await?.get(USER).await.map_err(|error| internal(&error.to_string()))?;
    Ok(id.and_then(|id| id.parse().ok()))
}

/// Who is signed in.
pub(crate) async fn user() -> Result<UserId, AppError> {
    visitor().await?.ok_or(AppError::Unauthenticated)
}

/// Lets a member of the project in who may do that.
pub(crate) async fn authorise(project: &str, permission: Permission) -> Result<Pass, AppError> {
    let user = user().await?;
    let (project, role) = service()?.role_in(project, user).await.map_err(refused)?;
    if !role.may(permission) {
        let needs = Role::ALL.into_iter().find(|role| role.may(permission)).unwrap_or(Role::Admin);
        tracing::warn!(%user, ?permission, "door.forbidden");
        return Err(AppError::Forbidden { needs });
    }
    Ok(Pass { project, user, role })
}

/// Begins a session of that user under a new id, so that an id that was known before is worth nothing.
pub(crate) async fn let_in(user: UserId) -> Result<(), AppError> {
    let session = session().await?;
    let failed = |error: tower_sessions::session::Error| internal(&error.to_string());
    session.cycle_id().await.map_err(failed)?;
    session.insert(USER_AGENT, header("user-agent")).await.map_err(failed)?;
    session.insert(USER, user.to_string()).await.map_err(failed)
}

/// The name of the session of this request, by which it is told from the person's others.
pub(crate) async fn session_key() -> Result<Option<SessionKey>, AppError> {
    Ok(session().await?.id().map(|id| SessionKey::of(&id)))
}

/// Ends the session of this request.
pub(crate) async fn let_out() -> Result<(), AppError> {
    session().await?.flush().await.map_err(|error| internal(&error.to_string()))
}

/// The address that the request comes from, for throttling.
pub(crate) fn peer() -> IpAddr {
    let address = parts().and_then(|parts| parts.extensions.get::<ConnectInfo<SocketAddr>>().copied());
    address.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(address)| address.ip())
}

/// What a refusal of the service is to whoever asked. What is internal goes to the log, and only its place is told.
pub(crate) fn refused(error: ServiceError) -> AppError {
    match error {
        ServiceError::NotFound { what } => AppError::NotFound { what },
        ServiceError::Conflict { what } => AppError::Conflict { what },
        ServiceError::Invalid { field, reason } => AppError::Invalid { field, reason },
        ServiceError::Forbidden { .. } => AppError::Forbidden { needs: Role::Admin },
        ServiceError::Busy { what } => AppError::Busy { what },
        other => internal(&other.to_string()),
    }
}

/// A fault of ours: the log gets the text, the visitor gets where to find it.
pub(crate) fn internal(text: &str) -> AppError {
    let fault: String = service::random_token().chars().take(8).collect();
    tracing::error!(%fault, text, "page.internal");
    AppError::Internal { id: format!("fault {fault}") }
}

fn parts() -> Option<Parts> {
    use_context::<Parts>()
}

fn header(name: &str) -> Option<String> {
    parts()?.headers.get(name)?.to_str().ok().map(str::to_owned)
}

/// The key under which a session holds the invitation that its owner just made.
const INVITATION: &str = "invitation";

/// The key under which a session holds the API token that its owner just made.
const API_TOKEN: &str = "api_token";

/// Keeps the token of an invitation for the next page: a form that was sent without a program has no other way to be shown it.
pub(crate) async fn keep_invitation(token: &str) -> Result<(), AppError> {
    keep(INVITATION, token).await
}

/// The path of the invitation that was just made, once.
pub(crate) async fn take_invitation() -> Result<Option<String>, AppError> {
    Ok(take(INVITATION).await?.map(|token| format!("/invitation/{token}")))
}

/// Keeps an API token for the next page, for the same reason.
pub(crate) async fn keep_api_token(token: &str) -> Result<(), AppError> {
    keep(API_TOKEN, token).await
}

/// The API token that was just made, once.
pub(crate) async fn take_api_token() -> Result<Option<String>, AppError> {
    take(API_TOKEN).await
}

async fn keep(key: &str, secret: &str) -> Result<(), AppError> {
    session().await?.insert(key, secret).await.map_err(|error| internal(&error.to_string()))
}

async fn take(key: &str) -> Result<Option<String>, AppError> {
    session().await?.remove(key).await.map_err(|error| internal(&error.to_string()))
}
