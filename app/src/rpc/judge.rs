//! Judges: declared, previewed, run and watched.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{
    address::{encoded, of_project, with_query},
    door,
    page::judges::{
        declared::{declaration, draft_of, next_version},
        list::{Lists, TITLE},
        preview::Preview,
        progress::Progress,
        standing::Standing,
    },
    typed::number,
};
#[cfg(feature = "ssr")]
use domain::{Permission, RunPlan, RunScope, RunState};

/// A judge as the form has it. What a form leaves out stands empty, and is said to be wrong where it may not be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Draft {
    /// Name of the judge.
    pub(crate) name: String,
    /// The version.
    pub(crate) version: String,
    /// Ids of criteria, with commas between them.
    pub(crate) criteria: String,
    /// Name of the endpoint.
    pub(crate) endpoint: String,
    /// The model that is asked for.
    pub(crate) model: String,
    /// `scores` or `claims`.
    pub(crate) parser: String,
    /// A JSON object.
    pub(crate) parameters: String,
    /// Template of the system message.
    pub(crate) system: String,
    /// Template of the user message.
    pub(crate) prompt: String,
    /// Ids of conversations, with commas between them.
    pub(crate) examples: String,
    /// The frozen set that has them, `NAME@VERSION`.
    pub(crate) example_set: String,
}

/// What the bench of a judge shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct BenchPage {
    /// What stands in the form at first; none for a baseline, which has nothing to edit.
    pub(crate) draft: Option<Draft>,
    /// The judge as it is kept, `NAME@VERSION`, if the form began from one.
    pub(crate) judge: Option<String>,
    /// The endpoints that the operator has configured.
    pub(crate) endpoints: Vec<String>,
    /// Conversations to try the judge on.
    pub(crate) conversations: Vec<String>,
    /// The frozen sets, `NAME@VERSION`.
    pub(crate) anchor_sets: Vec<String>,
    /// The last run of the judge.
    pub(crate) run: Option<String>,
    /// What is known of the judge besides its agreement with people.
    pub(crate) standing: Option<Markup>,
}

/// A run as it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunPage {
    /// How far it is.
    pub(crate) progress: Markup,
    /// `running`, `paused`, `cancelled` or `done`.
    pub(crate) state: String,
}

/// Conversations that a judge can be tried on, at most.
#[cfg(feature = "ssr")]
const OFFERED: usize = 200;

/// The judges of a project, the library and the runs.
#[server(input = Json)]
pub(crate) async fn load_judges(project: String) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let judges = service.judge_versions(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let runs = service.runs(pass.project).await.map_err(door::refused)?;
    let rubric = service.rubric(pass.project).await.map_err(door::refused)?;
    let (library, endpoints) = (service::library().map_err(door::refused)?, service.endpoints());
    Packed::new(&Markup::of_page(TITLE, view! { <Lists project judges runs rubric library endpoints/> }))
}

/// The bench of a judge: `judge` is one that is kept, `library` a prompt that comes along.
#[server(input = Json)]
pub(crate) async fn load_bench(
    project: String,
    judge: Option<String>,
    library: Option<String>,
) -> Result<Packed<BenchPage>, AppError> {
    let pass = door::authorise(&project, Permission::Judge).await?;
    let service = door::service()?;
    let endpoints = service.endpoints();
    let kept = match &judge {
        Some(judge) => Some(service.declared_judge(pass.project, judge).await.map_err(door::refused)?),
        None => None,
    };
    let judges = service.judge_versions(pass.project, pass.viewer()).await.map_err(door::refused)?;
    let draft = match &kept {
        Some(kept) => draft_of(&kept.declaration)
            .map(|draft| Draft { version: next_version(&draft.name, &draft.version, &judges), ..draft }),
        None => Some(crate::page::judges::declared::draft_of_library(library.as_deref(), &endpoints)?),
    };
    let full_name = kept.map(|kept| kept.declaration.full_name());
    let standing = match &full_name {
        None => None,
        Some(name) => {
            let found = service.susceptibility(pass.project, name).await.map_err(door::refused)?;
            let entry =
                judges.into_iter().find(|entry| format!("{}@{}", entry.judge, entry.version) == *name);
            let grades = entry.map(|entry| entry.grades).unwrap_or_default();
            Some(Markup::of_part(view! { <Standing found=found grades=grades/> }))
        }
    };
    let runs = service.runs(pass.project).await.map_err(door::refused)?;
    let last = runs.iter().find(|run| full_name == Some(format!("{}@{}", run.judge, run.version)));
    let sets = service.anchor_sets(pass.project, pass.viewer()).await.map_err(door::refused)?;
    Packed::new(&BenchPage {
        draft,
        standing,
        run: last.map(|run| run.id.to_string()),
        judge: full_name,
        endpoints,
        conversations: service
            .conversation_names(pass.project, OFFERED, pass.viewer())
            .await
            .map_err(door::refused)?,
        anchor_sets: sets.into_iter().map(|set| format!("{}@{}", set.name, set.version)).collect(),
    })
}

