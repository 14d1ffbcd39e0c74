//! Who asks, and what the token allows: the first line of every handler.

use super::Problem;
use crate::http::AppState;
use axum::{
    extract::{ConnectInfo, FromRef, FromRequestParts},
    http::{StatusCode, header, request::Parts},
};
use domain::Scope;
use service::{Caller, ProjectId, Service, ServiceError, UserId, Viewer};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// A token that holds.
pub(super) struct Token {
    service: Service,
    caller: Caller,
}

/// What a token opens: a project, for a scope.
pub(super) struct Pass {
    /// What Touchstone does.
    pub(super) service: Service,
    /// The project.
    pub(super) project: ProjectId,
    /// In whose name.
    pub(super) user: UserId,
    /// For whom is read.
    pub(super) viewer: Viewer,
}

impl Token {
    /// Lets the token's person into a project, for what the token is for.
    pub(super) async fn admit(self, project: &str, scope: Scope) -> Result<Pass, Problem> {
        let Token { service, caller } = self;
        let project = service.admit(&caller, project, scope).await?;
        Ok(Pass { service, project, user: caller.user(), viewer: caller.viewer() })
    }

    /// The projects that it is for.
    pub(super) async fn projects(&self) -> Result<Vec<domain::ProjectMembership>, Problem> {
        Ok(self.service.projects_for(&self.caller).await?)
    }
}

impl FromRequestParts<AppState> for Token {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Token, Problem> {
        let service = Service::from_ref(state);
        let header = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let bearer = header.and_then(|header| header.split_once(' '));
        let Some((_, token)) = bearer.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")) else {
            return Err(Problem::unauthorised("send a token: `Authorization: Bearer ts_…`"));
        };
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(address)| address.ip());
        match service.caller(token.trim(), peer).await {
            Ok(caller) => Ok(Token { service, caller }),
            Err(ServiceError::Busy { what }) => Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, what)),
            Err(ServiceError::Invalid { reason, .. }) => Err(Problem::unauthorised(reason)),
            Err(error) => Err(error.into()),
        }
    }
}
