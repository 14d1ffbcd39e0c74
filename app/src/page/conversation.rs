//! One conversation, to read.

#[cfg(feature = "ssr")]
pub(crate) mod whole;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{path_param, project_param},
    rpc::conversation::load_conversation,
};
use leptos::prelude::*;

/// The conversation page.
#[component]
pub(crate) fn ConversationPage() -> impl IntoView {
    let (project, id) = (project_param(), path_param("id"));
    let data =
        PageData::new(move || (project.get(), id.get()), |(project, id)| load_conversation(project, id));
    data.show(|markup| view! { <Fragment markup=markup/> })
}
