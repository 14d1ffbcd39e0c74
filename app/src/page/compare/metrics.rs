//! Every metric of conversations from people and from each judge, with the paired difference.

use crate::{
    address::Here,
    component::{
        figure::{Figure, Form},
        table::NamedTable,
    },
};
use domain::{Diagnosis, MetricFigures, Paired, visible};
use leptos::prelude::*;

/// The section; its figures are computed once they are asked for.
#[component]
pub(super) fn MetricsOfJudges(
    /// People beside each judge; absent where nobody asked.
    diagnoses: Option<Vec<Diagnosis>>,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    let body = match diagnoses {
        None => view! {
            <p class="note">"Not the single judgements but what they add up to: precision, nDCG, faithfulness, the rates of routing."</p>
            <p><a class="button" href=here.with(&[("metrics", "shown")])>"Show the metrics of each judge"</a></p>
        }
        .into_any(),
        Some(diagnoses) => view! { <MetricTable diagnoses=diagnoses/> }.into_any(),
    };
    view! {
        <section class="part" aria-labelledby="metrics">
            <h2 id="metrics">"Metrics from people and from each judge"</h2>
            {body}
        </section>
    }
}

/// A row for each metric, two columns for each judge.
#[component]
fn MetricTable(
    /// People beside each judge.
    diagnoses: Vec<Diagnosis>,
) -> impl IntoView {
    let judges: Vec<String> = diagnoses.iter().filter_map(judge_of).collect();
    let heads = judges
        .iter()
        .map(|judge| {
            view! { <th scope="col" class="right">{visible(judge)}</th><th scope="col" class="right">"− people"</th> }
        })
        .collect_view();
    let metrics = diagnoses.first().map(|diagnosis| diagnosis.metrics.clone()).unwrap_or_default();
    let rows = metrics
        .into_iter()
        .map(|metric| {
            let of_judges =
                diagnoses.iter().filter_map(|diagnosis| paired(diagnosis, &metric.id)).cloned().collect();
            view! { <MetricRow metric=metric judges=of_judges/> }
        })
        .collect_view();
    view! {
        <NamedTable label="Metrics by judge" caption="Mean of each metric over conversations, from people and from each judge">
            <thead>
                <tr>
                    <th scope="col">"Metric"</th>
                    <th scope="col" class="right">"people"</th>
                    {heads}
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
        <p class="note">"A judge stands on the conversations for which people have a value as well; the difference is paired, conversation by conversation."</p>
    }
}

/// One metric in a line.
#[component]
fn MetricRow(
    /// From people.
    metric: MetricFigures,
    /// From each judge, in the order of the columns.
    judges: Vec<Paired>,
) -> impl IntoView {
    let (id, name) = (metric.id, visible(&metric.name));
    let cells = judges
        .into_iter()
        .map(|paired| {
            let judge = visible(&paired.judge);
            let difference = format!("{name}, {judge} − people");
            view! {
                <td class="right"><Figure estimate=paired.estimate name=format!("{name}, {judge}") id=format!("metric-{id}-{judge}") brief=true/></td>
                <td class="right"><Figure estimate=paired.difference name=difference id=format!("difference-{id}-{judge}") form=Form::Difference/></td>
            }
        })
        .collect_view();
    view! {
        <tr>
            <th scope="row">{name.clone()}</th>
            <td class="right"><Figure estimate=metric.estimate name=format!("{name}, people") id=format!("metric-{id}-people")/></td>
            {cells}
        </tr>
    }
}

/// The judge beside the people of a diagnosis.
fn judge_of(diagnosis: &Diagnosis) -> Option<String> {
    diagnosis.metrics.iter().find_map(|metric| metric.paired.as_ref()).map(|paired| paired.judge.clone())
}

fn paired<'a>(diagnosis: &'a Diagnosis, id: &str) -> Option<&'a Paired> {
    diagnosis.metrics.iter().find(|metric| metric.id == id)?.paired.as_ref()
}
