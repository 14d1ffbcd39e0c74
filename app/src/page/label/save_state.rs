//! Whether everything is stored, in words.

use crate::{
    error::AppError,
    next::sign_in_for,
    page::label::{
        bench::Work,
        outbox::{Outbox, State},
    },
};
use leptos::prelude::*;
use leptos_router::hooks::use_location;

/// `Saved`, `Saving…`, `Offline, 3 waiting`, or what else stands in the way with what can be done.
#[component]
pub(crate) fn SaveState(
    /// The bench.
    work: Work,
) -> impl IntoView {
    let user = work.user();
    let path = use_location().pathname;
    let look = move |outbox: &Outbox| (outbox.state().clone(), outbox.waiting(&user));
    let seen = Memo::new(move |_| match work.outbox(&look) {
        // Between two letters and while one is on its way the same is said.
        (State::Idle, waiting) if waiting > 0 => (State::Sending, waiting),
        (State::Sending, _) => (State::Sending, 0),
        seen => seen,
    });
    move || {
        let (state, waiting) = seen.get();
        let failed = work.desks.failed.get();
        match (state, failed) {
            (State::Opening, _) => view! { <span class="save"></span> }.into_any(),
            (State::Conflict(_), _) => {
                view! { <span class="save wrong">"Not saved: answered elsewhere"</span> }.into_any()
            }
            (State::Refused(error), _) => refused(work, error, waiting, &path.get_untracked()),
            (State::Sending, _) => view! { <span class="save on-its-way">"Saving…"</span> }.into_any(),
            (State::Idle, Some(error)) => refused(work, error, 0, &path.get_untracked()),
            (State::Idle, None) => view! { <span class="save">"Saved"</span> }.into_any(),
        }
    }
}

fn refused(work: Work, error: AppError, waiting: usize, path: &str) -> AnyView {
    let count = if waiting == 0 { "all is saved".to_owned() } else { format!("{waiting} waiting") };
    let said = match &error {
        AppError::Unreachable => format!("Offline, {count}"),
        AppError::Unauthenticated => format!("Signed out, {count}"),
        error if waiting == 0 => format!("The next conversation did not come: {error}"),
        error => format!("Not saved, {count}: {error}"),
    };
    let sign_in =
        (error == AppError::Unauthenticated).then(|| view! { <a href=sign_in_for(path)>"Sign in again"</a> });
    let is_lasting = waiting > 0 && !error.is_passing() && error != AppError::Unauthenticated;
    let drop = is_lasting.then(|| {
        view! {
            <button type="button" class="button plain" on:click=move |_| work.drop_refused()>
                "Give up what waits for this conversation"
            </button>
        }
    });
    view! {
        <span class="save wrong" role="alert">{said}</span>
        {sign_in}
        <button type="button" class="button plain" on:click=move |_| work.deliver()>"Try again"</button>
        {drop}
    }
    .into_any()
}
