//! Judges against people: the forest plot is the page.

#[cfg(feature = "ssr")]
mod metrics;
#[cfg(feature = "ssr")]
pub(crate) mod report;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{project_param, whole_query},
    rpc::comparison::load_comparison,
};
use leptos::prelude::*;

/// The compare page.
#[component]
pub(crate) fn ComparePage() -> impl IntoView {
    let (project, query) = (project_param(), whole_query());
    let data = PageData::new(
        move || (project.get(), query.get()),
        |(project, query)| load_comparison(project, query),
    );
    data.show(|markup| view! { <Fragment markup=markup/> })
}
