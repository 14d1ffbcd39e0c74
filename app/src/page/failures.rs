//! The ledger of verdicts that are no value, each with its raw text.

#[cfg(feature = "ssr")]
pub(crate) mod entries;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{project_param, query_param},
    rpc::comparison::load_ledger,
};
use leptos::prelude::*;

/// The ledger of a judge on a criterion, or of all.
#[component]
pub(crate) fn FailuresPage() -> impl IntoView {
    let (project, judge, criterion) = (project_param(), query_param("judge"), query_param("criterion"));
    let data = PageData::new(
        move || (project.get(), judge.get(), criterion.get()),
        |(project, judge, criterion)| load_ledger(project, judge, criterion),
    );
    data.show(|markup| view! { <Fragment markup=markup narrow=true/> })
}
