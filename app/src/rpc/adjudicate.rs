//! Adjudication: the item that comes first, and what is decided of it.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use domain::{Item, QueueOrder, Scale};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{
    door,
    page::adjudicate::shown::{self, Asked},
};
#[cfg(feature = "ssr")]
use domain::Permission;

/// What the page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AdjudicationPage {
    /// By what items come first.
    pub(crate) order: QueueOrder,
    /// The judge that people are compared with; empty for all.
    pub(crate) judge: String,
    /// Every judge that could be.
    pub(crate) judges: Vec<String>,
    /// Items that wait.
    pub(crate) waiting: u64,
    /// The place of the item shown among them, from 0.
    pub(crate) place: u64,
    /// Items that wait for somebody who labels their conversation.
    pub(crate) on_desks: u64,
    /// Items whose decision stands.
    pub(crate) decided: u64,
    /// The item shown; absent where nothing waits.
    pub(crate) case: Option<Case>,
    /// What the guideline does not say.
    pub(crate) gaps: Markup,
}

/// An item that waits for a decision: what is read is markup, what is asked is data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Case {
    /// The item.
    pub(crate) item: Item,
    /// Ids of the elements that show its unit.
    pub(crate) places: Vec<String>,
    /// The conversation.
    pub(crate) reading: Markup,
    /// The question, and what people said, without names.
    pub(crate) said: Markup,
    /// What it is answered on.
    pub(crate) scale: Scale,
    /// The rubric version in force.
    pub(crate) rubric_version: u32,
    /// Stands for what is seen.
    pub(crate) seen: String,
}

/// The item that comes first in that order, or the one at that place.
#[server(input = Json)]
pub(crate) async fn load_adjudication(
    project: String,
    order: Option<String>,
    judge: Option<String>,
    place: Option<String>,
) -> Result<Packed<AdjudicationPage>, AppError> {
    let pass = door::authorise(&project, Permission::Adjudicate).await?;
    let asked = Asked::parse(order, judge, place)?;
    Packed::new(&shown::page(&project, &pass, asked).await?)
}

/// Stores a decision on an item, which the form names as JSON.
#[server]
pub(crate) async fn adjudicate(
    project: String,
    item: String,
    #[server(default)] value: String,
    #[server(default)] reason: String,
    #[server(default)] note: String,
    rubric_version: u32,
    seen: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Adjudicate).await?;
    let decision = shown::decision(&item, &value, &reason, note, rubric_version, seen)?;
    door::service()?.adjudicate(pass.project, decision, pass.user).await.map_err(door::refused)
}
