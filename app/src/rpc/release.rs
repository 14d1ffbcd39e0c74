//! Releases: thresholds, promotions and roll-backs.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{
    address::of_project,
    door,
    page::threshold::sweep::Sweep,
    typed::{names, number, word},
};
#[cfg(feature = "ssr")]
use domain::{ContentHash, Permission};
#[cfg(feature = "ssr")]
use service::{PromotionRequest, ReferenceChoice, ThresholdChoice, ThresholdQuery};

/// Where human values come from, as a form or an address says it. What it leaves out stands empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ReferenceDraft {
    /// `NAME@VERSION SPLIT`, or nothing for the labels as they are now.
    pub(crate) reference: String,
    /// Why `confirm` is looked at.
    pub(crate) why: String,
    /// How labels become references.
    pub(crate) rule: String,
    /// Whose labels count; everybody's where empty.
    pub(crate) annotators: String,
}

#[cfg(feature = "ssr")]
impl ReferenceDraft {
    /// What was chosen.
    pub(crate) fn choice(self) -> Result<ReferenceChoice, AppError> {
        let asked = ReferenceChoice::asked(&self.reference, &self.rule, &self.why);
        let mut choice = asked.map_err(door::refused)?;
        if let ReferenceChoice::Labels { annotators, .. } = &mut choice {
            *annotators = names(&self.annotators);
        }
        Ok(choice)
    }
}

/// What the page of a threshold shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThresholdPage {
    /// The sweep.
    pub(crate) sweep: Markup,
    /// Every threshold that may be accepted.
    pub(crate) thresholds: Vec<f64>,
    /// The proposed one.
    pub(crate) proposed: f64,
    /// Hash of the data that it was proposed on.
    pub(crate) data_hash: String,
    /// Whether the visitor may accept one.
    pub(crate) may_accept: bool,
}

/// Where a judge's threshold could stand.
#[server(input = Json)]
pub(crate) async fn load_threshold(
    project: String,
    judge: Option<String>,
    criterion: Option<String>,
    reference: Option<String>,
) -> Result<Packed<ThresholdPage>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let query =
        query_of(judge.unwrap_or_default(), criterion.unwrap_or_default(), &reference.unwrap_or_default())?;
    let found = door::service()?.propose_threshold(pass.project, &query, pass.viewer()).await;
    let proposal = found.map_err(door::refused)?;
    Packed::new(&ThresholdPage {
        thresholds: proposal.sweep.iter().map(|point| point.threshold).collect(),
        proposed: proposal.proposed.threshold,
        data_hash: proposal.data_hash.0.clone(),
        may_accept: pass.role.may(Permission::Promote),
        sweep: Markup::of_part(view! { <Sweep proposal=proposal/> }),
    })
}

/// Accepts a threshold, and goes on to the gate, whose log shows it.
#[server]
pub(crate) async fn accept_threshold(
    project: String,
    judge: String,
    criterion: String,
    #[server(default)] reference: String,
    #[server(default)] threshold: String,
    #[server(default)] seen: String,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Promote).await?;
    let choice = ThresholdChoice {
        query: query_of(judge, criterion, &reference)?,
        threshold: number("threshold", &threshold)?,
        seen: Some(seen).filter(|seen| !seen.is_empty()).map(ContentHash),
        reason,
    };
    let service = door::service()?;
    let accepted = service.accept_threshold(pass.project, &choice, Some(pass.user), pass.viewer()).await;
    accepted.map_err(door::refused)?;
    leptos_axum::redirect(&of_project(&project, "gate"), false);
    Ok(())
}

/// Promotes the candidate of a decision, and goes on to the gate.
#[server]
pub(crate) async fn promote(
    project: String,
    decision: String,
    purpose: String,
    #[server(default)] criteria: String,
    #[server(default)] reason: String,
    #[server(default)] floating_reason: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Promote).await?;
    let request = PromotionRequest {
        decision,
        purpose: word("purpose", &purpose)?,
        criteria: names(&criteria),
        reason,
        floating_reason: Some(floating_reason).filter(|reason| !reason.trim().is_empty()),
    };
    let promoted = door::service()?.promote(pass.project, &request, Some(pass.user)).await;
    promoted.map_err(door::refused)?;
    leptos_axum::redirect(&of_project(&project, "gate"), false);
    Ok(())
}

/// Rolls a slot back, `CRITERION PURPOSE`, and stays at the gate.
#[server]
pub(crate) async fn roll_back(
    project: String,
    slot: String,
    #[server(default)] reason: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Promote).await?;
    let invalid = |reason: String| AppError::Invalid { field: "slot".to_owned(), reason };
    let (criterion, purpose) = slot.rsplit_once(' ').ok_or_else(|| invalid("choose a slot".to_owned()))?;
    let purpose = word("slot", purpose)?;
    let service = door::service()?;
    let changed = service.roll_back(pass.project, criterion, purpose, &reason, Some(pass.user)).await;
    changed.map_err(door::refused)?;
    leptos_axum::redirect(&of_project(&project, "gate"), false);
    Ok(())
}

#[cfg(feature = "ssr")]
fn query_of(judge: String, criterion: String, reference: &str) -> Result<ThresholdQuery, AppError> {
    Ok(ThresholdQuery {
        judge,
        criterion,
        reference: ReferenceChoice::asked(reference, "", "").map_err(door::refused)?,
    })
}
