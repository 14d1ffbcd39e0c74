//! The judges of a project, and the bench at which one is made.

pub(crate) mod bench;
#[cfg(feature = "ssr")]
pub(crate) mod declared;
#[cfg(feature = "ssr")]
pub(crate) mod list;
#[cfg(feature = "ssr")]
pub(crate) mod preview;
#[cfg(feature = "ssr")]
pub(crate) mod progress;
#[cfg(feature = "ssr")]
pub(crate) mod standing;
pub(crate) mod watched;

use crate::{
    component::{loaded::PageData, markup::Fragment},
    param::project_param,
    rpc::judge::load_judges,
};
use leptos::prelude::*;

/// The judges page.
#[component]
pub(crate) fn JudgesPage() -> impl IntoView {
    let project = project_param();
    let data = PageData::new(move || project.get(), load_judges);
    data.show(|markup| view! { <Fragment markup=markup/> })
}
