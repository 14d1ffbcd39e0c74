//! One conversation, to read.

#[cfg(feature = "ssr")]
pub(crate) mod whole;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{path_param, project_param, query_param},
    rpc::conversation::load_conversation,
};
use leptos::prelude::*;

/// The conversation page.
#[component]
pub(crate) fn ConversationPage() -> impl IntoView {
    let (project, id) = (project_param(), path_param("id"));
    // A link from the diagnosis names the metric that the conversation lowers, and whose word that is.
    let asked = ["metric", "from", "judge", "by", "k"].map(query_param);
    let data = PageData::new(
        move || (project.get(), id.get(), asked.map(|asked| asked.get())),
        |(project, id, [metric, from, judge, by, k])| {
            load_conversation(project, id, metric, from, judge, by, k)
        },
    );
    data.show(|markup| view! { <Fragment markup=markup/> })
}
