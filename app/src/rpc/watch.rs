//! Production.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use domain::WatchSettings;
use leptos::{prelude::*, server_fn::codec::Json};
use serde::{Deserialize, Serialize};

#[cfg(feature = "ssr")]
use crate::{
    door,
    page::watch::report::{Report, TITLE},
    typed::number,
};
#[cfg(feature = "ssr")]
use domain::{DimensionSettings, OnFailure, Permission};

/// What the watch page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct WatchPage {
    /// How production stands.
    pub(crate) report: Markup,
    /// What is told.
    pub(crate) settings: WatchSettings,
    /// The criteria of the rubric.
    pub(crate) dimensions: Vec<String>,
    /// Whether the visitor may change the settings.
    pub(crate) may_settle: bool,
    /// Whether alarms can go anywhere.
    pub(crate) has_webhook: bool,
}

/// Days that are shown where nobody says another number.
#[cfg(feature = "ssr")]
const USUAL_DAYS: u32 = 90;

/// How production stands.
#[server(input = Json)]
pub(crate) async fn load_watch(project: String, days: Option<String>) -> Result<Packed<WatchPage>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let service = door::service()?;
    let days = number("days", &days.unwrap_or_default())?.unwrap_or(USUAL_DAYS);
    let viewer = pass.viewer();
    let report = service.watch_report(pass.project, days, viewer).await.map_err(door::refused)?;
    let worst = match report.through {
        Some(through) => {
            service.worst_conversations(pass.project, through, viewer).await.map_err(door::refused)?
        }
        None => Vec::new(),
    };
    let inline = service.inline_without_judge(pass.project).await.map_err(door::refused)?;
    let rubric = service.rubric(pass.project).await.map_err(door::refused)?;
    let report = view! { <Report project=project report=report worst=worst inline=inline days=days/> };
    Packed::new(&WatchPage {
        report: Markup::of_page(TITLE, report),
        settings: service.watch_settings(pass.project).await.map_err(door::refused)?,
        dimensions: rubric
            .into_iter()
            .flat_map(|rubric| rubric.criteria)
            .map(|criterion| criterion.id)
            .collect(),
        may_settle: pass.role.may(Permission::Promote),
        has_webhook: service.has_webhook(),
    })
}

/// Changes what holds for the whole project.
#[server]
pub(crate) async fn set_watch(
    project: String,
    #[server(default)] false_alarms: String,
    #[server(default)] tells: String,
    #[server(default)] sample: String,
    #[server(default)] on_failure: String,
    #[server(default)] budget_ms: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Promote).await?;
    let service = door::service()?;
    let before = service.watch_settings(pass.project).await.map_err(door::refused)?;
    let settings = WatchSettings {
        false_alarms: number("false_alarms", &false_alarms)?.unwrap_or(before.false_alarms),
        tells: !tells.is_empty(),
        sample: number("sample", &sample)?.unwrap_or(before.sample),
        on_failure: if on_failure == OnFailure::Closed.word() { OnFailure::Closed } else { OnFailure::Open },
        budget_ms: number("budget_ms", &budget_ms)?.unwrap_or(before.budget_ms),
        dimensions: before.dimensions,
    };
    service.save_watch_settings(pass.project, &settings, Some(pass.user)).await.map_err(door::refused)
}

/// Changes what holds for one dimension.
#[server]
pub(crate) async fn set_dimension(
    project: String,
    dimension: String,
    #[server(default)] fall: String,
    #[server(default)] bound: String,
    #[server(default)] inline: String,
) -> Result<(), AppError> {
    let pass = door::authorise(&project, Permission::Promote).await?;
    let service = door::service()?;
    let mut settings = service.watch_settings(pass.project).await.map_err(door::refused)?;
    let usual = DimensionSettings::default();
    let changed = DimensionSettings {
        fall: number("fall", &fall)?.unwrap_or(usual.fall),
        bound: twentieths(number("bound", &bound)?.unwrap_or(usual.bound_share()))?,
        inline: number("inline", &inline)?,
    };
    settings.dimensions.insert(dimension, changed);
    service.save_watch_settings(pass.project, &settings, Some(pass.user)).await.map_err(door::refused)
}

/// A bound as the sums have it.
#[cfg(feature = "ssr")]
fn twentieths(share: f64) -> Result<u32, AppError> {
    let found = (0..=20_u32).find(|step| (f64::from(*step) / 20.0 - share).abs() < 1e-9);
    found.ok_or_else(|| AppError::Invalid {
        field: "bound".to_owned(),
        reason: format!("found {share}, expected 0 to 1 in steps of 0.05"),
    })
}
