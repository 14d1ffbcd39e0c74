//! One conversation, to read.

use crate::{error::AppError, rpc::packed::Packed};
use domain::Conversation;
use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use crate::door;
#[cfg(feature = "ssr")]
use domain::Permission;

/// A conversation by its id in the source system.
#[server(input = Json)]
pub(crate) async fn load_conversation(project: String, id: String) -> Result<Packed<Conversation>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let data = door::service()?.conversation(pass.project, &id).await.map_err(door::refused)?;
    Packed::new(&data)
}
