//! One judge on one criterion: all its figures, and the items behind them.

#[cfg(feature = "ssr")]
mod figures;
#[cfg(feature = "ssr")]
mod items;
#[cfg(feature = "ssr")]
pub(crate) mod whole;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{project_param, whole_query},
    rpc::comparison::load_judge,
};
use leptos::prelude::*;

/// The page of a judge.
#[component]
pub(crate) fn JudgePage() -> impl IntoView {
    let (project, query) = (project_param(), whole_query());
    let data =
        PageData::new(move || (project.get(), query.get()), |(project, query)| load_judge(project, query));
    data.show(|markup| view! { <Fragment markup=markup/> })
}
