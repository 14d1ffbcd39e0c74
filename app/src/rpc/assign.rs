//! Who labels what.

use crate::{error::AppError, rpc::packed::Packed};
use domain::{BatchProgress, LabellingRules, PersonPace};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{
    door,
    typed::{names, number, word},
};
#[cfg(feature = "ssr")]
use domain::{BatchChoice, Permission};

/// What the assignments page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AssignmentsPage {
    /// How conversations are given out.
    pub(crate) rules: LabellingRules,
    /// Batches, oldest first.
    pub(crate) batches: Vec<BatchProgress>,
    /// How far and how fast people are.
    pub(crate) people: Vec<PersonPace>,
    /// The accounts of the members.
    pub(crate) accounts: Vec<String>,
}

/// A batch as the form has it. What it leaves out stands empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct BatchDraft {
    /// Name of the batch.
    pub(crate) name: String,
    /// `list`, `rest`, `anchor_set`, or what the conversations are drawn by.
    pub(crate) how: String,
    /// Accounts, separated by commas or line ends.
    pub(crate) people: String,
    /// Ids of conversations, separated likewise.
    pub(crate) conversations: String,
    /// So many of each category, corpus, language or system.
    pub(crate) each: String,
    /// `NAME@VERSION`.
    pub(crate) anchor_set: String,
    /// So many annotators for each conversation; as the project has it where empty.
    pub(crate) annotators: String,
}

/// How the labelling of a project stands.
#[server(input = Json)]
pub(crate) async fn load_assignments(project: String) -> Result<Packed<AssignmentsPage>, AppError> {
    let pass = door::authorise(&project, Permission::Assign).await?;
    let service = door::service()?;
    let rounds = service.rounds(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let members = service.members(pass.project).await.map_err(door::refused)?;
    let accounts =
        members.into_iter().filter(|member| !member.disabled).map(|member| member.account).collect();
    let service::Rounds { rules, batches, people } = rounds;
    Packed::new(&AssignmentsPage { rules, batches, people, accounts })
}

/// Makes a batch.
#[server]
pub(crate) async fn assign(
    project: String,
    seed: u32,
    #[server(flatten)] draft: BatchDraft,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Assign).await?;
    let choice = match draft.how.as_str() {
        "list" => BatchChoice::Listed(names(&draft.conversations)),
        "rest" => BatchChoice::Rest,
        "anchor_set" => BatchChoice::AnchorSet(word("anchor_set", &draft.anchor_set)?),
        by => BatchChoice::Drawn { by: word("how", by)?, each: number("each", &draft.each)?.unwrap_or(1) },
    };
    let overlap = number("annotators", &draft.annotators)?;
    let request =
        service::BatchRequest { name: draft.name, choice, people: names(&draft.people), overlap, seed };
    door::service()?.assign(pass.project, &request, Some(pass.user)).await.map_err(door::refused)?;
    Ok(())
}

/// Takes a member into a batch.
#[server]
pub(crate) async fn join_batch(project: String, batch: String, account: String) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Assign).await?;
    door::service()?.join_batch(pass.project, &batch, &account, Some(pass.user)).await.map_err(door::refused)
}

/// Takes a person out of a batch.
#[server]
pub(crate) async fn leave_batch(project: String, batch: String, account: String) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Assign).await?;
    door::service()?.leave_batch(pass.project, &batch, &account, Some(pass.user)).await.map_err(door::refused)
}

/// Gives nothing of a batch out any more.
#[server]
pub(crate) async fn close_batch(project: String, batch: String) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Assign).await?;
    door::service()?.close_batch(pass.project, &batch, Some(pass.user)).await.map_err(door::refused)
}

/// Sets how conversations are given out. An empty seed is the order of import, an empty repeat none.
#[server]
pub(crate) async fn set_labelling_rules(
    project: String,
    overlap: u32,
    reservation_hours: u32,
    #[server(default)] order_seed: String,
    #[server(default)] repeat_every: String,
    #[server(default)] shows_others: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Assign).await?;
    let rules = LabellingRules {
        overlap,
        reservation_hours,
        order_seed: number("order_seed", &order_seed)?,
        repeat_every: number("repeat_every", &repeat_every)?,
        shows_others: shows_others == "yes",
    };
    door::service()?.set_labelling_rules(pass.project, &rules, Some(pass.user)).await.map_err(door::refused)
}
