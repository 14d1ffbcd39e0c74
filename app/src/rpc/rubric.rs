//! The rubric: read, tried, published as the next version.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{
    address::of_project,
    door,
    page::rubric::shown::{History, Trial, to_begin_with},
};
#[cfg(feature = "ssr")]
use domain::{LabelProgress, LabelTask, Permission, RubricTemplate, visible};

/// What the rubric page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RubricPage {
    /// The text to be changed: the version in force with the next number, or the template that was asked for.
    pub(crate) text: String,
    /// The rubrics to begin with, each with what it asks.
    pub(crate) templates: Vec<(String, String)>,
    /// Conversations to try it on.
    pub(crate) conversations: Vec<String>,
    /// The versions, what differs between two of them, and what they made stale.
    pub(crate) history: Markup,
}

/// How many conversations are offered to try a rubric on.
#[cfg(feature = "ssr")]
const OFFERED: usize = 50;

/// The rubric page; `from` and `to` name the versions that are compared.
#[server(input = Json)]
pub(crate) async fn load_rubric(
    project: String,
    template: Option<String>,
    from: Option<String>,
    to: Option<String>,
) -> Result<Packed<RubricPage>, AppError> {
    let pass = door::authorise(&project, Permission::WriteRubric).await?;
    let service = door::service()?;
    let versions = service.rubric_versions(pass.project).await.map_err(door::refused)?;
    let stale = match versions.first() {
        None => Vec::new(),
        Some(current) => {
            service.stale_labels(pass.project, &current.rubric, pass.viewer()).await.map_err(door::refused)?
        }
    };
    let names = service.conversation_names(pass.project, OFFERED, pass.viewer()).await;
    let templates = RubricTemplate::all().map_err(|error| door::internal(&error.to_string()))?;
    let text = to_begin_with(&versions, &templates, template.as_deref());
    let templates =
        templates.into_iter().map(|one| (one.name.to_owned(), format!("{}: {}", one.name, one.about)));
    Packed::new(&RubricPage {
        text,
        templates: templates.collect(),
        conversations: names.map_err(door::refused)?,
        history: Markup::of_part(
            view! { <History project=project versions=versions stale=stale from=from to=to/> },
        ),
    })
}

/// What a text would change as the next version, and how it looks on a conversation. Nothing is stored.
#[server(input = Json)]
pub(crate) async fn try_rubric(
    project: String,
    rubric: String,
    conversation: String,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::WriteRubric).await?;
    let service = door::service()?;
    let rubric = service::read_rubric(&rubric).map_err(door::refused)?;
    let current = service.rubric(pass.project).await.map_err(door::refused)?;
    let stale = service.stale_labels(pass.project, &rubric, pass.viewer()).await.map_err(door::refused)?;
    let task = match conversation.as_str() {
        "" => None,
        id => Some(LabelTask {
            conversation: service.conversation(pass.project, id).await.map_err(door::refused)?,
            rubric: rubric.clone(),
            answers: Vec::new(),
            progress: LabelProgress::default(),
        }),
    };
    let trial = view! { <Trial current=current rubric=rubric stale=stale task=task project=project/> };
    Packed::new(&Markup::of_part(trial))
}

/// Publishes a text as the next version, which never changes again.
#[server]
pub(crate) async fn publish_rubric(
    project: String,
    #[server(default)] rubric: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::WriteRubric).await?;
    let published = door::service()?.publish_rubric_text(pass.project, &rubric, pass.user).await;
    let published = published.map_err(door::refused)?;
    tracing::info!(rubric = %visible(&published.name), version = published.version, "rubric.published");
    leptos_axum::redirect(&of_project(&project, "rubric"), false);
    Ok(())
}
