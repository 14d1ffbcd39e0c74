//! The comparison as markup.

use super::metrics::MetricsOfJudges;
use crate::{
    address::{Here, of_project, with_query},
    component::{
        chart::{
            axis::Axis,
            dot_whisker::AxisLabels,
            forest::{Forest, ForestRow},
        },
        figure::{Figure, Form},
        form::Choice,
        number::{count, counted, fixed, milliseconds, p_value, percent},
        provenance::Provenance,
        slice::{in_slice, slice_name, slice_options},
        table::NamedTable,
    },
};
use domain::{
    Comparison, CriterionComparison, Diagnosis, JudgeFigures, ReferenceRule, ReferenceSource,
    SliceComparison, agreement::FEW_CLUSTERS, visible,
};
use leptos::prelude::*;

/// Width of the plot within the table, and of the one that stands alone on a phone.
const IN_TABLE: f64 = 300.0;
const ALONE: f64 = 340.0;

/// The name of the page.
pub(crate) const TITLE: &str = "Judges against people";

/// What the address may say.
pub(crate) const ASKED: [&str; 7] = ["by", "criterion", "incumbent", "metrics", "reference", "rule", "why"];

/// The whole page.
#[component]
pub(crate) fn Report(
    /// The figures, cut down to the chosen criterion.
    comparison: Comparison,
    /// Every criterion that could be chosen.
    criteria: Vec<String>,
    /// Every judge, for the choice of the incumbent.
    judges: Vec<String>,
    /// The frozen anchor sets, `NAME@VERSION`.
    sets: Vec<String>,
    /// The metrics of people beside each judge, where they were asked for.
    diagnoses: Option<Vec<Diagnosis>>,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    let mut comparison = comparison;
    let found = comparison.criteria.pop();
    let source = source_in_words(&comparison.reference);
    let facts = found.as_ref().map(|found| {
        format!(
            "{} · {} in {} · reference: {source}",
            visible(&found.id),
            counted(found.references, "item"),
            counted(found.clusters, "cluster")
        )
    });
    let shown = found.as_ref().map(|found| found.id.clone());
    let tabs = criteria
        .iter()
        .map(|id| {
            let current = (Some(id) == shown.as_ref()).then_some("page");
            view! { <a href=here.with(&[("criterion", id)]) aria-current=current>{visible(id)}</a> }
        })
        .collect_view();
    let query = ["by", "criterion", "incumbent", "reference", "rule"];
    let query = query.map(|name| (name, here.said(name).to_owned())).to_vec();
    let page = here.path();
    let body = match found {
        None => view! { <NothingYet project=here.project().to_owned()/> }.into_any(),
        Some(found) => {
            let slices = found.slices.clone();
            let remarks = remarks(&found);
            let criterion = found.id.clone();
            view! {
                <Plot found=found incumbent=comparison.incumbent here=here.clone()/>
                {remarks}
                <Slices slices=slices criterion=criterion here=here.clone()/>
                <MetricsOfJudges diagnoses=diagnoses here=here.clone()/>
                <Provenance hash=comparison.data_hash page=page query=query/>
            }
            .into_any()
        }
    };
    view! {
        <div class="head">
            <div>
                <h1 tabindex="-1">{TITLE}</h1>
                <p class="num">{facts}</p>
            </div>
            <nav class="tabs" aria-label="Criterion">{tabs}</nav>
        </div>
        <Chooser here=here judges=judges sets=sets/>
        {body}
    }
}

pub(crate) fn source_in_words(source: &ReferenceSource) -> String {
    let set = source
        .anchor_set
        .as_ref()
        .map(|set| format!(", anchor set {}", visible(&set.to_string())))
        .unwrap_or_default();
    let names: Vec<String> = source.annotators.iter().map(|name| visible(name)).collect();
    format!("{} of {}{set}", source.rule.word(), names.join(", "))
}

/// What to do where there is nothing to compare.
#[component]
fn NothingYet(
    /// The project.
    project: String,
) -> impl IntoView {
    let command = format!("touchstone import verdicts --project {} verdicts.csv", visible(&project));
    view! {
        <section class="card empty">
            <h2>"Nothing to compare yet"</h2>
            <p>"A comparison needs items that people labelled and judges answered. What you have on your own desk is left out until you submit it."</p>
            <pre tabindex="0" role="region" aria-label="Command">{command}</pre>
            <p><a class="button" href=of_project(&project, "label")>"Label"</a></p>
        </section>
    }
}

