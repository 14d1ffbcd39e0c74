//! The home of a project: the loop as six steps, each with its state, one figure and the next action.

#[cfg(feature = "ssr")]
pub(crate) mod steps;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::project_param,
    rpc::project::load_home,
};
use leptos::prelude::*;

/// The home of a project.
#[component]
pub(crate) fn HomePage() -> impl IntoView {
    let project = project_param();
    let data = PageData::new(move || project.get(), load_home);
    data.show(|markup| view! { <Fragment markup=markup/> })
}
