//! Signing in and out, and what belongs to one's own account.

use crate::{error::AppError, rpc::packed::Packed};
use domain::{ApiTokenEntry, OwnSession, Role};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{door, next::safe_next};
#[cfg(feature = "ssr")]
use domain::Scope;

/// What the frame around every page needs: who is here, and what that person is in the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Visitor {
    /// The name that the person goes by.
    pub(crate) name: String,
    /// The role in the project of the page; absent outside a project.
    pub(crate) role: Option<Role>,
    /// Whether the rubric of the project asks about the reasons of judges.
    pub(crate) asks_reasons: bool,
}

/// What the account page shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AccountPage {
    /// The name that the person goes by.
    pub(crate) name: String,
    /// The name to sign in with.
    pub(crate) account: String,
    /// Where the person is signed in.
    pub(crate) sessions: Vec<OwnSession>,
    /// The person's API tokens that were not revoked.
    pub(crate) tokens: Vec<ApiTokenEntry>,
    /// The API token that was just made: shown once, and nowhere kept.
    pub(crate) new_token: Option<String>,
    /// The projects that a token can be for.
    pub(crate) projects: Vec<String>,
}

/// Who is here; nobody is no error.
#[server(input = Json)]
pub(crate) async fn load_visitor(project: Option<String>) -> Result<Packed<Option<Visitor>>, AppError> {
    let Some(user) = door::visitor().await? else { return Packed::new(&None) };
    let service = door::service()?;
    let name = service.user(user).await.map_err(door::refused)?.name;
    let member = match project {
        Some(project) => service.role_in(&project, user).await.ok(),
        None => None,
    };
    let asks_reasons = match member {
        Some((project, _)) => service.asks_reasons(project).await.map_err(door::refused)?,
        None => false,
    };
    Packed::new(&Some(Visitor { name, role: member.map(|(_, role)| role), asks_reasons }))
}

/// Signs in and goes on to `next`.
#[server]
pub(crate) async fn sign_in(account: String, password: String, next: Option<String>) -> Result<(), AppError> {
    let user = door::service()?.sign_in(&account, &password, door::peer()).await.map_err(door::refused)?;
    door::let_in(user).await?;
    leptos_axum::redirect(safe_next(next.as_deref()), false);
    Ok(())
}

/// Signs out here.
#[server]
pub(crate) async fn sign_out() -> Result<(), AppError> {
    door::let_out().await?;
    leptos_axum::redirect("/sign-in", false);
    Ok(())
}

/// The account page.
#[server(input = Json)]
pub(crate) async fn load_account() -> Result<Packed<AccountPage>, AppError> {
    let user = door::user().await?;
    let service = door::service()?;
    let person = service.user(user).await.map_err(door::refused)?;
    let sessions = service.sessions_of(user, door::session_key().await?).await.map_err(door::refused)?;
    let tokens = service.api_tokens(Some(user)).await.map_err(door::refused)?;
    let projects = service.projects_of(user).await.map_err(door::refused)?;
    Packed::new(&AccountPage {
        name: person.name,
        account: person.account,
        sessions,
        tokens,
        new_token: door::take_api_token().await?,
        projects: projects.into_iter().map(|membership| membership.project).collect(),
    })
}

/// The boxes of a form, one for each scope: a scope is on where its box was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ScopeBoxes {
    read: String,
    gate: String,
    judge: String,
    score: String,
    import: String,
}

#[cfg(feature = "ssr")]
impl ScopeBoxes {
    fn chosen(self) -> Vec<Scope> {
        let ScopeBoxes { read, gate, judge, score, import } = self;
        let boxes = [
            (Scope::Read, read),
            (Scope::Gate, gate),
            (Scope::Judge, judge),
            (Scope::Score, score),
            (Scope::Import, import),
        ];
        boxes.into_iter().filter(|(_, sent)| !sent.is_empty()).map(|(scope, _)| scope).collect()
    }
}

/// Makes an API token in one's own name, to be shown once on the page that follows.
#[server]
pub(crate) async fn create_api_token(
    name: String,
    #[server(default)] project: String,
    days: String,
    #[server(flatten)] scopes: ScopeBoxes,
) -> Result<(), AppError> {
    let user = door::user().await?;
    let days = days.trim().parse().map_err(|_| AppError::Invalid {
        field: "days".to_owned(),
        reason: format!("found {}, expected a number of days", domain::visible(&days)),
    })?;
    let request = service::ApiTokenRequest {
        name,
        project: Some(project).filter(|project| !project.is_empty()),
        scopes: scopes.chosen(),
        days,
    };
    let token = door::service()?.create_api_token(user, &request, Some(user)).await;
    door::keep_api_token(&token.map_err(door::refused)?).await
}

/// Ends one of one's own API tokens for good.
#[server]
pub(crate) async fn revoke_api_token(prefix: String) -> Result<(), AppError> {
    let user = door::user().await?;
    door::service()?.revoke_api_token(&prefix, Some(user)).await.map_err(door::refused)
}

/// Signs out in every browser, this one too.
#[server]
pub(crate) async fn sign_out_everywhere() -> Result<(), AppError> {
    let user = door::user().await?;
    door::service()?.revoke_all_sessions(user).await.map_err(door::refused)?;
    door::let_out().await?;
    leptos_axum::redirect("/sign-in", false);
    Ok(())
}

/// Replaces the password, and begins a new session: all others end.
#[server]
pub(crate) async fn change_password(old: String, password: String) -> Result<(), AppError> {
    let user = door::user().await?;
    let here = door::session_key().await?;
    door::service()?.change_password(user, &old, &password, here).await.map_err(door::refused)?;
    door::let_in(user).await
}