/// What makes a comparison less than it looks, in sentences.
fn remarks(found: &CriterionComparison) -> impl IntoView + use<> {
    let luck = found.luck.as_ref().map(|luck| {
        format!(
            "The best of {} judges on {} in {}: expect about {} of its lead to be luck. {} stays first in {} of the resamples.",
            luck.judges,
            counted(found.references, "item"),
            counted(found.clusters, "cluster"),
            fixed(luck.expected, 2),
            visible(&luck.best),
            percent(luck.stays_first)
        )
    });
    let are_few = found.clusters < FEW_CLUSTERS as u64 && found.clusters < found.references;
    let few = are_few.then(|| {
        format!(
            "All {} come from {}. Items of one cluster say nearly the same, so that the intervals are of clusters, and of so few of them the \
             true interval may be wider: more questions would help, more items of the same would not.",
            counted(found.references, "item"),
            counted(found.clusters, "cluster")
        )
    });
    luck.into_iter().chain(few).map(|says| view! { <p class="note">{says}</p> }).collect_view()
}

/// Where the human values come from, the incumbent, and the slices.
#[component]
fn Chooser(
    /// What the address says.
    here: Here,
    /// Every judge.
    judges: Vec<String>,
    /// The frozen sets.
    sets: Vec<String>,
) -> impl IntoView {
    let none = |says: &str| (String::new(), says.to_owned());
    let tuned = sets.iter().map(|set| (format!("{set} tune"), format!("{}, to tune on", visible(set))));
    let mut references: Vec<(String, String)> = std::iter::once(none("live labels")).chain(tuned).collect();
    let reference = here.said("reference").to_owned();
    if !references.iter().any(|(value, _)| *value == reference) {
        references.push((reference.clone(), visible(&reference)));
    }
    let named = judges.iter().map(|judge| (judge.clone(), visible(judge)));
    let incumbents: Vec<(String, String)> = std::iter::once(none("none")).chain(named).collect();
    let rules = ReferenceRule::ALL.iter().map(|rule| (rule.word().to_owned(), rule.word().to_owned()));
    let rules: Vec<(String, String)> = std::iter::once(none("as the project has it")).chain(rules).collect();
    let is_live = reference.is_empty();
    let kept = ["criterion", "metrics", "why"]
        .map(|name| view! { <input type="hidden" name=name value=here.said(name).to_owned()/> });
    view! {
        <form method="get" action=here.path()>
            {kept.into_iter().collect_view()}
            <div class="controls">
                <Choice name="reference" label="Reference" options=references chosen=reference/>
                {is_live.then(|| view! { <Choice name="rule" label="Rule of the reference" options=rules chosen=here.said("rule").to_owned()/> })}
                <Choice name="incumbent" label="Incumbent" options=incumbents chosen=here.said("incumbent").to_owned()/>
                <Choice name="by" label="Slices" options=slice_options() chosen=here.said("by").to_owned()/>
                <button type="submit" class="button">"Compare"</button>
            </div>
        </form>
    }
}

/// κ of every judge within each slice.
#[component]
fn Slices(
    /// The slices; none where nobody asked.
    slices: Vec<SliceComparison>,
    /// The criterion.
    criterion: String,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    let judges: Vec<String> = slices
        .first()
        .map(|slice| slice.judges.iter().map(|figures| figures.judge.clone()).collect())
        .unwrap_or_default();
    let heads = judges
        .iter()
        .map(|judge| view! { <th scope="col" class="right">{visible(judge)}</th> })
        .collect_view();
    let rows = slices
        .into_iter()
        .map(|slice| {
            let name = slice_name(&slice.by, &slice.value);
            let cells = slice
                .judges
                .into_iter()
                .map(|figures| {
                    let judge = visible(&figures.judge);
                    let judge_of = [("judge", figures.judge.as_str()), ("criterion", &criterion), ("against", here.said("incumbent"))];
                    let href = here.to("compare/judge", &[&judge_of[..], &in_slice(&slice.value)].concat());
                    let (of, id) = (format!("κ of {judge} on {name}"), format!("slice-{name}-{judge}"));
                    let items = format!("{judge} on {name}: {}", counted(figures.n, "item"));
                    view! {
                        <td class="right">
                            <Figure estimate=figures.quadratic name=of id=id/>
                            " "
                            <a class="small" href=href aria-label=items>{count(figures.n)}</a>
                        </td>
                    }
                })
                .collect_view();
            view! {
                <tr>
                    <th scope="row">{name.clone()}</th>
                    <td class="right num">{count(slice.references)}</td>
                    <td class="right"><Figure estimate=slice.ceiling name=format!("Ceiling on {name}") id=format!("slice-{name}-ceiling")/></td>
                    {cells}
                </tr>
            }
        })
        .collect::<Vec<_>>();
    (!rows.is_empty()).then(|| {
        view! {
            <section class="part" aria-labelledby="slices">
                <h2 id="slices">"Within slices"</h2>
                <NamedTable label="Slices" caption="κ of each judge within each slice; the number beside it opens its items">
                    <thead>
                        <tr>
                            <th scope="col">"Slice"</th>
                            <th scope="col" class="right">"items"</th>
                            <th scope="col" class="right">"ceiling"</th>
                            {heads}
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </NamedTable>
            </section>
        }
    })
}

