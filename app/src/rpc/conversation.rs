//! One conversation, to read.

use crate::{component::markup::Markup, error::AppError, rpc::packed::Packed};
use leptos::{prelude::*, server_fn::codec::Json};

#[cfg(feature = "ssr")]
use crate::{
    door,
    page::conversation::whole::{Whole, title},
};
#[cfg(feature = "ssr")]
use domain::Permission;

/// A conversation by its id in the source system.
#[server(input = Json)]
pub(crate) async fn load_conversation(project: String, id: String) -> Result<Packed<Markup>, AppError> {
    let pass = door::authorise(&project, Permission::Analyse).await?;
    let found = door::service()?.conversation(pass.project, &id).await.map_err(door::refused)?;
    let name = title(&found);
    Packed::new(&Markup::of_page(name, view! { <Whole conversation=found/> }))
}
