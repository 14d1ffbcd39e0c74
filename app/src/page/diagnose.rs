//! Where conversations fail, and every metric from people and from a judge.

#[cfg(feature = "ssr")]
mod failing;
#[cfg(feature = "ssr")]
mod flow;
#[cfg(feature = "ssr")]
mod metrics;
#[cfg(feature = "ssr")]
pub(crate) mod report;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{project_param, query_param},
    rpc::diagnosis::load_diagnosis,
};
use leptos::prelude::*;

/// The diagnose page.
#[component]
pub(crate) fn DiagnosePage() -> impl IntoView {
    let project = project_param();
    let (from, judge, by, k) =
        (query_param("from"), query_param("judge"), query_param("by"), query_param("k"));
    let data = PageData::new(
        move || (project.get(), from.get(), judge.get(), by.get(), k.get()),
        |(project, from, judge, by, k)| load_diagnosis(project, from, judge, by, k),
    );
    data.show(|markup| view! { <Fragment markup=markup/> })
}
