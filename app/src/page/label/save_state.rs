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
        let (class, said, error) = match (state, work.desks.failed.get()) {
            (State::Opening, _) => ("save", String::new(), None),
            (State::Conflict(_), _) => ("save wrong", "Not saved: answered elsewhere".to_owned(), None),
            (State::Sending, _) => ("save on-its-way", "Saving…".to_owned(), None),
            (State::Idle, None) => ("save", "Saved".to_owned(), None),
            (State::Refused(error), _) | (State::Idle, Some(error)) => {
                ("save wrong", refusal(&error, waiting), Some(error))
            }
        };
        let role = error.is_some().then_some("alert");
        let ways = error.map(|error| ways_out(work, &error, waiting, &path.get_untracked()));
        view! { <span class=class role=role>{said}</span> {ways} }
    }
}

/// Why not all is stored, or why the next conversation does not come.
fn refusal(error: &AppError, waiting: usize) -> String {
    let count = if waiting == 0 { "all is saved".to_owned() } else { format!("{waiting} waiting") };
    match error {
        AppError::Unreachable => format!("Offline, {count}"),
        AppError::Unauthenticated => format!("Signed out, {count}"),
        error if waiting == 0 => format!("The next conversation did not come: {error}"),
        error => format!("Not saved, {count}: {error}"),
    }
}

/// What can be done about it.
fn ways_out(work: Work, error: &AppError, waiting: usize, path: &str) -> impl IntoView + use<> {
    let is_signed_out = *error == AppError::Unauthenticated;
    let sign_in = is_signed_out.then(|| view! { <a href=sign_in_for(path)>"Sign in again"</a> });
    let is_lasting = waiting > 0 && !error.is_passing() && !is_signed_out;
    let give_up = is_lasting.then(|| {
        view! {
            <button type="button" class="button plain" on:click=move |_| work.drop_refused()>
                "Give up what waits for this conversation"
            </button>
        }
    });
    view! {
        {sign_in}
        <button type="button" class="button plain" on:click=move |_| work.desks.deliver()>"Try again"</button>
        {give_up}
    }
}
