//! The start page: one's own projects, or how to begin.

#[cfg(feature = "ssr")]
pub(crate) mod list;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    rpc::project::load_projects,
};
use leptos::prelude::*;

/// The projects of whoever is here.
#[component]
pub(crate) fn ProjectsPage() -> impl IntoView {
    let data = PageData::new(|| (), |()| load_projects());
    data.show(|markup| view! { <Fragment markup=markup narrow=true/> })
}
