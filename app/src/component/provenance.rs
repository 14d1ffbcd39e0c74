//! What every report says of itself: the hash of its data, and the same numbers as files.

use crate::address::with_query;
use domain::ContentHash;
use leptos::prelude::*;

/// The hash of the data behind a report, and the links to the report as JSON and CSV.
#[component]
pub(crate) fn Provenance(
    /// The hash.
    hash: ContentHash,
    /// The address of the page.
    page: String,
    /// The query of the page, which the files have too.
    query: Vec<(&'static str, String)>,
) -> impl IntoView {
    let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let json = with_query(&format!("{page}.json"), &query);
    let csv = with_query(&format!("{page}.csv"), &query);
    view! {
        <p class="row small soft">
            <span>"Data " <code class="hash">{hash.0}</code></span>
            <a href=json download rel="external">"The same numbers as JSON"</a>
            <a href=csv download rel="external">"as CSV"</a>
        </p>
    }
}