/// The table with the plot in it.
#[component]
fn Plot(
    /// The judges on the criterion.
    found: CriterionComparison,
    /// The judge that the others are compared with.
    incumbent: Option<String>,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    let is_incumbent = |judge: &str| incumbent.as_deref() == Some(judge);
    let rows: Vec<ForestRow> = found
        .judges
        .iter()
        .map(|judge| ForestRow {
            name: judge.judge.clone(),
            estimate: judge.quadratic.clone(),
            ceiling: judge.ceiling.clone(),
            incumbent: is_incumbent(&judge.judge),
        })
        .collect();
    let figures = || rows.iter().flat_map(|row| [&row.estimate, &row.ceiling]);
    let axis = Axis::of_coefficients(figures(), IN_TABLE);
    let axis_alone = Axis::of_coefficients(figures(), ALONE);
    let has_coarse = found.judges.iter().any(|judge| judge.coarse.is_some());
    let span = rows.len().to_string();
    let alone = rows.clone();
    let mut plot = Some(rows);
    let table_rows = found
        .judges
        .iter()
        .cloned()
        .map(|judge| {
            let forest = plot.take().map(|rows| {
                view! { <td class="forest-cell" rowspan=span.clone()><Forest rows=rows axis=axis width=IN_TABLE/></td> }.into_any()
            });
            let marked = is_incumbent(&judge.judge);
            let href = here.to("compare/judge", &[("judge", &judge.judge), ("criterion", &found.id), ("against", here.said("incumbent"))]);
            view! { <JudgeRow judge=judge forest=forest incumbent=marked href=href here=here.clone() criterion=found.id.clone()/> }
        })
        .collect_view();
    let coarse_head = has_coarse.then(
        || view! { <th scope="col" class="right" title="On the coarser form of the scale">"κ coarse"</th> },
    );
    let without = (found.without_reference > 0).then(|| {
        view! { <p class="note">{format!("{} have labels that give no reference under this rule, and are left out.", counted(found.without_reference, "item"))}</p> }
    });
    view! {
        <figure class="card forest-alone">
            <Forest rows=alone axis=axis_alone width=ALONE named=true/>
            <AxisLabels axis=axis_alone width=ALONE/>
        </figure>
        <NamedTable label="Judges" caption="Each judge against the reference, closest to people first" class="pinned compare">
            <thead>
                <tr>
                    <th scope="col">"Judge"</th>
                    <th scope="col" class="forest-cell">"κ with its interval, and what people reach" <AxisLabels axis=axis width=IN_TABLE/></th>
                    <th scope="col" class="right">"κ"</th>
                    {coarse_head}
                    <th scope="col" class="right">"ceiling"</th>
                    <th scope="col" class="right">"Δ to incumbent"</th>
                    <th scope="col" class="right">"p (Holm)"</th>
                    <th scope="col" class="right">"bias"</th>
                    <th scope="col" class="right">"MAE"</th>
                    <th scope="col" class="right">"n"</th>
                    <th scope="col" class="right">"failures"</th>
                    <th scope="col" class="right">"flips"</th>
                    <th scope="col" class="right">"$ / 1,000"</th>
                    <th scope="col" class="right">"p50"</th>
                </tr>
            </thead>
            <tbody>{table_rows}</tbody>
        </NamedTable>
        {without}
        <p class="note">
            "The gold band is the ceiling: how well one person agrees with the others on the same items, the most that a judge can be asked for. "
            "Δ is on the items that both answered, so that it is not the difference of two columns. Bias is judge minus reference. "
            "Flips is the share of items whose repeats are not all equal. "
            "Press a figure for its items, method, interval and remarks; a judge for all its figures and the items that it wins and loses."
        </p>
    }
}