/// What would be said to a judge about a unit of a conversation, and what it answers where it is asked.
#[server(input = Json)]
pub(crate) async fn preview_judge(
    project: String,
    draft: Draft,
    conversation: String,
    unit: String,
    ask: bool,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Judge).await?;
    let unit = match unit.trim() {
        "" => None,
        unit => Some(unit.parse().map_err(|error: domain::UnitError| AppError::Invalid {
            field: "unit".to_owned(),
            reason: error.to_string(),
        })?),
    };
    let declared = declaration(draft)?;
    let service = door::service()?;
    let unit = unit.as_ref();
    let shown = service.preview_judge(pass.project, declared, &conversation, unit, ask, pass.viewer()).await;
    Packed::new(&Markup::of_part(view! { <Preview preview=shown.map_err(door::refused)?/> }))
}

/// Keeps a judge version, and goes on to its bench.
#[server]
pub(crate) async fn declare_judge(project: String, #[server(flatten)] draft: Draft) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Judge).await?;
    let kept = door::service()?.declare_judge(pass.project, declaration(draft)?, Some(pass.user)).await;
    let judge = kept.map_err(door::refused)?.declaration.full_name();
    let page = format!("judges/bench?judge={}", encoded(&judge));
    leptos_axum::redirect(&of_project(&project, &page), false);
    Ok(())
}

/// Begins a run, and goes on to the bench of the judge, which shows it.
#[server]
pub(crate) async fn start_run(
    project: String,
    judge: String,
    #[server(default)] scope: String,
    #[server(default)] size: String,
    #[server(default)] repeats: String,
    #[server(default)] most_usd: String,
    #[server(default)] most_tokens: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Judge).await?;
    let plan = plan(&scope, [&size, &repeats, &most_usd, &most_tokens])?;
    let begun = door::service()?.start_run(pass.project, &judge, &plan, Some(pass.user)).await;
    begun.map_err(door::refused)?;
    let page = format!("judges/bench?judge={}", encoded(&judge));
    leptos_axum::redirect(&of_project(&project, &page), false);
    Ok(())
}

/// What a run would take, in a sentence.
#[server(input = Json)]
pub(crate) async fn estimate_run(
    project: String,
    judge: String,
    scope: String,
    size: String,
    repeats: String,
) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Judge).await?;
    let plan = plan(&scope, [&size, &repeats, "", ""])?;
    let estimate = door::service()?.estimate_run(pass.project, &judge, &plan).await.map_err(door::refused)?;
    Packed::new(&Markup::of_part(crate::page::judges::preview::estimate(&estimate)))
}

/// Pauses, gives up or goes on with a run.
#[server]
pub(crate) async fn change_run(project: String, run: String, how: String) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Judge).await?;
    let service = door::service()?;
    let by = Some(pass.user);
    let changed = match how.as_str() {
        "pause" => service.pause_run(pass.project, &run, by).await,
        "cancel" => service.cancel_run(pass.project, &run, by).await,
        _ => service.resume_run(pass.project, &run, by).await.map(drop),
    };
    changed.map_err(door::refused)?;
    let found = service.run(pass.project, &run).await.map_err(door::refused)?;
    let judge = format!("{}@{}", found.judge, found.version);
    leptos_axum::redirect(&with_query(&of_project(&project, "judges/bench"), &[("judge", &judge)]), false);
    Ok(())
}

/// A run as it stands.
#[server(input = Json)]
pub(crate) async fn load_run(project: String, run: String) -> Result<Packed<RunPage>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let found = service.run(pass.project, &run).await.map_err(door::refused)?;
    let failures = if found.state == RunState::Running || found.counts.failures == 0 {
        Vec::new()
    } else {
        service.run_failures(pass.project, &found, pass.viewer()).await.map_err(door::refused)?
    };
    let state = found.state.word().to_owned();
    let progress = Markup::of_part(view! { <Progress project=project run=found failures=failures/> });
    Packed::new(&RunPage { progress, state })
}

/// The plan that a form describes; the scope is `NAME@VERSION`, `NAME@VERSION tune`, or nothing for all conversations.
#[cfg(feature = "ssr")]
fn plan(scope: &str, [size, repeats, most_usd, most_tokens]: [&str; 4]) -> Result<RunPlan, AppError> {
    let invalid = |field: &str, reason: String| AppError::Invalid { field: field.to_owned(), reason };
    let scope = match scope.trim() {
        "" => RunScope::Project,
        set => {
            let (name, split) = set.split_once(' ').map_or((set, None), |(name, split)| (name, Some(split)));
            RunScope::AnchorSet {
                name: name.parse().map_err(|reason| invalid("scope", reason))?,
                split: split.map(str::parse).transpose().map_err(|reason| invalid("scope", reason))?,
            }
        }
    };
    Ok(RunPlan {
        size: number("size", size)?,
        repeats: number("repeats", repeats)?.unwrap_or(1),
        most_usd: number("most_usd", most_usd)?,
        most_tokens: number("most_tokens", most_tokens)?,
        ..RunPlan::once(scope)
    })
}
