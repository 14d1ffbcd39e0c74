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
    AgreementReport, AnnotatorSeverity, CoarseAlpha, Component, CriterionAgreement, PairAgreement, Panel,
    SliceAgreement, SliceBy, agreement::Estimate, visible,
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
                view! { <Figure estimate=estimate name=format!("{what} on {}", visible(&id)) id=format!("{what}-{id}")/> }
            };
            let component = component_word(criterion.component);
            view! {
                <tr class:chosen=current.is_some()>
                    <th scope="row">
                        <a href=href aria-current=current>{name.clone()}</a>
                        " "
                        <span class="tag">{component}</span>
                    </th>
                    <td><DotWhisker estimate=main_alpha(&criterion).clone() name=format!("α on {name}") axis=axis/></td>
                    <td class="right">{figure("α (ordinal)", criterion.alpha.ordinal.clone())}</td>
                    <td class="right">{figure("α (nominal)", criterion.alpha.nominal.clone())}</td>
                    <td class="right">{figure("AC2", criterion.panel.ac2.clone())}</td>
                    <td class="right">{figure("exact agreement", criterion.panel.exact.clone())}</td>
                    <td class="right">{figure("agreement within one", criterion.panel.within_one.clone())}</td>
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
                    <th scope="col" class="right">"AC2"</th>
                    <th scope="col" class="right">"exact"</th>
                    <th scope="col" class="right">"within one"</th>
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
    let CriterionAgreement { id, scale, pairs, annotators, slices, trend, chance, .. } = criterion.clone();
    let explained = chance
        .filter(|chance| chance.hides_disagreement())
        .map(|chance| view! { <p class="note"><strong>"A low κ beside a high agreement is no error. "</strong>{chance.in_words()}</p> });
    view! {
        <section class="part" aria-labelledby="criterion">
            <h2 id="criterion">{name} " " <span class="tag">{visible(&scale)}</span></h2>
            {explained}
            <Measures criterion=criterion/>
            <Matrix project=project.clone() criterion=id.clone() pairs=pairs.clone()/>
            <Pairs project=project criterion=id pairs=pairs/>
        </section>
        <Severity annotators=annotators/>
        <Trend periods=trend/>
        <Slices slices=slices/>
    }
}

/// All measures of all annotators together; on the coarser scale beside them, where one is declared.
#[component]
fn Measures(
    /// The criterion.
    criterion: CriterionAgreement,
) -> impl IntoView {
    let CriterionAgreement { alpha, panel, coarse, .. } = criterion;
    let has_coarse = coarse.is_some();
    let (coarse_nominal, coarse_ordinal, coarse_panel) = match coarse {
        None => (None, None, None),
        Some(CoarseAlpha { alpha_nominal, alpha_ordinal, panel }) => {
            (Some(alpha_nominal), Some(alpha_ordinal), Some(panel))
        }
    };
    let of = |measure: fn(&Panel) -> &Estimate| {
        (measure(&panel).clone(), coarse_panel.as_ref().map(measure).cloned())
    };
    let rows = [
        ("Krippendorff's α, nominal", (alpha.nominal, coarse_nominal)),
        ("Krippendorff's α, ordinal", (alpha.ordinal, coarse_ordinal)),
        ("Krippendorff's α, interval", (alpha.interval, None)),
        ("Krippendorff's α, ratio", (alpha.ratio, None)),
        ("Fleiss' κ", of(|panel| &panel.fleiss)),
        ("Gwet's AC1", of(|panel| &panel.ac1)),
        ("Gwet's AC2, quadratic weights", of(|panel| &panel.ac2)),
        ("ICC(A,1)", of(|panel| &panel.icc)),
        ("exact agreement", of(|panel| &panel.exact)),
        ("agreement within one", of(|panel| &panel.within_one)),
    ];
    let rows = rows
        .into_iter()
        .map(|(measure, (fine, coarse))| {
            let coarse = has_coarse.then(|| {
                let figure = coarse.map(|coarse| view! {
                    <Figure estimate=coarse name=format!("{measure}, coarser scale") id=format!("coarse-{measure}")/>
                });
                view! { <td class="right">{figure}</td> }
            });
            view! {
                <tr>
                    <th scope="row">{measure}</th>
                    <td class="right"><Figure estimate=fine name=measure.to_owned() id=format!("all-{measure}")/></td>
                    {coarse}
                </tr>
            }
        })
        .collect_view();
    let heading = has_coarse.then(|| view! { <th scope="col" class="right">"coarser scale"</th> });
    view! {
        <details open=has_coarse>
            <summary>"All measures of all annotators together"</summary>
            <NamedTable label="All measures" caption="Measures of all annotators together">
                <thead>
                    <tr>
                        <th scope="col">"Measure"</th>
                        <th scope="col" class="right">"declared scale"</th>
                        {heading}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </details>
    }
}

/// With more annotators than this, the list of pairs is easier to read.
const LARGEST_MATRIX: usize = 20;