/// One judge in a line.
#[component]
fn JudgeRow(
    /// The judge.
    judge: JudgeFigures,
    /// The plot of all rows, in the first one.
    forest: Option<AnyView>,
    /// Whether it is the incumbent.
    incumbent: bool,
    /// The page about it.
    href: String,
    /// The criterion.
    criterion: String,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    let name = visible(&judge.judge);
    let whole = |what: &'static str, estimate, form| {
        view! { <Figure estimate=estimate name=format!("{what} of {name}") id=format!("{what}-{name}") form=form/> }
    };
    // The interval of these is one press away: the row holds what is compared at a glance.
    let brief = |what: &'static str, estimate, form| {
        view! { <Figure estimate=estimate name=format!("{what} of {name}") id=format!("{what}-{name}") form=form brief=true/> }
    };
    let failures = failures(&judge, &criterion, &here);
    let baseline = judge.baseline.then(|| view! { " " <span class="tag" title="A judge without a model, which every other must beat.">"baseline"</span> });
    let flips = if judge.repeats > 1 {
        brief("Flip rate", judge.stability.flip_rate, Form::Plain).into_any()
    } else {
        view! { <span class="soft" title="It was asked once.">"–"</span> }.into_any()
    };
    let mixed = judge.mixed.then(|| view! { " " <span class="tag" title="Verdicts of more than one model version: not one instrument, and not to be gated.">"mixed"</span> });
    let coarse = judge.coarse.map(|coarse| {
        view! { <td class="right">{brief("κ on the coarser scale", coarse.quadratic, Form::Plain)}</td> }
    });
    let (delta, p) = match judge.delta {
        _ if incumbent => (view! { <span class="tag gold">"incumbent"</span> }.into_any(), String::new()),
        None => (view! { <span class="soft">"–"</span> }.into_any(), "–".to_owned()),
        Some(delta) => {
            let class = direction(delta.quadratic.interval().map(|interval| (interval.low, interval.high)));
            let shown = whole("Δκ to the incumbent", delta.quadratic, Form::Difference);
            (
                view! { <span class=class>{shown}</span> }.into_any(),
                delta.p_holm.map_or_else(|| "undefined".to_owned(), p_value),
            )
        }
    };
    let cost = judge.cost_per_1000.map_or_else(|| "–".to_owned(), |cost| fixed(cost, 2));
    let latency = judge.latency_p50_ms.map_or_else(|| "–".to_owned(), milliseconds);
    view! {
        <tr class:chosen=incumbent>
            <th scope="row"><a href=href>{name.clone()}</a> {baseline} {mixed}</th>
            {forest}
            <td class="right">{whole("κ", judge.quadratic, Form::Plain)}</td>
            {coarse}
            <td class="right">{brief("Ceiling on the items", judge.ceiling, Form::Plain)}</td>
            <td class="right">{delta}</td>
            <td class="right num">{p}</td>
            <td class="right">{brief("Bias", judge.bias, Form::Difference)}</td>
            <td class="right">{brief("Mean absolute error", judge.mae, Form::Plain)}</td>
            <td class="right num">{count(judge.n)}</td>
            <td class="right num">{failures}</td>
            <td class="right">{flips}</td>
            <td class="right num">{cost}</td>
            <td class="right num">{latency}</td>
        </tr>
    }
}

/// The failures as a link to the ledger.
fn failures(judge: &JudgeFigures, criterion: &str, here: &Here) -> AnyView {
    if judge.failures == 0 {
        return "0".into_any();
    }
    let page = of_project(here.project(), "compare/failures");
    let href = with_query(&page, &[("judge", &judge.judge), ("criterion", criterion)]);
    let kinds: Vec<String> =
        judge.failures_by_kind.iter().map(|(kind, number)| format!("{number} {kind}")).collect();
    let name =
        format!("{} of {}: {}", counted(judge.failures, "failure"), visible(&judge.judge), kinds.join(", "));
    view! { <a href=href aria-label=name>{count(judge.failures)}</a> }.into_any()
}

/// Whether a difference is shown to be above or below zero.
fn direction(interval: Option<(f64, f64)>) -> &'static str {
    match interval {
        Some((low, _)) if low > 0.0 => "good",
        Some((_, high)) if high < 0.0 => "bad",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_shown_difference_has_a_direction() {
        assert_eq!(direction(Some((0.06, 0.22))), "good");
        assert_eq!(direction(Some((-0.22, -0.06))), "bad");
        assert_eq!(direction(Some((-0.06, 0.10))), "");
        assert_eq!(direction(None), "");
    }
}
