//! People: signing in, invitations, sessions.

use crate::{ProjectId, Service, ServiceError, User, UserId, password, random_token};
use domain::{OwnSession, Role};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::{net::IpAddr, num::NonZeroU32};
use store::{NewAuditEntry, NewInvitation, NewUser, SessionKey, TokenHash};
use time::{Duration, format_description::well_known::Rfc3339};

/// How long a link works.
const INVITATION_LIFETIME: Duration = Duration::days(7);

/// Attempts to sign in: ten an hour for an account, five a minute for a peer.
pub(crate) struct Throttle {
    by_account: DefaultKeyedRateLimiter<String>,
    by_peer: DefaultKeyedRateLimiter<IpAddr>,
}

const TEN: NonZeroU32 = NonZeroU32::MIN.saturating_add(9);
const FIVE: NonZeroU32 = NonZeroU32::MIN.saturating_add(4);

impl Default for Throttle {
    fn default() -> Throttle {
        Throttle {
            by_account: RateLimiter::keyed(Quota::per_hour(TEN)),
            by_peer: RateLimiter::keyed(Quota::per_minute(FIVE)),
        }
    }
}

impl Throttle {
    fn admit(&self, account: &str, peer: IpAddr) -> Result<(), ServiceError> {
        let account = account.trim().to_lowercase();
        if self.by_peer.check_key(&peer).is_err() || self.by_account.check_key(&account).is_err() {
            let what = "too many attempts to sign in: wait a few minutes, then try again".to_owned();
            return Err(ServiceError::Busy { what });
        }
        // Counters of those who have waited long enough are forgotten, so that strangers cannot fill the memory.
        if self.by_account.len() > 10_000 || self.by_peer.len() > 10_000 {
            self.by_account.retain_recent();
            self.by_peer.retain_recent();
        }
        Ok(())
    }
}

/// What a link offers to whoever opens it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvitationSeen {
    /// The project; `None`: the whole installation.
    pub project: Option<String>,
    /// What the person will be.
    pub role: Role,
}

impl Service {
    /// Signs in. One message for a wrong name and a wrong password, and the same time for both.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] where name and password do not belong together, [`ServiceError::Busy`] after too many attempts.
    pub async fn sign_in(&self, account: &str, password: &str, peer: IpAddr) -> Result<UserId, ServiceError> {
        self.throttle.admit(account, peer)?;
        let credentials = self.store.credentials(account).await?;
        let hash = credentials.as_ref().map(|known| known.password_hash.clone());
        let right = self.hasher.verify(password, hash).await?;
        match credentials {
            Some(known) if right && !known.user.disabled => {
                self.record(Some(known.user.id), None, "sign_in", "").await?;
                Ok(known.user.id)
            }
            _ => {
                tracing::warn!(%peer, "refused an attempt to sign in");
                let reason = "name and password do not belong together".to_owned();
                Err(ServiceError::Invalid { field: "password".to_owned(), reason })
            }
        }
    }

    /// The person behind a session.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`], also for a person who has been shut out.
    pub async fn user(&self, user: UserId) -> Result<User, ServiceError> {
        let found = self.store.user(user).await?;
        if found.disabled {
            Err(ServiceError::NotFound { what: "this account is closed".to_owned() })
        } else {
            Ok(found)
        }
    }

