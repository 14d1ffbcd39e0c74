//! The agreement report as markup.

use crate::{
    address::{of_project, with_query},
    component::{
        chart::{
            axis::Axis,
            bars::Bars,
            dot_whisker::{AxisLabels, DotWhisker, WIDTH},
        },
        figure::{Figure, Form},
        form::Choice,
        number::{count, fixed},
        provenance::Provenance,
        table::NamedTable,
    },
};
use domain::{
    AgreementReport, AnnotatorSeverity, CriterionAgreement, PairAgreement, SliceAgreement, SliceBy,
    agreement::Estimate, visible,
};
use leptos::prelude::*;

/// The name of the page.
pub(crate) const TITLE: &str = "Agreement between people";

/// The whole report.
#[component]
pub(crate) fn Report(
    /// The figures.
    report: AgreementReport,
    /// What slices are by; empty for none.
    by: String,
) -> impl IntoView {
    let page = of_project(&report.project, "agreement");
    let chosen = report
        .criteria
        .iter()
        .find(|found| !found.annotators.is_empty())
        .or(report.criteria.first())
        .cloned();
    let criterion = chosen.as_ref().map(|chosen| chosen.id.clone()).unwrap_or_default();
    let query = vec![("criterion", criterion.clone()), ("by", by.clone())];
    let body = match chosen {
        None => view! { <NothingYet project=report.project.clone()/> }.into_any(),
        Some(chosen) => view! {
            <Overview report=report.clone() chosen=criterion.clone() by=by.clone()/>
            <Slicer page=page.clone() criterion=criterion by=by.clone()/>
            <Detail project=report.project.clone() criterion=chosen/>
            <Provenance hash=report.data_hash page=page query=query/>
        }
        .into_any(),
    };
    view! {
        <h1 tabindex="-1">{TITLE}</h1>
        {body}
    }
}

/// What to do where nobody shares an item.
#[component]
fn NothingYet(
    /// The project.
    project: String,
) -> impl IntoView {
    view! {
        <section class="card empty">
            <h2>"No labels yet"</h2>
            <p>"Agreement needs items that two people labelled. What you have on your own desk is left out until you submit it."</p>
            <p><a class="button" href=of_project(&project, "label")>"Label"</a></p>
        </section>
    }
}

/// α that fits the scale best: ordinal where it is defined for the scale, else nominal.
fn main_alpha(criterion: &CriterionAgreement) -> &Estimate {
    use domain::agreement::Undefined::ScaleMismatch;
    let alpha = &criterion.alpha;
    if alpha.ordinal.undefined() == Some(ScaleMismatch) { &alpha.nominal } else { &alpha.ordinal }
}

