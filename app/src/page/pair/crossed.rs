//! A pair of annotators as markup.

use crate::{
    address::{encoded, of_project, with_query},
    component::{
        chart::heat_map::HeatMap,
        figure::Figure,
        number::{count, counted, level},
        table::NamedTable,
    },
};
use domain::{LevelName, PairAgreement, PairItem, PairItems, visible};
use leptos::prelude::*;

/// The name of the page.
pub(crate) fn title(pair: &PairAgreement) -> String {
    format!("{} and {}", visible(&pair.a), visible(&pair.b))
}

/// The whole page.
#[component]
pub(crate) fn Crossed(
    /// The project.
    project: String,
    /// The counts and the first items of the cell, or of all.
    pair: PairItems,
    /// How many items there are in the cell, or in all.
    chosen: u64,
    /// The cell whose items are listed.
    cell: Option<(f64, f64)>,
) -> impl IntoView {
    let title = title(&pair.agreement);
    let PairItems { criterion, agreement, levels, counts, items } = pair;
    let (a, b) = (agreement.a.clone(), agreement.b.clone());
    let (a_name, b_name) = (visible(&a), visible(&b));
    let page = of_project(&project, "agreement/pair");
    let whole = with_query(&page, &[("criterion", &criterion), ("a", &a), ("b", &b)]);
    let back = with_query(&of_project(&project, "agreement"), &[("criterion", &criterion)]);
    let cells = whole.clone();
    let href = Callback::new(move |(a, b): (f64, f64)| format!("{cells}&a_said={a}&b_said={b}#items"));
    view! {
            <div class="head">
                <div>
                    <a class="crumb" href=back>"← Agreement"</a>
                    <h1 tabindex="-1">{title}</h1>
                    <p>{format!("{}, {} that both labelled", visible(&criterion), counted(agreement.n, "item"))}</p>
                </div>
            </div>
            <Figures agreement=agreement/>
            <section class="part" aria-labelledby="crossed">
                <h2 id="crossed">"What each said of the same items"</h2>
                <div class="card scroll padded" tabindex="0" role="region" aria-label="Confusion heat map">
                    <HeatMap a=a_name.clone() b=b_name.clone() levels=levels.clone() counts=counts.clone() href=href chosen=cell/>
                </div>
                <details>
                    <summary>"The same numbers as a table"</summary>
                    <CountsTable a=a_name.clone() b=b_name.clone() levels=levels counts=counts/>
                </details>
            </section>
            <Items project=project a=a_name b=b_name items=items chosen=chosen cell=cell whole=whole/>
    }
}

/// The figures of the pair.
#[component]
fn Figures(
    /// The figures.
    agreement: PairAgreement,
) -> impl IntoView {
    let PairAgreement { quadratic, linear, unweighted, exact, within_one, .. } = agreement;
    let figures = [
        ("κ quadratic", quadratic),
        ("κ linear", linear),
        ("κ unweighted", unweighted),
        ("exact", exact),
        ("within one", within_one),
    ];
    let shown = figures
        .into_iter()
        .map(|(name, estimate)| {
            view! { <div><dt>{name}</dt><dd><Figure estimate=estimate name=name.to_owned() id=name.to_owned()/></dd></div> }
        })
        .collect_view();
    view! { <dl class="figures">{shown}</dl> }
}

/// The counts of the heat map, to be read.
#[component]
fn CountsTable(
    /// The first annotator, by rows.
    a: String,
    /// The second, by columns.
    b: String,
    /// The levels.
    levels: Vec<LevelName>,
    /// The counts.
    counts: Vec<Vec<u64>>,
) -> impl IntoView {
    let name = |named: &LevelName| format!("{} {}", level(named.value), visible(&named.name));
    let heads =
        levels.iter().map(|named| view! { <th scope="col" class="right">{name(named)}</th> }).collect_view();
    let rows = levels
        .iter()
        .zip(counts)
        .map(|(named, counts)| {
            let cells = counts
                .into_iter()
                .map(|number| view! { <td class="right num">{count(number)}</td> })
                .collect_view();
            view! { <tr><th scope="row">{name(named)}</th>{cells}</tr> }
        })
        .collect_view();
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label="Counts">
            <table>
                <caption class="small soft">{format!("Rows: {a}. Columns: {b}.")}</caption>
                <thead><tr><td></td>{heads}</tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
}

/// The items, those furthest apart first.
#[component]
fn Items(
    /// The project.
    project: String,
    /// The first annotator.
    a: String,
    /// The second.
    b: String,
    /// The items that are listed.
    items: Vec<PairItem>,
    /// How many there are.
    chosen: u64,
    /// The cell that they are of; absent for all.
    cell: Option<(f64, f64)>,
    /// The address of all of them.
    whole: String,
) -> impl IntoView {
    let title = match cell {
        None => format!("{}, furthest apart first", counted(chosen, "item")),
        Some((x, y)) => format!("{}: {a} said {}, {b} said {}", counted(chosen, "item"), level(x), level(y)),
    };
    let listed = items.len() as u64;
    let cut = (listed < chosen).then(
        || view! { <p class="note">{format!("The first {listed} are listed: choose a cell for fewer.")}</p> },
    );
    let rows = items
        .into_iter()
        .map(|item| {
            let href = of_project(&project, &format!("conversation/{}", encoded(&item.conversation)));
            view! {
                <tr>
                    <th scope="row"><a href=href>{visible(&item.conversation)}</a></th>
                    <td>{visible(&item.unit)}</td>
                    <td class="right num">{level(item.a)}</td>
                    <td class="right num">{level(item.b)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part">
            <div class="row">
                <h2 id="items" tabindex="-1">{title}</h2>
                {cell.map(|_| view! { <a class="small" href=whole>"Show all"</a> })}
            </div>
            {cut}
            <NamedTable label="Items">
                <thead>
                    <tr>
                        <th scope="col">"Conversation"</th>
                        <th scope="col">"Unit"</th>
                        <th scope="col" class="right">{a}</th>
                        <th scope="col" class="right">{b}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
}