    /// Makes a link that makes its user a member of a project. Gives the token of the link; only its hash is kept.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn invite(
        &self,
        project: ProjectId,
        role: Role,
        by: Option<UserId>,
    ) -> Result<String, ServiceError> {
        self.new_link(Some((project, role)), by).await
    }

    /// Makes the link that makes the first admin; `None` where there is one already.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn first_admin_link(&self) -> Result<Option<String>, ServiceError> {
        if self.store.admin_exists().await? {
            return Ok(None);
        }
        // Links of earlier starts end with this one: the newest printed link is the one that works.
        for earlier in self.store.invitations(None, self.now()).await? {
            self.store.revoke_invitation(&earlier.token).await?;
        }
        self.new_link(None, None).await.map(Some)
    }

    async fn new_link(
        &self,
        membership: Option<(ProjectId, Role)>,
        by: Option<UserId>,
    ) -> Result<String, ServiceError> {
        let token = random_token();
        let invitation = NewInvitation {
            token: TokenHash::of(&token),
            membership,
            invited_by: by,
            expires_at: self.now() + INVITATION_LIFETIME,
        };
        self.store.create_invitation(&invitation, self.now()).await?;
        let role = membership.map_or("admin of the installation", |(_, role)| role.word());
        self.record(by, membership.map(|(project, _)| project), "invite", role).await?;
        Ok(token)
    }

    /// What a link offers.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a link that does not work (any more).
    pub async fn invitation(&self, token: &str) -> Result<InvitationSeen, ServiceError> {
        let found = self.store.invitation(&TokenHash::of(token), self.now()).await?;
        let found = found.ok_or_else(|| ServiceError::NotFound {
            what: "this link has been used or is too old: ask for a new one".to_owned(),
        })?;
        Ok(match found.membership {
            Some((_, project, role)) => InvitationSeen { project: Some(project), role },
            None => InvitationSeen { project: None, role: Role::Admin },
        })
    }

    /// Makes an account by a link, and uses the link up. The account is the name in lower case.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] for a name or password that cannot stand, [`ServiceError::Conflict`] where the name is taken.
    pub async fn accept_invitation(
        &self,
        token: &str,
        name: &str,
        password: &str,
    ) -> Result<UserId, ServiceError> {
        self.invitation(token).await?;
        let new_user = self.checked_user(name, password).await?;
        let user = self.store.accept_invitation(&TokenHash::of(token), &new_user, self.now()).await?;
        self.record(Some(user.id), None, "accept_invitation", &user.account).await?;
        Ok(user.id)
    }

    /// Gives a person who is signed in what a link grants, and uses the link up.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a link that does not work (any more).
    pub async fn join(&self, token: &str, user: UserId) -> Result<(), ServiceError> {
        self.store.accept_invitation_as(&TokenHash::of(token), user, self.now()).await?;
        self.record(Some(user), None, "accept_invitation", "").await
    }

    /// Makes an account without a link: for the command line.
    ///
    /// # Errors
    /// As [`Service::accept_invitation`].
    pub async fn create_user(
        &self,
        name: &str,
        password: &str,
        is_admin: bool,
    ) -> Result<User, ServiceError> {
        let new_user = self.checked_user(name, password).await?;
        let user = self.store.create_user(&new_user, is_admin, self.now()).await?;
        self.record(None, None, "create_user", &user.account).await?;
        Ok(user)
    }

    async fn checked_user(&self, name: &str, password: &str) -> Result<NewUser, ServiceError> {
        password::check(password, name)?;
        Ok(NewUser { name: name.trim().to_owned(), password_hash: self.hasher.hash(password).await? })
    }

    /// Replaces a password by another and ends all other sessions.
    ///
    /// # Errors
    /// [`ServiceError::Invalid`] where the old one is wrong or the new one cannot stand.
    pub async fn change_password(
        &self,
        user: UserId,
        old: &str,
        new: &str,
        keep: Option<SessionKey>,
    ) -> Result<(), ServiceError> {
        let account = self.user(user).await?.account;
        let hash = self.store.credentials(&account).await?.map(|known| known.password_hash);
        if !self.hasher.verify(old, hash).await? {
            let reason = "this is not the present password".to_owned();
            return Err(ServiceError::Invalid { field: "old".to_owned(), reason });
        }
        password::check(new, &account)?;
        let hash = self.hasher.hash(new).await?;
        self.store.set_password_hash(user, &hash).await?;
        self.store.revoke_sessions(user, keep.as_ref()).await?;
        self.record(Some(user), None, "change_password", "").await
    }

    /// The places where a person is signed in, `current` marked.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn sessions_of(
        &self,
        user: UserId,
        current: Option<SessionKey>,
    ) -> Result<Vec<OwnSession>, ServiceError> {
        let text = |time: time::OffsetDateTime| time.format(&Rfc3339).unwrap_or_default();
        let sessions = self.store.sessions_of(user, self.now()).await?;
        Ok(sessions
            .into_iter()
            .map(|session| OwnSession {
                current: current == Some(session.key),
                user_agent: session.user_agent.unwrap_or_default(),
                since: text(session.created_at),
                last_seen: text(session.last_seen_at),
            })
            .collect())
    }

    /// Ends all sessions of a person.
    ///
    /// # Errors
    /// Where the store fails.
    pub async fn revoke_all_sessions(&self, user: UserId) -> Result<(), ServiceError> {
        self.store.revoke_sessions(user, None).await?;
        self.record(Some(user), None, "log_out_everywhere", "").await
    }

    /// The person with this account.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn account(&self, account: &str) -> Result<UserId, ServiceError> {
        let known = self.store.credentials(account).await?;
        let known = known
            .ok_or_else(|| ServiceError::NotFound { what: format!("there is no account `{account}`") })?;
        Ok(known.user.id)
    }

    /// Shuts a person out, by account.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`].
    pub async fn disable_user(&self, account: &str, by: Option<UserId>) -> Result<(), ServiceError> {
        let user = self.account(account).await?;
        self.store.disable_user(user, self.now()).await?;
        self.record(by, None, "disable_user", account).await
    }

    pub(crate) async fn record(
        &self,
        user: Option<UserId>,
        project: Option<ProjectId>,
        action: &str,
        detail: &str,
    ) -> Result<(), ServiceError> {
        let entry = NewAuditEntry { user, project, action, detail };
        self.store.append_audit(&entry, self.now()).await?;
        Ok(())
    }
}
