//! The frozen sets, and what would be frozen, as markup.

use crate::{
    address::{encoded, of_project},
    component::{
        number::{count, fixed, percent},
        table::NamedTable,
    },
};
use domain::{Precision, Stratum, visible};
use leptos::prelude::*;
use service::{AnchorPreview, AnchorSetEntry};

/// The frozen sets.
#[component]
pub(crate) fn List(
    /// The project.
    project: String,
    /// The sets.
    sets: Vec<AnchorSetEntry>,
) -> impl IntoView {
    if sets.is_empty() {
        return view! { <p class="soft">"No set is frozen yet. A gate on live labels is advice; a frozen set gives it ground to stand on."</p> }
            .into_any();
    }
    let said = |text: Option<String>| text.map_or_else(|| "–".to_owned(), |text| visible(&text));
    let rows = sets
        .into_iter()
        .map(|set| {
            let name = format!("{}@{}", set.name, set.version);
            let href = of_project(&project, &format!("anchor-sets/{}", encoded(&name)));
            view! {
                <tr>
                    <th scope="row"><a href=href>{visible(&name)}</a></th>
                    <td class="num">{count(set.tune)}</td>
                    <td class="num">{count(set.confirm)}</td>
                    <td>{said(set.owner)}</td>
                    <td>{said(set.expires)}</td>
                    <td><code class="hash">{set.hash.short().to_owned()}</code></td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <NamedTable label="Frozen sets">
            <thead>
                <tr>
                    <th scope="col">"Set"</th>
                    <th scope="col">"Tune"</th>
                    <th scope="col">"Confirm"</th>
                    <th scope="col">"Owner"</th>
                    <th scope="col">"Expires"</th>
                    <th scope="col">"Hash"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
    }
    .into_any()
}

/// What would be frozen, and what it would be worth.
#[component]
pub(crate) fn Preview(
    /// What was drawn.
    preview: AnchorPreview,
) -> impl IntoView {
    let title = format!("{} would have {} items", visible(&preview.anchor_set), count(preview.items));
    let facts = format!(
        "{} to tune, {} to confirm. {} items have no reference: adjudicate them first. {} conversations are on a desk and left out.",
        count(preview.tune),
        count(preview.confirm),
        count(preview.without_reference),
        count(preview.on_desks)
    );
    let margin = format!(
        "For a judge whose κ is {:.1}: half the width of its range, and the power to show that an equal judge is no worse by {}.",
        Precision::ASSUMED_KAPPA,
        Precision::MARGIN
    );
    let precision = preview.precision.iter().map(precision_row).collect_view();
    view! {
        <section class="part" aria-labelledby="drawn">
            <h2 id="drawn">{title}</h2>
            <p>{facts}</p>
            <p class="note">{margin}</p>
            <NamedTable label="Width and power">
                <thead>
                    <tr>
                        <th scope="col">"Criterion"</th>
                        <th scope="col">"Split"</th>
                        <th scope="col">"Items"</th>
                        <th scope="col">"Clusters"</th>
                        <th scope="col">"Half width"</th>
                        <th scope="col">"At worst"</th>
                        <th scope="col">"Power"</th>
                    </tr>
                </thead>
                <tbody>{precision}</tbody>
            </NamedTable>
            <Strata strata=preview.strata/>
        </section>
    }
}

fn precision_row(of: &Precision) -> impl IntoView + use<> {
    let width =
        |width: Option<f64>| width.map_or_else(|| "–".to_owned(), |width| format!("±{}", fixed(width, 3)));
    view! {
        <tr>
            <th scope="row">{visible(&of.criterion)}</th>
            <td>{of.split.word()}</td>
            <td class="num">{count(of.items)}</td>
            <td class="num">{count(of.clusters)}</td>
            <td class="num">{width(of.half_width)}</td>
            <td class="num">{width(of.half_width_by_cluster)}</td>
            <td class="num">{of.power.map_or_else(|| "–".to_owned(), percent)}</td>
        </tr>
    }
}

/// How many of each stratum there are, and how many are taken.
#[component]
fn Strata(
    /// The strata.
    strata: Vec<Stratum>,
) -> impl IntoView {
    let rows = strata
        .into_iter()
        .map(|stratum| {
            view! {
                <tr>
                    <th scope="row">{visible(&stratum.name)}</th>
                    <td class="num">{count(stratum.available as u64)}</td>
                    <td class="num">{count(stratum.taken as u64)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <NamedTable label="Strata">
            <thead>
                <tr>
                    <th scope="col">"Criterion · category · level"</th>
                    <th scope="col">"There are"</th>
                    <th scope="col">"Taken"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
    }
}
