//! What a browser does on a full page load and a router does not: it tells where one has come to.

use leptos::{html, prelude::*};
use leptos_meta::Title;
use leptos_router::hooks::use_location;
use wasm_bindgen::JsCast;

/// Where the visitor was told to be last, and the sentence for those who listen.
#[derive(Clone, Copy, Debug)]
struct Announced {
    path: StoredValue<Option<String>>,
    said: RwSignal<String>,
}

/// Makes headings tell of themselves. Must be called above every [`Heading`].
pub(crate) fn provide_announcer() {
    provide_context(Announced { path: StoredValue::new(None), said: RwSignal::new(String::new()) });
}

/// The polite live region that says the name of the page after navigation.
#[component]
pub(crate) fn RouteAnnouncer() -> impl IntoView {
    let said = use_context::<Announced>().map(|announced| announced.said);
    view! {
        <div class="visually-hidden" role="status" aria-live="polite" id="announcer">
            {move || said.map(|said| said.get())}
        </div>
    }
}

/// Tells that a page has come: its heading takes the focus, and its name is announced. Not on the first page, where the browser does
/// that, nor when only the query changed.
pub(crate) fn arrive(title: String, heading: impl Fn() -> Option<web_sys::Element> + 'static) {
    let announced = use_context::<Announced>();
    let path = use_location().pathname;
    Effect::new(move || {
        let (Some(announced), Some(element)) = (announced, heading()) else { return };
        let here = path.get_untracked();
        let before = announced.path.get_value();
        if before.as_deref() == Some(here.as_str()) {
            return;
        }
        announced.path.set_value(Some(here));
        if before.is_some() {
            if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
                // An element that was just removed cannot be focused: nothing is lost by that.
                let _ = element.focus();
            }
            announced.said.set(title.clone());
        }
    });
}

/// The one `h1` of a page, and the title of the document.
#[component]
pub(crate) fn Heading(
    /// The name of the page.
    #[prop(into)]
    title: String,
    /// Only for those who listen, where the page shows what it is.
    #[prop(optional)]
    hidden: bool,
) -> impl IntoView {
    let heading = NodeRef::<html::H1>::new();
    arrive(title.clone(), move || heading.get().map(Into::into));
    view! {
        <Title text=title.clone()/>
        <h1 tabindex="-1" node_ref=heading class:visually-hidden=hidden>{title}</h1>
    }
}
