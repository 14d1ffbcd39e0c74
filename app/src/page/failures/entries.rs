//! The ledger as markup.

use crate::{
    address::{encoded, of_project, with_query},
    component::number::counted,
};
use domain::{LedgerEntry, visible};
use leptos::prelude::*;

/// The name of the page.
pub(crate) const TITLE: &str = "Instrument failures";

/// The entries of a judge on a criterion, or of all.
#[component]
pub(crate) fn Entries(
    /// The project.
    project: String,
    /// The first entries.
    entries: Vec<LedgerEntry>,
    /// How many there are.
    total: u64,
    /// The judge that was asked for.
    judge: Option<String>,
    /// The criterion that was asked for.
    criterion: Option<String>,
) -> impl IntoView {
    let query = [("criterion", criterion.as_deref().unwrap_or_default())];
    let back = with_query(&of_project(&project, "compare"), &query);
    let of = match [judge, criterion].map(|text| text.map(|text| visible(&text))) {
        [Some(judge), Some(criterion)] => format!("{judge} on {criterion}"),
        [Some(only), None] | [None, Some(only)] => only,
        [None, None] => "all judges".to_owned(),
    };
    let none_counts = "None of them counts as a label, as zero or as agreement.";
    let cut = ((entries.len() as u64) < total)
        .then(|| view! { <p class="note">{format!("The first {} are listed.", entries.len())}</p> });
    let cards = entries
        .into_iter()
        .map(|entry| view! { <Entry project=project.clone() entry=entry/> })
        .collect_view();
    view! {
        <div class="head">
            <div>
                <a class="crumb" href=back>"← Compare"</a>
                <h1 tabindex="-1">{TITLE}</h1>
                <p>{format!("{}, {of}. {none_counts}", counted(total, "verdict"))}</p>
            </div>
        </div>
        {cut}
        <ul class="plain ledger">{cards}</ul>
    }
}

/// One verdict that is no value.
#[component]
fn Entry(
    /// The project.
    project: String,
    /// The verdict.
    entry: LedgerEntry,
) -> impl IntoView {
    let href = of_project(&project, &format!("conversation/{}", encoded(&entry.conversation)));
    let raw = visible(&entry.raw);
    let raw = if raw.is_empty() { "(the source gave no text)".to_owned() } else { raw };
    view! {
        <li class="card ledger-entry">
            <p class="row">
                <span class="tag">{entry.kind.to_string()}</span>
                <a href=href>{visible(&entry.conversation)}</a>
                <span class="soft small">{format!("{} · {} · {} · repeat {}", visible(&entry.unit), visible(&entry.criterion), visible(&entry.judge), entry.repeat)}</span>
            </p>
            <p>{visible(&entry.says)}</p>
            <details>
                <summary>"Raw text"</summary>
                <pre class="call" dir="auto">{raw}</pre>
            </details>
        </li>
    }
}
