//! How far people agree: every criterion in a line, and one of them in full.

#[cfg(feature = "ssr")]
pub(crate) mod report;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{project_param, query_param},
    rpc::agreement::load_agreement,
};
use leptos::prelude::*;

/// The agreement page.
#[component]
pub(crate) fn AgreementPage() -> impl IntoView {
    let (project, criterion, by) = (project_param(), query_param("criterion"), query_param("by"));
    let data = PageData::new(
        move || (project.get(), criterion.get(), by.get()),
        |(project, criterion, by)| load_agreement(project, criterion, by),
    );
    data.show(|markup| view! { <Fragment markup=markup/> })
}
