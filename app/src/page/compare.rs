//! Judges against people: the forest plot is the page.

#[cfg(feature = "ssr")]
mod metrics;
#[cfg(feature = "ssr")]
pub(crate) mod report;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{project_param, query_param},
    rpc::comparison::load_comparison,
};
use leptos::prelude::*;

/// The compare page.
#[component]
pub(crate) fn ComparePage() -> impl IntoView {
    let project = project_param();
    let (criterion, incumbent, rule, metrics) =
        (query_param("criterion"), query_param("incumbent"), query_param("rule"), query_param("metrics"));
    let data = PageData::new(
        move || (project.get(), criterion.get(), incumbent.get(), rule.get(), metrics.get()),
        |(project, criterion, incumbent, rule, metrics)| {
            load_comparison(project, criterion, incumbent, rule, metrics)
        },
    );
    data.show(|markup| view! { <Fragment markup=markup/> })
}
