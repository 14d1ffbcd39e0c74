//! Two annotators' answers crossed, and the items of each cell.

#[cfg(feature = "ssr")]
pub(crate) mod crossed;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{project_param, query_param},
    rpc::agreement::load_pair,
};
use leptos::prelude::*;

/// The page of a pair on a criterion.
#[component]
pub(crate) fn PairPage() -> impl IntoView {
    let project = project_param();
    let pair = [query_param("criterion"), query_param("a"), query_param("b")];
    let cell = [query_param("a_said"), query_param("b_said")];
    let data = PageData::new(
        move || (project.get(), pair.map(|one| one.get().unwrap_or_default()), cell.map(|said| said.get())),
        |(project, [criterion, a, b], [a_said, b_said])| load_pair(project, criterion, a, b, a_said, b_said),
    );
    data.show(|markup| view! { <Fragment markup=markup/> })
}
