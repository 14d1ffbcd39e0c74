//! A table under a name, in a card of its own.

use leptos::prelude::*;

/// A table that scrolls by itself where it is too wide, so that the page never does. It takes the focus: keys can scroll it.
#[component]
pub(crate) fn NamedTable(
    /// Its name, which no other region of the page has.
    #[prop(into)]
    label: String,
    /// What it says, for those who listen.
    #[prop(optional, into)]
    caption: String,
    /// How it looks; its first column stays in sight unless this says otherwise.
    #[prop(default = "pinned")]
    class: &'static str,
    /// Its head and its rows.
    children: Children,
) -> impl IntoView {
    let caption =
        (!caption.is_empty()).then(|| view! { <caption class="visually-hidden">{caption}</caption> });
    view! {
        <div class="card scroll" tabindex="0" role="region" aria-label=label>
            <table class=class>{caption} {children()}</table>
        </div>
    }
}
