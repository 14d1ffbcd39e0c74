//! The page of a judge as markup.

use super::{figures::Figures, items::Items};
use crate::{
    address::Here,
    component::{
        chart::heat_map::HeatMap,
        figure::{Figure, Form},
        form::Choice,
        number::{count, counted},
        slice::{in_slice, slice_name, slice_options},
        table::NamedTable,
    },
    page::compare::report::source_in_words,
};
use domain::{Comparison, CriterionComparison, JudgeFigures, visible};
use leptos::prelude::*;
use service::Contrasted;

/// What the address may say.
pub(crate) const ASKED: [&str; 12] = [
    "against",
    "by",
    "criterion",
    "judge",
    "outcome",
    "people",
    "reference",
    "rule",
    "said",
    "unsaid",
    "value",
    "why",
];

/// What is taken back when other items are chosen.
const NO_ITEMS: [(&str, &str); 5] =
    [("outcome", ""), ("people", ""), ("said", ""), ("value", ""), ("unsaid", "")];

/// The whole page.
#[component]
pub(crate) fn Whole(
    /// Every judge on every criterion.
    comparison: Comparison,
    /// The items of this one.
    contrasted: Contrasted,
    /// Every judge, for the choice of the other.
    judges: Vec<String>,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    let (judge, criterion) = (contrasted.contrast.judge.clone(), contrasted.contrast.criterion.clone());
    let source = source_in_words(&comparison.reference);
    let own =
        |found: &CriterionComparison| found.judges.iter().find(|figures| figures.judge == judge).cloned();
    let by_criterion: Vec<(String, JudgeFigures)> =
        comparison.criteria.iter().filter_map(|found| Some((found.id.clone(), own(found)?))).collect();
    let found = comparison.criteria.into_iter().find(|found| found.id == criterion);
    let figures = found.as_ref().and_then(own);
    let back = here.to(
        "compare",
        &[&NO_ITEMS[..], &[("judge", ""), ("against", ""), ("incumbent", here.said("against"))]].concat(),
    );
    let confusion = figures.as_ref().zip(found.as_ref()).map(|(figures, found)| {
        view! { <ConfusionOf figures=figures.clone() found=found.clone() here=here.clone()/> }
    });
    view! {
        <div class="head">
            <div>
                <a class="crumb" href=back>"← Compare"</a>
                <h1 tabindex="-1">{visible(&judge)}</h1>
                <p>{format!("{} · reference: {source}", visible(&criterion))}</p>
            </div>
        </div>
        <Chooser judges=judges here=here.clone()/>
        {figures.clone().map(|figures| view! { <Figures figures=figures/> })}
        <ByCriterion by_criterion=by_criterion chosen=criterion here=here.clone()/>
        {found.map(|found| view! { <BySlice found=found judge=judge here=here.clone()/> })}
        {confusion}
        <Items contrasted=contrasted here=here/>
    }
}

/// The other judge, and the slices.
#[component]
fn Chooser(
    /// Every judge.
    judges: Vec<String>,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    let others = judges.into_iter().filter(|judge| judge != here.said("judge"));
    let others = others.map(|judge| (judge.clone(), visible(&judge)));
    let others: Vec<(String, String)> =
        std::iter::once((String::new(), "nobody".to_owned())).chain(others).collect();
    let kept = ["criterion", "judge", "reference", "rule", "why"]
        .map(|name| view! { <input type="hidden" name=name value=here.said(name).to_owned()/> });
    view! {
        <form method="get" action=here.path()>
            {kept.into_iter().collect_view()}
            <div class="controls">
                <Choice name="against" label="Hold against" options=others chosen=here.said("against").to_owned()/>
                <Choice name="by" label="Slices" options=slice_options() chosen=here.said("by").to_owned()/>
                <button type="submit" class="button">"Show"</button>
            </div>
        </form>
    }
}

