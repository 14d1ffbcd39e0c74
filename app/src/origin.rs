//! The address that people reach this site by.

use leptos::prelude::*;

/// `https://touchstone.example.org`, as the server was told; links that leave the site begin with it. The server provides it to the
/// pages as context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicOrigin(pub String);

/// The origin of this site: on the server the one that is provided, in the browser the one of the page.
pub(crate) fn public_origin() -> String {
    if cfg!(feature = "hydrate") {
        location().origin().unwrap_or_default()
    } else {
        use_context::<PublicOrigin>().map(|origin| origin.0).unwrap_or_default()
    }
}
