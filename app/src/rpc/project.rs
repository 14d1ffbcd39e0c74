//! The projects of a person, and the home of each.

use crate::{error::AppError, rpc::packed::Packed};
use domain::{ProjectFigures, ProjectMembership, Role};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::door;
#[cfg(feature = "ssr")]
use domain::Permission;

/// What the home of a project shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct HomePage {
    /// The state of the loop.
    pub(crate) figures: ProjectFigures,
    /// What the visitor is in the project: it decides which next actions are offered.
    pub(crate) role: Role,
}

/// The projects of whoever asks.
#[server(input = Json)]
pub(crate) async fn load_projects() -> Result<Packed<Vec<ProjectMembership>>, AppError> {
    let user = door::user().await?;
    let data = door::service()?.projects_of(user).await.map_err(door::refused)?;
    Packed::new(&data)
}

/// The home of a project.
#[server(input = Json)]
pub(crate) async fn load_home(project: String) -> Result<Packed<HomePage>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let figures = door::service()?.figures(pass.project, pass.viewer()).await.map_err(door::refused)?;
    Packed::new(&HomePage { figures, role: pass.role })
}
