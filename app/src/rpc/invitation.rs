//! Coming in by a one-time link.

use crate::{error::AppError, rpc::packed::Packed};
use domain::Role;
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{address, door};

/// What the link offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InvitationPage {
    /// The project; absent where the link makes the admin of the installation.
    pub(crate) project: Option<String>,
    /// The role in it.
    pub(crate) role: Role,
    /// Who is signed in already, and may join without a new account.
    pub(crate) signed_in_as: Option<String>,
}

/// What the link offers, if it is still good.
#[server(input = Json)]
pub(crate) async fn load_invitation(token: String) -> Result<Packed<InvitationPage>, AppError> {
    let visitor = door::visitor().await?;
    let service = door::service()?;
    let seen = service.invitation(&token).await.map_err(door::refused)?;
    let signed_in_as = match visitor {
        Some(user) => Some(service.user(user).await.map_err(door::refused)?.name),
        None => None,
    };
    Packed::new(&InvitationPage { project: seen.project, role: seen.role, signed_in_as })
}

/// Makes an account by the link, and signs in.
#[server]
pub(crate) async fn accept_invitation(token: String, name: String, password: String) -> Result<(), AppError> {
    let service = door::service()?;
    let seen = service.invitation(&token).await.map_err(door::refused)?;
    let user = service.accept_invitation(&token, &name, &password).await.map_err(door::refused)?;
    door::let_in(user).await?;
    leptos_axum::redirect(&home_of(seen.project), false);
    Ok(())
}

/// Joins the project of the link with the account that is signed in.
#[server]
pub(crate) async fn join_project(token: String) -> Result<(), AppError> {
    let user = door::user().await?;
    let service = door::service()?;
    let seen = service.invitation(&token).await.map_err(door::refused)?;
    service.join(&token, user).await.map_err(door::refused)?;
    leptos_axum::redirect(&home_of(seen.project), false);
    Ok(())
}

#[cfg(feature = "ssr")]
fn home_of(project: Option<String>) -> String {
    project.map_or_else(|| "/".to_owned(), |project| address::of_project(&project, "label"))
}
