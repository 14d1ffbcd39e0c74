//! Every metric from people and from a judge, by the part of the assistant that it is about.

use super::report::{Asked, side_in_words};
use crate::component::{
    chart::bars::Bars,
    figure::{Figure, Form, slug},
    number::{count, fixed, level},
    slice::slice_name,
    table::NamedTable,
};
use domain::{Better, Component, MetricFigures, Tail, visible};
use leptos::prelude::*;
use std::collections::BTreeMap;

/// How many of the worst conversations stand in a row.
const WORST: usize = 3;

/// Columns of a row of figures.
const COLUMNS: u32 = 11;

/// A table for each part of the assistant.
#[component]
pub(super) fn MetricTables(
    /// The metrics, in the order of the registry.
    metrics: Vec<MetricFigures>,
    /// Whose word they are.
    from: String,
    /// What the address says.
    asked: Asked,
) -> impl IntoView {
    let other = metrics.iter().find_map(|metric| metric.paired.as_ref()).map(|paired| paired.judge.clone());
    let sides = Sides { own: from, other };
    [
        (Component::Routing, "Routing", "Metrics of routing"),
        (Component::Retrieval, "Retrieval", "Metrics of retrieval"),
        (Component::Generation, "Generation", "Metrics of generation"),
    ]
    .into_iter()
    .filter_map(|(component, title, label)| {
        let own: Vec<MetricFigures> =
            metrics.iter().filter(|metric| metric.component == component).cloned().collect();
        (!own.is_empty()).then(|| {
            view! { <MetricTable title=title label=label metrics=own sides=sides.clone() asked=asked.clone()/> }
        })
    })
    .collect_view()
}

/// Whose word the two columns are.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sides {
    own: String,
    other: Option<String>,
}

impl Sides {
    /// What the difference is of.
    fn difference(&self) -> &'static str {
        if self.other.is_some() { "judge − people" } else { "difference" }
    }
}

