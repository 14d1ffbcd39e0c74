//! The browser UI: pages, components and server functions.
//!
//! The same code makes the first page on the server (feature `ssr`) and takes it over in the browser (feature `hydrate`).
#![expect(unreachable_pub, reason = "#[component] writes `pub` beside a component of any visibility")]
#![cfg_attr(
    feature = "desk",
    allow(dead_code, unused_imports, reason = "the program of the desk has few of the pages")
)]

pub mod address;
mod component;
#[cfg(feature = "ssr")]
mod door;
pub mod error;
mod next;
pub mod origin;
mod page;
mod param;
mod program;
mod routes;
mod rpc;
#[cfg(feature = "ssr")]
mod typed;

use component::{
    announcer::{RouteAnnouncer, provide_announcer},
    frame::Frame,
    loaded::Busy,
};
use leptos::prelude::*;
use leptos_meta::{Title, provide_meta_context};
use leptos_router::components::Router;
use page::label::provide_outbox;
use routes::Pages;

/// The document around every page. Where the site has a program of the desk, the pages that are in it ask for that one.
#[cfg(feature = "ssr")]
#[must_use]
pub fn shell(mut options: LeptosOptions, has_desk: bool) -> impl IntoView {
    use leptos::hydration::HydrationScripts;
    use leptos_meta::MetaTags;
    let style = format!("/{}/{}.css", options.site_pkg_dir, options.output_name);
    if has_desk {
        options.site_pkg_dir = program::folder(&options.site_pkg_dir).into();
    }
    view! {
        <!DOCTYPE html>
        <html lang="en">
            <head>
                <meta charset="utf-8"/>
                <meta name="viewport" content="width=device-width, initial-scale=1"/>
                <meta name="color-scheme" content="light dark"/>
                <link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 20 20'%3E%3Crect width='20' height='20' rx='4.5' fill='%231c1a17'/%3E%3Cpath d='M5.5 12.7 14.5 7.3' stroke='%23e5b23a' stroke-width='4' stroke-linecap='round'/%3E%3C/svg%3E"/>
                <link rel="stylesheet" href=style/>
                <HydrationScripts options=options/>
                <MetaTags/>
            </head>
            <body>
                <App/>
            </body>
        </html>
    }
}

/// All pages. A page that decides the status of the response, or leads elsewhere, must be complete before it is sent: all do.
#[component]
pub fn App() -> impl IntoView {
    provide_meta_context();
    provide_announcer();
    provide_outbox();
    let busy = RwSignal::new(false);
    let routing = RwSignal::new(false);
    provide_context(Busy(busy));
    let line =
        move || (busy.get() || routing.get()).then(|| view! { <div class="busy" aria-hidden="true"></div> });
    view! {
        <Title formatter=|title: String| if title.is_empty() { "Touchstone".to_owned() } else { format!("{title} · Touchstone") }/>
        <a class="skip" href="#main" rel="external">"Skip to the page"</a>
        <Router set_is_routing=routing>
            <Frame/>
            {line}
            <main id="main" tabindex="-1">
                <Pages/>
            </main>
            <RouteAnnouncer/>
        </Router>
    }
}

/// Takes the page over in the browser, and says so on the document.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    console_error_panic_hook::set_once();
    program::leave_links_to_the_browser();
    leptos::mount::hydrate_body(App);
    if let Some(root) = document().document_element()
        && let Ok(root) = wasm_bindgen::JsCast::dyn_into::<web_sys::HtmlElement>(root)
    {
        // A document without a data set has nobody who waits for this either.
        let _ = root.dataset().set("hydrated", "true");
    }
}
