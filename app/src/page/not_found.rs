//! An address that leads nowhere.

use crate::{component::loaded::Refusal, error::AppError};
use leptos::prelude::*;

/// Says so, with the status that says the same.
#[component]
pub(crate) fn NotFoundPage() -> impl IntoView {
    view! { <Refusal error=AppError::NotFound { what: "There is no page at this address.".to_owned() }/> }
}
