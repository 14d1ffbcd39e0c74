//! Which program takes a page over in the browser. Annotators wait for that of the desk, which is much smaller than that of all pages.

/// Whether the program of the desk has the page of that path.
fn is_of_the_desk(path: &str) -> bool {
    let of_project = path.strip_prefix("/p/").and_then(|rest| rest.split_once('/'));
    path == "/sign-in"
        || path.starts_with("/invitation/")
        || of_project.is_some_and(|(_, page)| page == "label")
}

/// Where the program of the page that is asked for stands. Both have one name, which is asked for once and kept, in two folders.
#[cfg(feature = "ssr")]
pub(crate) fn folder(whole: &str) -> String {
    let parts = leptos::prelude::use_context::<axum::http::request::Parts>();
    let is_of_the_desk = parts.is_some_and(|parts| is_of_the_desk(parts.uri.path()));
    if is_of_the_desk { format!("{whole}/desk") } else { whole.to_owned() }
}

/// Whether this program has the page of that path.
#[cfg(feature = "hydrate")]
pub(crate) fn has(path: &str) -> bool {
    !cfg!(feature = "desk") || is_of_the_desk(path.split(['?', '#']).next().unwrap_or_default())
}

/// Goes to an address of this site: without leaving the document where this program has its page.
#[cfg(feature = "hydrate")]
pub(crate) fn go(address: &str) {
    if has(address) {
        leptos::server_fn::redirect::call_redirect_hook(address);
    } else {
        // An address that the server gives is one; and where it is none, the page stays.
        let _ = leptos::prelude::location().assign(address);
    }
}

/// Links to pages that this program does not have are the browser's, not the router's, which hears of them last.
#[cfg(feature = "hydrate")]
pub(crate) fn leave_links_to_the_browser() {
    use leptos::prelude::document;
    use wasm_bindgen::{JsCast, closure::Closure};
    if !cfg!(feature = "desk") {
        return;
    }
    let heard = Closure::<dyn Fn(web_sys::MouseEvent)>::new(|event: web_sys::MouseEvent| {
        let target = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
        let link = target.and_then(|target| target.closest("a[href]").ok().flatten());
        let href = link.and_then(|link| link.get_attribute("href"));
        if href.is_some_and(|href| !has(&href)) {
            event.stop_propagation();
        }
    });
    // A document that takes no listener has a router that finds no page.
    let _ = document().add_event_listener_with_callback("click", heard.as_ref().unchecked_ref());
    heard.forget();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_desk_has_the_pages_that_annotators_wait_for() {
        for path in ["/sign-in", "/invitation/a", "/p/demo/label"] {
            assert!(is_of_the_desk(path), "{path}");
        }
        for path in ["/", "/account", "/p/demo", "/p/demo/label/more", "/p/demo/gate", "/p/label", "/label"] {
            assert!(!is_of_the_desk(path), "{path}");
        }
    }
}
