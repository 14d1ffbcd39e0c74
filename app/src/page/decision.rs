//! One decision: the word, then each rule with what was required and what was found.

#[cfg(feature = "ssr")]
pub(crate) mod record;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{path_param, project_param},
    rpc::gate::load_decision,
};
use leptos::prelude::*;

/// The page of a decision.
#[component]
pub(crate) fn DecisionPage() -> impl IntoView {
    let (project, id) = (project_param(), path_param("decision"));
    let data = PageData::new(move || (project.get(), id.get()), |(project, id)| load_decision(project, id));
    data.show(|markup| view! { <Fragment markup=markup/> })
}
