//! Anchor sets: listed, drawn, frozen and looked at.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{
    address::{encoded, of_project},
    door,
    page::anchor_sets::{
        frozen::{Frozen, Shown},
        list::{List, Preview},
    },
    typed::{names, number},
};
#[cfg(feature = "ssr")]
use domain::{AnchorChoice, AnchorSetName, Permission, Split};
#[cfg(feature = "ssr")]
use service::{AnchorRequest, ServiceError};

/// What a set is to be built of, as the form has it. What it leaves out stands empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct AnchorDraft {
    /// Name of the set.
    pub(crate) name: String,
    /// At most so many items; all where empty.
    pub(crate) size: String,
    /// The share of `confirm`.
    pub(crate) confirm: String,
    /// Decides the lots.
    pub(crate) seed: String,
    /// Ids of criteria, with commas between them; all where empty.
    pub(crate) criteria: String,
    /// Who keeps it true.
    pub(crate) owner: String,
    /// The day from which it must be looked at again.
    pub(crate) expires: String,
}

/// What the page of anchor sets shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AnchorSetsPage {
    /// The frozen sets.
    pub(crate) sets: Markup,
    /// What would be frozen, where that was asked.
    pub(crate) preview: Option<Markup>,
    /// Why nothing can be drawn.
    pub(crate) refused: Option<String>,
}

/// The frozen sets of a project, and what would be frozen where a draft is given.
#[server(input = Json)]
pub(crate) async fn load_anchor_sets(
    project: String,
    draft: Option<AnchorDraft>,
) -> Result<Packed<AnchorSetsPage>, AppError> {
    let pass = door::authorise(&project, Permission::Judge).await?;
    let service = door::service()?;
    let sets = service.anchor_sets(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let drawn = match draft.map(request).transpose() {
        Ok(None) => Ok(None),
        Ok(Some(request)) => {
            let drawn = service.preview_anchor_set(pass.project, &request, pass.viewer()).await;
            drawn.map(Some).map_err(door::refused)
        }
        Err(error) => Err(error),
    };
    let sets = Markup::of_part(view! { <List project=project sets=sets/> });
    let (preview, refused) = match drawn {
        Ok(preview) => (preview.map(|preview| Markup::of_part(view! { <Preview preview=preview/> })), None),
        Err(error) => (None, Some(error.to_string())),
    };
    Packed::new(&AnchorSetsPage { sets, preview, refused })
}

/// Freezes the next version of a set, and goes on to it.
#[server]
pub(crate) async fn freeze_anchor_set(
    project: String,
    #[server(flatten)] draft: AnchorDraft,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Judge).await?;
    let request = request(draft)?;
    let frozen = door::service()?.freeze_anchor_set(pass.project, &request, Some(pass.user)).await;
    let frozen = frozen.map_err(door::refused)?;
    let page = format!("anchor-sets/{}", encoded(&format!("{}@{}", frozen.name, frozen.version)));
    leptos_axum::redirect(&of_project(&project, &page), false);
    Ok(())
}

/// One set: what stands in it, what to look at again where `documents` changed, and what it changed.
#[server(input = Json)]
pub(crate) async fn load_anchor_set(
    project: String,
    name: String,
    documents: String,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Judge).await?;
    let service = door::service()?;
    let name: AnchorSetName = name.parse().map_err(|what| AppError::NotFound { what })?;
    let sets = service.anchor_sets(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let is_this = |entry: &service::AnchorSetEntry| entry.name == name.name && entry.version == name.version;
    let Some(entry) = sets.into_iter().find(is_this) else {
        return Err(AppError::NotFound { what: format!("this project has no anchor set {name}") });
    };
    let mut items = Vec::new();
    for split in [Split::Tune, Split::Confirm] {
        let of_split = service.anchor_items(pass.project, &name, split, pass.viewer()).await;
        items.extend(of_split.map_err(door::refused)?.1);
    }
    let changed = names(&documents);
    let review = service.review_anchor_set(pass.project, &name, &changed, pass.viewer()).await;
    let earlier = AnchorSetName { version: name.version.saturating_sub(1), ..name.clone() };
    let difference = if earlier.version == 0 {
        None
    } else {
        let found = service.anchor_set_difference(pass.project, &earlier, &name, pass.viewer()).await;
        unless_closed(found)?
    };
    let shown = Shown { entry, items, review: unless_closed(review)?, difference, documents };
    Packed::new(&Markup::of_page(
        domain::visible(&name.to_string()),
        view! { <Frozen project=project shown=shown/> },
    ))
}

/// Nothing where the whole set is sealed to whoever asks, or the earlier version is not there.
#[cfg(feature = "ssr")]
fn unless_closed<T>(found: Result<T, ServiceError>) -> Result<Option<T>, AppError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(ServiceError::Forbidden { .. } | ServiceError::NotFound { .. }) => Ok(None),
        Err(error) => Err(door::refused(error)),
    }
}

#[cfg(feature = "ssr")]
fn request(draft: AnchorDraft) -> Result<AnchorRequest, AppError> {
    let said = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    Ok(AnchorRequest {
        name: draft.name.trim().to_owned(),
        choice: AnchorChoice {
            size: number("size", &draft.size)?,
            confirm: number("confirm", &draft.confirm)?.unwrap_or(0.5),
            seed: number("seed", &draft.seed)?.unwrap_or(1),
        },
        rule: None,
        annotators: Vec::new(),
        criteria: names(&draft.criteria),
        owner: said(&draft.owner),
        expires: said(&draft.expires),
    })
}
