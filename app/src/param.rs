//! What the address of a page says.

use leptos::prelude::*;
use leptos_router::hooks::{use_params_map, use_query_map};
use std::collections::BTreeMap;

/// A part of the path, `""` where the route has none of that name.
pub(crate) fn path_param(name: &'static str) -> Memo<String> {
    let params = use_params_map();
    Memo::new(move |_| params.with(|params| params.get(name)).unwrap_or_default())
}

/// The project of the page.
pub(crate) fn project_param() -> Memo<String> {
    path_param("project")
}

/// A value of the query; one that is empty counts as absent.
pub(crate) fn query_param(name: &'static str) -> Memo<Option<String>> {
    let query = use_query_map();
    Memo::new(move |_| query.with(|query| query.get(name)).filter(|value| !value.is_empty()))
}

/// Everything that a query says, by name.
pub(crate) type Query = BTreeMap<String, String>;

/// The whole query of the page, for pages that hand it to the server as it is.
pub(crate) fn whole_query() -> Memo<Query> {
    let query = use_query_map();
    Memo::new(move |_| query.get().into_iter().map(|(name, value)| (name.into_owned(), value)).collect())
}
