//! API tokens: in the name of a person, for what was said when they were made, until they expire.

use crate::{ProjectId, Service, ServiceError, UserId, random_token};
use domain::{ApiTokenEntry, Role, Scope};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::{net::IpAddr, num::NonZeroU32};
use store::{ApiToken, NewApiToken, TokenHash, Viewer};
use time::{Duration, OffsetDateTime, format_description::well_known::Rfc3339};

/// How long a token works at most, in days.
const LONGEST: u32 = 366;

/// What a token begins with, so that scanners of leaked secrets know it.
const MARK: &str = "ts_";

/// Hexadecimal digits of the part that names a token and is no secret.
const PREFIX: usize = 8;

/// Wrong tokens that a peer may send in a minute before it is told to wait.
const WRONG: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);

/// Counts the wrong tokens of each peer.
pub(crate) struct WrongTokens(DefaultKeyedRateLimiter<IpAddr>);

impl Default for WrongTokens {
    fn default() -> WrongTokens {
        WrongTokens(RateLimiter::keyed(Quota::per_minute(WRONG)))
    }
}

impl WrongTokens {
    /// Why a wrong token is refused: after too many of them the peer is told to wait. A right token is never held up, since those of a
    /// whole company may come by one proxy.
    fn refuse(&self, peer: IpAddr) -> ServiceError {
        tracing::warn!(%peer, "refused an API token");
        // Counters of those who have waited long enough are forgotten, so that strangers cannot fill the memory.
        if self.0.len() > 10_000 {
            self.0.retain_recent();
        }
        if self.0.check_key(&peer).is_err() {
            let what = "too many wrong tokens: wait a minute, then try again".to_owned();
            return ServiceError::Busy { what };
        }
        let reason = "this token is wrong, has expired or was revoked: make another on the account page, or by \
                      `touchstone token create`";
        ServiceError::Invalid { field: "token".to_owned(), reason: reason.to_owned() }
    }
}

/// What a token is to be good for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiTokenRequest {
    /// What it is for, in the person's words.
    pub name: String,
    /// The name of the project that it is for; `None`: every project of the person.
    pub project: Option<String>,
    /// What it may be used for.
    pub scopes: Vec<Scope>,
    /// For how many days it works.
    pub days: u32,
}

/// Who asks by a token, and what the token allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    user: UserId,
    project: Option<ProjectId>,
    scopes: Vec<Scope>,
}

impl Caller {
    /// In whose name the token speaks.
    #[must_use]
    pub fn user(&self) -> UserId {
        self.user
    }

    /// For whom reports are read: what is sealed to the person stays sealed.
    #[must_use]
    pub fn viewer(&self) -> Viewer {
        Viewer::Member(self.user)
    }
}

