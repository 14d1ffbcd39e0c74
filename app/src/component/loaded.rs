//! Data of a page on their way, arrived, or refused.

use crate::{
    component::{announcer::Heading, text::sentence},
    error::AppError,
    next::sign_in_for,
};
use leptos::{either::Either, prelude::*};
use leptos_router::hooks::use_location;

/// Whether something of the page is being loaded: shown as a thin line over the content that stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Busy(pub(crate) RwSignal<bool>);

/// The data of a page.
pub(crate) type PageData<T> = Resource<Result<T, AppError>>;

/// Shows what was loaded, or why it was refused. While newer data are on their way, the old content stays.
pub(crate) fn loaded<T, V>(
    data: PageData<T>,
    show: impl Fn(T) -> V + Clone + Send + Sync + 'static,
) -> impl IntoView
where
    T: Clone + Send + Sync + 'static,
    V: IntoView + 'static,
{
    let pending = use_context::<Busy>().map(|busy| SignalSetter::map(move |pending| busy.0.set(pending)));
    let content = move || {
        let show = show.clone();
        Suspend::new(async move {
            match data.await {
                Ok(data) => Either::Left(show(data)),
                Err(error) => Either::Right(view! { <Refusal error=error/> }),
            }
        })
    };
    view! {
        <Transition fallback=|| view! { <p class="soft">"Loading …"</p> } set_pending=pending.unwrap_or_default()>
            {content}
        </Transition>
    }
}

/// Why a page is not shown: with its status, and with what can be done. Who is not signed in is sent to the sign-in page.
#[component]
pub(crate) fn Refusal(
    /// The reason.
    error: AppError,
) -> impl IntoView {
    let location = use_location();
    let here = format!("{}{}", location.pathname.get_untracked(), query(&location.search.get_untracked()));
    say_status(&error, &here);
    let title = match &error {
        AppError::Unauthenticated => "Sign in",
        AppError::Forbidden { .. } => "Not allowed",
        AppError::NotFound { .. } => "Not found",
        AppError::Invalid { .. } | AppError::Conflict { .. } => "This cannot be shown",
        AppError::Busy { .. } => "Too busy",
        AppError::Unreachable => "No connection",
        AppError::Internal { .. } => "Something went wrong",
    };
    let sign_in = (error == AppError::Unauthenticated)
        .then(|| view! { <p><a class="button primary" href=sign_in_for(&here)>"Sign in"</a></p> });
    view! {
        <section class="refusal" role="alert">
            <Heading title=title/>
            <p>{sentence(&error.to_string())}</p>
            {sign_in}
            <p><a href="/">"To your projects"</a></p>
        </section>
    }
}

fn query(search: &str) -> String {
    if search.is_empty() { String::new() } else { format!("?{search}") }
}

#[cfg(feature = "ssr")]
fn say_status(error: &AppError, here: &str) {
    if *error == AppError::Unauthenticated {
        leptos_axum::redirect(&sign_in_for(here), false);
    } else if let Some(response) = use_context::<leptos_axum::ResponseOptions>()
        && let Ok(status) = axum::http::StatusCode::from_u16(error.status())
    {
        response.set_status(status);
    }
}

#[cfg(not(feature = "ssr"))]
fn say_status(error: &AppError, here: &str) {
    if *error == AppError::Unauthenticated {
        let navigate = leptos_router::hooks::use_navigate();
        let options = leptos_router::NavigateOptions { replace: true, ..Default::default() };
        let target = sign_in_for(here);
        Effect::new(move || navigate(&target, options.clone()));
    }
}
