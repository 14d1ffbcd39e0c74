//! The members of a project.

use crate::{error::AppError, rpc::packed::Packed};
use domain::{Member, Role};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::door;
#[cfg(feature = "ssr")]
use domain::Permission;

/// What the people page shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PeoplePage {
    /// The members.
    pub(crate) members: Vec<Member>,
    /// How many annotators each conversation wants.
    pub(crate) overlap: u32,
    /// The path of the invitation that was just made: shown once, and nowhere kept.
    pub(crate) invitation: Option<String>,
}

/// The people of a project.
#[server(input = Json)]
pub(crate) async fn load_people(project: String) -> Result<Packed<PeoplePage>, AppError> {
    let pass = door::authorise(&project, Permission::ManagePeople).await?;
    let service = door::service()?;
    let members = service.members(pass.project).await.map_err(door::refused)?;
    let overlap = service.figures(pass.project, pass.viewer()).await.map_err(door::refused)?.overlap;
    Packed::new(&PeoplePage { members, overlap, invitation: door::take_invitation().await? })
}

/// Makes an invitation, to be shown once on the page that follows.
#[server]
pub(crate) async fn invite(project: String, role: Role) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::ManagePeople).await?;
    let token = door::service()?.invite(pass.project, role, Some(pass.user)).await.map_err(door::refused)?;
    door::keep_invitation(&token).await
}

/// Gives a member another role.
#[server]
pub(crate) async fn set_role(project: String, account: String, role: Role) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::ManagePeople).await?;
    door::service()?.set_role(pass.project, &account, role, pass.user).await.map_err(door::refused)
}

/// Takes a member out of the project; the member's labels stay.
#[server]
pub(crate) async fn remove_member(project: String, account: String) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::ManagePeople).await?;
    door::service()?.remove_member(pass.project, &account, pass.user).await.map_err(door::refused)
}

/// Sets how many annotators each conversation wants.
#[server]
pub(crate) async fn set_overlap(project: String, overlap: u32) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::ManagePeople).await?;
    door::service()?.set_overlap(pass.project, overlap, Some(pass.user)).await.map_err(door::refused)
}
