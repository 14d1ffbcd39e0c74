//! One conversation, to read.

use crate::error::AppError;
use domain::Conversation;
use leptos::prelude::*;

#[cfg(feature = "ssr")]
use crate::door;
#[cfg(feature = "ssr")]
use domain::Permission;

/// A conversation by its id in the source system.
#[server]
pub(crate) async fn load_conversation(project: String, id: String) -> Result<Conversation, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    door::service()?.conversation(pass.project, &id).await.map_err(door::refused)
}
