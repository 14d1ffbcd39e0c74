//! The projects of a person, and the home of each.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use crate::{
    door,
    page::{
        home::steps::Loop,
        projects::list::{ProjectList, TITLE},
    },
};
#[cfg(feature = "ssr")]
use domain::{Permission, visible};

/// The projects of whoever asks.
#[server(input = Json)]
pub(crate) async fn load_projects() -> Result<Packed<Markup>, AppError> {
    let user = door::user().await?;
    let projects = door::service()?.projects_of(user).await.map_err(door::refused)?;
    Packed::new(&Markup::of_page(TITLE, view! { <ProjectList projects=projects/> }))
}

/// The home of a project.
#[server(input = Json)]
pub(crate) async fn load_home(project: String) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let figures = door::service()?.figures(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let name = visible(&figures.project);
    Packed::new(&Markup::of_page(name, view! { <Loop figures=figures role=pass.role/> }))
}
