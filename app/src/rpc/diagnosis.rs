//! Where conversations fail.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use crate::{
    door,
    page::diagnose::report::{Asked, Report, TITLE},
};
#[cfg(feature = "ssr")]
use domain::Permission;

/// The metrics of a project from people or a judge, and where its conversations fail first.
#[server(input = Json)]
pub(crate) async fn load_diagnosis(
    project: String,
    from: Option<String>,
    judge: Option<String>,
    by: Option<String>,
    k: Option<String>,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let query = service::DiagnosisQuery::asked(from, judge, by.as_deref(), k.as_deref());
    let query = query.map_err(door::refused)?;
    let report = service.diagnosis(pass.project, &query, pass.viewer()).await.map_err(door::refused)?;
    let judges = service.judges(pass.project).await.map_err(door::refused)?;
    let asked = Asked::new(project, &query);
    Packed::new(&Markup::of_page(TITLE, view! { <Report report=report judges=judges asked=asked/> }))
}
