//! A modal dialog: the browser's own, with its focus, its Escape key and its backdrop.

use leptos::{ev, html, prelude::*};

/// A dialog that is shown while `open` is true. Closing it in any way sets `open` to false.
#[component]
pub(crate) fn Dialog(
    /// Whether it is shown.
    open: RwSignal<bool>,
    /// Its name.
    title: &'static str,
    /// An id that nothing else on the page has.
    id: &'static str,
    /// What stands in it.
    children: Children,
) -> impl IntoView {
    let place = NodeRef::<html::Dialog>::new();
    Effect::new(move || {
        let Some(dialog) = place.get() else { return };
        if open.get() && !dialog.open() {
            // Fails only where the dialog has left the page, and then there is nothing to show.
            let _ = dialog.show_modal();
        } else if !open.get() && dialog.open() {
            dialog.close();
        }
    });
    let heading = format!("{id}-title");
    view! {
        <dialog id=id node_ref=place aria-labelledby=heading.clone() on:close=move |_: ev::Event| open.set(false)>
            <div>
                <h2 id=heading.clone()>{title}</h2>
                {children()}
            </div>
        </dialog>
    }
}