/// Every criterion in a line.
#[component]
fn Overview(
    /// The figures.
    report: AgreementReport,
    /// The criterion that is shown in full.
    chosen: String,
    /// What slices are by, kept in the links.
    by: String,
) -> impl IntoView {
    let axis = Axis::of_coefficients(report.criteria.iter().map(main_alpha), WIDTH);
    let page = of_project(&report.project, "agreement");
    let rows = report
        .criteria
        .into_iter()
        .map(|criterion| {
            let href = with_query(&page, &[("criterion", &criterion.id), ("by", &by)]);
            let current = (criterion.id == chosen).then_some("true");
            let name = visible(&criterion.id);
            let id = criterion.id.clone();
            let figure = move |what: &str, estimate: Estimate| {
                view! { <Figure estimate=estimate name=format!("α ({what}) on {}", visible(&id)) id=format!("alpha-{what}-{id}")/> }
            };
            view! {
                <tr class:chosen=current.is_some()>
                    <th scope="row"><a href=href aria-current=current>{name.clone()}</a></th>
                    <td><DotWhisker estimate=main_alpha(&criterion).clone() name=format!("α on {name}") axis=axis/></td>
                    <td class="right">{figure("ordinal", criterion.alpha.ordinal.clone())}</td>
                    <td class="right">{figure("nominal", criterion.alpha.nominal.clone())}</td>
                    <td class="right">{figure("interval", criterion.alpha.interval.clone())}</td>
                    <td class="right num">{count(criterion.shared_items)}</td>
                    <td class="right num">{count(criterion.labels)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <NamedTable label="Agreement by criterion" caption="Krippendorff's α for each criterion">
            <thead>
                <tr>
                    <th scope="col">"Criterion"</th>
                    <th scope="col">"Krippendorff's α" <AxisLabels axis=axis width=WIDTH/></th>
                    <th scope="col" class="right">"α ordinal"</th>
                    <th scope="col" class="right">"α nominal"</th>
                    <th scope="col" class="right">"α interval"</th>
                    <th scope="col" class="right">"shared items"</th>
                    <th scope="col" class="right">"labels"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
    }
}

/// Chooses what the slices are by.
#[component]
fn Slicer(
    /// The address of the page.
    page: String,
    /// The criterion, kept.
    criterion: String,
    /// What slices are by.
    by: String,
) -> impl IntoView {
    let mut options = vec![(String::new(), "all together".to_owned())];
    options.extend(SliceBy::ALL.iter().map(|by| (by.word().to_owned(), format!("by {}", by.word()))));
    view! {
        <form method="get" action=page>
            <input type="hidden" name="criterion" value=criterion/>
            <div class="controls">
                <Choice name="by" label="Slices" options=options chosen=by/>
                <button type="submit" class="button">"Show"</button>
            </div>
        </form>
    }
}

/// One criterion in full: pairs, annotators, slices, the coarser scale.
#[component]
fn Detail(
    /// The project.
    project: String,
    /// The criterion.
    criterion: CriterionAgreement,
) -> impl IntoView {
    let name = visible(&criterion.id);
    let CriterionAgreement { id, scale, pairs, annotators, slices, coarse, .. } = criterion;
    let coarse = coarse.map(|coarse| view! {
        <p class="row small">
            <span class="soft">"On the coarser scale: α nominal "</span>
            <Figure estimate=coarse.alpha_nominal name="α (nominal) on the coarser scale".to_owned() id="coarse-nominal".to_owned()/>
            <span class="soft">"α ordinal "</span>
            <Figure estimate=coarse.alpha_ordinal name="α (ordinal) on the coarser scale".to_owned() id="coarse-ordinal".to_owned()/>
        </p>
    });
    view! {
        <section class="part" aria-labelledby="criterion">
            <h2 id="criterion">{name} " " <span class="tag">{visible(&scale)}</span></h2>
            {coarse}
            <Pairs project=project criterion=id pairs=pairs/>
        </section>
        <Severity annotators=annotators/>
        <Slices slices=slices/>
    }
}

/// Each pair of annotators who share an item.
#[component]
fn Pairs(
    /// The project.
    project: String,
    /// Id of the criterion.
    criterion: String,
    /// The pairs.
    pairs: Vec<PairAgreement>,
) -> impl IntoView {
    if pairs.is_empty() {
        return view! { <p class="soft">"No two people have labelled the same item."</p> }.into_any();
    }
    let axis = Axis::of_coefficients(pairs.iter().map(|pair| &pair.quadratic), WIDTH);
    let has_coarse = pairs.iter().any(|pair| pair.coarse.is_some());
    let rows = pairs
        .into_iter()
        .map(|pair| {
            let page = of_project(&project, "agreement/pair");
            let href = with_query(&page, &[("criterion", &criterion), ("a", &pair.a), ("b", &pair.b)]);
            view! { <PairRow pair=pair href=href axis=axis has_coarse=has_coarse/> }
        })
        .collect_view();
    let coarse_head = has_coarse.then(|| view! { <th scope="col" class="right">"κ coarse"</th> });
    view! {
        <NamedTable label="Agreement by pair" caption="Cohen's κ for each pair of annotators">
            <thead>
                <tr>
                    <th scope="col">"Pair"</th>
                    <th scope="col">"κ, quadratic weights" <AxisLabels axis=axis width=WIDTH/></th>
                    <th scope="col" class="right">"κ quadratic"</th>
                    <th scope="col" class="right">"κ linear"</th>
                    <th scope="col" class="right">"κ unweighted"</th>
                    {coarse_head}
                    <th scope="col" class="right">"exact"</th>
                    <th scope="col" class="right">"within one"</th>
                    <th scope="col" class="right">"n"</th>
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
    }
    .into_any()
}

/// One pair in a line; its name leads to the heat map.
#[component]
fn PairRow(
    /// The pair.
    pair: PairAgreement,
    /// The address of its items.
    href: String,
    /// The axis of the column.
    axis: Axis,
    /// Whether a column for the coarser scale stands in the table.
    has_coarse: bool,
) -> impl IntoView {
    let name = format!("{} and {}", visible(&pair.a), visible(&pair.b));
    let key = format!("{}-{}", pair.a, pair.b);
    let figure = |what: &str, estimate: Estimate| {
        view! { <Figure estimate=estimate name=format!("{what}: {name}") id=format!("{what}-{key}")/> }
    };
    let coarse = has_coarse.then(|| {
        let estimate = pair.coarse.clone().map(|coarse| coarse.quadratic);
        view! { <td class="right">{estimate.map(|estimate| figure("κ quadratic, coarser scale", estimate))}</td> }
    });
    view! {
        <tr>
            <th scope="row"><a href=href>{name.clone()}</a></th>
            <td><DotWhisker estimate=pair.quadratic.clone() name=format!("κ of {name}") axis=axis/></td>
            <td class="right">{figure("κ quadratic", pair.quadratic.clone())}</td>
            <td class="right">{figure("κ linear", pair.linear.clone())}</td>
            <td class="right">{figure("κ unweighted", pair.unweighted.clone())}</td>
            {coarse}
            <td class="right">{figure("exact agreement", pair.exact.clone())}</td>
            <td class="right">{figure("agreement within one level", pair.within_one.clone())}</td>
            <td class="right num">{count(pair.n)}</td>
        </tr>
    }
}

/// Who is severe, and which levels each one uses.
#[component]
fn Severity(
    /// The annotators.
    annotators: Vec<AnnotatorSeverity>,
) -> impl IntoView {
    let rows = annotators
        .into_iter()
        .map(|one| {
            let name = visible(&one.annotator);
            let levels = one.by_level.iter().map(|number| count(*number)).collect::<Vec<_>>().join(" · ");
            let bars = one.by_level.iter().zip(1_u32..).map(|(number, level)| (format!("level {level}"), *number));
            let bars: Vec<(String, u64)> = bars.collect();
            view! {
                <tr>
                    <th scope="row">{name.clone()}</th>
                    <td><Bars name=format!("How often {name} used each level") bars=bars noun="label"/></td>
                    <td class="num soft">{levels}</td>
                    <td class="right num">{fixed(one.mean, 2)}</td>
                    <td class="right">
                        <Figure
                            estimate=one.severity
                            name=format!("Severity of {name}: own label minus the others' mean on the same item")
                            id=format!("severity-{name}")
                            form=Form::Difference
                        />
                    </td>
                    <td class="right num">{count(one.labels)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part" aria-labelledby="severity">
            <h2 id="severity">"Who is severe"</h2>
            <NamedTable label="Severity by annotator" caption="Levels used and severity of each annotator">
                <thead>
                    <tr>
                        <th scope="col">"Annotator"</th>
                        <th scope="col">"Levels, least first"</th>
                        <th scope="col">"as counts"</th>
                        <th scope="col" class="right">"mean"</th>
                        <th scope="col" class="right">"against the others"</th>
                        <th scope="col" class="right">"labels"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
}

/// The same figures within each slice.
#[component]
fn Slices(
    /// The slices; none where none were asked for.
    slices: Vec<SliceAgreement>,
) -> impl IntoView {
    if slices.is_empty() {
        return ().into_any();
    }
    let rows = slices
        .into_iter()
        .map(|slice| {
            let name = format!("{} {}", slice.by, visible(&slice.value));
            view! {
                <tr>
                    <th scope="row">{name.clone()}</th>
                    <td class="right"><Figure estimate=slice.alpha.ordinal name=format!("α (ordinal), {name}") id=format!("slice-ordinal-{name}")/></td>
                    <td class="right"><Figure estimate=slice.alpha.nominal name=format!("α (nominal), {name}") id=format!("slice-nominal-{name}")/></td>
                    <td class="right"><Figure estimate=slice.mean_quadratic name=format!("Mean κ of the pairs, {name}") id=format!("slice-kappa-{name}")/></td>
                    <td class="right num">{count(slice.labels)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part" aria-labelledby="slices">
            <h2 id="slices">"Slices"</h2>
            <NamedTable label="Agreement by slice" caption="Agreement within each slice">
                <thead>
                    <tr>
                        <th scope="col">"Slice"</th>
                        <th scope="col" class="right">"α ordinal"</th>
                        <th scope="col" class="right">"α nominal"</th>
                        <th scope="col" class="right">"mean κ of pairs"</th>
                        <th scope="col" class="right">"labels"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
    .into_any()
}
