//! What people think of the reasons that judges give, once they have answered the same question themselves.

#[cfg(feature = "ssr")]
pub(crate) mod graded;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::{project_param, query_param},
    rpc::reason::load_reasons,
};
use leptos::prelude::*;

/// The page on which reasons are graded, one after another: a form of the server.
#[component]
pub(crate) fn ReasonsPage() -> impl IntoView {
    let (project, behind) = (project_param(), query_param("behind"));
    let data = PageData::new(
        move || (project.get(), behind.get()),
        |(project, behind)| load_reasons(project, behind),
    );
    data.show(|markup| view! { <Fragment markup=markup/> })
}
