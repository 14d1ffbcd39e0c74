//! Gates: deciding, and the record of what was decided.

use crate::{
    component::markup::Markup,
    error::AppError,
    rpc::{packed::Packed, release::ReferenceDraft},
};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{
    address, door,
    page::{
        decision::record::{Record, TITLE},
        gate::log::{Log, ReleaseLog},
    },
};
use domain::SlotChange;
#[cfg(feature = "ssr")]
use domain::{Decision, Permission, Verdict};

/// What the gate page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct GatePage {
    /// The decisions, newest first.
    pub(crate) decisions: Markup,
    /// What was asked, decided, moved and promoted, newest first.
    pub(crate) log: Markup,
    /// Which judge stands where.
    pub(crate) slots: Vec<SlotChange>,
    /// Every judge that could stand.
    pub(crate) judges: Vec<String>,
    /// The frozen sets, `NAME@VERSION`.
    pub(crate) anchor_sets: Vec<String>,
    /// The policy that was saved last.
    pub(crate) policy: Option<String>,
    /// Whether the visitor may decide.
    pub(crate) may_decide: bool,
    /// Whether the visitor may roll back.
    pub(crate) may_promote: bool,
}

/// What the page of a decision shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct DecisionPage {
    /// The decision.
    pub(crate) record: Markup,
    /// Whether the visitor may promote the candidate on it.
    pub(crate) may_promote: bool,
}

/// The gate page.
#[server(input = Json)]
pub(crate) async fn load_gate(project: String) -> Result<Packed<GatePage>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let decisions = service.decisions(pass.project).await.map_err(door::refused)?;
    let log = service.release_log(pass.project).await.map_err(door::refused)?;
    let sets = service.anchor_sets(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let policies = service.policies(pass.project).await.map_err(door::refused)?;
    Packed::new(&GatePage {
        decisions: Markup::of_part(view! { <Log project=project.clone() decisions=decisions/> }),
        log: Markup::of_part(view! { <ReleaseLog project=project log=log/> }),
        slots: service.slots(pass.project).await.map_err(door::refused)?,
        judges: service.judges(pass.project).await.map_err(door::refused)?,
        anchor_sets: sets.into_iter().map(|set| format!("{}@{}", set.name, set.version)).collect(),
        policy: policies.into_iter().next().map(|latest| latest.text),
        may_decide: pass.role.may(Permission::Gate),
        may_promote: pass.role.may(Permission::Promote),
    })
}

/// Decides, and goes on to the decision. Where `keep` says something, the policy becomes the next version of the project's.
#[server]
pub(crate) async fn decide(
    project: String,
    candidate: String,
    policy: String,
    #[server(default)] incumbent: String,
    #[server(default)] keep: String,
    #[server(flatten)] reference: ReferenceDraft,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Gate).await?;
    let incumbent = Some(incumbent).filter(|judge| !judge.is_empty());
    let reference = reference.choice()?;
    let service = door::service()?;
    if !keep.is_empty() {
        let saved = service.save_policy(pass.project, &policy, Some(pass.user)).await;
        saved.map_err(door::refused)?;
    }
    let request = service::GateRequest { candidate, incumbent, policy: Some(policy), reference };
    let found = service.gate(pass.project, request, Some(pass.user), pass.viewer()).await;
    let decision = found.map_err(door::refused)?;
    let page = format!("gate/{}", address::encoded(&decision.id));
    leptos_axum::redirect(&address::of_project(&project, &page), false);
    Ok(())
}

/// One decision.
#[server(input = Json)]
pub(crate) async fn load_decision(project: String, id: String) -> Result<Packed<DecisionPage>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let found = door::service()?.decision(pass.project, &id).await.map_err(door::refused)?;
    Packed::new(&DecisionPage {
        may_promote: pass.role.may(Permission::Promote) && is_promotable(&found),
        record: Markup::of_page(TITLE, view! { <Record decision=found/> }),
    })
}

/// Whether the candidate may be promoted on a decision.
#[cfg(feature = "ssr")]
fn is_promotable(decision: &Decision) -> bool {
    decision.decision == Verdict::Promote && !decision.advice_only && decision.evidence.is_some()
}
