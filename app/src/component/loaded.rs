//! Data of a page on their way, arrived, or refused.

use crate::{
    component::{announcer::Heading, sentence::sentence},
    error::AppError,
    next::sign_in_for,
    rpc::packed::{Packed, unpack},
};
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use serde::de::DeserializeOwned;
use std::{fmt::Debug, future::Future, marker::PhantomData, pin::Pin, sync::Arc};

/// Whether something of the page is being loaded: shown as a thin line over the content that stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Busy(pub(crate) RwSignal<bool>);

/// The data of a page, on their way as text: one type for all pages, so that what waits, keeps and hands them over is compiled once.
pub(crate) struct PageData<T> {
    text: Resource<Result<String, AppError>>,
    of: PhantomData<fn() -> T>,
}

/// What a load is, whatever it loads.
type Load = Pin<Box<dyn Future<Output = Result<String, AppError>> + Send>>;

impl<T: DeserializeOwned + 'static> PageData<T> {
    /// Loads what `source` names, and again whenever it names something else.
    pub(crate) fn new<S, F>(
        source: impl Fn() -> S + Clone + Send + Sync + 'static,
        load: impl Fn(S) -> F + Send + Sync + 'static,
    ) -> PageData<T>
    where
        S: Debug + 'static,
        F: Future<Output = Result<Packed<T>, AppError>> + Send + 'static,
    {
        let wanted = source.clone();
        let text = resource(
            Box::new(move || format!("{:?}", wanted())),
            Box::new(move || {
                let answer = load(untrack(&source));
                Box::pin(async move { answer.await.map(Packed::into_json) })
            }),
        );
        PageData { text, of: PhantomData }
    }

    /// Shows what was loaded, or why it was refused. While newer data are on their way, the old content stays.
    pub(crate) fn show<V: IntoView + 'static>(
        self,
        show: impl Fn(T) -> V + Clone + Send + Sync + 'static,
    ) -> impl IntoView {
        self.show_or(show, |error| view! { <Refusal error=error/> }.into_any())
    }

    /// Shows what was loaded, and nothing where it was refused.
    pub(crate) fn show_or_nothing<V: IntoView + 'static>(
        self,
        show: impl Fn(T) -> V + Clone + Send + Sync + 'static,
    ) -> impl IntoView {
        self.show_or(show, |_| ().into_any())
    }

    fn show_or<V: IntoView + 'static>(
        self,
        show: impl Fn(T) -> V + Clone + Send + Sync + 'static,
        refuse: fn(AppError) -> AnyView,
    ) -> impl IntoView {
        let view: View = Arc::new(move |answer| match answer.and_then(|json| unpack(&json)) {
            Ok(data) => show(data).into_any(),
            Err(error) => refuse(error),
        });
        view! { <Loaded text=self.text view=view/> }
    }
}

/// What is loaded again whenever its name changes.
fn resource(
    name: Box<dyn Fn() -> String + Send + Sync>,
    load: Box<dyn Fn() -> Load + Send + Sync>,
) -> Resource<Result<String, AppError>> {
    Resource::new(name, move |_| load())
}

/// Makes the view of what was loaded, or refused.
type View = Arc<dyn Fn(Result<String, AppError>) -> AnyView + Send + Sync>;

/// What was loaded, when it has come.
#[component]
fn Loaded(
    /// What is being loaded.
    text: Resource<Result<String, AppError>>,
    /// Makes its view.
    view: View,
) -> impl IntoView {
    // Not on the server, where nobody sees it: a task of its own would set it there, and a signal that is set inside a setter holds the
    // signals of the request while it waits for them. Two threads that do so wait for each other, and the whole server with them.
    let busy = if cfg!(feature = "ssr") { None } else { use_context::<Busy>() };
    let pending = busy.map(|Busy(busy)| SignalSetter::map(move |pending| busy.set(pending)));
    let content = move || {
        let view = view.clone();
        Suspend::new(async move { view(text.await) })
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
