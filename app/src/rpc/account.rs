//! Signing in and out, and what belongs to one's own account.

use crate::{error::AppError, rpc::packed::Packed};
use domain::{OwnSession, Role};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{door, next::safe_next};

/// What the frame around every page needs: who is here, and what that person is in the project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Visitor {
    /// The name that the person goes by.
    pub(crate) name: String,
    /// The role in the project of the page; absent outside a project.
    pub(crate) role: Option<Role>,
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
}

/// Who is here; nobody is no error.
#[server(input = Json)]
pub(crate) async fn load_visitor(project: Option<String>) -> Result<Packed<Option<Visitor>>, AppError> {
    let Some(user) = door::visitor().await? else { return Packed::new(&None) };
    let service = door::service()?;
    let name = service.user(user).await.map_err(door::refused)?.name;
    let role = match project {
        Some(project) => service.role_in(&project, user).await.ok().map(|(_, role)| role),
        None => None,
    };
    Packed::new(&Some(Visitor { name, role }))
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
    Packed::new(&AccountPage { name: person.name, account: person.account, sessions })
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
