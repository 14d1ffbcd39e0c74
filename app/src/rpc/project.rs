//! The projects of a person, and the home of each.

use crate::error::AppError;
use domain::{ProjectFigures, ProjectMembership, Role};
use leptos::prelude::*;
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
#[server]
pub(crate) async fn load_projects() -> Result<Vec<ProjectMembership>, AppError> {
    let user = door::user().await?;
    door::service()?.projects_of(user).await.map_err(door::refused)
}

/// The home of a project.
#[server]
pub(crate) async fn load_home(project: String) -> Result<HomePage, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let figures = door::service()?.figures(pass.project, pass.viewer()).await.map_err(door::refused)?;
    Ok(HomePage { figures, role: pass.role })
}
