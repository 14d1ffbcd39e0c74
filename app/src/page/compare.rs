//! Judges against people: the forest plot is the page.

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
    let (criterion, incumbent, rule) =
        (query_param("criterion"), query_param("incumbent"), query_param("rule"));
    let data = PageData::new(
        move || (project.get(), criterion.get(), incumbent.get(), rule.get()),
        |(project, criterion, incumbent, rule)| load_comparison(project, criterion, incumbent, rule),
    );
    data.show(|markup| view! { <Fragment markup=markup/> })
}
