//! What is only read is rendered on the server, and the browser is handed the markup: reports are large, their program would be larger,
//! and nobody should wait for it.

use crate::component::announcer::arrive;
use leptos::{html, prelude::*};
use leptos_meta::Title;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsCast;

/// Markup that this server made from a view, in which every text is escaped. There is no other way to make one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Markup {
    title: Option<String>,
    html: String,
}

#[cfg(feature = "ssr")]
impl Markup {
    /// The markup of a page of that name; the view has the name as its `h1`.
    pub(crate) fn of_page(title: impl Into<String>, view: impl IntoView) -> Markup {
        Markup { title: Some(title.into()), ..Markup::of_part(view) }
    }

    /// The markup of a part of a page.
    pub(crate) fn of_part(view: impl IntoView) -> Markup {
        Markup { title: None, html: view.into_view().to_html() }
    }
}

impl Markup {
    /// The markup itself.
    pub(crate) fn into_html(self) -> String {
        self.html
    }
}

/// Markup in its place. A page of it takes the focus and is announced like any other.
#[component]
pub(crate) fn Fragment(
    /// The markup.
    markup: Markup,
    /// Whether it is a narrow page.
    #[prop(optional)]
    narrow: bool,
) -> impl IntoView {
    let place = NodeRef::<html::Div>::new();
    let Markup { title, html } = markup;
    let followed = focused_link();
    if let Some(title) = title.clone() {
        arrive(title, move || place.get().and_then(|place| beginning(&place)));
    }
    Effect::new(move || {
        if let Some((place, link)) = place.get().zip(followed.as_deref()) {
            focus_again(&place, link);
        }
    });
    view! {
        {title.map(|title| view! { <Title text=title/> })}
        <div class="page" class:narrow=narrow node_ref=place inner_html=html></div>
    }
}

/// Where the reader begins: at what the page was opened for, else at its heading.
fn beginning(place: &web_sys::HtmlElement) -> Option<web_sys::Element> {
    ["[autofocus]", "h1"].iter().find_map(|wanted| place.query_selector(wanted).ok().flatten())
}

/// The address of the link that has the focus.
fn focused_link() -> Option<String> {
    if cfg!(feature = "ssr") {
        return None;
    }
    document().active_element()?.get_attribute("href")
}

/// New markup takes the focused link away with the old: its successor gets the focus.
fn focus_again(place: &web_sys::HtmlElement, link: &str) {
    let is_lost = document().active_element().is_none_or(|element| element.tag_name() == "BODY");
    // An address with a quotation mark in it makes no selector, and then the focus stays lost.
    let successor = place.query_selector(&format!("a[href=\"{link}\"]")).ok().flatten();
    if is_lost
        && let Some(successor) = successor.and_then(|link| link.dyn_into::<web_sys::HtmlElement>().ok())
    {
        // A link that is hidden cannot be focused either.
        let _ = successor.focus();
    }
}