/// The metrics of one part.
#[component]
fn MetricTable(
    /// Its name.
    title: &'static str,
    /// The name of the region that scrolls.
    label: &'static str,
    /// The metrics.
    metrics: Vec<MetricFigures>,
    /// Whose word they are.
    sides: Sides,
    /// What the address says.
    asked: Asked,
) -> impl IntoView {
    let own = side_in_words(&sides.own);
    let other = sides.other.as_deref().map_or_else(|| "no judge yet".to_owned(), side_in_words);
    let difference = sides.difference();
    let rows = metrics
        .into_iter()
        .map(|metric| view! { <MetricRow metric=metric sides=sides.clone() asked=asked.clone()/> })
        .collect_view();
    let id = title.to_lowercase();
    let named = id.clone();
    view! {
        <section class="part" aria-labelledby=named>
            <h2 id=id>{title}</h2>
            <NamedTable label=label caption=format!("{label}, mean over conversations") class="pinned metrics">
                <thead>
                    <tr>
                        <th scope="col">"Metric"</th>
                        <th scope="col">"worst conversations"</th>
                        <th scope="col" class="right">{own}</th>
                        <th scope="col" class="right">{other}</th>
                        <th scope="col" class="right">{difference}</th>
                        <th scope="col" class="right">"ρ"</th>
                        <th scope="col" class="right">"judged"</th>
                        <th scope="col" class="right">"beyond the bound"</th>
                        <th scope="col" class="right">"the same, several parts"</th>
                        <th scope="col">"least to greatest"</th>
                        <th scope="col">"without a value"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
}

/// One metric in a line, and a line for each of its slices.
#[component]
fn MetricRow(
    /// The metric.
    metric: MetricFigures,
    /// Whose word it is.
    sides: Sides,
    /// What the address says.
    asked: Asked,
) -> impl IntoView {
    let name = metric.name.clone();
    let id = metric.id.clone();
    let figure = |what: &str, estimate, form| {
        view! { <Figure estimate=estimate name=format!("{name}, {what}") id=format!("{id}-{what}") form=form/> }
    };
    let worst = worst(&metric, &asked);
    let about = about(&metric);
    let own = figure(&side_in_words(&sides.own), metric.estimate, Form::Plain);
    let (other, difference, correlation) = match metric.paired {
        None => (none(), none(), none()),
        Some(paired) => (
            figure(&side_in_words(&paired.judge), paired.estimate, Form::Plain).into_any(),
            figure(sides.difference(), paired.difference, Form::Difference).into_any(),
            figure("Spearman's ρ over conversations", paired.correlation, Form::Plain).into_any(),
        ),
    };
    let judged = metric.judged_share.map_or_else(|| "–".to_owned(), |share| fixed(share, 2));
    let Tail { beyond, beyond_multi_part, histogram, .. } = metric.tail;
    let bars = histogram
        .into_iter()
        .map(|bin| (format!("{} to {}", fixed(bin.low, 2), fixed(bin.high, 2)), bin.count))
        .collect::<Vec<_>>();
    let slices = slice_rows(&metric.id, &name, metric.by);
    view! {
        <tr>
            <th scope="row" class="wrap">{about}</th>
            <td class="worst">{worst}</td>
            <td class="right">{own}</td>
            <td class="right">{other}</td>
            <td class="right">{difference}</td>
            <td class="right">{correlation}</td>
            <td class="right num">{judged}</td>
            <td class="right">{figure("share beyond the bound", beyond, Form::Plain)}</td>
            <td class="right">{figure("share beyond the bound, questions of several parts", beyond_multi_part, Form::Plain)}</td>
            <td><Bars name=format!("Distribution of {name}") bars=bars noun="conversation"/></td>
            <td class="soft">{undefined(&metric.undefined)}</td>
        </tr>
        {slices}
    }
}

fn none() -> AnyView {
    view! { <span class="soft">"–"</span> }.into_any()
}

/// The name, which opens the formula and what is done at its edges.
fn about(metric: &MetricFigures) -> impl IntoView + use<> {
    let id = format!("about-{}", slug(&metric.id));
    let name = visible(&metric.name);
    let bound = match metric.better {
        Better::High => format!("below {}", level(metric.tail.bound)),
        Better::Low => format!("above {}", level(metric.tail.bound)),
    };
    let better = match metric.better {
        Better::High => "the more the better",
        Better::Low => "the less the better",
    };
    let cells: Vec<String> = metric
        .cells
        .iter()
        .map(|(cell, number)| format!("{} {}", cell.replace('_', " "), count(*number)))
        .collect();
    let cells = (!cells.is_empty()).then(|| view! { <dt>"cases"</dt><dd>{cells.join(" · ")}</dd> });
    view! {
        <button type="button" class="figure metric-name" popovertarget=id.clone()>{name.clone()}</button>
        <div class="figure-how" popover="auto" id=id>
            <strong>{name}</strong>
            <dl class="pairs">
                <dt>"id"</dt>
                <dd><code>{visible(&metric.id)}</code></dd>
                <dt>"formula"</dt>
                <dd>{metric.formula.clone()}</dd>
                <dt>"edges"</dt>
                <dd>{metric.edges.clone()}</dd>
                <dt>"reads as"</dt>
                <dd>{better} ", beyond the bound: " {bound}</dd>
                {cells}
            </dl>
        </div>
    }
}

/// The worst conversations, each a link to what lowers the metric in it.
fn worst(metric: &MetricFigures, asked: &Asked) -> AnyView {
    if metric.tail.worst.is_empty() {
        return view! { <span class="soft">"none"</span> }.into_any();
    }
    metric
        .tail
        .worst
        .iter()
        .take(WORST)
        .map(|worst| {
            let href = asked.at_fault(&worst.conversation, &metric.id);
            view! { <a href=href>{visible(&worst.conversation)}</a> " " <span class="soft num">{fixed(worst.value, 2)}</span> " " }
        })
        .collect_view()
        .into_any()
}

/// Conversations without a value, by reason.
fn undefined(reasons: &BTreeMap<String, u64>) -> String {
    let said: Vec<String> = reasons
        .iter()
        .map(|(reason, number)| format!("{}: {}", count(*number), reason.replace('_', " ")))
        .collect();
    if said.is_empty() { "–".to_owned() } else { said.join(", ") }
}

/// A line for each slice.
fn slice_rows(
    id: &str,
    name: &str,
    by: BTreeMap<String, BTreeMap<String, domain::agreement::Estimate>>,
) -> impl IntoView + use<> {
    let (id, name) = (id.to_owned(), name.to_owned());
    by.into_iter()
        .flat_map(|(by, slices)| {
            slices.into_iter().map(move |(slice, estimate)| (slice_name(&by, &slice), estimate))
        })
        .map(|(slice, estimate)| {
            let whole = format!("{name}, {slice}");
            view! {
                <tr class="slice">
                    <th scope="row">{slice.clone()}</th>
                    <td></td>
                    <td class="right"><Figure estimate=estimate name=whole id=format!("{id}-{slice}")/></td>
                    <td colspan=(COLUMNS - 3).to_string()></td>
                </tr>
            }
        })
        .collect_view()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::LABELS;

    #[test]
    fn what_has_no_value_is_said_with_its_reason() {
        let reasons = BTreeMap::from([("no_labels".to_owned(), 3), ("nothing_cited".to_owned(), 1_200)]);
        assert_eq!(undefined(&reasons), "3: no labels, 1,200: nothing cited");
        assert_eq!(undefined(&BTreeMap::new()), "–");
    }

    #[test]
    fn the_difference_is_named_by_its_sides() {
        let sides = Sides { own: LABELS.to_owned(), other: Some("j".to_owned()) };
        assert_eq!(sides.difference(), "judge − people");
    }
}