/// The judge on every criterion that it answered.
#[component]
fn ByCriterion(
    /// Its figures.
    by_criterion: Vec<(String, JudgeFigures)>,
    /// The criterion that is shown in full.
    chosen: String,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    let rows = by_criterion
        .into_iter()
        .map(|(criterion, figures)| {
            let is_chosen = criterion == chosen;
            let href = here.with(&[&NO_ITEMS[..], &[("criterion", &criterion)]].concat());
            let figure = |what: &str, estimate, form| {
                view! { <Figure estimate=estimate name=format!("{what} on {}", visible(&criterion)) id=format!("all-{what}-{criterion}") form=form/> }
            };
            let delta = figures.delta.map(|delta| figure("Δκ", delta.quadratic, Form::Difference));
            view! {
                <tr class:chosen=is_chosen>
                    <th scope="row"><a href=href aria-current=is_chosen.then_some("true")>{visible(&criterion)}</a></th>
                    <td class="right">{figure("κ", figures.quadratic, Form::Plain)}</td>
                    <td class="right">{figure("ceiling", figures.ceiling, Form::Plain)}</td>
                    <td class="right">{delta}</td>
                    <td class="right">{figure("bias", figures.bias, Form::Difference)}</td>
                    <td class="right num">{count(figures.n)}</td>
                    <td class="right num">{count(figures.failures)}</td>
                </tr>
            }
        })
        .collect_view();
    view! {
        <section class="part" aria-labelledby="criteria">
            <h2 id="criteria">"On every criterion"</h2>
            <NamedTable label="Criteria" caption="The judge on each criterion">
                <thead>
                    <tr>
                        <th scope="col">"Criterion"</th>
                        <th scope="col" class="right">"κ"</th>
                        <th scope="col" class="right">"ceiling"</th>
                        <th scope="col" class="right">"Δ to the other"</th>
                        <th scope="col" class="right">"bias"</th>
                        <th scope="col" class="right">"n"</th>
                        <th scope="col" class="right">"failures"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </NamedTable>
        </section>
    }
}

/// The judge within each slice; nothing where nobody asked.
#[component]
fn BySlice(
    /// The criterion.
    found: CriterionComparison,
    /// The judge.
    judge: String,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    let rows: Vec<_> = found
        .slices
        .into_iter()
        .filter_map(|slice| {
            let figures = slice.judges.into_iter().find(|figures| figures.judge == judge)?;
            let name = slice_name(&slice.by, &slice.value);
            let href = here.with(&[&NO_ITEMS[..3], &in_slice(&slice.value)].concat());
            Some(view! {
                <tr>
                    <th scope="row"><a href=format!("{href}#items")>{name.clone()}</a></th>
                    <td class="right"><Figure estimate=figures.quadratic name=format!("κ on {name}") id=format!("slice-{name}")/></td>
                    <td class="right"><Figure estimate=slice.ceiling name=format!("Ceiling on {name}") id=format!("slice-ceiling-{name}")/></td>
                    <td class="right num">{count(figures.n)}</td>
                </tr>
            })
        })
        .collect();
    (!rows.is_empty()).then(|| {
        view! {
            <section class="part" aria-labelledby="slices">
                <h2 id="slices">"Within slices"</h2>
                <NamedTable label="Slices" caption="κ within each slice, whose name opens its items">
                    <thead>
                        <tr>
                            <th scope="col">"Slice"</th>
                            <th scope="col" class="right">"κ"</th>
                            <th scope="col" class="right">"ceiling"</th>
                            <th scope="col" class="right">"n"</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </NamedTable>
            </section>
        }
    })
}

/// People and the judge crossed; each cell leads to its items.
#[component]
fn ConfusionOf(
    /// The figures with the counts.
    figures: JudgeFigures,
    /// The criterion with its levels.
    found: CriterionComparison,
    /// What the address says.
    here: Here,
) -> impl IntoView {
    if figures.confusion.is_empty() {
        return ().into_any();
    }
    let said = |name: &str| here.said(name).parse::<f64>().ok();
    let cell = said("people").zip(said("said"));
    let repeats = (figures.repeats > 1).then(|| {
        view! { <p class="note">{format!("Its {} are added up.", counted(u64::from(figures.repeats), "repeat"))}</p> }
    });
    let links = here.clone();
    let href = Callback::new(move |(people, judge): (f64, f64)| {
        let (people, judge) = (people.to_string(), judge.to_string());
        let cell = [
            ("outcome", ""),
            ("people", people.as_str()),
            ("said", judge.as_str()),
            ("value", ""),
            ("unsaid", ""),
        ];
        format!("{}#items", links.with(&cell))
    });
    view! {
        <section class="part" aria-labelledby="confusion">
            <h2 id="confusion">"What people and the judge said of the same items"</h2>
            <div class="card scroll padded" tabindex="0" role="region" aria-label="Confusion heat map">
                <HeatMap a="people".to_owned() b=visible(&figures.judge) levels=found.levels counts=figures.confusion href=href chosen=cell/>
            </div>
            {repeats}
        </section>
    }
    .into_any()
}
