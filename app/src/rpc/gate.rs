//! Gates: deciding, and the record of what was decided.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{
    address, door,
    page::{
        decision::record::{Record, TITLE},
        gate::log::Log,
    },
    rpc::comparison::rule_of,
};
#[cfg(feature = "ssr")]
use domain::Permission;

/// What the gate page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GatePage {
    /// The decisions, newest first.
    pub(crate) decisions: Markup,
    /// Every judge that could stand.
    pub(crate) judges: Vec<String>,
    /// Whether the visitor may decide.
    pub(crate) may_decide: bool,
}

/// The gate page.
#[server(input = Json)]
pub(crate) async fn load_gate(project: String) -> Result<Packed<GatePage>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let decisions = service.decisions(pass.project).await.map_err(door::refused)?;
    let judges = service.judges(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let decisions = Markup::of_part(view! { <Log project=project decisions=decisions/> });
    Packed::new(&GatePage { decisions, judges, may_decide: pass.role.may(Permission::Gate) })
}

/// Decides, and goes on to the decision.
#[server]
pub(crate) async fn decide(
    project: String,
    candidate: String,
    #[server(default)] incumbent: String,
    #[server(default)] rule: String,
    #[server(default)] annotators: String,
    policy: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Gate).await?;
    let incumbent = Some(incumbent).filter(|judge| !judge.is_empty());
    let annotators = annotators.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
    let (rule, annotators) = (rule_of(Some(rule))?, annotators.collect());
    let reference = service::ReferenceChoice::Labels { rule, annotators };
    let request = service::GateRequest { candidate, incumbent, policy, reference };
    let found = door::service()?.gate(pass.project, request, Some(pass.user), pass.viewer()).await;
    let decision = found.map_err(door::refused)?;
    let page = format!("gate/{}", address::encoded(&decision.id));
    leptos_axum::redirect(&address::of_project(&project, &page), false);
    Ok(())
}

/// One decision.
#[server(input = Json)]
pub(crate) async fn load_decision(project: String, id: String) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let found = door::service()?.decision(pass.project, &id).await.map_err(door::refused)?;
    Packed::new(&Markup::of_page(TITLE, view! { <Record decision=found/> }))
}