impl Service {
    /// Makes a token in the name of a person. Gives the token, which is kept nowhere.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for what cannot be asked; [`ServiceError::NotFound`] for a project that the person does not belong to.
    pub async fn create_api_token(
        &self,
        user: UserId,
        request: &ApiTokenRequest,
        by: Option<UserId>,
    ) -> Result<String, ServiceError> {
        let invalid = |field: &str, reason: &str| ServiceError::Invalid {
            field: field.to_owned(),
            reason: reason.to_owned(),
        };
        if !(1..=LONGEST).contains(&request.days) {
            return Err(invalid("days", "a token works for 1 to 366 days"));
        }
        let mut scopes = request.scopes.clone();
        scopes.sort_unstable();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(invalid("scopes", "a token is for something: read, gate, judge, score or import"));
        }
        let project = match &request.project {
            None => None,
            Some(project) => Some(self.role_in(project, user).await?.0),
        };
        let prefix: String = random_token().chars().take(PREFIX).collect();
        let token = format!("{MARK}{prefix}_{}", random_token());
        let new = NewApiToken {
            prefix: &prefix,
            hash: TokenHash::of(&token),
            user,
            project,
            name: request.name.trim(),
            scopes: &scopes,
            expires_at: self.now() + Duration::days(request.days.into()),
        };
        self.store.create_api_token(&new, self.now()).await?;
        let account = self.user(user).await?.account;
        let words: Vec<&str> = scopes.iter().map(|scope| scope.word()).collect();
        let detail = format!("{MARK}{prefix} of {account}: {}", words.join(" "));
        self.record(by, project, "create_api_token", &detail).await?;
        Ok(token)
    }

    /// Who asks by this token. What the person may do is asked by [`Service::admit`].
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a token that is wrong, has expired or was revoked, or whose person was shut out;
    /// [`ServiceError::Busy`] after too many of them.
    pub async fn caller(&self, token: &str, peer: IpAddr) -> Result<Caller, ServiceError> {
        let known = match prefix_of(token) {
            Some(prefix) => self.store.api_token(prefix).await?,
            None => None,
        };
        let hash = TokenHash::of(token);
        let right = known.filter(|known| known.hash.is_equal(&hash) && known.expires_at > self.now());
        let Some(found) = right else { return Err(self.wrong_tokens.refuse(peer)) };
        if self.store.user(found.user).await?.disabled {
            return Err(self.wrong_tokens.refuse(peer));
        }
        self.store.touch_api_token(&found, self.now()).await?;
        Ok(Caller { user: found.user, project: found.project.map(|(id, _)| id), scopes: found.scopes })
    }

    /// Lets a caller into a project for what its token is for and its person may do there now.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a project that the person does not belong to, or that the token is not for;
    /// [`ServiceError::Forbidden`] for a scope that the token does not have, or that the person's role does not allow.
    pub async fn admit(
        &self,
        caller: &Caller,
        project: &str,
        scope: Scope,
    ) -> Result<ProjectId, ServiceError> {
        let (id, role) = self.role_in(project, caller.user).await?;
        if caller.project.is_some_and(|only| only != id) {
            let project = domain::visible(project);
            return Err(ServiceError::NotFound {
                what: format!("there is no project `{project}` that you belong to and that the token is for"),
            });
        }
        if !caller.scopes.contains(&scope) {
            let what = format!("this needs a token with the scope `{scope}`: make another");
            return Err(ServiceError::Forbidden { what });
        }
        if !role.may(scope.permission()) {
            let least = Role::ALL.into_iter().find(|role| role.may(scope.permission()));
            let least = least.unwrap_or(Role::Admin);
            let what =
                format!("this needs the role {least} in the project, of the token's person: ask an admin");
            return Err(ServiceError::Forbidden { what });
        }
        Ok(id)
    }

    /// The projects that a caller may read, by name.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn projects_for(
        &self,
        caller: &Caller,
    ) -> Result<Vec<domain::ProjectMembership>, ServiceError> {
        let mut projects = self.store.projects_of(caller.user).await?;
        projects.retain(|(project, _)| caller.project.is_none_or(|only| only == project.id));
        Ok(projects
            .into_iter()
            .map(|(project, role)| domain::ProjectMembership { project: project.name, role })
            .collect())
    }

    /// The tokens that have not been revoked, oldest first; those of one person where one is named.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn api_tokens(&self, user: Option<UserId>) -> Result<Vec<ApiTokenEntry>, ServiceError> {
        Ok(self.store.api_tokens(user).await?.into_iter().map(entry).collect())
    }

    /// Revokes a token for good, by its prefix; one of that person where one is named.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for a token of somebody else.
    pub async fn revoke_api_token(&self, prefix: &str, user: Option<UserId>) -> Result<(), ServiceError> {
        let prefix = prefix.strip_prefix(MARK).unwrap_or(prefix);
        self.store.revoke_api_token(prefix, user, self.now()).await?;
        self.record(user, None, "revoke_api_token", &format!("{MARK}{prefix}")).await
    }
}

/// The part of a token that names it.
fn prefix_of(token: &str) -> Option<&str> {
    let (prefix, secret) = token.strip_prefix(MARK)?.split_once('_')?;
    (prefix.len() == PREFIX && !secret.is_empty()).then_some(prefix)
}

fn entry(token: ApiToken) -> ApiTokenEntry {
    let text = |time: OffsetDateTime| time.format(&Rfc3339).unwrap_or_default();
    ApiTokenEntry {
        prefix: token.prefix,
        name: token.name,
        account: token.account,
        project: token.project.map(|(_, name)| name),
        scopes: token.scopes,
        since: text(token.created_at),
        expires: text(token.expires_at),
        last_used: token.last_used_at.map(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_named_by_its_prefix_alone() {
        assert_eq!(prefix_of("ts_0123abcd_secret"), Some("0123abcd"));
        for wrong in ["", "ts_", "ts_0123abcd", "ts_0123abcd_", "ts_012_secret", "0123abcd_secret", "ts__"] {
            assert_eq!(prefix_of(wrong), None, "{wrong}");
        }
    }
}