/// Quadratic κ of everyone with everyone; each cell leads to the items of the pair.
#[component]
fn Matrix(
    /// The project.
    project: String,
    /// Id of the criterion.
    criterion: String,
    /// The pairs.
    pairs: Vec<PairAgreement>,
) -> impl IntoView {
    let mut names: Vec<String> = pairs.iter().flat_map(|pair| [pair.a.clone(), pair.b.clone()]).collect();
    names.sort_unstable();
    names.dedup();
    if !(3..=LARGEST_MATRIX).contains(&names.len()) {
        return ().into_any();
    }
    let page = of_project(&project, "agreement/pair");
    let cell = |row: &String, column: &String| {
        let is_pair = |pair: &&PairAgreement| {
            (&pair.a, &pair.b) == (row, column) || (&pair.a, &pair.b) == (column, row)
        };
        let Some(pair) = pairs.iter().find(is_pair) else {
            return view! { <td class="right soft">"–"</td> }.into_any();
        };
        let href = with_query(&page, &[("criterion", &criterion), ("a", &pair.a), ("b", &pair.b)]);
        let value = pair.quadratic.value();
        let shown = value.map_or_else(|| "undefined".to_owned(), |value| fixed(value, 2));
        let label =
            format!("κ of {} and {}: {shown}, {} items", visible(row), visible(column), count(pair.n));
        view! { <td class="right num" data-step=ramp_step(value)><a href=href aria-label=label>{shown}</a></td> }.into_any()
    };
    let head =
        names.iter().map(|name| view! { <th scope="col" class="right">{visible(name)}</th> }).collect_view();
    let rows = names
        .iter()
        .map(|row| {
            let cells = names.iter().map(|column| cell(row, column)).collect_view();
            view! { <tr><th scope="row">{visible(row)}</th>{cells}</tr> }
        })
        .collect_view();
    view! {
        <NamedTable label="Everyone with everyone" caption="Quadratic κ of each annotator with each other" class="pinned matrix">
            <thead>
                <tr><th scope="col">"κ, quadratic"</th>{head}</tr>
            </thead>
            <tbody>{rows}</tbody>
        </NamedTable>
    }
    .into_any()
}

/// The step of the ramp for a coefficient: from 0 for chance or less to 8 for full agreement.
fn ramp_step(value: Option<f64>) -> Option<String> {
    value.map(|value| fixed(value.clamp(0.0, 1.0) * 8.0, 0))
}

/// The part of the assistant that a criterion is about, as a word.
fn component_word(component: Component) -> &'static str {
    match component {
        Component::Retrieval => "retrieval",
        Component::Generation => "generation",
        Component::Routing => "routing",
    }
}

/// Agreement over time.
#[component]
fn Trend(
    /// The periods, oldest first; none where all was labelled within one.
    periods: Vec<SliceAgreement>,
) -> impl IntoView {
    if periods.is_empty() {
        return ().into_any();
    }
    let axis = Axis::of_coefficients(periods.iter().map(|period| &period.mean_quadratic), WIDTH);
    let rows = periods
        .into_iter()
        .map(|SliceAgreement { value: name, alpha, mean_quadratic, labels, .. }| {
            view! {
                <tr>
                    <th scope="row" class="num">{name.clone()}</th>
                    <td><DotWhisker estimate=mean_quadratic.clone() name=format!("Mean κ of the pairs, {name}") axis=axis/></td>
                    <td class="right"><Figure estimate=mean_quadratic name=format!("Mean κ of the pairs, {name}") id=format!("trend-kappa-{name}")/></td>
                    <td class="right"><Figure estimate=alpha.ordinal name=format!("α (ordinal), {name}") id=format!("trend-ordinal-{name}")/></td>
                    <td class="right"><Figure estimate=alpha.nominal name=format!("α (nominal), {name}") id=format!("trend-nominal-{name}")/></td>
                    <td class="right num">{count(labels)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part" aria-labelledby="trend">
            <h2 id="trend">"Over time"</h2>
            <p class="note">"Each conversation counts in the week or month in which it was labelled last."</p>
            <NamedTable label="Agreement over time" caption="Agreement by when conversations were labelled last">
                <thead>
                    <tr>
                        <th scope="col">"Period"</th>
                        <th scope="col">"mean κ of pairs" <AxisLabels axis=axis width=WIDTH/></th>
                        <th scope="col" class="right">"mean κ"</th>
                        <th scope="col" class="right">"α ordinal"</th>
                        <th scope="col" class="right">"α nominal"</th>
                        <th scope="col" class="right">"labels"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
    .into_any()
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
    let has_own = annotators.iter().any(|one| one.own.is_some());
    let rows = annotators
        .into_iter()
        .map(|one| {
            let name = visible(&one.annotator);
            let levels = one.by_level.iter().map(|number| count(*number)).collect::<Vec<_>>().join(" · ");
            let bars = one.by_level.iter().zip(1_u32..).map(|(number, level)| (format!("level {level}"), *number));
            let bars: Vec<(String, u64)> = bars.collect();
            let own = has_own.then(|| {
                let figure = one.own.map(|own| view! {
                    <Figure estimate=own.kappa name=format!("κ of {name} with the own answers of before") id=format!("own-{name}")/>
                });
                view! { <td class="right">{figure}</td> }
            });
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
                    {own}
                    <td class="right num">{count(one.labels)}</td>
                </tr>
            }
        })
        .collect_view();
    let own_head = has_own.then(|| view! { <th scope="col" class="right">"κ with oneself"</th> });
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
                        {own_head}
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
