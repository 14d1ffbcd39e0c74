//! Where conversations fail first, as a flow through the stages, and the same numbers as a table.

use crate::component::{
    chart::stages::Stages,
    number::{count, counted, percent, share},
    slice::slice_name,
    table::NamedTable,
};
use domain::FailedAt;
use leptos::prelude::*;
use std::collections::BTreeMap;

/// The flow with its table.
#[component]
pub(super) fn Flow(
    /// All conversations.
    all: FailedAt,
    /// The same within slices.
    by: BTreeMap<String, BTreeMap<String, FailedAt>>,
    /// Whether slices were asked for: then the table is open.
    is_cut: bool,
) -> impl IntoView {
    let unjudged = (all.unjudged > 0).then(|| {
        let says = format!(
            "Nothing was said of {}, and no check failed there: they are left out of the shares.",
            counted(all.unjudged, "conversation")
        );
        view! { <p class="note">{says}</p> }
    });
    view! {
        <section class="part" aria-labelledby="flow">
            <h2 id="flow">"The first stage that breaks"</h2>
            <div class="card padded scroll" tabindex="0" role="region" aria-label="Flow of the conversations">
                <Stages failed=all/>
            </div>
            {unjudged}
            <details open=is_cut>
                <summary>"The same numbers as a table, by path and slice"</summary>
                <FlowTable all=all by=by/>
            </details>
        </section>
    }
}

/// A line for all conversations and one for each slice.
#[component]
fn FlowTable(
    /// All conversations.
    all: FailedAt,
    /// The same within slices.
    by: BTreeMap<String, BTreeMap<String, FailedAt>>,
) -> impl IntoView {
    let slices = by.into_iter().flat_map(|(by, slices)| {
        slices.into_iter().map(move |(slice, failed)| (slice_name(&by, &slice), failed))
    });
    let rows = std::iter::once(("all".to_owned(), all))
        .chain(slices)
        .map(|(name, failed)| {
            let FailedAt { routing, retrieval, generation, none, unjudged } = failed;
            let judged = failed.judged();
            let cells = [routing, retrieval, generation, none]
                .map(|number| view! { <td class="right num">{count(number)} " " <span class="soft">{share(number, judged).map(percent)}</span></td> });
            view! {
                <tr>
                    <th scope="row">{name}</th>
                    {cells.into_iter().collect_view()}
                    <td class="right num">{count(unjudged)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <NamedTable label="First failing stage by slice" caption="Conversations that fail first at each stage, and their share of those judged">
            <thead>
                <tr>
                    <th scope="col">"Slice"</th>
                    <th scope="col" class="right">"routing"</th>
                    <th scope="col" class="right">"retrieval"</th>
                    <th scope="col" class="right">"generation"</th>
                    <th scope="col" class="right">"none"</th>
                    <th scope="col" class="right">"not judged"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
    }
}
